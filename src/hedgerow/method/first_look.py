"""What clear neighbours leave of the first rows: residuals that no noise was fitted to.

How long residuals remember must not be measured on those of Hedge's own weights, where rows are
few. These explain a part of the noise too, and of noise that remembers its slow part above all, so
that residuals seem to remember less than they do. Neighbours that are clear for the number of rows
that a column itself amounts to are few, and explain next to no noise.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from hedgerow.method.engine import Engine
from hedgerow.method.forgetting import effective_rows, row_weights
from hedgerow.method.hedge import standardise
from hedgerow.method.inflation import memories_of
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.moments import columns_of
from hedgerow.method.neighbours import step_thresholds
from hedgerow.method.residuals import lagged

Array = NDArray[np.float64]

# Columns whose factors differ by less are asked about their neighbours together.
_STEP = 2.0


def memories(rows: Array, half_life: float) -> Array:
    """Return, for each column, how many rows say as much as one that remembers nothing.

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((400, 2))
    >>> rows[:, 1] = np.repeat(rows[::4, 1], 4)
    >>> memories(rows, np.inf).round() + 0.0
    array([1., 4.])
    """
    weights = row_weights(0, len(rows), half_life)
    standard = standardise(rows, columns_of(rows, weights)) * np.sqrt(weights)[:, None]
    return memories_of(lagged(standard), effective_rows(len(rows), half_life))


def clear_neighbours(engine: Engine, rows: Array, weights: Array, memory: Array) -> csr_array:
    """Return each column's coefficients on its clear neighbours; none if rows are too few.

    Parameters
    ----------
    rows : the first ones, without gaps
    weights : of the rows
    memory : for each column, how many rows say as much about it as one that remembers nothing
    """
    n_rows, n_columns = rows.shape
    alike = bool((weights == weights[0]).all())
    rooted = standardise(rows, columns_of(rows, None if alike else weights))
    rooted *= np.sqrt(weights / weights.sum())[:, None]
    corr = rooted.T @ rooted
    np.fill_diagonal(corr, 1.0)
    step = np.ceil(np.log(memory) / np.log(_STEP)).astype(np.intp)
    found: csr_array | None = None
    for group in np.unique(step):
        those = step == group
        amount = n_rows / memory[those].max()
        if amount >= MIN_ROWS and n_columns > 1:
            some = engine.regressions(corr, amount, step_thresholds(n_columns, amount))
            if those.all():
                return some.coefficients
            more = diags_array(those.astype(np.float64)) @ some.coefficients
            found = more if found is None else found + more
    return csr_array((n_columns, n_columns) if found is None else found)


def unexplained(rows: Array, coefficients: csr_array) -> Array:
    """Return what clear neighbours leave of rows."""
    result: Array = rows - (coefficients @ rows.T).T
    return result
