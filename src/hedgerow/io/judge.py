"""Whether a column is one of numbers, by how many of its first cells are numbers, and texts.

The first rows decide, the same ones in every kind of file: the first ten if all their cells are
numbers, else the first hundred. To take a column for one of numbers is the safe mistake, since the
first text in it is then refused or told; to leave one out is not.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.words import listed
from hedgerow.io.notation import Notation, shortened
from hedgerow.io.source import (
    COUNTER,
    EMPTY_AT_FIRST,
    NOT_NUMERIC,
    ROW_NAMES,
    TIME,
    UNNAMED,
    WITH_UNITS,
    Column,
    DataError,
)
from hedgerow.io.times import are_times, count_on, name_rows
from hedgerow.io.words import words_in

FIRST_LINES = 11  # are enough where all below the names is numbers
LINES = 101  # decide otherwise
# Names of things often begin with letters, so in front only signs of currencies count.
_AFFIXED = re.compile(r"([$€£¥₹]?) ?[-+−]?[0-9][0-9.,']* ?([%‰°]?[A-Za-zµΩ/²³]{0,8})")


def refuse_notes(where: str, names: Sequence[str]) -> None:
    """Raise if what should be names is a note above the table; ``where`` is its place."""
    if len(names) > 1 and names[0] and not any(names[1:]):
        note = shortened(names[0])
        raise DataError(
            f"{where}, the first that is not empty, must have the names of the columns, "
            f"got only {note}; remove what stands above the table"
        )


def refuse_two_headers(where: str, names: Sequence[str], below: Sequence[str]) -> None:
    """Raise if the line below the names, which has no numbers, has names that these lack.

    >>> refuse_two_headers("line 1", ["Blood", "", ""], ["age", "crp", "ldl"])
    Traceback (most recent call last):
        ...
    hedgerow.io.source.DataError: line 1 must have a name for each column, got none for 'crp', \
'ldl' of the line below, as where one name stands above several columns; leave one line of names
    """
    lacking = [cell for name, cell in zip(names, below) if cell and not name]
    if len(lacking) > 1:
        raise DataError(
            f"{where} must have a name for each column, got none for "
            f"{listed(map(shortened, lacking))} of the line below, as where one name stands above "
            f"several columns; leave one line of names"
        )


def flaw_of(numbers: int, texts: int) -> str | None:
    """Return why a column cannot be learned from, given how many numbers and texts it has.

    >>> flaw_of(9, 1), flaw_of(1, 9), flaw_of(0, 0)
    (None, 'not numeric', 'empty in the first rows')
    """
    if numbers and numbers >= texts:
        return None
    return NOT_NUMERIC if texts else EMPTY_AT_FIRST


def flaw_of_times(name: str, cells: Sequence[Any], flaw: str | None) -> str | None:
    """Return the flaw of a column, or that it says when rows were made, or counts or names them.

    >>> flaw_of_times("when", ["2024-01-01", "2024-01-02"], "not numeric")
    'time'
    """
    if flaw == NOT_NUMERIC:
        return TIME if are_times(cells) else flaw
    if flaw is None and all(isinstance(cell, int | float) for cell in cells):
        if count_on(name, cells):
            return COUNTER
        return ROW_NAMES if name_rows(name, cells) else flaw
    return flaw


def column_of(name: str, cells: Sequence[Any], flaw: str | None, notation: Notation) -> Column:
    """Return a column by its first cells, given a flaw that was found without a look at them.

    >>> column_of("ill", ["yes", "no"] * 10, "not numeric", Notation())
    Column(name='ill', flaw=None, words=('no', 'yes'))
    """
    flaw = flaw_of_times(name, cells, flaw)
    if flaw != NOT_NUMERIC:
        return Column(name, flaw)
    flaw, words = words_in(cells, notation)
    return Column(name, WITH_UNITS if flaw and have_units(cells) else flaw, words)


def have_units(cells: Sequence[Any]) -> bool:
    """Return whether most cells are numbers but for one sign or unit, the same in all of them.

    >>> have_units(["$1,200.50", "$ 7", ""]), have_units(["5 kg", "6.5 kg"])
    (True, True)
    >>> have_units(["p1", "p2"]), have_units(["1a", "1b"])
    (False, False)
    """
    texts = [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]
    found = [match.group(1, 2) for text in texts if (match := _AFFIXED.fullmatch(text))]
    return len(set(found)) == 1 and any(found[0]) and 2 * len(found) > len(texts)


def of_numbers(numbers: NDArray[Any], texts: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell for many columns at once which of them have no flaw."""
    return (numbers > 0) & (numbers >= texts)


def columns_of_objects(objects: list[dict[str, Any]], notation: Notation) -> list[Column]:
    """Return the columns that some objects have, with their flaws.

    Examples
    --------
    >>> columns_of_objects([{"a": 1, "b": "x"}, {"a": "ERR", "b": "y"}], Notation())
    [Column(name='a', flaw=None, words=()), Column(name='b', flaw='not numeric', words=())]
    """
    counts: dict[str, list[int]] = {}
    cells: dict[str, list[Any]] = {}
    for item in objects:
        for name, value in item.items():
            numbers_texts = counts.setdefault(name, [0, 0])
            number = notation.value(value)
            cells.setdefault(name, []).append(value if number is None else number)
            if number is None or number == number:
                numbers_texts[number is None] += 1
    return [
        column_of(name, cells[name], flaw_of(*numbers_texts), notation)
        if name
        else Column(name, UNNAMED)
        for name, numbers_texts in counts.items()
    ]


def survey_objects(objects: list[dict[str, Any]], notation: Notation) -> tuple[list[Column], bool]:
    """Return the columns that the first objects have, and whether no more are needed to tell."""
    columns = columns_of_objects(objects, notation)
    same = all(item.keys() == objects[0].keys() for item in objects)
    plain = all(notation.value(value) is not None for item in objects for value in item.values())
    return columns, bool(objects) and same and plain and all(
        c.flaw in (None, COUNTER, ROW_NAMES) for c in columns
    )
