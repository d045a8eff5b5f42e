"""What a cell says: a number, nothing, or something else."""

import re
from collections.abc import Iterable
from math import inf, isinf, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import LARGEST_NUMBER
from hedgerow.io.source import BadRow, DataError, optional

# What stands for a missing value, in small letters and without spaces around it.
# fmt: off
MISSING = frozenset((
    "", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "nil", "-", "--", ".", "?",
    "#div/0!", "#name?", "#null!", "#num!", "#ref!", "#value!",
))
# fmt: on
WORDS = {"true": 1.0, "false": 0.0, "inf": inf, "+inf": inf, "-inf": -inf}
WORDS |= {"infinity": inf, "+infinity": inf, "-infinity": -inf}

_END = r"([eE][+-]?[0-9]+)?$"
PLAIN = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)" + _END
GROUPED = r"^[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?" + _END
CONTINENTAL = r"^[+-]?([0-9]+,?[0-9]*|,[0-9]+|[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]*)?)" + _END
# Thousands apart by a space of any width, or an apostrophe, as French and Swiss tables have them.
_APART = (
    " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}'\N{RIGHT SINGLE QUOTATION MARK}"
)
_SPACED = rf"^[+-]?[1-9][0-9]{{0,2}}([{_APART}][0-9]{{3}})+([.,][0-9]*)?$"

# Which of 1.234 and 1,234 is more than a thousand, nothing says.
_EITHER_POINT = r"^[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+$"
_EITHER_COMMA = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}" + _END

_MINUS = "\N{MINUS SIGN}"  # as typeset tables have it, in place of a hyphen
_LONGEST_SHOWN = 40  # characters of a bad cell
_SHAPES = {
    ".": (re.compile(PLAIN), re.compile(GROUPED), re.compile(_SPACED.replace("[.,]", "[.]"))),
    ",": (re.compile(CONTINENTAL), re.compile(_SPACED.replace("[.,]", "[,]"))),
}
_JOINED = str.maketrans("", "", _APART)


class Notation(NamedTuple):
    """How numbers are written: the decimal mark, and what else means that there is none."""

    decimal: str = "."
    marks: frozenset[str] = frozenset()
    numbers: tuple[float, ...] = ()  # that stand for missing values

    def number(self, text: str) -> float | None:
        """Return the number that a text is, NaN if it says that there is none, or None.

        Examples
        --------
        >>> Notation().number("1,234.5"), Notation(",").number("1.234,5"), Notation().number("oops")
        (1234.5, 1234.5, None)
        >>> Notation().number("\N{MINUS SIGN}2"), Notation(",").number("1 234,5")
        (-2.0, 1234.5)
        """
        text = text.strip().replace(_MINUS, "-")
        small = text.lower()
        if small in MISSING or text in self.marks:
            return nan
        if small in WORDS:
            return WORDS[small]
        if not any(shape.match(text) for shape in _SHAPES[self.decimal]):
            return None
        text = text.translate(_JOINED)
        plain = text.replace("," if self.decimal == "." else ".", "").replace(",", ".")
        number = float(plain)
        return nan if number in self.numbers else number

    def value(self, value: Any) -> float | None:
        """Return the number that a value of JSON, or of a cell with a type, is."""
        if value is None:
            return nan
        if isinstance(value, str):
            return self.number(value)
        if not isinstance(value, int | float):
            return None
        try:
            number = float(value)
        except OverflowError:
            return inf if value > 0 else -inf
        return nan if number in self.numbers else number

    def blank(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rows with NaN for the numbers that stand for missing values."""
        if not self.numbers:
            return rows
        return np.where(np.isin(rows, self.numbers), nan, rows)


def notation(decimal: str = ".", na: Iterable[str] = ()) -> Notation:
    """Return how numbers are written, by the options of a reader.

    Examples
    --------
    >>> notation(na=["-99", "x"]).numbers
    (-99.0,)
    """
    if decimal not in _SHAPES:
        raise ValueError(f"decimal must be '.' or ',', got {decimal!r}")
    marks = frozenset(na)
    found = [Notation(decimal).number(mark) for mark in sorted(marks)]
    return Notation(decimal, marks, tuple(n for n in found if n is not None and n == n))


def kinds_of(cells: list[str], notation: Notation) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which cells say that there is no number, and which are numbers."""
    pl = optional("polars")
    texts = pl.Series(cells, dtype=pl.String).str.replace_all(_MINUS, "-", literal=True)
    small = texts.str.to_lowercase()
    missing = small.is_in(list(MISSING)) | texts.is_in(list(notation.marks))
    number = small.is_in(list(WORDS))
    for shape in _SHAPES[notation.decimal]:
        number |= texts.str.contains(shape.pattern)
    return missing.to_numpy(), (number & ~missing).to_numpy()


def flaw_of_number(name: str, number: float) -> str | None:
    """Return why a number cannot be learned from, or None; NaN stands for no number."""
    if number != number:
        return f"column {name!r} has no value"
    if isinf(number):
        return f"column {name!r} must hold finite numbers, got {number:g}"
    if abs(number) > LARGEST_NUMBER:
        return f"column {name!r} must hold numbers up to ±{LARGEST_NUMBER:g}, got {number:g}"
    return None


def not_a_number(name: str, value: Any, before: BadRow | None = None) -> BadRow:
    """Return what is wrong with a row that has text in a column of numbers.

    ``before`` is what was found in other columns of the row.
    """
    text = shortened(str(value))
    if before is not None:
        return before._replace(cells=(*before.cells, (name, text)))
    return BadRow(f"column {name!r} must hold numbers, got {text}", name, ((name, text),))


def shortened(cell: str) -> str:
    """Return a cell as an error message shows it."""
    return repr(cell if len(cell) <= _LONGEST_SHOWN else cell[:_LONGEST_SHOWN] + "…")


def decimal_of(cells: Iterable[str]) -> str:
    """Return the decimal mark of cells that are not all plain numbers; refuse to guess.

    Examples
    --------
    >>> decimal_of(["1,5", "2"]), decimal_of(["1,234.5", "2"])
    (',', '.')
    """
    comma = grouped = either = None
    points = False
    for cell in cells:
        if re.match(_SPACED, cell):
            points |= "." in cell
            comma = cell if "," in cell else comma
        elif re.match(PLAIN, cell):
            points |= "." in cell and not re.match(_EITHER_POINT, cell)
        elif re.match(_EITHER_COMMA, cell):
            either = cell
        elif re.match(GROUPED, cell):
            grouped = cell
        elif "," in cell and re.match(CONTINENTAL, cell):
            comma = cell
    if comma and (grouped or points):
        other = grouped or "a point"
        raise DataError(
            f"numbers must be written in one way, got {comma!r} and {other!r}",
            ("decimal", ","),
            "takes the comma for the decimal mark",
        )
    if either and not (comma or grouped or points):
        raise DataError(
            f"{either!r} may be {either.replace(',', '.')} or {either.replace(',', '')}",
            ("decimal", ","),
            "takes the comma for the decimal mark, '.' the point",
        )
    return "," if comma else "."


def clear_mark(cells: Iterable[str]) -> str | None:
    """Return the decimal mark that some cells leave no doubt of, if there is one.

    Examples
    --------
    >>> clear_mark(["a", "0.5"]), clear_mark(["1,5", "2"]), clear_mark(["1,500", "1.500"])
    ('.', ',', None)
    """
    found = set()
    for cell in cells:
        if "." in cell and re.match(PLAIN, cell) and not re.match(_EITHER_POINT, cell):
            found.add(".")
        if "," in cell and re.match(CONTINENTAL, cell) and not re.match(_EITHER_COMMA, cell):
            found.add(",")
    return found.pop() if len(found) == 1 else None
