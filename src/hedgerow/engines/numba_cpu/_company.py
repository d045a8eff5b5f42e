"""The company of pairs (`hedgerow.method.company`), in a byte for each of them.

A byte is the bin of the correlation that neighbours explain, and `JOINED` more if one of the two
was chosen for the other: that is no part of their degree.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import INNER
from hedgerow.engines.numba_cpu._select import JOINED, Neighbours
from hedgerow.method.company import LAST_BIN, degree_groups, pairs_by_degree

Bytes = NDArray[np.int8]
Indices = NDArray[np.intp]


class Degrees(NamedTuple):
    """What is known of nodes, and so of the degrees of pairs."""

    number: NDArray[np.int64]  # chosen neighbours of each node, either way
    groups: NDArray[np.int64]  # of each degree


def degrees_of(found: Neighbours) -> Degrees:
    """Return the numbers of chosen neighbours, and the groups of pairs' degrees."""
    n_columns, most = found.chosen.shape
    counts = np.arange(most) < found.sizes[:, None]
    ends = np.nonzero(counts)[0], found.chosen[counts]
    pairs = np.unique(np.minimum(*ends) * n_columns + np.maximum(*ends))
    source, target = np.divmod(pairs, n_columns)
    number = np.bincount(np.concatenate([source, target]), minlength=n_columns)
    groups = degree_groups(pairs_by_degree(number, source, target), n_columns)
    return Degrees(number.astype(np.int64), groups.astype(np.int64))


def parts_of(
    codes: Bytes, source: Indices, target: Indices, degrees: Degrees
) -> tuple[Bytes, Indices]:
    """Return the bins and the degree groups of some pairs with these codes."""
    joined = codes > LAST_BIN
    degree = degrees.number[source] + degrees.number[target] - 2 * joined
    return codes - (JOINED * joined).astype(np.int8), degrees.groups[degree]


@njit(forceinline=True, **INNER)
def is_joined(code):
    return np.int64(code > LAST_BIN)


@njit(forceinline=True, **INNER)
def with_joined(code, other):
    """Return the code that says of a pair that it is joined, if that of the other way says so."""
    return code + JOINED * (is_joined(other) & (1 - is_joined(code)))


@njit(forceinline=True, **INNER)
def explained_group(z, code):
    """Return the group of a pair by what is explained (`company.explained_groups`)."""
    along = code - JOINED * is_joined(code)
    along = along * (np.int64(z > 0.0) - np.int64(z < 0.0))
    return LAST_BIN - (max(along, 1) if along >= 0 else 0)


@njit(forceinline=True, **INNER)
def degree_group(i, j, code, number, groups):
    """Return the group of a pair by its degree (`company.degree_groups`)."""
    return groups[number[i] + number[j] - 2 * is_joined(code)]
