"""Two populations in one table: rows that fall into two humps along a leading direction.

Two groups with means of their own relate all columns that differ between them, and no number of
rows makes that go away. Along the leading principal components of the first rows' scores, or a
direction among them, such groups are two humps, however normal each column's scores are. Heavy
tails, rows of unlike size or one strong factor make one hump there.

How sure two humps are is told by their excess mass (Mueller and Sawitzki): at some density, the
rows that a second interval has beyond what that density allows. It is twice Hartigan's dip, the
least change that leaves one hump. Among distributions of one hump chance makes the largest of it
where the density is flat, so its level is that of uniform rows (docs/theory.md, section 19).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from hedgerow.method.ordered import those

Array = NDArray[np.float64]

# Of n uniform rows, the excess mass of a second hump times the root of n exceeds this with a
# probability below one in five thousand.
_LIMIT = 1.5
_DIRECTIONS = 3  # principal components that are looked at, and ...
_SPACE = 6  # ... how many span the space in which one more direction is searched
_STEPS = 20
# A quick look comes first: groups that the test could tell apart have a larger coefficient than
# normal rows, 1/3; of two of equal size whose humps just part, it is .4.
_LEAST_BIMODALITY = 0.36
_ROUNDING = 1e-6
_LEAST_ROWS = 32
_COLUMNS = 512  # that are looked at, at most
DENSITIES = np.geomspace(0.1, 6.0, 40)  # in units of one over the middle 80 %
_FARTHEST = 128  # rows apart, up to which rows of one hump may remember


class Populations(NamedTuple):
    """Two groups of rows."""

    share: float  # of rows in the smaller one
    apart: float  # their means, in standard deviations within groups


ONE = Populations(0.0, 0.0)  # there is one only


def populations(
    rows: Array, hump: Callable[[Array], tuple[float, float]], *, memory: bool = True
) -> Populations:
    """Return the groups that rows fall into, `ONE` if there are no two.

    Parameters
    ----------
    rows : scores of the first rows, of columns that are mostly different in all of them
    hump : `second_hump`
    memory : whether rows may resemble those before

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((400, 6))
    >>> populations(rows, second_hump) == ONE
    True
    >>> rows[rng.random(400) < 0.3] += 3.0
    >>> print(round(populations(rows, second_hump).share, 1))
    0.3
    """
    for values in _leading(rows):
        if _bimodality(values) < _LEAST_BIMODALITY:
            continue
        mass, gap = hump(values)
        if mass * np.sqrt(len(values)) <= _LIMIT:
            continue
        upper = values > gap
        groups = _groups(values, upper)
        left = values - np.where(upper, values[upper].mean(), values[~upper].mean())
        if mass * np.sqrt(len(values) / (_memory(left) if memory else 1.0)) > _LIMIT:
            return groups
    return ONE


def _bimodality(values: Array) -> float:
    """Return Sarle's coefficient: 1/3 for normal rows, .56 for uniform ones, one for two points."""
    unit = (values - values.mean()) / (values.std() or 1.0)
    squares = unit * unit
    return float((1.0 + (squares * unit).mean() ** 2) / max((squares * squares).mean(), 1.0))


def second_hump(values: Array) -> tuple[float, float]:
    """Return the excess mass of a second hump, and a value in the gap between the two.

    Examples
    --------
    >>> flat = np.arange(100.0)
    >>> print(round(second_hump(flat)[0], 2))
    0.01
    >>> print(*np.round(second_hump(np.r_[flat, flat + 1000.0]), 2))
    0.45 549.5
    """
    ordered = np.sort(values)
    n = len(ordered)
    low, high = middle(ordered)
    if not high > low:
        return 0.0, low
    due = DENSITIES[:, None] * (ordered - low) / (high - low)
    # An interval has, beyond its due, what stands after its end less what stands before its begin.
    before, after = np.arange(n) / n - due, np.arange(1, n + 1) / n - due
    place = np.arange(n)
    gain = after - np.minimum.accumulate(before, axis=1)
    end = gain.argmax(axis=1)[:, None]
    begin = np.where(place <= end, before, np.inf).argmin(axis=1)[:, None]
    inside = np.maximum.accumulate(np.where(place >= begin, after, -np.inf), axis=1)
    behind = np.maximum.accumulate(after[:, ::-1], axis=1)[:, ::-1] - before
    # A second interval to the left of the best one, to its right, or made by a cut through it.
    second = np.stack(
        [
            np.where(place < begin, gain, 0.0),
            np.where(place > end, behind, 0.0),
            np.where((place > begin) & (place <= end), np.roll(inside, 1, axis=1) - before, 0.0),
        ]
    )
    kind, at, where = (int(index) for index in np.unravel_index(second.argmax(), second.shape))
    first, last = int(begin[at, 0]), int(end[at, 0])
    if kind == 0:
        edges = (where, first)
    elif kind == 1:
        edges = (last, where)
    else:
        edges = (first + int(after[at, first:where].argmax()), where)
    return float(second[kind, at, where]), float(ordered[list(edges)].mean())


def middle(ordered: Array) -> tuple[float, float]:
    """Return the ends of the middle 80 % of values."""
    tenth = len(ordered) // 10
    return float(ordered[tenth]), float(ordered[-1 - tenth])


def _leading(rows: Array) -> list[Array]:
    """Return the rows' places along principal components, and one direction among these."""
    if len(rows) < _LEAST_ROWS or rows.shape[1] < 2:
        return []
    some = rows[:, :: -(-rows.shape[1] // _COLUMNS)]
    spread = some.std(axis=0)
    some, spread = those(some, spread > 0), spread[spread > 0]
    if len(spread) < 2:
        return []
    unit = (some - some.mean(axis=0)) / spread
    number = unit.shape[1]
    least = max(number - _SPACE, 0)
    single = unit.astype(np.float32)  # directions are no more certain than that
    _, directions = linalg.eigh(single.T @ single, subset_by_index=[least, number - 1])
    places = (unit @ directions.astype(np.float64))[:, ::-1]
    return [*places.T[:_DIRECTIONS], _flattest(places)]


def _flattest(places: Array) -> Array:
    """Return the places along the direction with the least fourth moment.

    It best tells groups of about one size apart (Pena and Prieto), and is one of the fixed points
    of the fourth moment, found as in independent component analysis.
    """
    spread = places.std(axis=0)
    white = places[:, spread > _ROUNDING * spread[0]]
    white = white / white.std(axis=0)
    ways = np.eye(white.shape[1])
    for _ in range(_STEPS):
        along = ways @ white.T
        ways = along * along * along @ white / len(white) - 3.0 * ways
        lengths = np.sqrt(np.einsum("kj,kj->k", ways, ways))
        ways /= np.maximum(lengths, _ROUNDING)[:, None]
    along = white @ ways.T
    fourth = np.square(np.square(along)).mean(axis=0)
    flattest: Array = along[:, fourth.argmin()]
    return flattest


def _groups(values: Array, upper: NDArray[np.bool_]) -> Populations:
    one, other = values[upper], values[~upper]
    spread = np.sqrt((one.var() * len(one) + other.var() * len(other)) / len(values))
    share = min(len(one), len(other)) / len(values)
    return Populations(share, float((one.mean() - other.mean()) / spread))


def _memory(left: Array) -> float:
    """Return by how much rows that remember make shares of them less precise.

    Autocorrelations are summed as far as they are above zero. The sum is squared: distances from
    one's own hump remember less than the rows, half as long for a slow wave.
    """
    padded = np.fft.rfft(left, 2 * len(left))
    products = np.fft.irfft(np.square(np.abs(padded)))[: min(_FARTHEST, len(left) // 2)]
    correlation = products[1:] / products[0]
    positive = np.cumprod(correlation > 2.0 / np.sqrt(len(left)))
    return float(1.0 + 2.0 * (correlation * positive).sum()) ** 2
