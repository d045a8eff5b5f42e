"""Each node's likely neighbours, by forward selection, and what is related to it given them.

Hedge's weights are shrunk, and where variables are strongly correlated they are spread over
neighbours and non-neighbours alike. Least squares on a few well-chosen variables is neither. The
choice needs only the correlation matrix (docs/theory.md, section 9).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.sparse import csr_array

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

# A selection level of 1/20 for each node: one node in twenty without neighbours is given one.
SELECTION_LEVEL = 0.05
MOST_NEIGHBOURS = 50
# Given the variables chosen, what is left of a variable's variance must exceed this to be used.
COLLINEAR = 1e-8
NO_HUBS = np.empty(0, dtype=np.intp)


class Refit(NamedTuple):
    """Least squares of every node on its chosen neighbours."""

    coefficients: csr_array  # row i: those of node i on its chosen neighbours
    residual: Array  # share of each node's variance that they leave unexplained
    sizes: NDArray[np.intp]  # number of chosen neighbours
    partial: Array  # row i: partial correlation of i with j given i's neighbours other than j
    given: NDArray[np.intp]  # how many variables each of these was given


class Selection(NamedTuple):
    """What forward selection knows about a node when it stops."""

    chosen: NDArray[np.intp]
    covariance: Array  # of the node's residual with every variable
    variance: Array  # what the chosen variables leave of every variable's variance


def detection_limit(n_columns: int) -> float:
    """Return the z value at which a variable is chosen as a neighbour, for many rows."""
    return -float(special.ndtri(SELECTION_LEVEL / n_columns / 2))


def most_by_rows(n_rows: float) -> int:
    """Return how many neighbours so many rows can tell apart, for a node."""
    return int(n_rows) // 4


def step_thresholds(n_columns: int, n_rows: float, level: float = SELECTION_LEVEL) -> Array:
    """Return the t statistic that each further neighbour of a node must exceed.

    A node without any is given ``level`` of them by chance.
    """
    most = min(n_columns - 1, most_by_rows(n_rows), MOST_NEIGHBOURS)
    tail = level / n_columns / 2
    result: Array = -special.stdtrit(np.maximum(n_rows - 3 - np.arange(most), 1), tail)
    return result


def refit(corr: Array, n_rows: float, hubs: Indices = NO_HUBS) -> Refit:
    """Choose the neighbours of every node and regress the node on them; `select` says of hubs.

    Examples
    --------
    >>> corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])  # 0 - 1 - 2
    >>> fitted = refit(corr, n_rows=200)
    >>> fitted.coefficients.toarray().round(2)
    array([[0.  , 0.6 , 0.  ],
           [0.44, 0.  , 0.44],
           [0.  , 0.6 , 0.  ]])
    >>> abs(fitted.partial.round(2))
    array([[0.  , 0.6 , 0.  ],
           [0.51, 0.  , 0.51],
           [0.  , 0.6 , 0.  ]])
    """
    n_columns = len(corr)
    thresholds = step_thresholds(n_columns, n_rows)
    residual, partial = np.empty(n_columns), np.empty_like(corr)
    given = np.empty(corr.shape, dtype=np.intp)
    columns, values = [], []
    for node in range(n_columns):
        selection = select(corr, node, n_rows, thresholds, hubs)
        coefficients, residual[node], partial[node] = _regress(corr, node, selection)
        given[node] = len(selection.chosen)
        given[node, selection.chosen] -= 1
        columns.append(selection.chosen)
        values.append(coefficients)
    sizes = np.array([len(chosen) for chosen in columns])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    entries = (np.concatenate(values), np.concatenate(columns).astype(np.intp), starts)
    return Refit(csr_array(entries, shape=corr.shape), residual, sizes, partial, given)


def related(corr: Array, n_rows: float, thresholds: Array) -> csr_array:
    """Return who chose whom, either way, by steps with these thresholds.

    Examples
    --------
    >>> corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])  # 0 - 1 - 2
    >>> related(corr, 200, np.full(2, 3.0)).toarray().astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    chosen = refit_sparse(corr, n_rows, thresholds)[0].astype(np.bool_)
    return csr_array(chosen + chosen.T)


def refit_sparse(corr: Array, n_rows: float, thresholds: Array) -> tuple[csr_array, Array]:
    """Return least squares of every node on its neighbours, and what these leave unexplained."""
    columns, values, residual = [], [], np.empty(len(corr))
    for node in range(len(corr)):
        selection = select(corr, node, n_rows, thresholds)
        coefficients, residual[node], _ = _regress(corr, node, selection)
        columns.append(selection.chosen)
        values.append(coefficients)
    starts = np.concatenate([[0], np.cumsum([len(chosen) for chosen in columns])])
    entries = (np.concatenate(values), np.concatenate(columns).astype(np.intp), starts)
    return csr_array(entries, shape=corr.shape), residual


def regression(
    corr: Array, node: int, n_rows: float, thresholds: Array, hubs: Indices = NO_HUBS
) -> tuple[Indices, Array]:
    """Return the chosen neighbours of one node, and its coefficients on them."""
    selection = select(corr, node, n_rows, thresholds, hubs)
    return selection.chosen, _regress(corr, node, selection)[0]


def select(
    corr: Array, node: int, n_rows: float, thresholds: Array, hubs: Indices = NO_HUBS
) -> Selection:
    """Choose variables for a node, each the strongest given those before it.

    Step k is taken while the t statistic of the best variable exceeds ``thresholds[k]``. The first
    steps go to the ``hubs``, other than the node, whatever their strength. All that changes is
    kept by Gram-Schmidt: the covariance of the node's residual with every variable and the variance
    that the chosen variables leave of every variable.
    """
    covariance = corr[node].copy()
    variance = np.diag(corr).copy()
    variance[node] = 0.0
    residual = 1.0
    basis = np.empty((len(thresholds), len(corr)))
    chosen: list[int] = []
    for step, threshold in enumerate(thresholds):
        usable = variance > COLLINEAR
        waiting = hubs[usable[hubs]]
        if len(waiting):
            best = int(waiting[0])
        else:
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
    return Selection(np.sort(np.array(chosen, dtype=np.intp)), covariance, variance)


def _regress(corr: Array, node: int, selection: Selection) -> tuple[Array, float, Array]:
    """Return a node's coefficients, its unexplained share, and its partial correlations."""
    chosen, covariance, variance = selection
    inverse = np.linalg.inv(corr[np.ix_(chosen, chosen)])
    coefficients = inverse @ corr[chosen, node]
    residual = max(1.0 - float(coefficients @ corr[chosen, node]), COLLINEAR)
    usable = variance > COLLINEAR
    partial = np.zeros(len(corr))
    scale = np.sqrt(np.maximum(variance, 0.0) * residual)
    np.divide(covariance, scale, out=partial, where=usable)
    # A chosen variable's own share: its coefficient against the noise in it.
    partial[chosen] = coefficients / np.sqrt(coefficients**2 + np.diag(inverse) * residual)
    return coefficients, residual, np.clip(partial, -1.0, 1.0)
