"""From the correlation matrix and Hedge's weights to tested edges.

Two witnesses speak about every pair. The *refit* (least squares on a few chosen neighbours) says
how strongly the two are related given the neighbours of one of them, the one with fewer. *Hedge*
says how strongly they are related given its shrunk weights. An edge needs both:

1. the refit's p-value must survive the correction for many tests, where a pair that Hedge finds
   more related than the refit does is given more weight in it;
2. Hedge must agree at the same level, or the refit must be so clear that the largest error it can
   plausibly have does not matter.

If not a single false edge is allowed, the refit must also hold where another variable could have
been chosen as a neighbour. If rows are few, the same is asked once more of a statistic that is
right when the neighbours of either node are right.

For a balanced graph only the first is asked: its q-values estimate an error rate, and do not keep
it.

docs/theory.md derives the statistics and their errors (section 10), the weights (11) and the
agreement (12), and says what is proved, what is asymptotic and what is only measured.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.sparse import issparse

from hedgerow.method.multiplicity import benjamini_hochberg, group_weights, holm, null_shares
from hedgerow.method.neighbours import Refit, detection_limit, refit
from hedgerow.method.promises import BALANCED
from hedgerow.method.stand_ins import weaken

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]

MIN_ROWS = 5
# Measured (docs/theory.md, section 12): with a plausible bias above this, the error rate slips.
BIAS_OF_FEW_ROWS = 1.5
# One standard error: too much for a single statistic where no false edge is allowed, and for the
# promise where columns are strongly related.
BIAS_TO_DOUBT = 1.0
_TINY = np.finfo(np.float64).eps
# Scores below this are taken to be those of pairs without an edge.
CENTRE = 1.5
# Where groups of pairs end, from the most promising down; in standard errors.
GROUP_ENDS = np.concatenate([2.0 ** np.arange(5, 0.5, -0.5), [1.0, 0.75, 0.5, 0.25, 0.0]])


class EdgeTests(NamedTuple):
    """One entry for each pair i < j, in the order of ``np.triu_indices``."""

    partial_corr: Array  # estimate of the partial correlation given all other variables
    z: Array  # the refit's evidence, about standard normal where there is no edge
    p_value: Array
    q_value: Array  # smallest error level at which the pair is an edge
    unexplained: Array  # for each node: share of its variance its neighbours do not explain


def judge_pairs(
    corr: Array, n_rows: float, hedge_weights: NDArray[np.floating], error: str
) -> EdgeTests:
    """Test every pair of variables.

    Parameters
    ----------
    corr : correlation matrix of the rows
    n_rows : number of rows, at least ``MIN_ROWS``; of weighted rows, the effective one
    hedge_weights : row i holds Hedge's weights for node i
    error : "fdr" for the false discovery rate, "fwer" for the familywise error rate, "balanced" for
        an estimate of the former without precautions
    """
    upper = np.triu_indices(len(corr), 1)
    fitted = refit(corr, n_rows)
    careful = weaken(corr, n_rows, fitted) if error == "fwer" else fitted
    z = given_fewer(careful, n_rows, upper)
    witness = z_score(-debiased(corr, hedge_weights)[upper], n_rows - 2)
    estimate = -debiased(corr, fitted.weights)[upper]
    q_value = _adjusted(z, witness, len(corr), n_rows, error)
    if asks_both(len(corr), n_rows, error):
        used = np.maximum(fitted.sizes[upper[0]], fitted.sizes[upper[1]])
        both = z_score(estimate, n_rows - 2 - used)
        q_value = np.maximum(q_value, _adjusted(both, witness, len(corr), n_rows, error))
    return EdgeTests(estimate, z, two_sided(z), q_value, fitted.residual)


def given_fewer(fitted: Refit, n_rows: float, upper: tuple[Indices, Indices]) -> Array:
    """Return z of every pair given the neighbours of the node that has fewer of them.

    Of two nodes with equally many, the weaker result counts. The neighbours of either node
    separate it from all others, so either is enough; the fewer are conditioned on, the less of
    the relation they explain away.
    """
    z = z_score(fitted.partial, n_rows - 2 - fitted.given)
    first, second = z[upper], z.T[upper]
    sizes = fitted.sizes[upper[0]], fitted.sizes[upper[1]]
    weaker = np.where(np.abs(first) < np.abs(second), first, second)
    return np.select([sizes[0] < sizes[1], sizes[1] < sizes[0]], [first, second], weaker)


def _adjusted(z: Array, witness: Array, n_columns: int, n_rows: float, error: str) -> Array:
    """Return the smallest level at which z and the witness make an edge of each pair."""
    weights = _weights(z, witness, n_columns, count_nulls_only=error != "fwer")
    margins = agreement_margins(n_columns, n_rows, error)
    return smallest_levels(z, witness, weights, margins, error)


def smallest_levels(
    z: Array,
    witness: Array,
    weights: Array,
    margins: tuple[float, float],
    error: str,
    n_tests: int | None = None,
) -> Array:
    """Return the same for weights given; with ``n_tests``, for the strongest of so many pairs."""
    adjust = holm if error == "fwer" else benjamini_hochberg
    levels = adjust(np.minimum(two_sided(z) / weights, 1.0), n_tests)
    if error == BALANCED:
        return levels
    off_witness, off_z = margins
    agreement = np.maximum(np.sign(z) * witness - off_witness, np.abs(z) - off_z)
    return np.maximum(levels, adjust(two_sided(np.maximum(agreement, 0.0)), n_tests))


def plausible_bias(n_columns: int, n_rows: float) -> float:
    """Return the largest error of z from one common neighbour that both nodes' choices missed."""
    return detection_limit(n_columns) ** 2 / float(np.sqrt(n_rows))


def rows_are_few(n_columns: int, n_rows: float) -> bool:
    """Return whether the rows are too few for the promised error rate to have been measured."""
    return plausible_bias(n_columns, n_rows) > BIAS_OF_FEW_ROWS


def asks_both(n_columns: int, n_rows: float, error: str) -> bool:
    """Return whether rows are so few that the statistic given both nodes' neighbours counts too."""
    few = error == "fwer" and plausible_bias(n_columns, n_rows) > BIAS_TO_DOUBT
    return error != BALANCED and (few or rows_are_few(n_columns, n_rows))


def agreement_margins(n_columns: int, n_rows: float, error: str) -> tuple[float, float]:
    """Return by how much Hedge's score, or else the refit's, must be clear of chance.

    No pair is ever clear by infinity: where nothing depends on agreement, none need be listed.
    """
    if error == BALANCED:
        return np.inf, np.inf
    bias = plausible_bias(n_columns, n_rows)
    shortage = max(1.0, bias / BIAS_OF_FEW_ROWS)
    return shortage**4 * bias / 8, shortage * bias


def debiased(corr: Array, weights: Any) -> Array:
    """Return an estimate of theta_ij / sqrt(theta_ii theta_jj) for every pair.

    Its error is of second order in the error of the weights: the product of what two nodes'
    weights miss (docs/theory.md, section 10). The weights may be dense or sparse.

    Examples
    --------
    >>> corr = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> debiased(corr, np.array([[0.0, 0.6], [0.6, 0.0]])).round(12)
    array([[ 0. , -0.6],
           [-0.6,  0. ]])
    """
    explained = weights @ corr
    residual = corr - explained - explained.T + (weights @ explained.T).T
    variance = np.maximum(np.diag(residual), _TINY)
    direct = (weights * variance).toarray() if issparse(weights) else weights * variance
    scale = np.sqrt(variance)
    result = -(residual + direct + direct.T) / scale / scale[:, None]
    np.fill_diagonal(result, 0.0)
    return np.clip(result, -1.0, 1.0)


def z_score(correlation: Array, freedom: NDArray[np.floating] | float) -> Array:
    """Return the normal score with the tail probability that a partial correlation has."""
    freedom = np.maximum(freedom, 1)
    room = np.maximum(1.0 - correlation**2, _TINY**2)
    tail = special.stdtr(freedom, -np.abs(correlation) * np.sqrt(freedom / room))
    score = np.abs(special.ndtri(np.maximum(tail, np.finfo(np.float64).tiny)))
    return np.sign(correlation) * score


def two_sided(z: Array) -> Array:
    """Return the two-sided p-value of a normal score."""
    return 2.0 * special.ndtr(-np.abs(z))


def _weights(z: Array, witness: Array, n_columns: int, *, count_nulls_only: bool) -> Array:
    """Return a weight for every pair, by how much more related Hedge finds it than the refit does.

    That surplus is made uncorrelated with z, so that for a pair without an edge it says nothing
    about how small the p-value will be.
    """
    centre = np.abs(z) < CENTRE
    shared = shared_part(float(witness[centre] @ z[centre]), float(z[centre] @ z[centre]))
    groups = _merge_small(surplus_groups(z, witness, shared), smallest_group(n_columns))
    share = null_shares(two_sided(z), groups)
    weights = group_weights(share, np.bincount(groups), count_nulls_only=count_nulls_only)
    return weights[groups]


def shared_part(together: float, alone: float) -> float:
    """Return the coefficient of the witness on z, from sums of products of central pairs."""
    return together / max(alone, 1e-12)


def surplus_groups(z: Array, witness: Array, shared: float) -> NDArray[np.intp]:
    """Return the group of each pair, numbered from the most promising."""
    surplus = np.sign(z) * (witness - shared * z)
    return np.searchsorted(-GROUP_ENDS, -surplus)


def smallest_group(n_columns: int) -> int:
    """Return how many pairs a group must have for its share of nulls to be estimated."""
    return max(20, n_columns // 2)


def _merge_small(groups: NDArray[np.intp], smallest: int) -> NDArray[np.intp]:
    """Join each group to the next until every one has at least ``smallest`` members."""
    return merged_labels(np.bincount(groups, minlength=len(GROUP_ENDS) + 1), smallest)[groups]


def merged_labels(size: NDArray[np.integer], smallest: int) -> NDArray[np.intp]:
    """Return the new number of each group after joining small ones to their next."""
    new = np.empty(len(size), dtype=np.intp)
    label, count = 0, 0
    for old, members in enumerate(size):
        new[old] = label
        count += members
        if count >= smallest and size[old + 1 :].sum() >= smallest:
            label, count = label + 1, 0
    return new
