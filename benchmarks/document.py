"""README and docs: what was measured stands between marks, and is filled in from the records.

    python -m benchmarks.document

A block stands between ``<!-- name -->`` and ``<!-- /name -->``. It is that of the page's own
record, and how it was measured is told below it.

A number in a sentence stands between ``<!--=what-->`` and ``<!--/-->``, never at the beginning of a
line, where Markdown would end the paragraph. *What* is a name of `benchmarks.figures`, or a cell of
a record's table: ``page|block|row|column`` as it is; with ``|.2f`` or the like behind it the first
number of the cell in that format, with ``|3 .2f`` the third. ``%`` gives a percentage.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import kept
from benchmarks.figures import CELLS, FIGURES, numbers
from benchmarks.kept import Blocks, Made, Table

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"<!-- ([\w.-]+) -->\n.*?<!-- /\1 -->", re.S)
NUMBER = re.compile(r"<!--=(.*?)-->.*?<!--/-->", re.S)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return str(Table(list(header), [list(row) for row in rows]))


def chance(level: float, n: int) -> str:
    """Return in words how far chance moves a share that is just kept."""
    error = (level * (1.0 - level) / n) ** 0.5
    return f"a share that is {level} has a standard error of {error:.3f} in {n:,} of them"


def publish(page: str, made: Made, blocks: dict[str, str]) -> None:
    """Keep what was measured, and fill the pages."""
    kept.keep(page, made, blocks)
    fill_all()


def fill_all() -> None:
    """Fill README and every page of docs."""
    records = kept.read_all()
    for path in pages():
        text = path.read_text()
        filled = fill(text, path.stem, records)
        if filled != text:
            path.write_text(filled)


def pages() -> list[Path]:
    """Return the pages that have something filled in, or may have."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def fill(text: str, page: str, records: dict[str, Blocks]) -> str:
    """Return a page's text with everything between marks as the records have it."""

    def block(found: re.Match[str]) -> str:
        name = found[1]
        if name not in records.get(page, {}):
            raise ValueError(f"{page} has a block {name!r}, and no record of it")
        return f"<!-- {name} -->\n{records[page][name]}\n<!-- /{name} -->"

    def number(found: re.Match[str]) -> str:
        return f"<!--={found[1]}-->{value(found[1], records)}<!--/-->"

    return NUMBER.sub(number, BLOCK.sub(block, text))


def value(what: str, records: dict[str, Blocks]) -> str:
    """Return a figure, or a cell of a record's table."""
    if what in FIGURES:
        return FIGURES[what](records)
    page, name, row, column, *form = CELLS.get(what, what).split("|")
    cell = records[page][name].table.cell(row, column)
    return shown(cell, *form) if form else cell.strip("*")


def shown(cell: str, form: str) -> str:
    """Return a number of a cell in some format."""
    which, _, spec = form.rpartition(" ")
    found = numbers(cell)[int(which or 1) - 1]
    return f"{100 * found:.0f} %" if spec == "%" else f"{found:{spec}}"


if __name__ == "__main__":
    fill_all()
