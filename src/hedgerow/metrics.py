"""How close an estimated graph, or its weights, are to the true ones.

Graphs are symmetric adjacency matrices, dense or `scipy.sparse`: a non-zero entry is an edge and
the diagonal is ignored. The estimate comes first, the truth second. Empty graphs follow one idea,
that nothing claimed is nothing wrong and nothing to find is nothing missed:

===================  ==============  ===========  ==========
metric               estimate empty  truth empty  both empty
===================  ==============  ===========  ==========
`precision`          1               0            1
`fdp`                0               1            0
`recall`             0               1            1
`f1`                 0               0            1
`mcc`                0               0            1
`jaccard`            0               0            1
===================  ==============  ===========  ==========
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array, issparse

__all__ = [
    "Counts",
    "average_precision",
    "confusion",
    "exact_recovery",
    "excess_risk",
    "f1",
    "fdp",
    "hamming",
    "jaccard",
    "max_weight_error",
    "mcc",
    "precision",
    "recall",
]


class Counts(NamedTuple):
    """Numbers of pairs of variables, by what was claimed and what is true."""

    true_edges: int
    false_edges: int
    missed_edges: int
    true_gaps: int


def confusion(estimate: Any, truth: Any) -> Counts:
    """Count pairs: edges found, claimed wrongly, missed, and rightly left out.

    Examples
    --------
    >>> from hedgerow.datasets import make
    >>> confusion(make("cycle", 5).adjacency, make("chain", 5).adjacency)
    Counts(true_edges=4, false_edges=1, missed_edges=0, true_gaps=5)
    """
    estimate, truth = _square("estimate", estimate), _square("truth", truth)
    _same_shape("estimate", estimate, "truth", truth)
    claimed, actual = _pairs("estimate", estimate), _pairs("truth", truth)
    found = len(np.intersect1d(claimed, actual, assume_unique=True))
    false, missed = len(claimed) - found, len(actual) - found
    p = truth.shape[0]
    return Counts(found, false, missed, p * (p - 1) // 2 - found - false - missed)


def exact_recovery(estimate: Any, truth: Any) -> bool:
    """Whether the two graphs are the same.

    Examples
    --------
    >>> import numpy as np
    >>> exact_recovery(np.eye(3), np.zeros((3, 3)))
    True
    """
    return hamming(estimate, truth) == 0


def hamming(estimate: Any, truth: Any) -> int:
    """Number of pairs on which the graphs differ.

    Examples
    --------
    >>> from hedgerow.datasets import make
    >>> hamming(make("star", 5).adjacency, make("chain", 5).adjacency)
    6
    """
    counts = confusion(estimate, truth)
    return counts.false_edges + counts.missed_edges


def precision(estimate: Any, truth: Any) -> float:
    """Share of the claimed edges that are true; 1 when none is claimed.

    Examples
    --------
    >>> from hedgerow.datasets import make
    >>> precision(make("cycle", 5).adjacency, make("chain", 5).adjacency)
    0.8
    """
    counts = confusion(estimate, truth)
    return _share(counts.true_edges, counts.false_edges, of_none=1.0)


def fdp(estimate: Any, truth: Any) -> float:
    """False discovery proportion: share of the claimed edges that are false; 0 when none is.

    Examples
    --------
    >>> from hedgerow.datasets import make
    >>> fdp(make("cycle", 5).adjacency, make("chain", 5).adjacency)
    0.2
    """
    counts = confusion(estimate, truth)
    return _share(counts.false_edges, counts.true_edges, of_none=0.0)


def recall(estimate: Any, truth: Any) -> float:
    """Share of the true edges that are claimed; 1 when there are none to find.

    Examples
    --------
    >>> from hedgerow.datasets import make
    >>> recall(make("chain", 5).adjacency, make("cycle", 5).adjacency)
    0.8
    """
    counts = confusion(estimate, truth)
    return _share(counts.true_edges, counts.missed_edges, of_none=1.0)


def f1(estimate: Any, truth: Any) -> float:
    """Harmonic mean of precision and recall; 1 for two empty graphs.

    Examples
    --------
    >>> from hedgerow.datasets import make
    >>> round(f1(make("cycle", 5).adjacency, make("chain", 5).adjacency), 3)
    0.889
    """
    counts = confusion(estimate, truth)
    wrong = counts.false_edges + counts.missed_edges
    return _share(2 * counts.true_edges, wrong, of_none=1.0)


def mcc(estimate: Any, truth: Any) -> float:
    """Matthews correlation of claimed and true edges over all pairs.

    Where a graph is empty or complete the correlation is undefined; it is then 1 if the two
    graphs are equal and 0 if not.

    Examples
    --------
    >>> from hedgerow.datasets import make
    >>> round(mcc(make("cycle", 5).adjacency, make("chain", 5).adjacency), 3)
    0.816
    """
    found, false, missed, gaps = confusion(estimate, truth)
    if not false and not missed:
        return 1.0
    margins = (found + false) * (found + missed) * (gaps + false) * (gaps + missed)
    return (found * gaps - false * missed) / sqrt(margins) if margins else 0.0


def jaccard(first: Any, second: Any) -> float:
    """Share of the edges of either graph that both have; 1 for two empty graphs.

    Examples
    --------
    >>> from hedgerow.datasets import make
    >>> jaccard(make("cycle", 5).adjacency, make("chain", 5).adjacency)
    0.8
    """
    counts = confusion(first, second)
    different = counts.false_edges + counts.missed_edges
    return _share(counts.true_edges, different, of_none=1.0)


def average_precision(scores: Any, truth: Any) -> float:
    """Precision averaged over the true edges while pairs are claimed from the top score down.

    Parameters
    ----------
    scores : array or sparse array of shape (p, p)
        Symmetric; a larger score means an edge is more likely, so pass absolute values of signed
        statistics. Pairs absent from a sparse array score zero. Equal scores enter together.
    truth : array or sparse array of shape (p, p)
        True adjacency, with at least one edge.

    Examples
    --------
    >>> from hedgerow.datasets import make
    >>> model = make("grid", 9)
    >>> average_precision(abs(model.precision), model.adjacency)
    1.0
    """
    values, truth = _square("scores", scores), _square("truth", truth)
    _same_shape("scores", values, "truth", truth)
    edges = _pairs("truth", truth)
    if not len(edges):
        raise ValueError("truth must have at least one edge, got an empty graph")
    values = _dense(values)
    if not np.array_equal(values, values.T):
        raise ValueError("scores must be symmetric, got an asymmetric matrix")
    pairs = np.flatnonzero(np.triu(np.ones(values.shape, dtype=bool), k=1))
    score, hit = values.flat[pairs], np.isin(pairs, edges, assume_unique=True)

    order = np.argsort(-score, kind="stable")
    last_of_tie = np.r_[np.flatnonzero(np.diff(score[order])), len(score) - 1]
    found = np.cumsum(hit[order])[last_of_tie]
    gained = np.diff(found, prepend=0)
    return float(gained @ (found / (last_of_tie + 1)) / len(edges))


def max_weight_error(weights: Any, truth: Any) -> float:
    """Largest absolute difference of two weight matrices off the diagonal, ‖v - w‖∞.

    Examples
    --------
    >>> import numpy as np
    >>> max_weight_error(np.zeros((2, 2)), np.array([[0, 0.5], [-0.25, 0]]))
    0.5
    """
    return float(abs(_difference(weights, truth)).max())


def excess_risk(weights: Any, truth: Any, covariance: Any) -> np.ndarray:
    """Expected squared distance of two predictions of each variable, (v_i - w_i)ᵀ Σ (v_i - w_i).

    Parameters
    ----------
    weights, truth : array or sparse array of shape (p, p)
        Row i holds the weights that predict variable i from the others; diagonals are ignored.
    covariance : array of shape (p, p)
        Covariance Σ of the variables.

    Returns
    -------
    ndarray of shape (p,)

    Examples
    --------
    >>> import numpy as np
    >>> w = np.array([[0, 0.5], [0.5, 0]])
    >>> excess_risk(np.zeros((2, 2)), w, np.diag([1.0, 4.0])).tolist()
    [1.0, 0.25]
    """
    difference = _dense(_difference(weights, truth))
    sigma = _dense(_square("covariance", covariance))
    _same_shape("covariance", sigma, "weights", difference)
    result: np.ndarray = np.einsum("ij,ij->i", difference @ sigma, difference)
    return result


def _share(part: int, rest: int, of_none: float) -> float:
    return part / (part + rest) if part + rest else of_none


def _pairs(name: str, matrix: Any) -> np.ndarray:
    """The edges i < j as sorted numbers i·p + j."""
    p = matrix.shape[0]
    i, j = (index.astype(np.int64) for index in matrix.nonzero())
    above, below = i < j, i > j
    upper = np.sort(i[above] * p + j[above])
    if not np.array_equal(upper, np.sort(j[below] * p + i[below])):
        raise ValueError(f"{name} must be symmetric, got an asymmetric matrix")
    return upper


def _difference(weights: Any, truth: Any) -> Any:
    """Difference of two weight matrices with a zero diagonal, sparse if both are."""
    v, w = _square("weights", weights), _square("truth", truth)
    _same_shape("weights", v, "truth", w)
    if issparse(v) and issparse(w):
        difference = v.astype(float) - w.astype(float)
        return difference - diags_array(difference.diagonal())
    difference = _dense(v) - _dense(w)
    np.fill_diagonal(difference, 0)
    return difference


def _square(name: str, matrix: Any) -> Any:
    """The matrix as it is, dense or sparse, checked to be square, numeric and finite."""
    matrix = csr_array(matrix) if issparse(matrix) else np.asarray(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} must be a square matrix, got shape {matrix.shape}")
    if matrix.dtype.kind not in "buif":
        raise ValueError(f"{name} must hold numbers or booleans, got dtype {matrix.dtype}")
    if not np.isfinite(matrix.data if issparse(matrix) else matrix).all():
        raise ValueError(f"{name} must be finite, got NaN or infinity")
    return matrix


def _dense(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.toarray() if issparse(matrix) else matrix, dtype=float)


def _same_shape(name: str, matrix: Any, other_name: str, other: Any) -> None:
    if matrix.shape != other.shape:
        raise ValueError(
            f"{name} and {other_name} must have the same shape, "
            f"got {matrix.shape} and {other.shape}"
        )
