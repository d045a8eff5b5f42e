"""From correlations of scores to tested edges between the variables that lie behind them.

The same two witnesses as in `hedgerow.method.edges`, with tests that know of the noise in columns
of steps. Noise hides neighbours, and where columns are strongly related, an indirect relation is
then not explained away. So the statistic given both nodes' neighbours is asked there whatever the
promise, and everywhere if not a single false edge is allowed. In the latter case the refit must
also hold where another variable could have been chosen as a neighbour, and where columns are
strongly related the weaker of the results given either node's neighbours counts (docs/theory.md,
section 22).
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method import behind, noisy
from hedgerow.method.behind import Behind
from hedgerow.method.company import company_of
from hedgerow.method.edges import (
    EdgeTests,
    Indices,
    adjusted,
    debiased,
    given_ends,
    given_fewer,
)
from hedgerow.method.inflation import Inflation, calming
from hedgerow.method.latent import Latent
from hedgerow.method.levels import MIN_ROWS, STRONGLY_RELATED
from hedgerow.method.neighbours import NO_HUBS, Refit
from hedgerow.method.promises import BALANCED
from hedgerow.method.scores import two_sided, z_score

Array = NDArray[np.float64]
Pairs = tuple[Indices, Indices]


def judge_latent(
    latent: Latent,
    n_rows: float,
    hedge_weights: NDArray[np.floating],
    error: str,
    inflation: Inflation,
    hubs: NDArray[np.intp] = NO_HUBS,
    who: Behind = behind,
) -> tuple[EdgeTests, float]:
    """Test every pair of variables; return also how many rows say as much as one without noise.

    ``who`` computes what takes long.
    """
    n_columns = len(latent.corr)
    upper = np.triu_indices(n_columns, 1)
    n_rows = max(n_rows / inflation.per_effective, MIN_ROWS)
    calm = calming(inflation, *upper)
    sure = who.refit(latent, n_rows, hubs)
    fitted = sure.fitted
    factor = np.maximum(np.minimum(sure.factor, sure.factor.T), 1.0)[upper]
    per_clear = float(np.median(factor))
    clear = max(n_rows / per_clear, MIN_ROWS)
    hidden = max((1.0 + float(latent.noise.max())) / np.sqrt(per_clear), 1.0)
    # How much surer products of scores are than noise would be that had nothing to do with them.
    tight = np.sqrt(np.minimum(sure.tight, sure.tight.T))
    skew = skews(sure, n_rows, upper)

    company = None  # what noise hides is not explained, and a balanced graph would believe it
    if error != BALANCED:
        ends = given_ends(fitted, n_rows, upper)
        company = company_of(latent.corr, fitted.coefficients, clear, *ends)

    def normal(score: Array) -> Array:
        return calm * unskewed(score, skew)

    def smallest_level(score: Array) -> Array:
        return adjusted(score, witness, n_columns, clear, error, company, hidden)

    hedge = noisy.debiased(latent, hedge_weights, tight)[upper]
    witness = normal(z_score(-hedge, n_rows - 2))
    z = normal(given_fewer(fitted, n_rows, upper))
    related = _strongly_related(fitted.residual, upper)
    if error == "fwer":
        careful = who.weaken(latent, n_rows, fitted)
        weaker = normal(_weaker(careful, n_rows, upper))
        z = np.where(related, weaker, normal(given_fewer(careful, n_rows, upper)))
    q_value = smallest_level(z)
    if error != BALANCED:
        used = np.maximum(fitted.sizes[upper[0]], fitted.sizes[upper[1]])
        given_both = noisy.debiased(latent, fitted.coefficients.toarray(), tight)[upper]
        asked, raw = related | (error == "fwer"), np.zeros(len(z))
        raw[asked] = z_score(-given_both[asked], n_rows - 2 - used[asked])
        both = normal(raw)
        q_value = np.maximum(q_value, smallest_level(np.where(asked, both, z)))
    estimate = -debiased(latent.corr, fitted.coefficients)[upper]
    tests = estimate, z, two_sided(z), q_value
    return EdgeTests(*tests, fitted.residual, fitted.coefficients), per_clear


def skews(sure: noisy.Sure, n_rows: float, upper: Pairs) -> Array:
    """Return how skewed the scores of pairs are."""
    result: Array = sure.skew[upper[0]] * sure.skew[upper[1]] / np.sqrt(n_rows)
    return result


def unskewed(z: Array, skew: Array) -> Array:
    """Return scores as normal as those of skewed products can be made, and none larger.

    A mean of products that are skewed has larger values on one side than a normal variable: to the
    first order w + skew (w² - 1) / 6 where that has w (Cornish and Fisher). This is solved for w.

    >>> unskewed(np.array([4.0, -4.0]), np.array([0.25, 0.25])).round(2)
    array([ 3.52, -4.  ])
    """
    size, bend = np.abs(z), np.maximum(np.abs(skew), 1e-9)
    solved = (np.sqrt(1.0 + 2.0 / 3.0 * bend * (size + bend / 6.0)) - 1.0) * 3.0 / bend
    result: Array = np.where(z * skew > 0, np.sign(z) * np.minimum(solved, size), z)
    return result


def _strongly_related(residual: Array, upper: Pairs) -> NDArray[np.bool_]:
    """Return the pairs of columns that neighbours tell most of; all, if such ones are typical."""
    some = residual < STRONGLY_RELATED
    result: NDArray[np.bool_] = some[upper[0]] & some[upper[1]]
    return result | bool(np.median(residual) < STRONGLY_RELATED)


def _weaker(fitted: Refit, n_rows: float, upper: Pairs) -> Array:
    """Return the weaker z of every pair given either node's neighbours; 0 if signs differ."""
    z = z_score(fitted.partial, n_rows - 2 - fitted.given)
    first, second = z[upper], z.T[upper]
    weaker = np.where(np.abs(first) < np.abs(second), first, second)
    return np.where(first * second > 0, weaker, 0.0)
