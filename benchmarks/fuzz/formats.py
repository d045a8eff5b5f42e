"""The same table in every kind of file, and files that are broken."""

import gzip
import json
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import xlsxwriter
from hypothesis import strategies as st

from benchmarks.fuzz.strategies import (
    ODD_NAMES,
    Case,
    Look,
    Table,
    buffers,
    looks,
    tables,
    written,
)


def _json_lines(table: Table) -> bytes:
    names = [column.name for column in table.columns]
    rows = (dict(zip(names, table.row(k))) for k in range(table.n_rows))
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _frame(table: Table) -> pl.DataFrame:
    return pl.DataFrame({column.name: list(column.cells) for column in table.columns})


def _parquet(table: Table) -> bytes:
    file = BytesIO()
    _frame(table).write_parquet(file)
    return file.getvalue()


def _arrow(table: Table) -> bytes:
    file = BytesIO()
    _frame(table).write_ipc(file)
    return file.getvalue()


def _arrow_stream(table: Table) -> bytes:
    file = BytesIO()
    _frame(table).write_ipc_stream(file)
    return file.getvalue()


def _npy(table: Table) -> bytes:
    file = BytesIO()
    np.save(file, np.column_stack([column.numbers for column in table.columns]))
    return file.getvalue()


def _xlsx(table: Table) -> bytes:
    file = BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        for j, column in enumerate(table.columns):
            sheet.write_string(0, j, column.name)
            for k, cell in enumerate(column.cells):
                if isinstance(cell, str):
                    sheet.write_string(k + 1, j, cell)
                elif cell is not None:
                    sheet.write_number(k + 1, j, cell)
    return file.getvalue()


def _by_path(write: Callable[[Path], Any]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        write(path)
        return path.read_bytes()


def _pandas(table: Table) -> pd.DataFrame:
    return pd.DataFrame({column.name: list(column.cells) for column in table.columns})


def _sav(table: Table) -> bytes:
    return _by_path(lambda path: pyreadstat.write_sav(_pandas(table), str(path)))


def _dta(table: Table) -> bytes:
    return _by_path(lambda path: pyreadstat.write_dta(_pandas(table), str(path)))


def _h5ad(table: Table) -> bytes:
    def write(path: Path) -> None:
        with h5py.File(path, "w") as file:
            file["X"] = np.column_stack([column.numbers for column in table.columns])
            var = file.create_group("var")
            var.attrs["_index"] = "names"
            var["names"] = [column.name for column in table.columns]

    return _by_path(write)


TEXTS: dict[str, Callable[[Table], bytes]] = {
    "csv": lambda table: written(table, Look())[0],
    "tsv": lambda table: written(table, Look(delimiter="\t", line_end="\r\n"))[0],
    "txt": lambda table: written(table, Look(delimiter=";", quoting="all", encoding="utf-16"))[0],
    "csv.gz": lambda table: gzip.compress(written(table, Look(mark="NA"))[0], mtime=0),
    "ndjson": _json_lines,
    "jsonl.gz": lambda table: gzip.compress(_json_lines(table), mtime=0),
}
TYPED: dict[str, Callable[[Table], bytes]] = {
    "parquet": _parquet,
    "arrow": _arrow,
    "feather": _arrow_stream,
    "xlsx": _xlsx,
    "sav": _sav,
    "dta": _dta,
}
# These know no text, and the first no names.
MATRICES: dict[str, Callable[[Table], bytes]] = {"npy": _npy, "h5ad": _h5ad}
WRITERS = TEXTS | TYPED | MATRICES

# Kinds of columns that every kind of file can hold and nobody has to guess.
CLEAN = ("number",) * 5 + ("gaps",)


@st.composite
def clean_tables(draw: st.DrawFn) -> Table:
    """Tables of numbers, perhaps with gaps, that any kind of file can hold."""
    table = draw(tables(CLEAN, heights=st.sampled_from((12, 13, 30, 101, 130))))
    if len(table.columns) < 2:
        table = Table((*table.columns, table.columns[0]._replace(name="w")))
    return table


@st.composite
def json_files(draw: st.DrawFn) -> Case:
    """Tables as JSON lines, with odd names and texts, and objects that lack some of them."""
    table = draw(tables(names=ODD_NAMES))
    lines = _json_lines(table).decode().splitlines()
    for _ in range(draw(st.integers(0, 3))):
        k = draw(st.integers(0, len(lines) - 1))
        lines[k] = draw(st.sampled_from(ODD_LINES)) or lines[k]
    content = "\n".join(lines).encode() + b"\n" * draw(st.booleans())
    missing = draw(st.sampled_from(("drop", "error")))
    return Case(
        "table.ndjson",
        content,
        {"missing": missing, "transpose": draw(st.integers(0, 9)) == 0},
        None,
        (),
        Look(),
        *draw(buffers(len(content))),
    )


ODD_LINES = (
    "{}", "[]", "1", "null", "{", '{"v0": 1, "v1": 2, "v0": 3}', '{"v0": NaN, "v1": -Infinity}',
    '{"v0": true, "v1": "2.5"}', '{"v0": {"a": 1}, "v1": [1]}', '{"\\ud800": 1, "v1": 2}',
    '{"v0": 1e400, "v1": -0}', '{"v0": ' + "9" * 5000 + ', "v1": 1}', "[" * 3000, '{"new": 5}',
    '{"v0": "1,5", "v1": " 3 "}', '{"two\\nlines": 1}', '{"v0": 12345678901234567890123, "v1": 1}',
    '{"v0":1,"v1":2}{"v0":3,"v1":4}', '  {"v0": 1.5, "v1": 2}  ', '{"v0": "\\u0000", "v1": 1}',
)  # fmt: skip


def _mutated(content: bytes, draw: st.DrawFn) -> bytes:
    data = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        if not data:
            break
        at = draw(st.integers(0, len(data) - 1))
        kind = draw(st.sampled_from(("flip", "cut", "insert", "repeat", "remove", "set")))
        end = min(len(data), at + draw(st.integers(1, 30)))
        if kind == "flip":
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif kind == "set":
            data[at] = draw(st.sampled_from(b'\0\xff\n\r",;\t "-{}[]9'))
        elif kind == "cut":
            del data[at:]
        elif kind == "insert":
            data[at:at] = draw(st.sampled_from((b'"', b"\n", b"\r", b",", b"\0", b"\xff", b'"\n"')))
        elif kind == "repeat":
            data[at:at] = data[at:end]
        else:
            del data[at:end]
    return bytes(data)


BROKEN = ("csv", "tsv", "txt", "csv.gz", "ndjson", "jsonl.gz", "parquet", "arrow", "feather", "npy")
ALL_BROKEN = (*BROKEN, "xlsx", "sav", "dta", "h5ad")


@st.composite
def broken_files(draw: st.DrawFn) -> Case:
    """Files of every kind with a few bytes changed, or plain bytes under their names."""
    kind = draw(st.sampled_from((*BROKEN, *ALL_BROKEN)))
    options: dict[str, Any] = {"missing": draw(st.sampled_from(("drop", "error")))}
    if draw(st.integers(0, 5)) == 0:
        content = draw(st.binary(max_size=300))
    elif kind in ("csv", "txt") and draw(st.booleans()):
        content = _mutated(written(draw(tables()), draw(looks()))[0], draw)
    else:
        short = tables(("number",), heights=st.integers(1, 14))
        content = _mutated(WRITERS[kind](draw(short)), draw)
        if kind.endswith("gz") and draw(st.booleans()):
            content = gzip.compress(_mutated(WRITERS["csv"](draw(short)), draw), mtime=0)
    if draw(st.integers(0, 9)) == 0:
        options["transpose"] = True
    return Case(f"table.{kind}", content, options, None, (), Look(), *draw(buffers(len(content))))
