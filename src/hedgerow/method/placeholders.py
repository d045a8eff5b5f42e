"""Placeholders: one value in the place of cells that were not measured: the column's mean, or zero.

Tables are made complete before they come here: gaps are filled with the mean or the median of
their column, and what failed is entered as zero. Such a cell says nothing about its row, and what
the column would explain there passes for edges between its neighbours. It looks like a column of
which some cells were cut (nothing below a limit can be seen), and that would be a different thing.

Two signs tell them apart. A value in the very middle of all others, and far more frequent than any
of them, is a mean or a median that was filled in, unless the other columns say that these cells lie
there. And cells at a limit are the lowest of all: if the other columns expect more in these rows
than in rows just above the limit, something else decided which they are (docs/theory.md,
section 39).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.multiplicity import benjamini_hochberg
from hedgerow.method.ordered import Ordered, in_order

Array = NDArray[np.float64]
Rows = NDArray[np.floating]
Cells = NDArray[np.bool_]

_LEAST = 4  # cells
_OFTENER = 3  # than any other value: rounded numbers come again as well
_MIDDLE = 3.29  # standard errors between a value and the middle, one in a thousand is farther
_CHANCE = 1e-3  # that a placeholder is missed, or that cells at a limit are taken for one
_LIMIT = -1.64  # standard errors: one in twenty placeholders looks more like a limit than this
_NEAR = 1 / 8  # of the other cells, those next to the value, to compare with
_STRETCHES = 64  # of rows, or half as many as there are; every second one is learned from
_FEWEST = 64  # rows
_TINY = 1e-300
_MOST_COLUMNS = 1000  # that are asked what they expect


class Placeholders(NamedTuple):
    """The value of each column that stands for cells without one, and how many cells have it."""

    values: Array  # (p,) infinite: there is none
    found: NDArray[np.int64]  # (p,)


class _Mass(NamedTuple):
    """A value of a column that comes far more often than any other."""

    column: int
    value: float
    below: int  # cells
    times: int


class _Others(NamedTuple):
    """What other columns expect of one."""

    score: Array  # (n,) of its own cells
    expected: Array  # (n,)
    has_value: Cells  # (n,) the value in question


def no_placeholders(n_columns: int) -> Placeholders:
    """Return that no column has any."""
    return Placeholders(np.full(n_columns, np.inf), np.zeros(n_columns, dtype=np.int64))


def first_placeholders(first: Ordered, judged: Cells) -> tuple[Ordered, Placeholders]:
    """Return the first rows with such cells missing, and the values; ``judged`` may have some.

    Examples
    --------
    >>> rows = np.random.default_rng(0).standard_normal((200, 3))
    >>> rows[::10, 1] = np.delete(rows[:, 1], np.s_[::10]).mean()
    >>> first, found = first_placeholders(in_order(rows), np.ones(3, dtype=np.bool_))
    >>> found.found.tolist(), np.isnan(first.rows).sum(axis=0).tolist()
    ([0, 20, 0], [0, 20, 0])
    """
    known = no_placeholders(len(first.there))
    masses = _masses(first, judged)
    if not masses:
        return first, known
    asked = _asked(first, masses)
    at_limits = []
    for mass, others in zip(masses, asked, strict=True):
        if not _in_the_middle(first, mass):
            at_limits.append((mass, others))
        elif others is None or not _lie_there(others):
            known.values[mass.column] = mass.value
    for mass in _too_high(at_limits):
        known.values[mass.column] = mass.value
    rows, known = without_placeholders(first.rows, known)
    return (in_order(rows), known) if known.found.any() else (first, known)


def without_placeholders(rows: Rows, known: Placeholders) -> tuple[Rows, Placeholders]:
    """Return rows in which such cells are missing, and what is known after them."""
    columns = np.flatnonzero(np.isfinite(known.values))
    if not len(columns) or not len(rows):
        return rows, known
    empty = np.zeros(rows.shape, dtype=np.bool_)
    empty[:, columns] = rows[:, columns] == known.values[columns]
    if not empty.any():
        return rows, known
    return np.where(empty, np.nan, rows), known._replace(found=known.found + empty.sum(axis=0))


def _masses(first: Ordered, judged: Cells) -> list[_Mass]:
    """Return values that come far more often than any other, where most cells have their own."""
    again = (first.values[:, _LEAST - 1 :] == first.values[:, : 1 - _LEAST]).any(axis=1)
    masses = []
    for j in np.flatnonzero(again & first.mostly_different & judged):
        values = first.of_column(int(j))
        begins = np.flatnonzero(np.append(True, values[1:] > values[:-1]))
        times = np.diff(np.append(begins, len(values)))
        most = int(times.argmax())
        if times[most] >= max(_LEAST, _OFTENER * np.delete(times, most).max(initial=0)):
            below = int(begins[most])
            masses.append(_Mass(int(j), float(values[below]), below, int(times[most])))
    return masses


def _in_the_middle(first: Ordered, mass: _Mass) -> bool:
    """Return whether the value may be the mean or the median of the others."""
    values = first.of_column(mass.column)
    others = np.delete(values, np.s_[mass.below : mass.below + mass.times])
    above = len(others) - mass.below
    if min(mass.below, above) < _LEAST:
        return False
    spread = others.std(ddof=1)
    from_mean = abs(mass.value - others.mean()) / spread if spread > 0 else np.inf
    from_median = abs(above - mass.below) / len(others)
    return bool(min(from_mean, from_median) * np.sqrt(len(others)) <= _MIDDLE)


def _asked(first: Ordered, masses: list[_Mass]) -> list[_Others] | list[None]:
    """Return what the other columns expect of these; nothing if rows or columns are too few.

    Each half of the stretches is told what the other half has learned, so that chance that was
    fitted is not seen again.
    """
    n_rows, n_columns = first.rows.shape
    half = _stretches(n_rows) % 2 == 0
    if n_rows < _FEWEST or not 1 < n_columns <= _MOST_COLUMNS:
        return [None] * len(masses)
    columns = np.array([mass.column for mass in masses])
    scores = _scores(first, masses)
    has_value = first.rows[:, columns] == np.array([mass.value for mass in masses])
    known = np.where(np.isnan(scores), 0.0, scores)
    known /= np.maximum(np.sqrt(np.square(known).mean(axis=0)), 1.0 / n_rows)
    expected = np.empty((n_rows, len(columns)))
    for learned, told in ((half, ~half), (~half, half)):
        n = int(learned.sum())
        gram = known[learned].T @ known[learned] / n
        gram.flat[:: n_columns + 1] += n_columns / n
        inverse = np.linalg.inv(gram)
        weights = -inverse[:, columns] / np.diag(inverse)[columns]
        weights[columns, np.arange(len(columns))] = 0.0
        expected[told] = known[told] @ weights
    return [_Others(scores[:, j], expected[:, k], has_value[:, k]) for k, j in enumerate(columns)]


def _stretches(n_rows: int) -> NDArray[np.intp]:
    """Return the stretch that each row is in."""
    return np.arange(n_rows) * min(_STRETCHES, n_rows // 2) // n_rows


def _scores(first: Ordered, masses: list[_Mass]) -> Array:
    """Return normal scores of positions among the values of each column, those of a mass as one."""
    positions = np.arange(1, len(first.rows) + 1) / (first.there + 1.0)[:, None]
    scores = np.full(first.rows.shape[::-1], np.nan)
    in_place = np.where(positions < 1.0, special.ndtri(np.minimum(positions, 1.0)), np.nan)
    for mass in masses:
        at = np.s_[mass.below : mass.below + mass.times]
        in_place[mass.column, at] = in_place[mass.column, at].mean()
    np.put_along_axis(scores, first.order, in_place, axis=1)
    return scores.T


def _lie_there(others: _Others) -> bool:
    """Return whether the others say that cells lie in the middle, rather than anywhere.

    The others' expectation follows the score in a straight line with normal errors; or cells are
    anywhere, and it has one normal distribution over all rows. The mean of the first likelihood
    over the second is one if the second is right, so that it is 1 / `_CHANCE` times as large with
    that chance at most.
    """
    score, expected, has_value = others
    elsewhere = ~has_value & ~np.isnan(score)
    away = score[elsewhere] - score[elsewhere].mean()
    about = expected - expected[elsewhere].mean()
    slope = (away @ about[elsewhere]) / (away @ away)
    errors = about[elsewhere] - slope * away
    at = slope * (score[has_value].mean() - score[elsewhere].mean())
    variances = max(float(errors.var()), _TINY), max(float(about[elsewhere].var()), _TINY)
    said = _log_likelihood(about[has_value] - at, variances[0])
    return bool(said - _log_likelihood(about[has_value], variances[1]) > -np.log(_CHANCE))


def _log_likelihood(errors: Array, variance: float) -> float:
    return -0.5 * float((np.square(errors) / variance + np.log(variance)).sum())


def _too_high(at_limits: list[tuple[_Mass, _Others | None]]) -> list[_Mass]:
    """Return those whose cells are not the lowest (or highest), by what the others expect.

    Columns that have the same value are asked together as well as one by one. If it is clear in any
    of these questions that it stands for something else, it does in all of them, but for columns
    in which it is a limit by their own answer.
    """
    masses = [mass for mass, others in at_limits if others]
    if not masses:
        return []
    values = np.array([mass.value for mass in masses])
    parts, known = zip(*(_beyond(others, mass) for mass, others in at_limits if others))
    each = np.unique(values)
    weighted = np.array(parts) * np.array(known)[:, None]
    together = [weighted[values == value].sum(axis=0) for value in each]
    scores = _standard_sums(np.concatenate([parts, together]))
    clear = benjamini_hochberg(np.exp(-0.5 * np.square(np.maximum(scores, 0.0)))) <= _CHANCE
    named = np.concatenate([values[clear[: len(values)]], each[clear[len(values) :]]])
    taken = (scores[: len(values)] > _LIMIT) & np.isin(values, named)
    return [masses[k] for k in np.flatnonzero(taken)]


def _standard_sums(parts: Array) -> Array:
    """Return sums in units of the roots of their sums of squares.

    If parts are independent and symmetric, one is beyond x with a chance of exp(-x²/2) at most
    (Efron, 1969).
    """
    result: Array = parts.sum(axis=1) / np.maximum(np.sqrt(np.square(parts).sum(axis=1)), _TINY)
    return result


def _beyond(others: _Others, mass: _Mass) -> tuple[Array, float]:
    """Return by how much cells look as if they were no limit, as a sum over stretches of rows.

    They are compared with those that are next to them, if the most extreme ones are theirs. Parts
    are zero if there are none, and else have a sum of squares of one. The second number is how much
    the others know of the column in all other rows: the correlation, if it is positive.
    """
    score, expected, has_value = others
    rest = np.flatnonzero(~has_value & ~np.isnan(score))
    rest = rest[np.argsort(score[rest], kind="stable")]
    parts: Array = np.zeros(_STRETCHES)
    number, known = int(_NEAR * len(rest)), 0.0
    for beyond, inner, sign in (
        (mass.below, rest[mass.below :], 1.0),
        (len(rest) - mass.below, rest[: mass.below][::-1], -1.0),
    ):
        near, far = inner[:number], inner[number:]
        if beyond >= _LEAST or len(near) < _LEAST:
            continue
        weights = has_value / has_value.sum()
        weights[near] -= 1.0 / len(near)
        centre = (expected[has_value].mean() + expected[near].mean()) / 2.0
        away = sign * weights * (expected - centre)
        parts += np.bincount(_stretches(len(score)), away, minlength=_STRETCHES)
        about = score[far] - score[far].mean(), expected[far] - expected[far].mean()
        size = np.sqrt(np.square(about[0]).sum() * np.square(about[1]).sum())
        known = max(float(about[0] @ about[1] / max(size, _TINY)), 0.0)
    parts /= max(float(np.sqrt(np.square(parts).sum())), _TINY)
    return parts, known
