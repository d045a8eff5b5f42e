"""From correlations of scores to tested edges between the variables that lie behind them.

The same two witnesses as in `hedgerow.method.edges`, with tests that know of the noise in columns of
steps. Noise hides neighbours, and then an indirect relation is not explained away. So more is asked
of every pair, whatever the promise: the refit must hold where another variable could have been
chosen, and so must the statistic given both nodes' neighbours; and where noise is most of what
neighbours leave, the pair is tested given either node's neighbours, and the weaker result counts
(docs/theory.md, section 19).
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method import noisy
from hedgerow.method.edges import EdgeTests, Indices, adjusted, debiased, given_fewer
from hedgerow.method.inflation import Inflation, calming
from hedgerow.method.latent import Latent
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.neighbours import Refit
from hedgerow.method.promises import BALANCED
from hedgerow.method.scores import two_sided, z_score

Array = NDArray[np.float64]

# Variance of a test over that without noise, above which noise is more than twice what is left of
# either variable: (1 + 2)².
_MOSTLY_NOISE = 9.0


def judge_latent(
    latent: Latent, n_rows: float, hedge_weights: Array, error: str, inflation: Inflation
) -> tuple[EdgeTests, float]:
    """Test every pair of variables; return also how many rows say as much as one without noise."""
    n_columns = len(latent.corr)
    upper = np.triu_indices(n_columns, 1)
    n_rows = max(n_rows / inflation.per_effective, MIN_ROWS)
    calm = calming(inflation, *upper)
    sure = noisy.refit(latent, n_rows)
    fitted = sure.fitted
    careful = fitted if error == BALANCED else noisy.weaken(latent, n_rows, fitted)
    factor = np.maximum(np.minimum(sure.factor, sure.factor.T), 1.0)[upper]
    per_clear = float(np.median(factor))
    z = given_fewer(careful, n_rows, upper)
    if error != BALANCED:
        z = np.where(factor > _MOSTLY_NOISE, _weaker(careful, n_rows, upper), z)
    z = calm * z
    # How much surer products of scores are than noise would be that had nothing to do with them.
    tight = np.sqrt(np.minimum(sure.tight, sure.tight.T))
    hedge = noisy.debiased(latent, hedge_weights, tight)[upper]
    witness = calm * z_score(-hedge, n_rows - 2)
    clear = max(n_rows / per_clear, MIN_ROWS)
    q_value = adjusted(z, witness, n_columns, clear, error)
    if error != BALANCED:
        used = np.maximum(fitted.sizes[upper[0]], fitted.sizes[upper[1]])
        both = noisy.debiased(latent, fitted.coefficients.toarray(), tight)[upper]
        z_both = calm * z_score(-both, n_rows - 2 - used)
        q_value = np.maximum(q_value, adjusted(z_both, witness, n_columns, clear, error))
    estimate = -debiased(latent.corr, fitted.coefficients)[upper]
    return EdgeTests(estimate, z, two_sided(z), q_value, fitted.residual), per_clear


def _weaker(fitted: Refit, n_rows: float, upper: tuple[Indices, Indices]) -> Array:
    """Return z of every pair given either node's neighbours, the weaker of both; 0 if they differ.

    They differ if they do not even have the same sign.
    """
    z = z_score(fitted.partial, n_rows - 2 - fitted.given)
    first, second = z[upper], z.T[upper]
    weaker = np.where(np.abs(first) < np.abs(second), first, second)
    return np.where(first * second > 0, weaker, 0.0)
