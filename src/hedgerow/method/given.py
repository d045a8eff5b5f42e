"""Columns that are held fixed: what they explain of the others is taken out, row by row.

Beside each row stands its design: one, then a number for each given column of numbers, and an
indicator for each further level of a given category. All rows so far, design and columns side by
side, are kept as the triangle that turning them (Givens) makes of them,

    | T  S |        T: triangle of the designs, S: what columns have in their directions
    | 0  . |        below: contrasts, one for each row

and the next row is turned against it until nothing of its design is left. What is left of its
columns is its contrast: the row less what the rows before it predict by their designs, in units
that leave the variance of independent rows as it is. Contrasts are handed on in place of rows. Sums
of their products are those of the residuals of the regression on all rows, exactly, and a row that
is the first to show a direction (another level of a category) has none: that is what holding fixed
costs, one row for each direction. Where cells are missing, each column has a triangle of its own.
docs/theory.md, section 28.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.forgetting import NEVER

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

# What rounding leaves of a direction that others determine, over its largest value: far less.
TINY = 1e-9
_DETERMINED = TINY**2  # share of squares
_TAKES_PART = 1e-6
ENOUGH = 16  # contrasts, to know how large they are
# Of normal rows hardly any is larger: one in twenty if all columns were one, and then least squares
# are none the worse for it.
LARGE = 2.0


# Of what was predicted, f, and of the size of the contrast, a: 1, f, f², a, a², f a.
_SUMS = 6


class Held(NamedTuple):
    """What is known of k directions and p columns."""

    triangle: Array  # (1, k, k); (p, k, k), of each column's own rows, once cells are missing
    shadows: Array  # (k, p); columns in these directions
    origin: Array  # (p,); the first value of each column, which is subtracted; NaN before it
    largest: Array  # (k,); size of the largest entry of a design
    left: Array  # (p,); sums of squares of contrasts
    spread: Array  # (6, p); sums over contrasts that tell whether predictions tell their size

    @property
    def directions(self) -> int:
        """Number of entries of a design."""
        return len(self.largest)


def nothing_held(n_directions: int, n_columns: int) -> Held:
    """Return what is known before the first row."""
    return Held(
        np.zeros((1, n_directions, n_directions)),
        np.zeros((n_directions, n_columns)),
        np.full(n_columns, np.nan),
        np.zeros(n_directions),
        np.zeros(n_columns),
        np.zeros((_SUMS, n_columns)),
    )


def with_directions(held: Held, number: int) -> Held:
    """Return the same with so many directions in all, in which no row has been yet."""
    more = number - held.directions
    return held._replace(
        triangle=np.pad(held.triangle, ((0, 0), (0, more), (0, more))),
        shadows=np.pad(held.shadows, ((0, more), (0, 0))),
        largest=np.pad(held.largest, (0, more)),
    )


def begun(held: Held, rows: Array) -> Held:
    """Return the same with what rows to come need: an origin, and a triangle for each column.

    The latter if cells are missing, and there is but one.
    """
    gone = np.isnan(rows)
    first = np.take_along_axis(rows, gone.argmin(axis=0)[None], axis=0)[0] if len(rows) else np.nan
    origin = np.where(np.isnan(held.origin), first, held.origin)
    triangle = held.triangle
    if len(triangle) == 1 and gone.any():
        triangle = np.repeat(triangle, rows.shape[1], axis=0)
    return held._replace(origin=origin, triangle=triangle)


def fading(half_life: float) -> float:
    """Return what a row's weight in sums of squares is multiplied with when another one comes."""
    return 1.0 if half_life == NEVER else float(np.exp2(-1.0 / half_life))


def without_given(
    rows: Array, design: Array, held: Held, half_life: float = NEVER, most: float = np.inf
) -> tuple[Array, Held]:
    """Return contrasts of rows with what those before them predict, and what is known then.

    They are NaN where a cell is missing, or was the first to show a direction. Rows that are more
    than ``most`` times as far from prediction as rows before them are divided by what is beyond,
    design and all, or a few large rows would decide about effects.

    Examples
    --------
    >>> dose = np.array([0.0, 1.0, 2.0, 3.0])
    >>> design = np.column_stack([np.ones(4), dose])
    >>> rows = (5.0 + 2.0 * dose + [0.0, 0.0, 1.0, 0.0])[:, None]
    >>> contrasts, held = without_given(rows, design, nothing_held(2, 1))
    >>> print(contrasts.ravel().round(3))
    [   nan    nan  0.408 -0.73 ]
    >>> _, squares, *_ = np.linalg.lstsq(design, rows)
    >>> bool(np.isclose(np.nansum(contrasts**2), squares))
    True
    """
    triangle, shadows, origin, largest, left, spread = (x.copy() for x in begun(held, rows))
    result, fade = np.full(rows.shape, np.nan), fading(half_life)
    for t, row in enumerate(rows - origin):
        largest = np.maximum(largest, np.abs(design[t]))
        triangle, shadows, left = triangle * fade**0.5, shadows * fade**0.5, left * fade
        spread = spread * fade
        now = Held(triangle, shadows, origin, largest, left, spread)
        factor = 1.0
        if most < np.inf:
            trial = now._replace(triangle=triangle.copy(), shadows=shadows.copy())
            factor = _factor(_contrast(row, design[t], trial)[0], now, most)
        contrast, guess = _contrast(row * factor, design[t] * factor, now)
        size, here = np.abs(contrast), ~np.isnan(contrast)
        sums = np.ones_like(size), guess / factor, (guess / factor) ** 2, size, size**2
        spread[:, here] += np.array([*sums, guess / factor * size])[:, here]
        left[here] += size[here] ** 2
        result[t] = contrast
    return result, Held(triangle, shadows, origin, largest, left, spread)


def _contrast(row: Array, design: Array, held: Held) -> tuple[Array, Array]:
    """Turn a row against triangle and shadows, in place; return its contrast, and predictions."""
    contrast, guess = np.full(row.shape, np.nan), np.zeros_like(row)
    for own, triangle in enumerate(held.triangle):
        columns = slice(None) if len(held.triangle) == 1 else slice(own, own + 1)
        if np.isnan(row[columns]).any():
            continue
        left = row[columns].copy()
        kept = _turn(triangle, held.shadows[:, columns], design.copy(), left, held.largest)
        if kept > 0.0:
            contrast[columns], guess[columns] = left, row[columns] - left / kept
    return contrast, guess


def _factor(contrast: Array, held: Held, most: float) -> float:
    """Return what to multiply a row with, so that it is not much larger than those before it."""
    number = held.spread[0]
    known = (number >= ENOUGH) & (held.left > 0) & ~np.isnan(contrast)
    if not known.any():
        return 1.0
    size = np.sqrt((contrast[known] ** 2 / (held.left[known] / number[known])).mean())
    return min(1.0, most / max(float(size), TINY))


def _turn(triangle: Array, shadows: Array, design: Array, row: Array, largest: Array) -> float:
    """Turn a row, in place, until its design is zero; return how much of it is kept.

    That is the share of what it was beyond prediction: none if it showed a new direction.
    """
    share = 1.0
    for d in range(len(design)):
        if abs(design[d]) <= TINY * largest[d]:
            continue
        length = float(np.sqrt(triangle[d, d] ** 2 + design[d] ** 2))
        cos, sin = triangle[d, d] / length, design[d] / length
        share *= cos
        for kept, new in ((triangle[d], design), (shadows[d], row)):
            kept[:], new[:] = cos * kept + sin * new, cos * new - sin * kept
    return share


def coefficients(held: Held) -> Array:
    """Return the coefficients of columns on the design, (k, p); zero for unknown directions."""
    if len(held.triangle) == 1:
        return _solved(held.triangle[0], held.shadows)
    each = (_solved(t, s[:, None]) for t, s in zip(held.triangle, held.shadows.T))
    return np.concatenate(list(each), axis=1)


def _solved(triangle: Array, shadows: Array) -> Array:
    result = np.zeros_like(shadows)
    for d in reversed(range(len(triangle))):
        if triangle[d, d] > 0:
            result[d] = (shadows[d] - triangle[d, d + 1 :] @ result[d + 1 :]) / triangle[d, d]
    return result


def means(held: Held) -> Array:
    """Return the mean of each column; zero of one that has no cell.

    >>> rows = np.array([[1.0], [2.0], [6.0]])
    >>> means(without_given(rows, np.ones((3, 1)), nothing_held(1, 1))[1])
    array([3.])
    """
    ones = held.triangle[:, 0, 0]
    mean: Array = np.divide(held.shadows[0], ones, out=np.zeros_like(held.left), where=ones > 0)
    return mean + np.nan_to_num(held.origin)


def explained(held: Held) -> Array:
    """Return the share of each column's variance that given columns explain."""
    squares = np.square(held.shadows[1:]).sum(axis=0)
    total = squares + held.left
    share: Array = np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
    return share


def determined(held: Held) -> Indices:
    """Return columns of which given columns leave nothing, although they vary."""
    squares = np.square(held.shadows[1:]).sum(axis=0)
    found: Indices = np.flatnonzero((squares > 0) & (held.left <= _DETERMINED * squares))
    return found


def uneven(held: Held) -> tuple[Array, Array]:
    """Return how predictions and sizes of contrasts are correlated, by column, and how clearly.

    Where what is given adds to a column, they are not. The second is a standard normal score then.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> dose, noise = rng.standard_normal((2, 400))
    >>> rows = np.column_stack([dose + noise, np.exp(dose + noise)])
    >>> design = np.column_stack([np.ones(400), dose])
    >>> corr, score = uneven(without_given(rows, design, nothing_held(2, 2))[1])
    >>> corr > 0.1, score > 4
    (array([False,  True]), array([False,  True]))
    """
    number, guess, guesses, size, sizes, both = held.spread
    number = np.maximum(number, 1.0)
    of_guess, of_size = (
        np.maximum(squares - sums**2 / number, 0.0)
        for squares, sums in ((guesses, guess), (sizes, size))
    )
    room = np.sqrt(of_guess * of_size)
    shared = both - guess * size / number
    corr = np.divide(shared, room, out=np.zeros_like(room), where=room > 0).clip(-1.0, 1.0)
    return corr, corr * np.sqrt(number)


def borrowed(cost: float, n_rows: float) -> float:
    """Return which share of the variance of contrasts is errors of the effects that were taken out.

    Row t has about k / (t + k) of it if k directions were learned from rows before it, and this is
    the mean over rows from the k-th on.

    Examples
    --------
    >>> [round(borrowed(6, n_rows), 3) for n_rows in (120, 480, 1920)]
    [0.118, 0.046, 0.016]
    """
    return cost / n_rows * float(np.log((n_rows + cost) / (2.0 * cost)))


def known_directions(held: Held) -> NDArray[np.bool_]:
    """Return which directions rows have shown."""
    diagonals = np.diagonal(held.triangle, axis1=1, axis2=2)
    known: NDArray[np.bool_] = np.logical_or.reduce(diagonals > 0)
    return known


def behind(held: Held, direction: int) -> Indices:
    """Return the directions that determine one that is none of its own; none if it is constant.

    Examples
    --------
    >>> x = np.arange(6.0)
    >>> design = np.column_stack([np.ones(6), x, 3 * x, np.zeros(6)])
    >>> held = without_given(x[:, None] ** 2, design, nothing_held(4, 1))[1]
    >>> known_directions(held), behind(held, 2), behind(held, 3)
    (array([ True,  True, False, False]), array([1]), array([], dtype=int64))
    """
    triangle = held.triangle[int(np.argmax(held.triangle[:, 0, 0]))]
    column = _solved(triangle[:direction, :direction], triangle[:direction, direction][:, None])
    size = np.abs(column[:, 0]) * held.largest[:direction]
    found: Indices = np.flatnonzero(size[1:] > _TAKES_PART * held.largest[direction]) + 1
    return found
