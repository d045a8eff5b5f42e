"""Tables of all sorts, and the ways in which people write them as text."""

import csv
import gzip
from io import StringIO
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Cell = float | str | None  # None is missing; a text among numbers is a bad cell

MARKS = ("", "NA", "nan", "null", "?", "N/A", "-", " ")
ODD_NAMES = (
    "", "a b", "größe", "変数", "a,b", "a;b", 'say "x"', "two\nlines", "x\ty", "\x1b[31mred\x1b[0m",
    "<script>alert(1)</script>", "=1+1", "-", "NA", "nan", "1", "2.5", "2001", "é" * 300, "[bold]",
    "a|b", "\u202eright", "%s", "{}", "\\", "'", "true", "NULL", "\x7f", "a\rb", "*", "--help",
)  # fmt: skip
WINDOWS_NAMES = ("Größe", "naïve", "año 1", "50 µm")
BAD = ("ERR", "oops", "1.2.3", "0x10", "<5", "12 kg", "1e", "--1", "日本")
WORDS = (
    "Ada",
    "Bob",
    '5" pipe',
    "x, y",
    'say "hi"',
    "two\nlines",
    "ünï",
    "a;b",
    "c\td",
    "",
    "NA",
    "d|e",
    "'",
)
DELIMITERS = (",", ";", "\t", "|", " ")


class Column(NamedTuple):
    """A column as it is meant."""

    name: str
    cells: tuple[Cell, ...]

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers, NaN where there is none."""
        return np.array([c if isinstance(c, float) else np.nan for c in self.cells])


class Table(NamedTuple):
    """A table as it is meant."""

    columns: tuple[Column, ...]

    @property
    def n_rows(self) -> int:
        return len(self.columns[0].cells)

    def row(self, k: int) -> list[Cell]:
        return [column.cells[k] for column in self.columns]


class Look(NamedTuple):
    """How a table is written as text."""

    delimiter: str = ","
    line_end: str = "\n"
    quoting: str = "minimal"  # or all, or stray: quotes within a cell that mean nothing
    encoding: str = "utf-8"
    mark: str = ""
    decimal: str = "."
    header: bool = True
    units: bool = False
    row_names: bool = False
    trailing: bool = False
    blank_lines: bool = False
    final_newline: bool = True


class Case(NamedTuple):
    """A file, how it is read, and the table that it holds, if it was made from one."""

    name: str
    content: bytes
    options: dict[str, Any]
    table: Table | None = None
    lines: tuple[int, ...] = ()  # where each row begins
    look: Look = Look()
    block: int = 1 << 22
    at_once: int = 1_000_000

    def __repr__(self) -> str:
        shown = self.content if len(self.content) < 600 else self.content[:600] + b"..."
        shape = (self.table.n_rows, len(self.table.columns)) if self.table else None
        return (
            f"Case({self.name!r}, {shown!r}, {self.options}, table of {shape}, {self.look}, "
            f"block={self.block}, at_once={self.at_once})"
        )


def _numbers(rng: np.random.Generator, family: str, n: int) -> list[Cell]:
    values = {
        "normal": lambda: rng.standard_normal(n),
        "whole": lambda: rng.integers(-50, 50, n).astype(float),
        "cents": lambda: np.round(rng.uniform(-9999, 9999, n), 2),
        "thousandths": lambda: np.round(rng.uniform(-1, 1, n), 3),
        "huge": lambda: rng.standard_normal(n) * 1e140,
        "tiny": lambda: rng.standard_normal(n) * 5e-320,
        "any": lambda: rng.standard_normal(n) * 10.0 ** rng.integers(-140, 140, n),
        "constant": lambda: np.full(n, 3.25),
        "long": lambda: rng.integers(2**53, 2**62, n).astype(float),
        "count": lambda: np.arange(n, dtype=float),
        "boolean": lambda: rng.integers(0, 2, n).astype(float),
    }
    return [float(value) for value in values[family]()]


FAMILIES = (
    "normal",
    "whole",
    "cents",
    "thousandths",
    "huge",
    "tiny",
    "any",
    "constant",
    "long",
    "count",
)


@st.composite
def _columns(draw: st.DrawFn, name: str, n: int, kinds: tuple[str, ...]) -> Column:
    kind = draw(st.sampled_from(kinds))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    if kind == "text":
        return Column(name, tuple(WORDS[k] for k in rng.integers(0, len(WORDS), n)))
    if kind == "date":
        return Column(name, tuple(f"2024-{1 + k % 12:02}-{1 + k % 28:02}" for k in range(n)))
    if kind == "empty":
        return Column(name, (None,) * n)
    cells = _numbers(rng, draw(st.sampled_from(FAMILIES)), n)
    if kind in ("gaps", "bad"):
        for k in draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4)):
            cells[k] = None if kind == "gaps" else draw(st.sampled_from(BAD))
    return Column(name, tuple(cells))


# Around the lines that decide the layout, and ordinary small ones.
HEIGHTS = st.one_of(st.integers(1, 14), st.sampled_from((99, 100, 101, 102, 130)))
ALL_KINDS = ("number",) * 6 + ("gaps", "bad", "text", "date", "empty")


@st.composite
def tables(
    draw: st.DrawFn,
    kinds: tuple[str, ...] = ALL_KINDS,
    names: tuple[str, ...] = (),
    heights: st.SearchStrategy[int] = HEIGHTS,
) -> Table:
    """Tables of two to seven columns, sometimes one or many, sometimes square."""
    n = draw(heights)
    p = draw(st.sampled_from((2, 2, 3, 3, 4, 5, 7, 1, 40)))
    if draw(st.integers(0, 7)) == 0:
        n = max(n % 8, 2)
        p = n
    plain = [f"v{j}" for j in range(p)]
    odd = draw(
        st.lists(st.tuples(st.integers(0, p - 1), st.sampled_from(names or ("v",))), max_size=3)
    )
    for j, name in odd if names else ():
        plain[j] = name
    return Table(tuple(draw(_columns(name, n, kinds)) for name in plain))


@st.composite
def looks(draw: st.DrawFn) -> Look:
    """Ways to write a table; those that most people use come most often."""
    some = st.integers(0, 5).map(lambda k: k == 0)
    shape = draw(st.sampled_from(("", "", "", "", "units", "row_names", "trailing", "bare")))
    delimiter = draw(st.sampled_from(DELIMITERS))
    return Look(
        delimiter=delimiter,
        line_end=draw(st.sampled_from(("\n", "\n", "\r\n"))),
        quoting=draw(st.sampled_from(("minimal", "minimal", "all", "stray"))),
        encoding=draw(
            st.sampled_from(
                ("utf-8",) * 4 + ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252")
            )
        ),
        mark=draw(st.sampled_from(MARKS)),
        decimal="," if draw(some) and delimiter != "," else ".",
        header=shape != "bare",
        units=shape == "units",
        row_names=shape == "row_names",
        trailing=shape == "trailing",
        blank_lines=draw(some),
        final_newline=not draw(some),
    )


def _spelled(cell: Cell, look: Look) -> str:
    if cell is None:
        return look.mark
    if isinstance(cell, str):
        return cell
    return repr(cell).replace(".", look.decimal)


def _line(cells: list[str], look: Look) -> str:
    if look.quoting == "stray":
        unsafe = {look.delimiter, "\n", "\r"}
        plain = ["".join(c for c in cell if c not in unsafe) for cell in cells]
        return look.delimiter.join(cell.lstrip('"') for cell in plain) + look.line_end
    quoting = csv.QUOTE_ALL if look.quoting == "all" else csv.QUOTE_MINIMAL
    text = StringIO()
    writer = csv.writer(
        text, delimiter=look.delimiter, quoting=quoting, lineterminator=look.line_end
    )
    # The csv module leaves carriage returns alone that stand by themselves.
    writer.writerow([cell.replace("\r", " ") if look.quoting != "all" else cell for cell in cells])
    return text.getvalue()


def written(table: Table, look: Look) -> tuple[bytes, tuple[int, ...]]:
    """Return a table as text, and the number of the line where each row begins."""
    pieces: list[str] = []
    width = len(table.columns) + look.row_names + look.trailing
    extra = [""] * look.trailing
    if look.header:
        pieces.append(_line([column.name for column in table.columns], look))
    if look.units:
        pieces.append(_line(["cm"] * width, look))
    lines = []
    for k in range(table.n_rows):
        if look.blank_lines and k % 3 == 1:
            pieces.append(look.line_end)
        lines.append(1 + sum(piece.count("\n") for piece in pieces))
        cells = [_spelled(cell, look) for cell in table.row(k)]
        pieces.append(_line([*[f"r{k}"] * look.row_names, *cells, *extra], look))
    text = "".join(pieces)
    if not look.final_newline:
        text = text.removesuffix(look.line_end)
    return text.encode(look.encoding, errors="replace"), tuple(lines)


def meant(table: Table, look: Look) -> Table:
    """Return the table as its text has it: with spaces off names, and columns that look adds."""
    columns = [
        column._replace(name=_as_read(column.name, look).strip()) for column in table.columns
    ]
    if look.row_names:
        columns.insert(0, Column("", tuple(f"r{k}" for k in range(table.n_rows))))
    if look.trailing:
        columns.append(Column("", (None,) * table.n_rows))
    if not look.header:
        columns = [column._replace(name=f"x{j}") for j, column in enumerate(columns)]
    return Table(tuple(columns))


def _as_read(name: str, look: Look) -> str:
    if look.quoting == "stray":
        unsafe = {look.delimiter, "\n", "\r"}
        name = "".join(c for c in name if c not in unsafe).lstrip('"')
    elif look.quoting != "all":
        name = name.replace("\r", " ")
    return name.encode(look.encoding, errors="replace").decode(look.encoding)


def told(look: Look) -> dict[str, Any]:
    """Return the options that leave nothing to guess."""
    return {"delimiter": look.delimiter, "header": look.header, "decimal": look.decimal}


@st.composite
def text_files(draw: st.DrawFn, guess: bool = False) -> Case:
    """Tables as delimited text, read with or without telling how they are written."""
    look = draw(looks())
    if guess and look.delimiter == " ":  # gaps of a few such rows move what commas may be
        look = look._replace(decimal=".")
    names = WINDOWS_NAMES if look.encoding == "cp1252" else () if guess else ODD_NAMES
    table = draw(tables(names=names))
    content, lines = written(table, look)
    suffix = draw(st.sampled_from((".csv", ".txt", ".csv.gz")))
    if suffix.endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    options = {} if guess else told(look)
    options["missing"] = draw(st.sampled_from(("drop", "drop", "error")))
    return Case(
        f"table{suffix}",
        content,
        options,
        meant(table, look),
        lines,
        look,
        *draw(buffers(len(content))),
    )


@st.composite
def buffers(draw: st.DrawFn, size: int) -> tuple[int, int]:
    """How much is read and given at a time: all, as users have it, or little, to cut anywhere."""
    block = draw(st.one_of(st.just(1 << 22), st.integers(1, 40), st.integers(1, 3000)))
    return max(block, size // 40), draw(st.sampled_from((1_000_000, 1, 7, 100)))
