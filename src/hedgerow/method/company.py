"""The company of a pair: what the chosen neighbours say about two nodes without each other.

Two things, neither of which looks at the pair's own test (docs/theory.md, section 11):

- the part of their correlation that the neighbours of one node *explain*, with the sign of z: an
  edge tends to add to what other paths carry;
- how many neighbours the two have, but for each other: their *degree* together.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.method.groups import GROUP_ENDS, merged_labels, smallest_group

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]

# Explained correlations below this are rounding errors of zero.
_NOTHING = 1e-6
_ENDS = GROUP_ENDS[GROUP_ENDS > 0][::-1]
# Bins of explained correlations are numbered from 0, nothing, to this, and below zero likewise.
LAST_BIN = len(_ENDS) + 1
_LARGEST = 64  # groups of degrees: the last would have more pairs than there are


class Company(NamedTuple):
    """What is known of each pair from its company."""

    explained: NDArray[np.int8]  # bin of the correlation that neighbours explain, with its sign
    degree: Indices  # chosen neighbours of the two, but for each other


def company_of(
    corr: Array, coefficients: csr_array, n_rows: float, own: Indices, their: Indices
) -> Company:
    """Return the company of pairs; of each, the neighbours of the ``own`` node explain.

    ``coefficients`` are those of all nodes on their chosen neighbours.
    """
    bins = bins_of(explained_parts(corr, coefficients)[own, their], n_rows)
    entries = np.ones(coefficients.nnz, dtype=np.intp), coefficients.indices, coefficients.indptr
    chosen = csr_array(entries, shape=coefficients.shape).toarray() > 0
    joined = chosen | chosen.T
    number = joined.sum(axis=1)
    return Company(bins, number[own] + number[their] - 2 * joined[own, their])


def explained_parts(corr: Array, coefficients: csr_array) -> Array:
    """Return in row i the part of i's correlations that its neighbours but that variable explain.

    Examples
    --------
    >>> corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])  # 0 - 1 - 2
    >>> explained_parts(corr, csr_array([[0.0, 0.6, 0.0], [0.0, 0.0, 0.6], [0.0, 0.0, 0.0]]))[0]
    array([0.  , 0.  , 0.36])
    """
    parts: Array = coefficients @ corr
    for node in range(len(corr)):
        own = slice(*coefficients.indptr[node : node + 2])
        chosen = coefficients.indices[own]
        inverse = np.linalg.inv(corr[np.ix_(chosen, chosen)])
        left = coefficients.data[own] / np.diag(inverse)  # by the others of a chosen one
        parts[node, chosen] = corr[node, chosen] - left
        parts[node, node] = 0.0
    return parts


def ends_of_bins(n_rows: float) -> Array:
    """Return the correlations at which bins begin: groups' bounds, in standard errors."""
    return np.concatenate([[_NOTHING], np.tanh(_ENDS / np.sqrt(max(n_rows - 3, 1)))])


def bins_of(explained: Array, n_rows: float) -> NDArray[np.int8]:
    """Return the bins of explained correlations, negative for negative ones."""
    size = np.searchsorted(ends_of_bins(n_rows), np.abs(explained), side="right")
    return (np.sign(explained) * size).astype(np.int8)


def explained_groups(z: Array, bins: NDArray[np.int8]) -> NDArray[np.intp]:
    """Return the group of each pair, numbered from the most promising: same sign, and large."""
    along = np.sign(z) * bins
    return np.where(along < 0, LAST_BIN, LAST_BIN - np.maximum(along, 1)).astype(np.intp)


def degree_groups(number: NDArray[np.integer], n_columns: int) -> NDArray[np.intp]:
    """Return the group of each degree, the largest first, from how many pairs have each.

    Groups are twice as large, one after the other.

    Examples
    --------
    >>> degree_groups(np.array([500, 300, 70, 0, 20, 5]), n_columns=40)
    array([3, 2, 1, 1, 0, 0])
    """
    smallest = smallest_group(n_columns)
    before = number.sum() - np.cumsum(number)
    groups = np.searchsorted(smallest * 2.0 ** np.arange(_LARGEST), before, side="right")
    size = np.bincount(groups, weights=number).astype(np.intp)
    labels = merged_labels(size, smallest)
    return np.asarray(labels[groups], dtype=np.intp)


def pairs_by_degree(
    number: NDArray[np.integer], source: Indices, target: Indices
) -> NDArray[np.intp]:
    """Return how many pairs have each degree, without looking at all pairs.

    ``number`` has the chosen neighbours of each node; the pairs of ``source`` and ``target`` are
    those of which one chose the other, each once.

    Examples
    --------
    >>> pairs_by_degree(np.array([1, 2, 1]), np.array([0, 1]), np.array([1, 2]))  # 0 - 1 - 2
    array([0, 2, 1, 0, 0])
    """
    value, often = np.unique(number, return_counts=True)
    together = np.add.outer(value, value).ravel()
    ordered = np.bincount(together, weights=np.multiply.outer(often, often).ravel())
    ordered[2 * value] -= often  # a node with itself
    result = (ordered / 2).astype(np.intp)
    degree = number[source] + number[target]
    result -= np.bincount(degree, minlength=len(result))
    result += np.bincount(degree - 2, minlength=len(result))
    return result
