"""Any table of numbers, written in any common way, is read back bit for bit."""

import csv
import tempfile
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hedgerow.io import DataError, open_table
from hedgerow.io import raw as _bytes
from hedgerow.io.layout import DELIMITERS
from hedgerow.io.records import Quotes, cell_counts, cut

# Larger numbers have squares that overflow, and are refused.
finite = st.floats(-1e145, 1e145)
# No NUL: such a file is refused as no text. No lone surrogates: they are not UTF-8.
characters = st.characters(exclude_characters="\0", exclude_categories=("Cs",))
texts = st.text(characters, max_size=8)
# A name made of spaces counts as none, and spaces around a name are no part of it.
names = texts.map(str.strip).filter(bool)
blocks = st.integers(1, 300)


@st.composite
def tables(draw, names=names, least_rows=1):
    header = draw(st.lists(names, min_size=2, max_size=5, unique=True))
    shape = draw(st.integers(least_rows, 8)), len(header)
    return header, draw(arrays(np.float64, shape, elements=finite))


def written(lines, delimiter, quoting, line_end):
    text = StringIO()
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=line_end).writerows(lines)
    return text.getvalue().encode()


def pieces_of(records, delimiter):
    return [written([record], delimiter, csv.QUOTE_ALL, "\n") for record in records]


def read(content, block=1 << 23, name="table.csv", **options):
    with tempfile.TemporaryDirectory() as folder, patch.object(_bytes, "BLOCK", block):
        path = Path(folder) / name
        path.write_bytes(content)
        with open_table(path, **options) as table:
            return table, np.concatenate(list(table))


@given(
    tables(),
    st.sampled_from(DELIMITERS),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
    blocks,
)
def test_delimited_text_comes_back_bit_for_bit(table, delimiter, quoting, line_end, block):
    header, rows = table
    # Without quotes around it, a carriage return is the end of a line to some programs.
    assume(quoting == csv.QUOTE_ALL or not any("\r" in name for name in header))
    content = written([header, *rows.tolist()], delimiter, quoting, line_end)
    opened, read_back = read(content, block, delimiter=delimiter, header=True)
    assert opened.names == header
    np.testing.assert_array_equal(read_back, rows)


# A name that is a number, or has a delimiter that cuts every line alike, can deceive anybody.
plain_names = st.from_regex("[a-zA-Z]{1,8}_", fullmatch=True)


@given(tables(plain_names, least_rows=2), st.sampled_from(DELIMITERS), st.booleans())
def test_delimiter_and_header_are_found(table, delimiter, has_header):
    header, rows = table
    lines = [header, *rows.tolist()] if has_header else rows.tolist()
    opened, read_back = read(written(lines, delimiter, csv.QUOTE_MINIMAL, "\n"))
    assert opened.names == (header if has_header else [f"x{j}" for j in range(len(header))])
    np.testing.assert_array_equal(read_back, rows)


@given(
    st.lists(st.lists(texts, min_size=1, max_size=4), min_size=1, max_size=6),
    st.sampled_from(DELIMITERS),
    blocks,
)
def test_cells_and_lines_are_those_of_the_csv_module(records, delimiter, block):
    records = [record for record in records if record != [""]]  # a blank line is no record
    assume(records)
    content = written(records, delimiter, csv.QUOTE_ALL, "\n")
    found, rest, byte, line = [], b"", 0, 1
    for start in range(0, len(content), block):
        rest += content[start : start + block]
        is_last = start + block >= len(content)
        piece, used, lines = cut(rest, byte, line, Quotes(), is_last=is_last)
        found.append(piece)
        rest, byte, line = rest[used:], byte + used, line + lines
    found = [each for each in found if len(each.lines)]
    cells = np.concatenate([cell_counts(each, delimiter) for each in found])
    assert cells.tolist() == [len(record) for record in records]
    assert b"".join(each.data for each in found) == content
    places = np.concatenate([each.places for each in found]).tolist()
    assert places == np.cumsum([0, *map(len, pieces_of(records, delimiter))])[:-1].tolist()
    newlines = [piece.count(b"\n") for piece in pieces_of(records, delimiter)]
    starts = np.r_[1, 1 + np.cumsum(newlines)[:-1]]
    assert np.concatenate([each.lines for each in found]).tolist() == starts.tolist()


@given(tables(plain_names, least_rows=2), st.data(), blocks)
def test_a_line_with_a_cell_too_many_or_too_few_is_named(table, data, block):
    header, rows = table
    lines = [list(map(repr, row)) for row in rows.tolist()]
    bad = data.draw(st.integers(0, len(lines) - 1))
    lines[bad] = lines[bad] + ["1"] if data.draw(st.booleans()) else lines[bad][:-1]
    content = written([header, *lines], ",", csv.QUOTE_MINIMAL, "\n")
    message = f"line {bad + 2}: a row must have {len(header)} cells, got {len(lines[bad])}$"
    with pytest.raises(DataError, match=message):
        read(content, block, delimiter=",", header=True)


@given(tables(plain_names), st.data(), blocks)
def test_rows_with_missing_values_are_counted_and_dropped(table, data, block):
    header, rows = table
    holes = data.draw(arrays(np.bool_, rows.shape))
    holes[0] = False  # the first row decides that the columns are numeric, whatever the block
    token = data.draw(st.sampled_from(["", "NA", " nan", "?", "null "]))
    lines = [
        [token if hole else repr(value) for value, hole in zip(row, gaps)]
        for row, gaps in zip(rows.tolist(), holes.tolist())
    ]
    content = written([header, *lines], ",", csv.QUOTE_MINIMAL, "\n")
    opened, read_back = read(content, block, missing="drop")
    complete = ~holes.any(axis=1)
    np.testing.assert_array_equal(read_back, rows[complete])
    assert opened.n_dropped == np.sum(~complete)
    if holes.any():
        with pytest.raises(DataError, match=f"got {holes.sum()} missing in {np.sum(~complete)} of"):
            read(content, missing="error")


@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.tsv", "a.ndjson", "a.npy"]), blocks)
def test_no_bytes_crash_a_reader(content, name, block):
    try:
        table, rows = read(content, block, name)
    except DataError:
        return
    assert rows.shape[1] == len(table.names) >= 2
    assert np.isfinite(rows).all()
