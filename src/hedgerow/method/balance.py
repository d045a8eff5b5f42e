"""Where to cut a graph that keeps no error rate: false and missed edges weigh the same.

docs/theory.md, section 15, derives the rule.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

# Edges up to this level are kept unless told otherwise, to be seen at a looser level later.
LOOSEST_LEVEL = 0.5
# The level at which a single pair stands out. With half of it for two, a quarter for four, ... all
# add up to 0.05, the usual reading of "unlikely".
ALONE = 0.025
# Smaller shares of false edges than this are no estimates to speak of.
_SUREST = 1e-6


def stands_out(p_values: Array, n_tests: int) -> bool:
    """Return whether the smallest of so many p-values are too small, or too many, for chance.

    A balanced graph is given edges only then: where nothing is connected, it has any with a
    probability of about 0.05 at most. The k-th smallest is looked at for k = 1, 2, 4, ..., with
    levels that halve from 0.025 on. Larger p-values need not be given.

    Examples
    --------
    >>> stands_out(np.array([0.01, 0.5]), 2), stands_out(np.array([0.01, 0.5]), 100)
    (True, False)
    >>> stands_out(np.repeat(0.001, 4), 100)
    True
    """
    number = 2 ** np.arange(len(p_values).bit_length())
    chance = special.betainc(number, n_tests - number + 1, np.sort(p_values)[number - 1])
    return bool(np.any(chance <= ALONE / number))


def other_neighbours(source: Indices, target: Indices) -> float:
    """Return how many other neighbours the edges of a graph have, on average, at one of their ends.

    That is the end with fewer. A test of the edge had to be given them.

    Examples
    --------
    >>> star, clique = [(0, 1), (0, 2), (0, 3)], [(0, 1), (0, 2), (1, 2)]
    >>> [other_neighbours(*np.array(edges).T) for edges in (star, clique)]
    [0.0, 1.0]
    """
    if not len(source):
        return 0.0
    degrees = np.bincount(np.concatenate([source, target]))
    return float(np.minimum(degrees[source], degrees[target]).mean()) - 1.0


def balanced_level(q_values: Array, loosest: float) -> float:
    """Return the level at which false and missed edges weigh the same: the best expected F1.

    Of the k pairs with the smallest q-values, k q_k are taken to be false, and the others edges.
    The most that these are, up to the level ``loosest``, is taken for the number of all edges.
    Larger q-values need not be given.

    Examples
    --------
    >>> balanced_level(np.array([0.001, 0.01, 0.02, 0.4]), loosest=0.5)
    0.02
    """
    q_values = np.sort(q_values[q_values <= loosest])
    if not len(q_values):
        return loosest
    number = np.arange(1, len(q_values) + 1)
    true = number * (1.0 - q_values)
    best = (true / (number + true.max())).argmax()
    return max(float(q_values[best]), _SUREST)
