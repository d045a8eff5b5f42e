"""Commands whose stdout or stdin is full, closed or absent, and paths that are none."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hedgerow.__main__ import main
from hedgerow.cli import cli

FULL = object()  # a device on which there is no room
CLOSED = None  # which is what Python makes of it
ROWS = np.random.default_rng(0).standard_normal((40, 3))
NUMBERS = ["-p100", "--kappa=.2", "--lambda=2", "--nu-max=1", "--theta-max=1", "--degree=4"]
COMPARE = ["compare", "rows.csv", "--methods", "hedgerow", "--resamples", "0"]
PRINTING = {
    "learn": ["learn", "rows.csv"],
    "learn --json": ["learn", "rows.csv", "--json"],
    "learn --out -": ["learn", "rows.csv", "--out", "-"],
    "stream": ["stream", "rows.csv"],
    "stream --json": ["stream", "rows.csv", "--json"],
    "simulate": ["simulate", "chain", "-p", "5", "-n", "9"],
    "simulate much": ["simulate", "chain", "-p", "50", "-n", "5000"],
    "simulate --truth -": ["simulate", "chain", "--out", "a.csv", "--truth", "-"],
    "compare": COMPARE,
    "compare --json": [*COMPARE, "--json"],
    "compare --out -": [*COMPARE, "--out", "-"],
    "plan": ["plan", *NUMBERS],
    "plan --json": ["plan", *NUMBERS, "--json"],
    "demo": ["demo"],
}
# What click prints by itself.
HELPFUL = [["--help"], ["--version"], ["learn", "--help"], ["simulate", "--list"]]


@pytest.fixture
def folder(tmp_path):
    np.savetxt(tmp_path / "rows.csv", ROWS, delimiter=",", header="a,b,c", comments="")
    return tmp_path


@pytest.fixture
def command(folder, monkeypatch):
    """Return a function that runs a command here, with streams like those of a new process."""

    def command(arguments, **streams):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["hedgerow", *arguments])
        written = {name: io.TextIOWrapper(io.BytesIO()) for name in ("stdout", "stderr")}
        with open("/dev/full", "w") as full:
            used = {"stdin": io.StringIO(), **written, **streams}
            for name, stream in used.items():
                monkeypatch.setattr(sys, name, full if stream is FULL else stream)
            with pytest.raises(SystemExit) as end:
                main()
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()  # as Python does in the end: nothing may be left to fail
            monkeypatch.undo()
        said = {name: text.buffer.getvalue().decode() for name, text in written.items()}
        return subprocess.CompletedProcess(arguments, end.value.code, **said)

    return command


def in_a_shell(folder, arguments, redirection):
    """Run in a process that a shell starts, which can close streams."""
    return subprocess.run(
        ["sh", "-c", f'"$0" -m hedgerow "$@" {redirection}', sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def run(*arguments, **extra):
    return CliRunner().invoke(cli, [*map(str, arguments)], **extra)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [*PRINTING.values(), *HELPFUL], ids=" ".join)
@pytest.mark.usefixtures("methods_here")
def test_a_full_disk_is_one_line(command, arguments):
    done = command(arguments, stdout=FULL)
    assert (done.returncode, done.stderr) == (1, "Error: stdout: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_when_stderr_is_full_too_the_status_tells(command):
    done = command(PRINTING["learn"], stdout=FULL, stderr=FULL)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


@pytest.mark.parametrize("name", ["learn", "learn --out -", "simulate", "compare", "plan", "demo"])
def test_a_closed_stdout_is_told_before_the_work(folder, command, name):
    done = command(PRINTING[name], stdout=CLOSED)
    assert (done.returncode, done.stderr) == (1, "Error: stdout: is closed\n")
    assert [path.name for path in folder.iterdir()] == ["rows.csv"]


def test_a_closed_stdout_is_fine_where_nothing_is_printed(folder, command):
    done = command(["learn", "rows.csv", "--quiet", "--out", "edges.csv"], stdout=CLOSED)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "edges.csv").read_text().startswith("source,target")


@pytest.mark.parametrize("arguments", [["learn", "-"], ["stream", "-"], ["compare", "-"]])
def test_a_closed_stdin_is_one_line(command, arguments):
    done = command(arguments, stdin=CLOSED)
    assert (done.returncode, done.stderr) == (1, "Error: stdin: is closed\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    ("arguments", "redirection", "said"),
    [
        (["--help"], "> /dev/full", "Error: stdout: No space left on device\n"),
        (PRINTING["learn"], "> /dev/full", "Error: stdout: No space left on device\n"),
        (PRINTING["simulate much"], "> /dev/full 2> /dev/full", ""),
        (PRINTING["plan"], ">&-", "Error: stdout: is closed\n"),
        (["learn", "-"], "<&-", "Error: stdin: is closed\n"),
    ],
)
def test_a_process_that_a_shell_starts_says_the_same(folder, arguments, redirection, said):
    done = in_a_shell(folder, arguments, redirection)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


@pytest.mark.parametrize(
    "arguments",
    [
        ["learn", "rows.csv", "--html", "-"],
        ["learn", "rows.csv", "--save", "-"],
        ["stream", "rows.csv", "--html", "-"],
        ["stream", "rows.csv", "--events", "-"],
        ["stream", "rows.csv", "--checkpoint", "-"],
        ["compare", "rows.csv", "--html", "-"],
        ["demo", "--html", "-"],
    ],
    ids=" ".join,
)
def test_a_dash_is_no_name_for_what_cannot_be_printed(folder, monkeypatch, arguments):
    monkeypatch.chdir(folder)
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"Error: Invalid value for '{arguments[-2]}': must be the name")
    assert "got '-' (stdout)" in result.stderr
    assert [path.name for path in folder.iterdir()] == ["rows.csv"]


def test_a_file_that_is_called_dash_can_be_had(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert run("learn", "rows.csv", "--html", "./-").exit_code == 0
    assert (folder / "-").read_text().startswith("<!doctype html>")


LONG = "a" * 300
ODD = [
    ["learn", f"{LONG}.csv"],
    ["learn", "rows.csv", "--html", f"{LONG}.html"],
    ["learn", "rows.csv", "--save", LONG],
    ["stream", "rows.csv", "--events", LONG],
    ["simulate", "chain", "--out", f"{LONG}.csv"],
    ["compare", "rows.csv", "--methods", "hedgerow", "--out", f"{LONG}.json"],
    ["demo", "--html", LONG],
    ["learn", "nul\0.csv"],
    ["learn", "rows.csv", "--html", "nul\0.html"],
    ["learn", "."],
    ["learn", "rows.csv", "--html", "."],
    ["simulate", "chain", "--out", "folder.csv"],
    ["compare", "rows.csv", "--methods", "hedgerow", "--truth", "folder.csv"],
    ["compare", "rows.csv", "--methods", "hedgerow", "--out", "folder.json"],
]


@pytest.mark.parametrize("arguments", ODD, ids=range(len(ODD)))
def test_paths_that_are_none(folder, monkeypatch, arguments):
    monkeypatch.chdir(folder)
    for name in ("folder.csv", "folder.json"):
        (folder / name).mkdir()
    result = run(*arguments)
    assert result.exit_code in (1, 2)
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert "should not happen" not in result.stderr


@pytest.mark.parametrize("name", ["[bold]x.html", "new\nline.html", "bad\udcff.html"])
@pytest.mark.parametrize("arguments", [["learn", "rows.csv"], ["demo"]], ids=["learn", "demo"])
def test_names_of_files_are_printed_as_they_are(folder, monkeypatch, name, arguments):
    monkeypatch.chdir(folder)
    result = run(*arguments, "--html", name)
    assert result.exit_code == 0, result.output
    shown = name.replace("\n", r"\n").replace("\udcff", r"\udcff")
    assert f"Wrote {shown}" in result.stdout
    assert (folder / name).exists()


@pytest.mark.parametrize("columns", ["0", "1", "x", "-5"])
@pytest.mark.parametrize("name", ["learn", "plan", "demo"])
def test_no_terminal_is_too_narrow(folder, monkeypatch, columns, name):
    monkeypatch.chdir(folder)
    result = run(*PRINTING[name], env={"COLUMNS": columns, "TERM": "dumb"})
    assert (result.exit_code, result.stderr) == (0, "")
    words = {
        "learn": "40 rows, 3 columns",
        "plan": "Any method, one edge",
        "demo": "familywise error",
    }
    assert words[name] in result.stdout
