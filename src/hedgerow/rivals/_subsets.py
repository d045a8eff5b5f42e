"""All subsets of a given size, in turn, with the covariance of everything given each of them.

Three rivals look at every small set of variables. The next set in lexicographic order shares its
first members with the last, so that only what changed is conditioned on anew: one pass over the
matrix each. Searches go over the sets without their last member ("stems") and try all last
members together.

Shapes: ``stack`` (size + 1, p, p), where ``stack[k]`` is the covariance given the first k members;
``stem`` (size,), increasing.
"""

from math import comb

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.method.neighbours import COLLINEAR
from hedgerow.rivals._base import Array
from hedgerow.rivals._compiled import COMPILED


def begin(covariance: Array, stem: NDArray[np.intp]) -> Array:
    """Return the stack of a stem to begin with."""
    stack = np.empty((len(stem) + 1, *covariance.shape))
    stack[0] = covariance
    condition(stack, stem, 0)
    return stack


def count(n: int, size: int) -> int:
    """Return the number of stems of sets of ``size + 1`` out of ``n``."""
    return comb(n - 1, size)


@njit(**COMPILED)
def condition(stack, stem, start):
    """Renew the stack from member number ``start`` on.

    A member that the earlier ones determine adds nothing and is passed over.
    """
    p = stack.shape[1]
    for level in range(start, stem.size):
        given, then = stack[level], stack[level + 1]
        k = stem[level]
        inverse = 1.0 / given[k, k] if given[k, k] > COLLINEAR else 0.0
        for i in range(p):
            factor = given[i, k] * inverse
            for j in range(p):
                then[i, j] = given[i, j] - factor * given[k, j]


@njit(**COMPILED)
def advance(stack, stem, n):
    """Go to the next stem of sets out of the first ``n``; return whether there was one."""
    size = stem.size
    level = size - 1
    # The last place is left free: a set is a stem and one member above it.
    while level >= 0 and stem[level] == n - 1 - size + level:
        level -= 1
    if level < 0:
        return False
    stem[level] += 1
    for later in range(level + 1, size):
        stem[later] = stem[later - 1] + 1
    condition(stack, stem, level)
    return True
