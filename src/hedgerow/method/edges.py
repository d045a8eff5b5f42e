"""From the correlation matrix and Hedge's weights to tested edges.

Two witnesses speak about every pair. The *refit* (least squares on a few chosen neighbours) says
how strongly the two are related given the neighbours of one of them, the one with fewer. *Hedge*
says how strongly they are related given its shrunk weights. An edge needs both:

1. the refit's p-value must survive the correction for many tests, where a pair that Hedge finds
   more related than the refit does, or that is in good company, is given a larger prior in it;
2. Hedge must agree at the same level, or the refit must be so clear that the largest error it can
   plausibly have does not matter.

If not a single false edge is allowed, the refit must also hold where another variable could have
been chosen as a neighbour. If rows are few, the same is asked once more of a statistic that is
right when the neighbours of either node are right; but, at a false discovery rate, not of a hub and
its leaf.

For a balanced graph only the first is asked: its q-values estimate an error rate, and do not keep
it.

docs/theory.md derives the statistics and their errors (section 10), the priors (11) and the
agreement (12), and says what is proved, what is asymptotic and what is only measured.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from hedgerow.method.company import Company, company_of
from hedgerow.method.inflation import Inflation, calming, no_inflation
from hedgerow.method.levels import (
    MIN_ROWS,
    agreement_margins,
    asks_both,
    smallest_levels,
    stays_asked,
)
from hedgerow.method.neighbours import NO_HUBS, Refit, refit
from hedgerow.method.priors import pair_priors, weighs_agreement
from hedgerow.method.scores import two_sided, z_score
from hedgerow.method.stand_ins import weaken

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]

_TINY = np.finfo(np.float64).eps


class EdgeTests(NamedTuple):
    """One entry for each pair i < j, in the order of ``np.triu_indices``."""

    partial_corr: Array  # estimate of the partial correlation given all other variables
    z: Array  # the refit's evidence, about standard normal where there is no edge
    p_value: Array
    q_value: Array  # smallest error level at which the pair is an edge
    unexplained: Array  # for each node: share of its variance its neighbours do not explain
    coefficients: csr_array  # row i: those of node i on its chosen neighbours


def judge_pairs(
    corr: Array,
    n_rows: float,
    hedge_weights: NDArray[np.floating],
    error: str,
    inflation: Inflation | None = None,
    hubs: NDArray[np.intp] = NO_HUBS,
) -> EdgeTests:
    """Test every pair of variables.

    Parameters
    ----------
    corr : correlation matrix of the rows
    n_rows : number of rows, at least ``MIN_ROWS``; of weighted rows, the effective one
    hedge_weights : row i holds Hedge's weights for node i
    error : "fdr" for the false discovery rate, "fwer" for the familywise error rate, "balanced" for
        an estimate of the former without precautions
    inflation : how much less sure the scores of pairs are than those of independent normal rows
    hubs : variables that all others are given as neighbours, before any are chosen
    """
    upper = np.triu_indices(len(corr), 1)
    inflation = inflation or no_inflation(len(corr))
    n_rows = max(n_rows / inflation.per_effective, MIN_ROWS)
    calm = calming(inflation, *upper)
    fitted = refit(corr, n_rows, hubs)
    careful = weaken(corr, n_rows, fitted) if error == "fwer" else fitted
    z = calm * given_fewer(careful, n_rows, upper)
    witness = calm * z_score(-debiased(corr, hedge_weights)[upper], n_rows - 2)
    estimate = -debiased(corr, fitted.coefficients)[upper]
    company = company_of(corr, fitted.coefficients, n_rows, *given_ends(fitted, n_rows, upper))
    asked = len(corr), n_rows, error, company
    q_value = adjusted(z, witness, *asked)
    if asks_both(len(corr), n_rows, error):
        sizes = fitted.sizes[upper[0]], fitted.sizes[upper[1]]
        both = calm * z_score(estimate, n_rows - 2 - np.maximum(*sizes))
        larger = np.maximum(q_value, adjusted(both, witness, *asked))
        q_value = np.where(stays_asked(*sizes, error), larger, q_value)
    tests = estimate, z, two_sided(z), q_value
    return EdgeTests(*tests, fitted.residual, fitted.coefficients)


def scores_given_fewer(corr: Array, n_rows: float) -> Array:
    """Return z of every pair i < j given the neighbours of the node that has fewer of them."""
    return given_fewer(refit(corr, n_rows), n_rows, np.triu_indices(len(corr), 1))


def given_fewer(fitted: Refit, n_rows: float, upper: tuple[Indices, Indices]) -> Array:
    """Return z of every pair given the neighbours of the node that has fewer of them.

    Of two nodes with equally many, the weaker result counts. The neighbours of either node
    separate it from all others, so either is enough; the fewer are conditioned on, the less of
    the relation they explain away.
    """
    own, their = given_ends(fitted, n_rows, upper)
    return z_score(fitted.partial[own, their], n_rows - 2 - fitted.given[own, their])


def given_ends(
    fitted: Refit, n_rows: float, upper: tuple[Indices, Indices]
) -> tuple[Indices, Indices]:
    """Return of each pair the node whose neighbours are given, and the other."""
    sizes = fitted.sizes[upper[0]], fitted.sizes[upper[1]]
    turned = sizes[1] < sizes[0]
    equal = np.flatnonzero(sizes[0] == sizes[1])
    first, second = upper[0][equal], upper[1][equal]
    here, there = (
        np.abs(z_score(fitted.partial[pair], n_rows - 2 - fitted.given[pair]))
        for pair in ((first, second), (second, first))
    )
    turned[equal] = there <= here
    return np.where(turned, *upper[::-1]), np.where(turned, *upper)


def adjusted(
    z: Array,
    witness: Array,
    n_columns: int,
    n_rows: float,
    error: str,
    company: Company | None,
    hidden: float = 1.0,
    *,
    each_agrees: NDArray[np.bool_] | None = None,
) -> Array:
    """Return the smallest level at which z and the witness make an edge of each pair.

    Its company counts where a false discovery rate is promised, or estimated. For ``hidden`` and
    ``each_agrees`` see `hedgerow.method.levels`.
    """
    known = company if error != "fwer" else None
    priors = pair_priors(z, witness, n_columns, count_nulls_only=error != "fwer", company=known)
    margins = agreement_margins(n_columns, n_rows, error, hidden)
    weighs = known is not None and weighs_agreement(n_columns, error)
    of_agreement = priors if weighs else np.ones(len(z))
    asked = priors, of_agreement, margins, error
    return smallest_levels(z, witness, *asked, each_agrees=each_agrees)


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
    result: Array = -(residual + direct + direct.T) / scale / scale[:, None]
    np.fill_diagonal(result, 0.0)
    return np.clip(result, -1.0, 1.0)
