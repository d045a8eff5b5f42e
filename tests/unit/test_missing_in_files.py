"""Files and streams with missing cells: learned from, told, and the same however they are read."""

import json
import warnings

import numpy as np
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph, stream
from hedgerow.cli import cli
from hedgerow.cli._reading import MISSING as OF_COMMANDS
from hedgerow.estimators import DataWarning
from hedgerow.io import open_table
from hedgerow.io.absent import CODES, Codes
from hedgerow.io.choose import MISSING
from hedgerow.stream import open_source

NAMES = list("abcd")


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((1300, 4)).cumsum(axis=1)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    rows[700] = np.nan
    return rows


def text_of(cells):
    return "\n".join([",".join(NAMES), *(",".join(map(str, row)) for row in cells)]) + "\n"


@pytest.fixture
def table(tmp_path, rows):
    """Write the rows with nothing, NA, null, -99 and text where a cell is missing."""
    cells = rows.astype(object)
    marks = ["", "NA", "null", "NaN", "-99", "ERR"]
    for k, (i, j) in enumerate(np.argwhere(np.isnan(rows))):
        cells[i, j] = marks[k % len(marks)]
    cells[700] = ""
    path = tmp_path / "table.csv"
    path.write_text(text_of(cells))
    return path


def read(path, **options):
    with open_table(path, **options) as opened:
        return opened, np.concatenate(list(opened))


def run(*args):
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def test_the_choices_of_commands_are_those_of_files():
    assert OF_COMMANDS == MISSING


def test_missing_cells_are_there_as_nan(table, rows):
    with pytest.warns(DataWarning, match=r"cells of text count as missing: 'ERR' \('"):
        opened, found = read(table, na="-99")
    np.testing.assert_array_equal(found, np.delete(rows, 700, axis=0))
    assert (opened.n_rows, opened.n_dropped) == (1300, 1)
    assert opened.n_missing == np.isnan(rows).sum() - 4
    with pytest.warns(DataWarning, match="cells of text in 'a' count as missing, as 'ERR' in"):
        chunks = list(open_source(table, na=["-99"]).chunks())
    np.testing.assert_array_equal(np.concatenate([c.rows for c in chunks]), found)
    (left_out,) = (row for chunk in chunks for row in chunk.bad)
    assert (left_out.place, left_out.reason) == ("line 702", "no column has a value")
    assert left_out.skip


@pytest.mark.filterwarnings("ignore::hedgerow.estimators.DataWarning")
def test_learn_and_stream_say_what_python_says(table, rows):
    model = HedgeGraph().fit(np.delete(rows, 700, axis=0))
    for command in ("learn", "stream"):
        told = json.loads(run(command, table, "--na", "-99", "--json").stdout)
        assert [edge["z"] for edge in told["edges"]] == model.edges_.z.tolist()
        assert told["rows"] == 1299
        assert list(told["treatment"]["missing"].values()) == model.treatment_.missing.tolist()
        assert told["rows_dropped"] == 1
    result = run("learn", table, "--na", "-99")
    assert "Left out 1 row without any value" in result.stdout
    assert "cells are missing" in result.stdout


@pytest.mark.filterwarnings("ignore::hedgerow.estimators.DataWarning")
@pytest.mark.parametrize("difference", [None, 2])
@pytest.mark.parametrize("stops", [(3, 9), (50, 20)])  # numbers of chunks
def test_a_stream_that_is_stopped_goes_on_to_the_same_bits(
    table, tmp_path, monkeypatch, difference, stops
):
    from hedgerow.io import raw

    monkeypatch.setattr(raw, "BLOCK", 700)
    options = {"difference": difference}
    whole = stream.run(open_source(table, na=["-99"]), **options)
    for number in (*stops, 10_000):
        chunks = iter(range(number))
        parts = stream.run(
            open_source(table, na=["-99"]),
            checkpoint=tmp_path / "saved",
            stop=lambda chunks=chunks: next(chunks, None) is None,
            **options,
        )
    kept, other = whole._stream.arrays(), parts._stream.arrays()
    assert kept.keys() == other.keys()
    for name in kept:
        assert np.array_equal(kept[name], other[name]), name
    assert np.array_equal(whole.edges_.z, parts.edges_.z)


@pytest.mark.filterwarnings("ignore::hedgerow.estimators.DataWarning")
def test_rows_can_be_left_out_or_refused(table, rows):
    complete = rows[~np.isnan(rows).any(axis=1)]
    _, found = read(table, na="-99", missing="drop")
    np.testing.assert_array_equal(found, complete)
    model = stream.run(open_source(table, na=["-99"], missing="drop"))
    assert np.array_equal(model.edges_.z, HedgeGraph().fit(complete).edges_.z)
    for command in ("learn", "stream"):
        assert run(command, table, "--missing", "error").exit_code == 1


def test_a_difference_lacks_the_cells_that_its_rows_lack(tmp_path, rows):
    path = tmp_path / "table.csv"
    path.write_text(text_of(rows).replace("nan", ""))
    opened, found = read(path, difference=1)
    expected = np.diff(rows, axis=0)
    np.testing.assert_array_equal(found, expected[~np.isnan(expected).all(axis=1)])
    here = ~np.isnan(rows[1:]).all(axis=1)
    assert opened.differences.unpaired == (here & np.isnan(expected).all(axis=1)).sum()


def test_other_cells_of_a_row_with_text_are_read(tmp_path):
    lines = ["a,b,c", *(f"{i},{i / 4},{-i}" for i in range(50)), 'ERR,"1,234.5",oops']
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines))
    with pytest.warns(DataWarning, match=r"'ERR' \('a', line 52\), 'oops' \('c', line 52\)$"):
        _, found = read(path)
    np.testing.assert_array_equal(found[-1], [np.nan, 1234.5, np.nan])


def test_a_text_that_comes_often_is_counted_and_the_option_said(tmp_path):
    lines = ["a,b", *(f"{i},{i / 4}" for i in range(50)), *["9,don't know"] * 7]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines))
    with pytest.warns(DataWarning, match=r"\('b', 7 times, first: line 52\); na=\"don't know\""):
        read(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, found = read(path, na=["don't know"])
    assert np.isnan(found).sum() == 7


def test_codes_far_outside_are_told(table):
    with pytest.warns(DataWarning, match=r"^-99 lies far outside the other values of 'a' \(\d+\)"):
        read(table)
    result = run("learn", table, "--quiet")
    assert "if it means that a value is missing, na='-99' (--na -99) says so" in result.stderr


HINT = "-99 lies far outside the other values of 'a'"


def test_a_stream_tells_codes_once_and_in_its_summary(table, tmp_path):
    result = run("stream", table, "--json")
    told = [line for line in result.stderr.splitlines() if HINT in line]
    assert len(told) == 1
    assert told[0].startswith("Warning: so far, ")
    said = json.loads(result.stdout)["warnings"]
    assert sum(HINT in each for each in said) == 1
    assert any(each.startswith("cells of text count as missing: 'ERR'") for each in said)
    result = run("stream", table, "--na", "-99", "--json")
    assert HINT not in result.output
    short = tmp_path / "short.csv"
    short.write_text("".join(line + "\n" for line in table.read_text().splitlines()[:300]))
    with pytest.warns(DataWarning, match=f"^{HINT}"):
        stream.run(short)


def test_a_stream_tells_a_code_when_it_comes(tmp_path):
    """The range of the first rows says little: nothing is told before there are enough."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 40, (3000, 2)).astype(float)
    rows[:5] = [[1, 1], [2, 2], [99, 3], [99, 4], [99, 5]]
    rows[10:1000, 0] += 50  # 99 is one of them
    rows[2000:2010, 1] = -77
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "".join(f"{a:g},{b:g}\n" for a, b in rows))
    seen = []

    def watch(status):
        seen.append(status)

    watch.wants_look = lambda: True
    with pytest.warns(DataWarning) as caught:
        stream.run(path, HedgeGraph(rows="independent"), watchers=[watch])
    told = [str(each.message) for each in caught if "far outside" in str(each.message)]
    assert len(told) == 1
    assert "-77 lies far outside the other values of 'b' (10)" in told[0]
    assert sum("-77 lies" in note for note in seen[-1].look.warnings) == 1


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 2, 3, 4, 5, -99, -99, -99], ["-99"]),
        ([1, 2, 3, 4, 5, -99, -99], []),  # twice may be chance
        ([0, 1, 0, 1, -9, -9, -9], ["-9"]),
        ([20, 60, 90, 99, 99, 99], []),  # within reach of the others
        ([0, 500, 1200, 999, 999, 999], []),
        ([100.0, 101.5, 999, 999, 999, -999, -999, -999], ["-999", "999"]),
        ([7, 7, 7, -99, -99, -99], []),  # one other value: nothing to compare with
        ([np.nan, -99, -99, -99], []),
    ],
)
def test_a_code_repeats_and_is_farther_off_than_the_others_are_wide(values, found):
    watch = Codes(["a"])
    for part in np.array_split(np.array(values, dtype=float)[:, None], 3):
        watch.take(part)
    assert sorted(watch.found()) == found
    assert len(set(CODES)) == len(CODES)


@pytest.mark.usefixtures("methods_here")
def test_a_comparison_leaves_rows_out_and_says_so(table):
    options = ("--na", "-99,ERR", "--methods", "inverse_gram", "--resamples", 0)
    result = run("compare", table, *options)
    assert result.exit_code == 0, result.output
    assert "rows with missing values" in result.stdout
