"""From the correlation matrix and Hedge's weights to tested edges.

Two witnesses speak about every pair. The *refit* (least squares on a few chosen neighbours) says
how strongly the two are related given those neighbours. *Hedge* says how strongly they are
related given its shrunk weights. An edge needs both:

1. the refit's p-value must survive the correction for many tests, where a pair that Hedge finds
   more related than the refit does is given more weight in it;
2. Hedge must agree at the same level, or the refit must be so clear that the largest error it can
   plausibly have does not matter.

docs/theory.md derives the statistic and its error (section 10), the weights (11) and the
agreement (12), and says what is proved, what is asymptotic and what is only measured.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.sparse import issparse

from hedgerow.multiplicity import benjamini_hochberg, group_weights, holm, null_shares
from hedgerow.neighbours import Refit, detection_limit, refit

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]

MIN_ROWS = 5
# Measured (docs/theory.md, section 12): with a plausible bias above this, the error rate slips.
BIAS_OF_FEW_ROWS = 1.5
_TINY = np.finfo(np.float64).eps
# Pairs less significant than this by the refit are not worth an exact test.
WORTH_A_CLOSER_LOOK = 0.01
# Scores below this are taken to be those of pairs without an edge.
CENTRE = 1.5
# Where groups of pairs end, from the most promising down; in standard errors.
GROUP_ENDS = np.concatenate([2.0 ** np.arange(5, 0.5, -0.5), [1.0, 0.75, 0.5, 0.25, 0.0]])


class EdgeTests(NamedTuple):
    """One entry for each pair i < j, in the order of ``np.triu_indices``."""

    partial_corr: Array  # estimate of the partial correlation given all other variables
    z: Array  # the refit's evidence, standard normal where there is no edge
    p_value: Array
    q_value: Array  # smallest error level at which the pair is an edge
    unexplained: Array  # for each node: share of its variance its neighbours do not explain


def judge_pairs(corr: Array, n_rows: int, hedge_weights: Array, error: str) -> EdgeTests:
    """Test every pair of variables.

    Parameters
    ----------
    corr : correlation matrix of the rows
    n_rows : number of rows, at least ``MIN_ROWS``
    hedge_weights : row i holds Hedge's weights for node i
    error : "fdr" for the false discovery rate, "fwer" for the familywise error rate
    """
    upper = np.triu_indices(len(corr), 1)
    fitted = refit(corr, n_rows)
    estimate = -debiased(corr, fitted.weights)[upper]
    used = np.maximum(fitted.sizes[upper[0]], fitted.sizes[upper[1]])
    z = z_score(estimate, n_rows - 2 - used)
    z = _look_closer(z, corr, n_rows, fitted, upper)
    witness = z_score(-debiased(corr, hedge_weights)[upper], n_rows - 2)

    off_witness, off_z = agreement_margins(len(corr), n_rows)
    agreement = np.maximum(np.sign(z) * witness - off_witness, np.abs(z) - off_z)
    p_value = two_sided(z)
    weights = _weights(z, witness, p_value, len(corr), count_nulls_only=error == "fdr")
    adjust = benjamini_hochberg if error == "fdr" else holm
    q_value = np.maximum(
        adjust(np.minimum(p_value / weights, 1.0)), adjust(two_sided(np.maximum(agreement, 0.0)))
    )
    return EdgeTests(estimate, z, p_value, q_value, fitted.residual)


def plausible_bias(n_columns: int, n_rows: int) -> float:
    """Return the largest error of z from one common neighbour that both nodes' choices missed.

    Above ``BIAS_OF_FEW_ROWS`` the rows are too few for the promised error rate.
    """
    return detection_limit(n_columns) ** 2 / float(np.sqrt(n_rows))


def agreement_margins(n_columns: int, n_rows: int) -> tuple[float, float]:
    """Return by how much Hedge's score, or else the refit's, must be clear of chance."""
    bias = plausible_bias(n_columns, n_rows)
    shortage = max(1.0, bias / BIAS_OF_FEW_ROWS)
    return shortage**2 * bias / 4, shortage * bias


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


def z_score(correlation: Array, freedom: Array | int) -> Array:
    """Return the normal score with the tail probability that a partial correlation has."""
    freedom = np.maximum(freedom, 1)
    room = np.maximum(1.0 - correlation**2, _TINY**2)
    tail = stats.t.sf(np.abs(correlation) * np.sqrt(freedom / room), freedom)
    return np.sign(correlation) * stats.norm.isf(np.maximum(tail, np.finfo(np.float64).tiny))


def two_sided(z: Array) -> Array:
    """Return the two-sided p-value of a normal score."""
    return 2.0 * stats.norm.sf(np.abs(z))


def _look_closer(
    z: Array, corr: Array, n_rows: int, fitted: Refit, upper: tuple[Indices, Indices]
) -> Array:
    """Replace the z of promising pairs by the exact partial correlation's where that is weaker.

    The exact test conditions on the neighbours of both nodes at once, and is a t test.
    """
    look = np.flatnonzero(two_sided(z) < WORTH_A_CLOSER_LOOK)
    chosen = np.split(fitted.weights.indices, fitted.weights.indptr[1:-1])
    exact, used = np.empty(len(look)), np.empty(len(look))
    for k, (i, j) in enumerate(zip(upper[0][look], upper[1][look])):
        given = np.setdiff1d(np.union1d(chosen[i], chosen[j]), (i, j))
        exact[k], used[k] = partial_correlation(corr, i, j, given), given.size
    closer = z_score(exact, n_rows - 2 - used)
    result = z.copy()
    result[look] = np.sign(z[look]) * np.minimum(np.abs(z[look]), np.abs(closer))
    return result


def partial_correlation(corr: Array, i: int, j: int, given: Indices) -> float:
    """Return the correlation of two variables given some others.

    Examples
    --------
    >>> corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])  # 0 - 1 - 2
    >>> partial_correlation(corr, 0, 2, np.array([1]))
    0.0
    """
    both = [i, j]
    cross = corr[np.ix_(given, both)]
    left = corr[np.ix_(both, both)]
    if given.size:
        left = left - cross.T @ np.linalg.lstsq(corr[np.ix_(given, given)], cross)[0]
    scale = np.sqrt(max(left[0, 0], _TINY) * max(left[1, 1], _TINY))
    return float(np.clip(left[0, 1] / scale, -1.0, 1.0))


def _weights(
    z: Array, witness: Array, p_value: Array, n_columns: int, *, count_nulls_only: bool
) -> Array:
    """Return a weight for every pair, by how much more related Hedge finds it than the refit does.

    That surplus is made uncorrelated with z, so that for a pair without an edge it says nothing
    about how small the p-value will be.
    """
    centre = np.abs(z) < CENTRE
    shared = (witness[centre] @ z[centre]) / max(float(z[centre] @ z[centre]), 1e-12)
    surplus = np.sign(z) * (witness - shared * z)
    groups = _merge_small(np.searchsorted(-GROUP_ENDS, -surplus), smallest_group(n_columns))
    size = np.bincount(groups)
    share = null_shares(p_value, groups)
    return group_weights(share, size, count_nulls_only=count_nulls_only)[groups]


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
