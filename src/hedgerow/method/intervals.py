"""How sure a partial correlation is: its standard error, and intervals that cover the true ones.

On Fisher's scale, atanh(r), the error of a partial correlation does not depend on how large it is.
It is that of the tests: the same effective rows, the same factors of pairs, as many degrees of
freedom less as there are neighbours (docs/theory.md, section 25).

Intervals of edges know that only those pairs have one that turned out to be edges. With N pairs and
R edges, each is made for a level of R / N times the chosen one, and then at most that share of them
is expected to miss what it is for (the false coverage rate of Benjamini and Yekutieli). Where not a
single false edge is allowed, no interval may miss either: each is made for a level of 1 / N.
"""

from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.inflation import Inflation, of_pairs
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.promises import BALANCED

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]

# A balanced graph has no level of its own to make intervals for.
LEVEL_OF_BALANCED = 0.05
_NEAREST = 1.0 - 1e-15  # to one, of a correlation whose atanh is asked for


def standard_errors(
    n_rows: float,
    inflation: Inflation,
    first: Indices,
    second: Indices,
    given: NDArray[np.integer] | Array,
    looseness: Array | float = 1.0,
) -> Array:
    """Return standard errors of partial correlations on Fisher's scale.

    Parameters
    ----------
    n_rows : number of rows; of weighted rows, the effective one
    inflation : how much less sure tests are than those of independent normal rows
    first, second : the two columns of each pair
    given : how many variables the two are given
    looseness : by how much steps and counts make the variance larger

    Examples
    --------
    >>> from hedgerow.method.inflation import no_inflation
    >>> pair = np.array([0]), np.array([1])
    >>> standard_errors(105, no_inflation(2), *pair, given=np.array([2]))
    array([0.1])
    """
    effective = max(n_rows / inflation.per_effective, MIN_ROWS)
    own = of_pairs(inflation, first, second) / inflation.typical
    result: Array = np.sqrt(own * looseness / np.maximum(effective - 3.0 - given, 1.0))
    return result


def level_of_each(level: float, promise: str, n_edges: int, n_columns: int) -> float:
    """Return the level that the interval of each edge is made for.

    Examples
    --------
    >>> level_of_each(0.05, "fdr", n_edges=9, n_columns=10)
    0.01
    """
    pairs = max(comb(n_columns, 2), 1)
    if promise == "fwer":
        return level / pairs
    level = LEVEL_OF_BALANCED if promise == BALANCED else level
    return level * max(n_edges, 1) / pairs


def interval(partial_corr: Array, error: Array, level: float) -> tuple[Array, Array]:
    """Return the ends of intervals that miss with a probability of ``level``.

    Of two columns that are the same, whose correlation has no error, both ends are that. Where the
    estimate had to be cut off at one, what lies behind columns is too unsure for it to mean
    anything, and the interval has everything in it.

    Examples
    --------
    >>> low, high = interval(np.array([0.5, 1.0, 1.0]), np.array([0.1, 0.0, 0.1]), level=0.05)
    >>> low.round(3), high.round(3)
    (array([ 0.339,  1.   , -1.   ]), array([0.632, 1.   , 1.   ]))
    """
    middle = np.arctanh(np.clip(partial_corr, -_NEAREST, _NEAREST))
    half = special.ndtri(1.0 - level / 2.0) * error
    same, cut_off = error == 0.0, np.abs(partial_corr) >= 1.0
    low, high = (
        np.select([same, cut_off], [partial_corr, side], np.tanh(middle + side * half))
        for side in (-1.0, 1.0)
    )
    return low, high
