"""Cells that hold no number, and numbers that may mean that there is none.

Surveys write -99 or 9999 where nobody answered. Such a code repeats, and lies farther outside the
range of the column's other numbers than that range is wide.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.words import listed
from hedgerow.io.source import BadRow

_LEAST = 3  # times that a code comes in a column
_MOST_TEXTS = 1000  # different ones that are told apart
_BEYOND_A_LIMIT = re.compile(r"'[<>≤≥]=? *[0-9.,+-]")  # as it is shown, in quotes
CODES = np.array(
    [-float(str(digit) * length) for digit in (7, 8, 9) for length in (1, 2, 3, 4, 5)]
    + [float(str(digit) * length) for digit in (7, 8, 9) for length in (2, 3, 4, 5)]
)


class Codes:
    """Watches columns of numbers for codes that may stand for missing values."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._counts = np.zeros((len(CODES), len(names)), dtype=np.int64)
        self._low, self._high = np.full(len(names), np.inf), np.full(len(names), -np.inf)
        self.n_rows = 0

    def take(self, rows: NDArray[np.float64]) -> None:
        """Look at more rows."""
        if not len(rows):
            return
        self.n_rows += len(rows)
        codes = rows == np.rint(rows)
        codes[codes] = np.isin(rows[codes], CODES)
        if codes.any():
            for k, code in enumerate(CODES):
                self._counts[k] += (rows == code).sum(axis=0)
        low, high = rows.min(axis=0), rows.max(axis=0)
        if codes.any() or np.isnan(low).any():
            others = codes | np.isnan(rows)
            low = np.where(others, np.inf, rows).min(axis=0)
            high = np.where(others, -np.inf, rows).max(axis=0)
        self._low, self._high = np.minimum(self._low, low), np.maximum(self._high, high)

    def found(self) -> dict[str, list[str]]:
        """Return codes, as they are typed, and the columns in which they stand out.

        Examples
        --------
        >>> ages = Codes(["age", "income"])
        >>> ages.take(np.array([[30.0, 999.0], [-99.0, 100.0], [41.0, 999.0]] * 3))
        >>> ages.found()
        {'-99': ["'age' (3)"]}
        """
        if not (self._counts >= _LEAST).any():
            return {}
        wide = self._high - self._low
        with np.errstate(invalid="ignore"):
            away = np.maximum(self._low - CODES[:, None], CODES[:, None] - self._high)
            clear = (self._counts >= _LEAST) & (wide > 0) & (away > wide)
        return {
            f"{code:g}": [
                f"{self._names[j]!r} ({self._counts[k, j]})" for j in np.flatnonzero(clear[k])
            ]
            for k, code in enumerate(CODES)
            if clear[k].any()
        }

    def notes(self, known: Collection[str] = ()) -> Iterator[str]:
        """Yield a line for each code that is not ``known``."""
        for code, columns in self.found().items():
            if code not in known:
                yield (
                    f"{code} lies far outside the other values of {listed(columns)}; if it means "
                    f"that a value is missing, na={code!r} (--na {code}) says so"
                )


class _Text(NamedTuple):
    times: int
    column: str
    where: str  # the first


class Texts:
    """Cells of text in columns of numbers, which count as missing."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], _Text] = {}
        self.columns: set[str] = set()

    def take(self, wrong: BadRow, where: str) -> None:
        """Note the texts of a row."""
        for column, text in wrong.cells:
            self.columns.add(column)
            key = (column, text)
            if key in self._found or len(self._found) < _MOST_TEXTS:
                count, _, first = self._found.get(key, _Text(0, column, where))
                self._found[key] = _Text(count + 1, column, first)

    def notes(self) -> Iterator[str]:
        """Yield what there was in one line, the most frequent text first, and what limits mean.

        Examples
        --------
        >>> texts = Texts()
        >>> texts.take(BadRow("", "a", cells=(("a", "'ERR'"),)), "line 7")
        >>> print(*texts.notes())
        cells of text count as missing: 'ERR' ('a', line 7)
        """
        if not self._found:
            return
        often = sorted(self._found.items(), key=lambda item: -item[1].times)
        said = listed(
            f"{text} ({column!r}, {found.where})"
            if found.times == 1
            else f"{text} ({column!r}, {found.times} times, first: {found.where})"
            for (column, text), found in often
        )
        (_, text), most = often[0]
        hint = f"; na={text} (--na {text}) says that this is meant" if most.times >= _LEAST else ""
        yield f"cells of text count as missing: {said}{hint}"
        beyond = [text for _, text in self._found if _BEYOND_A_LIMIT.match(text)]
        if beyond:
            yield (
                f"values beyond a limit, as {beyond[0]}, are not missing by chance, and edges may "
                f"be false if they count as missing: write the limit in their place, and the "
                f"column is taken for cut off there"
            )
