"""Each node's likely neighbours, by forward selection, and least squares on them.

Hedge's weights are shrunk, and where variables are strongly correlated they are spread over
neighbours and non-neighbours alike. Least squares on a few well-chosen variables is neither. The
choice needs only the correlation matrix (docs/theory.md, section 9).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.sparse import csr_array

Array = NDArray[np.float64]

# A selection level of 1/20 for each node: one node in twenty without neighbours is given one.
SELECTION_LEVEL = 0.05
MOST_NEIGHBOURS = 50
# Given the variables chosen, what is left of a variable's variance must exceed this to be used.
COLLINEAR = 1e-8


class Refit(NamedTuple):
    """Least-squares weights of every node on its chosen neighbours."""

    weights: csr_array  # row i: coefficients of node i on its chosen neighbours
    residual: Array  # share of each node's variance that they leave unexplained
    sizes: NDArray[np.intp]  # number of chosen neighbours


def detection_limit(n_columns: int) -> float:
    """Return the z value at which a variable is chosen as a neighbour, for many rows."""
    return float(stats.norm.isf(SELECTION_LEVEL / n_columns / 2))


def refit(corr: Array, n_rows: int) -> Refit:
    """Choose the neighbours of every node and regress the node on them.

    Examples
    --------
    >>> corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])  # 0 - 1 - 2
    >>> refit(corr, n_rows=200).weights.toarray().round(2)
    array([[0.  , 0.6 , 0.  ],
           [0.44, 0.  , 0.44],
           [0.  , 0.6 , 0.  ]])
    """
    n_columns = len(corr)
    most = min(n_columns - 1, n_rows // 4, MOST_NEIGHBOURS)
    level = SELECTION_LEVEL / n_columns / 2
    thresholds = stats.t.isf(level, np.maximum(n_rows - 3 - np.arange(most), 1))
    chosen = [select(corr, node, n_rows, thresholds) for node in range(n_columns)]
    sizes = np.array([len(c) for c in chosen])
    columns = np.concatenate(chosen).astype(np.intp)
    values = np.concatenate([_coefficients(corr, i, c) for i, c in enumerate(chosen)])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    weights = csr_array((values, columns, starts), shape=corr.shape)
    explained = np.array(
        [
            corr[i, c] @ weights.data[a:b]
            for i, (c, a, b) in enumerate(zip(chosen, starts, starts[1:]))
        ]
    )
    return Refit(weights, np.maximum(1.0 - explained, COLLINEAR), sizes)


def select(corr: Array, node: int, n_rows: int, thresholds: Array) -> NDArray[np.intp]:
    """Return the variables chosen for a node, the strongest given those before it first.

    Step k is taken while the t statistic of the best variable exceeds ``thresholds[k]``. All that
    changes is kept by Gram-Schmidt: the covariance of the node's residual with every variable and
    the variance that the chosen variables leave of every variable.
    """
    covariance = corr[node].copy()
    variance = np.diag(corr).copy()
    variance[node] = 0.0
    residual = 1.0
    basis = np.empty((len(thresholds), len(corr)))
    chosen: list[int] = []
    for step, threshold in enumerate(thresholds):
        usable = variance > COLLINEAR
        strength = np.zeros_like(variance)  # squared partial correlation with the node
        np.divide(covariance**2, variance * residual, out=strength, where=usable)
        best = int(strength.argmax())
        freedom = n_rows - 3 - step
        if strength[best] * freedom <= threshold**2 * (1.0 - strength[best]):
            break
        direction = corr[best] - basis[:step, best] @ basis[:step]
        direction /= np.sqrt(variance[best])
        loading = covariance[best] / np.sqrt(variance[best])
        basis[step] = direction
        covariance -= loading * direction
        variance -= direction**2
        variance[[node, best]] = 0.0
        residual -= loading**2
        chosen.append(best)
        if residual < COLLINEAR:
            break
    return np.sort(np.array(chosen, dtype=np.intp))


def _coefficients(corr: Array, node: int, chosen: NDArray[np.intp]) -> Array:
    if not chosen.size:
        return np.empty(0)
    return np.linalg.solve(corr[np.ix_(chosen, chosen)], corr[chosen, node])
