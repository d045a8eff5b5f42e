"""Which partial correlations differ between two groups of rows, from the moments of each alone.

Both groups are asked about the same thing: a pair's partial correlation given the neighbours that
either group chose for either end. So a neighbour that only the larger group shows is held fixed in
both, and what it explains is no difference. Estimates and standard errors are those of
`hedgerow.method.intervals`, each group's own; on Fisher's scale they are subtracted.

How strong a pair is in both groups together is, where nothing differs, independent of the
difference. Most pairs are related in neither group; those that clearly are, together, are few, and
have half of the error rate to themselves. docs/theory.md, section 26.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.sparse import csr_array

from hedgerow.method.edges import debiased
from hedgerow.method.intervals import interval, standard_errors
from hedgerow.method.looseness import looseness
from hedgerow.method.multiplicity import benjamini_hochberg, holm
from hedgerow.method.neighbours import COLLINEAR, detection_limit
from hedgerow.method.noisy import is_left
from hedgerow.method.one_pair import Known, neighbours
from hedgerow.method.scores import two_sided

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]
Chosen = NDArray[np.bool_]

_HALVINGS = 40
_ROOT = np.sqrt(2.0 * np.pi)
_NEAREST = 1.0 - 1e-15  # to one, of a correlation whose atanh is asked for


class Group(NamedTuple):
    """Partial correlations of one group, one for each pair i < j in the order of ``np.triu``."""

    partial_corr: Array
    spread: Array  # standard error of atanh(partial_corr); infinite where that means nothing


class Differences(NamedTuple):
    """The second group less the first: one entry for each pair i < j, as in ``np.triu_indices``."""

    groups: tuple[Group, Group]
    z: Array
    p_value: Array
    q_value: Array  # smallest error level at which the pair differs
    any: float  # p-value of no difference anywhere


def compare(first: Known, second: Known, error: str) -> Differences:
    """Compare two groups of rows, of the same columns.

    Examples
    --------
    >>> from hedgerow.method.inflation import no_inflation
    >>> chain = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])  # 0 - 1 - 2
    >>> broken = np.array([[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 1.0]])  # 0 - 1, 2
    >>> one, other = (Known(corr, None, 400, no_inflation(3)) for corr in (chain, broken))
    >>> (compare(one, other, "fdr").q_value < 0.05).tolist()  # 0 - 1, 0 - 2, 1 - 2
    [False, False, True]
    """
    own = either_chose(first), either_chose(second)
    chosen = own[0] | own[1]
    groups = given_these(first, chosen, own[0]), given_these(second, chosen, own[1])
    scales = [np.arctanh(np.clip(group.partial_corr, -_NEAREST, _NEAREST)) for group in groups]
    known = compared(groups)
    errors = [np.where(known, np.square(group.spread), 1.0) for group in groups]
    total = errors[0] + errors[1]
    z = np.where(known, (scales[1] - scales[0]) / np.sqrt(total), 0.0)
    shared = np.abs(scales[0] * errors[1] + scales[1] * errors[0])
    strength = np.where(known, shared / np.sqrt(errors[0] * errors[1] * total), 0.0)
    p_value = two_sided(z)
    weighted = np.minimum(p_value / halves(strength > detection_limit(len(first.corr))), 1.0)
    by_rate = benjamini_hochberg(weighted)
    q_value = holm(weighted) if error == "fwer" else by_rate
    return Differences(groups, z, p_value, q_value, float(by_rate.min(initial=1.0)))


def compared(groups: tuple[Group, Group]) -> Chosen:
    """Return which pairs are compared: those that rows of both groups say something about."""
    result: Chosen = np.logical_and(*(np.isfinite(group.spread) for group in groups))
    return result


def halves(promising: Chosen) -> Array:
    """Return priors by which some pairs have half of the error rate, and the others the rest.

    Examples
    --------
    >>> halves(np.array([True, False, False, False])).round(3)
    array([2.   , 0.667, 0.667, 0.667])
    """
    some = int(promising.sum())
    if some in (0, len(promising)):
        return np.ones(len(promising))
    sizes = np.where(promising, some, len(promising) - some)
    result: Array = len(promising) / 2.0 / sizes
    return result


def either_chose(known: Known) -> Chosen:
    """Return which pairs of nodes are neighbours, in the eyes of one of the two at least."""
    size = len(known.corr)
    result = np.zeros((size, size), dtype=np.bool_)
    for node in range(size):
        result[node, neighbours(known, node)[0]] = True
    return result | result.T


def given_these(known: Known, chosen: Chosen, own: Chosen) -> Group:
    """Return the partial correlations of one group given neighbours, some of its ``own`` choice."""
    size, corr = len(chosen), known.corr
    sizes = chosen.sum(axis=1).astype(np.float64)
    most = known.effective_rows - 4.0  # one degree of freedom is left on Fisher's scale
    weights, remains = np.zeros((size, size)), sizes <= most
    if known.latent is not None:
        remains &= [
            is_left(known.latent, node, np.flatnonzero(chosen[node]), known.effective_rows)
            for node in range(size)
        ]
    limit = detection_limit(size)
    for node in np.flatnonzero(remains):
        some = np.flatnonzero(chosen[node])
        inverse = np.linalg.pinv(corr[np.ix_(some, some)], hermitian=True)
        weights[node, some] = inverse @ corr[some, node]
        left = max(1.0 - float(weights[node, some] @ corr[some, node]), COLLINEAR)
        errors = np.sqrt(np.diag(inverse) * left / (known.effective_rows - 1.0 - sizes[node]))
        scores = np.abs(weights[node, some]) / np.maximum(errors, COLLINEAR)
        sizes[node] += (cost_of_choice(scores[own[node, some]], limit) - 1.0).sum()
    upper = np.triu_indices(size, 1)
    used = np.maximum(sizes[upper[0]], sizes[upper[1]])
    coefficients = csr_array(weights)
    loose = 1.0 if known.latent is None else looseness(known.latent, coefficients, *upper)
    spread = standard_errors(known.n_rows, known.inflation, *upper, used, loose)
    estimate = -debiased(corr, coefficients)[upper]
    means_something = (
        remains[upper[0]] & remains[upper[1]] & (used <= most) & (np.abs(estimate) < 1.0)
    )
    return Group(estimate, np.where(means_something, spread, np.inf))


def cost_of_choice(score: Array, limit: float) -> Array:
    """Return the degrees of freedom that variables cost which were chosen for their scores.

    A variable that is told costs one: the mean of score² less the square of the true one. If it was
    chosen because its score exceeded a limit, luck is part of the score. The true one is taken to
    be that of greatest likelihood given the choice, m + phi(m - limit) / Phi(m - limit) = score.

    Examples
    --------
    >>> cost_of_choice(np.array([3.2, 4.0, 6.0]), 3.0).round(1)
    array([10.2,  3.9,  1. ])
    """
    low, high = np.zeros_like(score), score.copy()
    for _ in range(_HALVINGS):
        true = (low + high) / 2
        seen = true + np.exp(-((true - limit) ** 2) / 2 - special.log_ndtr(true - limit)) / _ROOT
        low, high = np.where(seen < score, true, low), np.where(seen < score, high, true)
    result: Array = np.maximum(np.square(score) - np.square(low), 1.0)
    return result


def interval_of_difference(first: Group, second: Group, level: float) -> tuple[Array, Array]:
    """Return intervals for partial correlations of the second less those of the first.

    Their ends are as far from the difference as those of the two intervals are, taken together at
    right angles (Zou, 2007).
    """
    ends = []
    for group in (first, second):
        low, high = interval(group.partial_corr, group.spread, level)
        ends.append((group.partial_corr - low, high - group.partial_corr))
    (down, up), (below, above) = ends
    difference = second.partial_corr - first.partial_corr
    return difference - np.hypot(below, up), difference + np.hypot(above, down)
