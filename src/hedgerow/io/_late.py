"""Columns that are empty in a file's first rows: its later rows tell what they are."""

from collections.abc import Sequence

from hedgerow.io.judge import LINES, columns_of_objects
from hedgerow.io.notation import Notation
from hedgerow.io.source import EMPTY, EMPTY_AT_FIRST, Column, Reader

_ENOUGH = LINES - 1  # cells that are not empty


def with_late(columns: Sequence[Column], source: Reader, notation: Notation) -> list[Column]:
    """Return ``columns`` with what their first cells that are there say; reads the source."""
    late = {column.name for column in columns if column.flaw == EMPTY_AT_FIRST}
    source.beside = [j for j, column in enumerate(source.columns) if column.name in late]
    names = [source.columns[j].name for j in source.beside]
    found: dict[str, list[object]] = {name: [] for name in names}
    for batch in source.batches([]):
        for name, cells in zip(names, batch.beside if batch is not None else ()):
            some = (cell for cell in cells if not _is_missing(cell, notation))
            found[name] += [cell for cell, _ in zip(some, range(_ENOUGH - len(found[name])))]
        if all(len(cells) == _ENOUGH for cells in found.values()):
            break
    known = {
        name: columns_of_objects([{name: cell} for cell in cells], notation)[0]
        if cells
        else Column(name, EMPTY)
        for name, cells in found.items()
    }
    return [known.get(column.name, column) for column in columns]


def _is_missing(cell: object, notation: Notation) -> bool:
    number = notation.value(cell)
    return number is not None and number != number
