"""Swings: columns whose residuals are large together, in groups of their own.

Sensors of one hall, stocks of one trade, genes of one pathway: each group has rows in which it is
restless, and others in which it is calm. What all columns share of that is taken out of the rows,
or told by a factor for each column; what groups have of their own is neither. Squares of residuals
show it: those of two columns of a group are correlated. One such correlation is mostly noise; what
many columns have in common is a direction of them, and directions that noise does not make are
known (Marchenko and Pastur; Tracy and Widom). docs/theory.md, section 34.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from hedgerow.method.directions import partners

Array = NDArray[np.float64]

MOST_SWINGS = 8  # directions
MOST_COLUMNS = 4000  # as many as first rows are compared of elsewhere
LEAST_COLUMNS = 8  # with fewer, what all share and what a group has cannot be told apart
_LEAST_ROWS = 64
# Squares of a normal residual beyond this are one in seventy; directions are those of squares cut
# here, or one cell that is far off would be a direction.
_CUT = 6.0
_CHANCE = 1e-3  # of a direction where there is none
_TRACY_WIDOM = 3.27  # exceeded with that chance by largest eigenvalues, in their units
_SHIFTS = 8
_GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0  # whose multiples, less whole numbers, are spread evenly


def swings_of(unit: Array) -> Array:
    """Return loadings of columns: products of two sum to what a group adds to a pair's factor.

    Parameters
    ----------
    unit : the first rows' residuals; squares of each column sum to one, or all are zero

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((400, 30))
    >>> unit = rows / np.sqrt(np.square(rows).sum(axis=0))
    >>> swings_of(unit).shape
    (30, 0)
    >>> rows[:, :10] *= np.exp(0.7 * rng.standard_normal((400, 1)))
    >>> found = swings_of(rows / np.sqrt(np.square(rows).sum(axis=0)))
    >>> adds = np.square(found).sum(axis=1)
    >>> print(found.shape, adds[:10].mean().round(1), adds[10:].mean().round(1))
    (30, 1) 0.4 0.1
    """
    n_rows, n_columns = unit.shape
    if n_rows < _LEAST_ROWS or not LEAST_COLUMNS <= n_columns <= MOST_COLUMNS:
        return np.empty((n_columns, 0))
    some = partners(n_columns)
    own = np.arange(len(some))
    of_some = unit[:, some]
    cut = _cut_squares(of_some)
    excess = _beyond_chance(of_some, cut, of_some, cut, own)
    noise = float(cut.var(axis=0).mean())
    edge = noise * _largest_by_chance(len(some), n_rows)
    # All sizes are below the edge if this has a root, which is quicker to tell.
    if linalg.lapack.dpotrf(edge * np.eye(len(some)) - excess)[1] == 0:
        return np.empty((n_columns, 0))
    sizes, directions = linalg.eigh(excess, subset_by_value=(edge, np.inf))
    if len(sizes):
        clear = np.flatnonzero(sizes > _at_other_times(cut))[::-1][:MOST_SWINGS]
        sizes, directions = sizes[clear], directions[:, clear]
    if not len(sizes):
        return np.empty((n_columns, 0))
    # Cutting makes swings smaller than they are.
    whole = n_rows * np.square(of_some)
    larger = (directions * (_beyond(whole, whole, own) @ directions)).sum(axis=0) / sizes
    excess = _beyond_chance(unit, _cut_squares(unit), of_some, cut, some)
    loadings = excess @ directions * np.sqrt(np.maximum(larger, 1.0) / sizes)
    most = np.sqrt(n_rows)  # or no row would be left
    limited: Array = loadings.clip(-most, most)
    return limited


def _cut_squares(unit: Array) -> Array:
    """Return squares of residuals, none far off, over their means."""
    cut: Array = np.minimum(len(unit) * np.square(unit), _CUT)
    cut /= np.maximum(cut.mean(axis=0), 1.0 / len(unit))
    return cut


def _beyond_chance(
    unit: Array, cut: Array, of_some: Array, cut_of_some: Array, some: NDArray[np.intp]
) -> Array:
    """Return `_beyond` of cut squares, less what correlations of residuals make of it."""
    correlations = np.maximum(np.square(unit.T @ of_some) - 1.0 / len(unit), 0.0)
    return _beyond(cut, cut_of_some, some) - _own_out(_OF_CUT * correlations, some)


def _at_other_times(squares: Array) -> float:
    """Return the size that a direction seldom exceeds if columns swing each by itself.

    Slow swings of their own coincide by chance. So do those of columns that are shifted against
    each other in time, some times in other ways: their largest directions, taken to be normal, tell
    what one more would seldom be.
    """
    n_rows, number = squares.shape
    # By how much a column is shifted goes by its values, and not by where it stands.
    squares = squares[:, np.argsort(np.square(squares).sum(axis=0))]
    of_shifted = []
    for shift in range(1, _SHIFTS + 1):
        places = (np.arange(number) * (shift * _GOLDEN) % 1.0 * n_rows).astype(np.intp)
        shifted = squares[(np.arange(n_rows)[:, None] + places) % n_rows, np.arange(number)]
        alone = _beyond(shifted, shifted, np.arange(number))
        last = [number - 1, number - 1]
        of_shifted.append(linalg.eigh(alone, eigvals_only=True, subset_by_index=last)[0])
    spread = np.std(of_shifted, ddof=1) * np.sqrt(1.0 + 1.0 / _SHIFTS)
    return float(np.mean(of_shifted) - special.stdtrit(_SHIFTS - 1, _CHANCE) * spread)


def _beyond(squares: Array, of_some: Array, some: NDArray[np.intp]) -> Array:
    """Return mean products of squares over what factors of single columns make of them, less one.

    These factors are one at least (`inflation.of_pairs`). A column's own square is no product of
    two; its place is zero.
    """
    products = squares.T @ of_some / len(squares)
    products[some, np.arange(len(some))] = 0.0
    others = len(some) - np.isin(np.arange(len(products)), some)
    mean = products.sum(axis=1) / others
    typical = max(float(mean[some].mean()), 1.0 / len(squares))
    excess = products / np.maximum(mean[:, None] * mean[some] / typical, 1.0) - 1.0
    excess[mean == 0] = 0.0  # columns of which nothing is left
    excess[:, mean[some] == 0] = 0.0
    return _own_out(excess, some)


def _own_out(of_pairs: Array, some: NDArray[np.intp]) -> Array:
    of_pairs[some, np.arange(len(some))] = 0.0
    return of_pairs


def _edge(n_columns: int, n_rows: int) -> float:
    """Return the largest eigenvalue of the correlations of noise, less the one of their diagonal.

    By Marchenko and Pastur.
    """
    return float((1.0 + np.sqrt(n_columns / n_rows)) ** 2 - 1.0)


def _largest_by_chance(n_columns: int, n_rows: int) -> float:
    """Return what it seldom exceeds, by Tracy and Widom's law (Johnstone, 2001)."""
    rows, columns = np.sqrt(n_rows), np.sqrt(n_columns)
    unit = (rows + columns) * (1.0 / rows + 1.0 / columns) ** (1.0 / 3.0) / n_rows
    return float(_edge(n_columns, n_rows) + _TRACY_WIDOM * unit)


def _correlation_of_cut() -> float:
    """Return by what times c² the squares of normal residuals, cut, have products above one.

    c is their correlation; of whole squares it is 2 c². The part that counts is the second
    Hermite coefficient, which is the mean of the second derivative (Stein).
    """
    root = np.sqrt(_CUT)
    density = np.exp(-_CUT / 2.0) / np.sqrt(2.0 * np.pi)
    inside = float(special.erf(root / np.sqrt(2.0)))
    mean = inside - 2.0 * root * density + _CUT * (1.0 - inside)
    return float((2.0 * inside - 4.0 * root * density) ** 2 / (2.0 * mean**2))


_OF_CUT = _correlation_of_cut()
