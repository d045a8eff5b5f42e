"""``hedgerow stream``: what it prints and writes, how it stops, goes on and fails."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph, stream
from hedgerow.cli import cli
from hedgerow.cli._status_line import StatusLine
from hedgerow.datasets import make
from hedgerow.stream import Status
from hedgerow.stream._checkpoint import Checkpoints
from hedgerow.stream._run import BAD_ROWS

PAGE = Path(__file__).parents[2] / "docs" / "streams.md"
PYTHON = [sys.executable, "-m", "hedgerow", "stream"]
command = import_module("hedgerow.cli.stream")  # the module, not its command


def run(*arguments, **extra):
    return CliRunner().invoke(cli, ["stream", *map(str, arguments)], **extra)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return make("chain", 5, seed=rng).sample(800, rng)


@pytest.fixture
def table(tmp_path, rows):
    path = tmp_path / "rows.csv"
    pl.DataFrame(rows, schema=list("abcde"), orient="row").with_columns(
        who=pl.lit("Ada")
    ).write_csv(path)
    return path


LEFT_OUT = "Warning: columns are left out (not numeric): 'who'\n"


def one_line(result, code, *parts):
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    told = result.stderr.removeprefix(LEFT_OUT)
    assert told.count("\n") == 1
    assert told.startswith("Error: ")
    for part in parts:
        assert part in result.stderr


def saved(folder):
    saves = Checkpoints(folder)
    last = saves.latest()
    saves.close()
    return last


def same_as_fit(folder, rows):
    _, expected = HedgeGraph().fit(rows).parts()
    found = saved(folder).arrays
    return all(found[name].tobytes() == expected[name].tobytes() for name in expected)


def test_the_summary_and_the_files(table, tmp_path, rows):
    edges, page = tmp_path / "edges.csv", tmp_path / "page.html"
    result = run(table, "--out", edges, "--html", page, "--events", tmp_path / "events.ndjson")
    assert result.exit_code == 0, result.output
    model = HedgeGraph().fit(pl.DataFrame(rows, schema=list("abcde"), orient="row"))
    lines = result.stdout.splitlines()
    assert lines[0] == f"{table}: 800 rows, 5 columns"
    assert lines[1].startswith(f"{len(model.edges_)} edges among 10 pairs")
    assert "Left out 1 column (not numeric, or not wanted): 'who'" in lines
    assert np.array_equal(pl.read_csv(edges)["z"], model.edges_.z)
    assert "<html" in page.read_text()
    events = [json.loads(line) for line in (tmp_path / "events.ndjson").read_text().splitlines()]
    assert {frozenset((event["source"], event["target"])) for event in events} >= {
        frozenset(edge[:2]) for edge in model.edges_ if edge.q_value < 1e-10
    }
    assert result.stderr == LEFT_OUT


def test_options_reach_the_model(table, tmp_path):
    options = ["--fwer", 0.01, "--half-life", 300, "--columns", "a,b,c", "--drop", "c"]
    result = run(table, *options, "--checkpoint", tmp_path / "saved", "--every", 100, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["error"], told["level"], told["rows"], told["columns"]) == ("fwer", 0.01, 800, 2)
    last = saved(tmp_path / "saved")
    assert last.model["parameters"]["half_life"] == 300
    assert last.schema.columns == ["a", "b"]


def test_stdin_in_both_formats(table, rows):
    result = run("-", "--json", input=table.read_bytes())
    assert json.loads(result.stdout)["rows"] == 800
    lines = "".join(json.dumps(dict(zip("abcde", row))) + "\n" for row in rows.tolist())
    result = run("-", "--quiet", "--out", "-", input=lines)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("source,target,partial_corr")


def test_the_same_command_goes_on(table, tmp_path, rows):
    lines = table.read_text().splitlines(keepends=True)
    folder = tmp_path / "saved"
    for end in (300, 301, 801):
        table.write_text("".join(lines[:end]))
        result = run(table, "--checkpoint", folder)
        assert result.exit_code == 0, result.output
        assert f"{end - 1} rows" in result.stdout
    assert same_as_fit(folder, rows)


def test_bad_rows(table, tmp_path, rows):
    lines = table.read_text().splitlines(keepends=True)
    table.write_text("".join([*lines[:100], "1,2,x,4,5,Ada\n", *lines[100:]]))
    folder = tmp_path / "saved"
    strict = ("--missing", "error", "--checkpoint", folder)
    one_line(
        run(table, *strict),
        1,
        "row 100 (line 101): column 'c' must hold numbers, got 'x'; --bad-rows skip leaves",
    )
    assert saved(folder).rows == 99
    result = run(table, *strict, "--bad-rows", "log")
    assert result.exit_code == 0
    assert "Left out 1 row that could not be used" in result.stdout
    assert result.stderr == "left out line 101: column 'c' must hold numbers, got 'x'\n"
    assert same_as_fit(folder, rows)


def test_warnings_come_at_once_and_failures_in_one_line(table, tmp_path):
    folder = tmp_path / "saved"
    run(table, "--checkpoint", folder, "--every", 1)
    run(table, "--checkpoint", folder)
    one_line(run(table, "--checkpoint", folder, "--fdr", 0.1), 1, "level must stay the same")
    one_line(run(table, "--checkpoint", folder, "--drop", "a"), 1, "got 'a' missing")
    newest = max(folder.glob("checkpoint-*"))
    newest.write_bytes(newest.read_bytes()[:100])
    result = run(table, "--checkpoint", folder)
    one_line(result, 1, "no checkpoint in", "truncated")
    one_line(run(tmp_path / "absent.csv"), 1, "absent.csv: No such file")


def test_an_older_checkpoint_is_told(table, tmp_path, monkeypatch):
    monkeypatch.setattr("hedgerow.io.raw.BLOCK", 4000)
    folder = tmp_path / "saved"
    run(table, "--checkpoint", folder, "--every", 100)
    newest = max(folder.glob("checkpoint-*"))
    newest.write_bytes(newest.read_bytes()[:100])
    result = run(table, "--checkpoint", folder)
    assert result.exit_code == 0
    assert result.stderr.startswith("Warning: an older checkpoint is used, because of")


def test_rows_in_no_checkpoint_are_a_failure(table, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hedgerow.base.storage.write", full)
    result = run(table, "--checkpoint", tmp_path / "saved")
    assert result.exit_code == 1
    assert "800 rows, 5 columns" in result.stdout  # the graph is not lost
    assert "Warning: no checkpoint could be written after row 800: No space left" in result.stderr
    assert "the last rows are in no checkpoint" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--every", "100"], "--every goes with --checkpoint"),
        (["--every", "soon", "--checkpoint", "x"], "--every must be a number of rows or a time"),
        (["--half-life", "1"], "--half-life must be"),
        (["--fdr", "2"], "--fdr must be a number in (0, 1), got 2"),
        (["--delimiter", "ab"], "delimiter must be one ASCII character"),
        (["--json", "--quiet"], "--json prints to stdout"),
        (["--bad-rows", "eat"], "'eat' is not one of"),
    ],
)
def test_misuse(table, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one_line(run(table, *options), 2, message)


def test_misuse_of_sources(tmp_path):
    (tmp_path / "rows.parquet").touch()
    one_line(run(tmp_path / "rows.parquet", "--follow"), 2, "follow needs a file of plain text")
    one_line(run("redis://:secret@localhost:1/0"), 2, "must have ?stream=NAME")
    result = run("redis://:secret@localhost:1/0?stream=rows")
    one_line(result, 1, "redis:rows: Redis: ")
    assert "secret" not in result.output


def test_choices_are_those_of_the_library():
    assert command.BAD_ROWS == BAD_ROWS
    assert command.stream.help.startswith("Learn from rows that keep coming, and survive restarts.")
    assert stream.__all__ == sorted(stream.__all__, key=lambda name: (not name.isupper(), name))


def when_begun(process, folder, number):
    """Send a signal once the program has taken its folder; return what it then wrote."""
    try:
        for _ in range(600):
            if (folder / "lock").exists():
                break
            time.sleep(0.05)
        process.send_signal(number)
        return process.communicate(timeout=60)
    finally:
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_to_stop_saves_and_ends_well(table, tmp_path, rows, number):
    folder = tmp_path / "saved"
    with table.open("a") as file:
        file.write("1,2,3")  # a line that is not whole yet
    options = ["--follow", "--checkpoint", str(folder), "--out", str(tmp_path / "edges.csv")]
    following = subprocess.Popen(
        [*PYTHON, str(table), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    output, errors = when_begun(following, folder, number)
    assert (following.returncode, errors) == (0, LEFT_OUT)
    assert "800 rows, 5 columns" in output
    assert (tmp_path / "edges.csv").exists()
    assert same_as_fit(folder, rows)


def test_stopped_before_any_row(tmp_path):
    reading, writing = os.pipe()
    waiting = subprocess.Popen(
        [*PYTHON, "-", "--checkpoint", str(tmp_path)], stdin=reading, stderr=subprocess.PIPE
    )
    os.close(reading)
    os.write(writing, b"a,b\n")
    _, errors = when_begun(waiting, tmp_path, signal.SIGTERM)
    os.close(writing)
    assert waiting.returncode == 0
    assert b"4 bytes were read from the pipe and are lost" in errors
    assert errors.endswith(b"\nStopped before any row was learned from.\n")


def test_the_line_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("hedgerow.cli._status_line.PATIENCE", -1)
    line = StatusLine(hidden=False)
    assert not line.wants_look()
    line._looked -= 100
    assert line.wants_look()
    with line:
        line(Status("running", 20_000, 0, 5.0, None))
        line.listen("learning", 0.5)
        line.listen("asking Hedge", 0.25)
    shown = capsys.readouterr().err
    assert "20,000 rows, 5 rows/s" in shown
    assert "testing pairs: asking Hedge, 25%" in shown
    assert "50%" not in shown
    assert not StatusLine(hidden=True).wants_look()


def test_the_examples_of_the_page_run(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table.rename("readings.csv")
    text = PAGE.read_text().partition("## From Python\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    space = {}
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), space)
    assert len(blocks) == 2
    assert saved("state").rows == 800
    assert saved("other-state").offset == {"row": 5000}


def test_hubs_are_told_by_the_command_and_on_the_page(tmp_path):
    table, page = tmp_path / "star.csv", tmp_path / "page.html"
    rows = make("star", 40, seed=0).sample(100, seed=0)
    names = [f"v{k}" for k in range(40)]
    pl.DataFrame(rows, schema=names, orient="row").write_csv(table)
    result = run(table, "--html", page)
    assert result.exit_code == 0, result.output
    told = "Hub, with 95 % confidence: v0 has at least"
    assert told in " ".join(result.stdout.split())
    assert told in page.read_text()
    assert told in json.loads(run(table, "--json").stdout)["treatment"]["sentences"][-1]
