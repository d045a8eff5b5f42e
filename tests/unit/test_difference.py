"""Learning from differences of rows: in the commands, with gaps, missing rows and checkpoints."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph, stream
from hedgerow.cli import cli
from hedgerow.io import DataError, open_table
from hedgerow.stream._checkpoint import Checkpoints

NAMES = list("abcd")


def run(*arguments):
    return CliRunner().invoke(cli, [*map(str, arguments)])


def told(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def edges_of(rows):
    frame = pl.DataFrame(rows, schema=NAMES, orient="row")
    return [edge._asdict() for edge in HedgeGraph().fit(frame).edges_]


@pytest.fixture(scope="module")
def walk():
    """Random walks whose steps are a chain of four variables."""
    steps = np.cumsum(np.random.default_rng(2).standard_normal((600, 4)), axis=1)
    return np.cumsum(steps, axis=0)


@pytest.fixture
def table(tmp_path, walk):
    path = tmp_path / "walk.csv"
    pl.DataFrame(walk, schema=NAMES, orient="row").write_csv(path)
    return path


@pytest.fixture
def timed(tmp_path, walk):
    """A row for each minute, but for an hour without any after row 250."""
    minutes = np.arange(600) + 60 * (np.arange(600) >= 250)
    path = tmp_path / "timed.csv"
    frame = pl.DataFrame(walk, schema=NAMES, orient="row")
    frame.with_columns(minute=pl.Series(minutes)).write_csv(path)
    return path


@pytest.mark.parametrize("command", ["learn", "stream"])
@pytest.mark.parametrize(("option", "apart"), [(["--difference"], 1), (["--difference", 12], 12)])
def test_rows_are_subtracted(table, walk, command, option, apart):
    found = told(command, table, *option)
    assert found["edges"] == edges_of(walk[apart:] - walk[:-apart])
    assert (found["rows"], found["difference"]) == (600 - apart, apart)
    assert found["rows_without_difference"] == {"with none before them to subtract": apart}


@pytest.mark.parametrize("command", ["learn", "stream"])
def test_it_is_said(table, command, tmp_path):
    page = tmp_path / "page.html"
    result = run(command, table, "--difference", 3, "--html", page)
    lines = result.stdout.splitlines()
    assert lines[2] == "Each row was replaced by its difference from the one 3 rows before it."
    assert "Left out 3 rows with none before them to subtract" in lines
    shown = json.loads(page.read_text().split('type="application/json">')[1].split("</script>")[0])
    assert shown["said"][0] == lines[2]
    assert shown["rowsLeftOut"] == [{"reason": "with none before them to subtract", "count": 3}]


@pytest.mark.parametrize("command", ["learn", "stream"])
def test_no_difference_is_taken_across_a_gap(timed, walk, command):
    found = told(command, timed, "--difference", 2, "--time", "minute")
    before, after = walk[:250], walk[250:]
    expected = np.r_[before[2:] - before[:-2], after[2:] - after[:-2]]
    assert found["edges"] == edges_of(expected)
    assert found["rows_without_difference"] == {
        "with none before them to subtract": 2,
        "after a gap in time": 2,
    }


def test_a_table_is_sorted_before_rows_are_subtracted(timed, walk):
    lines = timed.read_text().splitlines()
    lines[101], lines[401] = lines[401], lines[101]
    timed.write_text("\n".join(lines) + "\n")
    found = told("learn", timed, "--difference", "--time", "minute")
    expected = np.delete(np.diff(walk, axis=0), 249, axis=0)
    assert found["edges"] == edges_of(expected)


@pytest.mark.parametrize("how", [["learn"], ["learn", "--missing", "drop"], ["stream"]])
@pytest.mark.parametrize("time", [[], ["--time", "minute"]])
def test_a_row_that_is_missing_is_not_skipped(timed, walk, how, time):
    """Rows two apart have a missing one between them, or are not subtracted from each other."""
    lines = timed.read_text().splitlines()
    lines[101] = ",,,," + lines[101].rpartition(",")[2]
    timed.write_text("\n".join(lines) + "\n")
    rows = walk.copy()
    rows[100] = np.nan
    expected = rows[2:] - rows[:-2]
    if time:
        expected[[248, 249]] = np.nan
    expected = expected[~np.isnan(expected).any(axis=1)]
    command, *options = how
    found = told(command, timed, "--drop", "minute", *options, "--difference", 2, *time)
    assert found["edges"] == edges_of(expected)
    assert found["rows_dropped"] == 1
    assert found["rows_without_difference"]["whose row to subtract is missing"] == 1


@pytest.mark.parametrize("command", ["learn", "stream"])
def test_too_few_rows_are_one_line(table, command):
    result = run(command, table, "--difference", 600)
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "to subtract" in result.stderr


@pytest.mark.parametrize("command", ["learn", "stream"])
@pytest.mark.parametrize("value", ["0", "-1", "1.5", "month"])
def test_other_numbers_are_misuse(table, command, value):
    assert run(command, table, f"--difference={value}").exit_code == 2
    with pytest.raises(ValueError, match="difference must be an integer >= 1, got 0"):
        open_table(table, difference=0)


@pytest.mark.parametrize("cut", [1, 7, 260, 599])
@pytest.mark.parametrize("apart", [1, 12])
def test_a_run_goes_on_with_the_rows_it_had(timed, tmp_path, apart, cut):
    options = ["--difference", apart, "--time", "minute"]
    whole, state = tmp_path / "whole", tmp_path / "state"
    told("stream", timed, "--checkpoint", whole, *options)
    lines = timed.read_text().splitlines(keepends=True)
    timed.write_text("".join(lines[: cut + 1]))
    result = run("stream", timed, "--checkpoint", state, *options)
    assert result.exit_code == (0 if cut > apart else 1)
    timed.write_text("".join(lines))
    found = told("stream", timed, "--checkpoint", state, *options)
    assert found["rows_without_difference"] == {
        "with none before them to subtract": apart,
        "after a gap in time": apart,
    }
    one, other = saved(whole), saved(state)
    assert one.difference == other.difference
    assert one.recent.tobytes() == other.recent.tobytes()
    assert one.arrays.keys() == other.arrays.keys()
    for name in one.arrays:
        assert one.arrays[name].tobytes() == other.arrays[name].tobytes()


def saved(folder):
    saves = Checkpoints(folder)
    last = saves.latest()
    saves.close()
    return last


@pytest.mark.parametrize(
    ("first", "then", "message"),
    [
        ([], ["--difference"], "difference must stay the same, got 1, and the checkpoint has None"),
        (["--difference"], [], "difference must stay the same, got None, and the checkpoint has 1"),
        (["--difference"], ["--difference", 2], "got 2, and the checkpoint has 1"),
    ],
)
def test_a_run_that_goes_on_subtracts_the_same(table, tmp_path, first, then, message):
    state = ["--checkpoint", tmp_path / "state"]
    assert run("stream", table, *state, *first).exit_code == 0
    result = run("stream", table, *state, *then)
    assert result.exit_code == 1
    assert message in result.stderr


def test_a_bad_row_has_its_number_in_the_source(table):
    lines = table.read_text().splitlines()
    lines[51] = "1,2,x,4"
    table.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"^row 51 \(line 52\): column 'c' must hold numbers"):
        stream.run(stream.open_source(table, missing="error"), difference=5)


@pytest.mark.parametrize("damage", ["too many rows", "other columns", "no number", "not apart"])
def test_a_checkpoint_that_no_run_wrote_is_refused(table, tmp_path, damage):
    stream.run(table, difference=2, checkpoint=tmp_path / "state")
    saves = Checkpoints(tmp_path / "state")
    last = saves.latest()
    wrong = {
        "too many rows": last._replace(recent=np.zeros((3, 4))),
        "other columns": last._replace(recent=np.zeros((2, 5))),
        "no number": last._replace(recent=np.full((2, 4), np.inf)),
        "not apart": last._replace(difference=last.difference | {"apart": 0}),
    }
    for _ in range(2):
        saves.write(wrong[damage])
    with pytest.raises(DataError, match="malformed differences"):
        saves.latest()
    saves.close()


def test_wandering_columns_are_mended(table):
    """What the warning offers is what helps."""
    assert any("--difference" in warning for warning in told("learn", table)["warnings"])
    assert told("learn", table, "--difference")["warnings"] == []
