"""What clear neighbours leave of the first rows: residuals that no noise was fitted to.

How long residuals remember must not be measured on those of Hedge's own weights, where rows are
few. These explain a part of the noise too, and of noise that remembers its slow part above all, so
that residuals seem to remember less than they do. Neighbours that are clear for the number of rows
that columns themselves amount to are few, and explain next to no noise.
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.engine import Engine
from hedgerow.method.hedge import standardise
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.moments import columns_of
from hedgerow.method.neighbours import step_thresholds
from hedgerow.method.outliers import Regressions
from hedgerow.method.residuals import first_residuals

Array = NDArray[np.float64]

_COLUMNS = 64  # whose memory tells how many rows these amount to


def clear_regressions(
    engine: Engine, rows: Array, row_weights: Array, *, memory: bool
) -> Regressions | None:
    """Return each column's regression on its clear neighbours; None if rows are too few for any.

    Parameters
    ----------
    rows : the first ones, without gaps
    memory : whether rows may remember those before
    """
    n_rows, n_columns = rows.shape
    standard = standardise(rows, columns_of(rows, row_weights))
    amount = float(n_rows)
    if memory:
        some = standard[:, :: -(-n_columns // _COLUMNS)]
        sums = first_residuals(some, row_weights)
        amount /= engine.inflation_of(sums, amount, tails=False).typical
    if amount < MIN_ROWS or n_columns < 2:
        return None
    rooted = standard * np.sqrt(row_weights / row_weights.sum())[:, None]
    corr = rooted.T @ rooted
    np.fill_diagonal(corr, 1.0)
    return engine.regressions(corr, amount, step_thresholds(n_columns, amount))
