"""Edges that may be the shadow of a third variable, which no test of the pair itself can know of.

A pair is tested given the neighbours that were chosen for one of its ends. Where columns are
strongly related and rows few, the one that is chosen need not be the neighbour: another stands
behind it, the two are related by way of that one only, and the p-value is as small as that of an
edge. But then the relation of both ends with the third is about as strong as theirs with each
other. Which of the three is between the others is a matter of odds, and these can be counted
(docs/theory.md, section 15).
"""

from math import comb

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.neighbours import COLLINEAR
from hedgerow.method.one_pair import Known, neighbours

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_AT_ONCE = 64  # pairs of a node, so that little memory is needed


def shadows(
    known: Known, per_clear: float, source: Indices, target: Indices, n_edges: float
) -> Array:
    """Return for each pair the probability that it is related by way of a third variable only.

    The neighbours of the end that has fewer are given, as in the test of the pair; of two ends with
    equally many, the one that speaks for the edge counts.

    Parameters
    ----------
    known : what partial correlations come from
    per_clear : how many rows say as much as one without the noise of steps
    source, target : the two ends of each pair
    n_edges : how many edges there are among all pairs, as far as is known

    Examples
    --------
    >>> from hedgerow.method.inflation import no_inflation
    >>> corr = np.array([[1.0, 0.8, 0.75], [0.8, 1.0, 0.75], [0.75, 0.75, 1.0]])
    >>> pair = np.array([0]), np.array([1])  # or is it 0 - 2 - 1?
    >>> for m in (10, 20, 40):
    ...     print(shadows(Known(corr, None, m, no_inflation(3)), 1.0, *pair, 2.0).round(2))
    [0.14]
    [0.06]
    [0.01]
    """
    n_columns, n_rows = len(known.corr), known.effective_rows / per_clear
    if n_columns < 3 or not len(source):
        return np.zeros(len(source))
    density = n_edges / (comb(n_columns, 2) + 1.0)
    prior = density / (1.0 - density) / np.sqrt(1.0 + n_rows)
    # So many thirds are joined to both ends, where any is: each counts as a part of one.
    both = density**2
    thirds = (n_columns - 2) * both / -np.expm1((n_columns - 2) * np.log1p(-both))
    chosen = {node: neighbours(known, node)[0] for node in np.union1d(source, target).tolist()}
    sizes = np.zeros(n_columns, dtype=np.intp)
    sizes[list(chosen)] = [len(given) for given in chosen.values()]
    own, other = np.r_[source, target], np.r_[target, source]  # each pair from both its ends
    odds = np.full(len(own), np.inf)
    for node, given in chosen.items():
        asked = np.flatnonzero((own == node) & (len(given) <= sizes[other]))
        for some in np.array_split(asked, len(asked) // _AT_ONCE + 1):
            odds[some] = shadow_odds(known.corr, n_rows, node, other[some], given, prior)
    least: Array = odds.reshape(2, -1).min(axis=0) / thirds
    return least / (1.0 + least)


def shadow_odds(
    corr: Array, n_rows: float, node: int, others: Indices, chosen: Indices, prior: float
) -> Array:
    """Return the odds that a node is related to each of some others by way of a third only.

    Given are the neighbours that were ``chosen`` for the node, but for the other one of the two.
    ``prior`` is the odds of an edge before the rows are seen, over what an edge of no particular
    strength has to pay for it.
    """
    pair, variance = _given(corr, node, others, chosen)
    third = variance > COLLINEAR
    third[:, chosen] = third[:, node] = False
    third[np.arange(len(others)), others] = False
    scale = np.sqrt(np.maximum(variance, COLLINEAR))
    of_others = np.take_along_axis(scale, others[:, None], axis=1)
    first, second = pair[0] / scale / scale[:, [node]], pair[1] / scale / of_others
    own = np.take_along_axis(first, others[:, None], axis=1)
    freedom = n_rows - 1.0 - len(chosen) + np.isin(others, chosen)[:, None]

    def evidence(squared: Array) -> Array:  # for an edge, from the square of a correlation
        shrunk = np.clip(squared, 0.0, 1.0) * n_rows / (n_rows + 1.0)
        result: Array = -np.maximum(freedom, 1.0) / 2.0 * np.log1p(-shrunk)
        return result

    direct, by_first, by_second = evidence(own**2), evidence(first**2), evidence(second**2)
    room = np.maximum((1.0 - first**2) * (1.0 - second**2), COLLINEAR**2)
    still = evidence((own - first * second) ** 2 / room)  # for the edge, given the third
    with np.errstate(over="ignore"):  # infinitely much speaks against a shadow
        against = (
            np.exp(direct - by_first - by_second) / prior  # the third is joined to neither
            + np.exp(direct - by_first)  # to the other only ...
            + np.exp(direct - by_second)  # ... or to the node only
            + prior * np.exp(still)  # all are joined
        )
        explained = np.maximum(1.0 - np.exp(still - direct), 0.0)
    result: Array = np.where(third, explained / against, 0.0).sum(axis=1)
    return result


def _given(corr: Array, node: int, others: Indices, chosen: Indices) -> tuple[Array, Array]:
    """Return covariances of a node and of others with all variables, and the latter's variances.

    For each of the others these are given the chosen variables but itself: given all of them first,
    and then what it explains is added again.
    """
    inverse = np.linalg.inv(corr[np.ix_(chosen, chosen)])
    weights = inverse @ corr[chosen]
    variance = np.tile(np.diag(corr) - (corr[chosen] * weights).sum(axis=0), (len(others), 1))
    of_node = np.tile(corr[node] - corr[node, chosen] @ weights, (len(others), 1))
    of_others = corr[others] - corr[np.ix_(others, chosen)] @ weights
    at, place = np.nonzero(others[:, None] == chosen)
    share = np.diag(inverse)[place, None]
    back = weights[place]  # of every variable on the one that is not given
    variance[at] += back**2 / share
    of_node[at] += back * back[:, [node]] / share
    of_others[at] = back / share
    return np.stack([of_node, of_others]), variance


def counted(q_values: Array, shares: Array) -> Array:
    """Return q-values that count shadows: at least the mean of their probabilities up to there.

    Examples
    --------
    >>> counted(np.array([0.01, 0.02, 0.02, 0.4]), np.array([0.0, 0.3, 0.0, 0.1]))
    array([0.01, 0.1 , 0.1 , 0.4 ])
    """
    levels, group = np.unique(q_values, return_inverse=True)
    number = np.cumsum(np.bincount(group))
    larger = np.maximum(levels, np.cumsum(np.bincount(group, weights=shares)) / number)
    result: Array = np.minimum.accumulate(larger[::-1])[::-1][group]
    return result
