"""``hedgerow compare``: what it prints and writes, and how it fails."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from hedgerow import rivals
from hedgerow.cli import cli
from hedgerow.cli._truth import read_truth
from hedgerow.datasets import make

OURS = "tests.comparison.methods:"
ROOT = Path(__file__).parents[2]


def run(*arguments, **extra):
    wide = {"COLUMNS": "120"}  # the names of these methods are long
    return CliRunner(env=wide).invoke(cli, ["compare", *map(str, arguments)], **extra)


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng()
    frame = pl.DataFrame(make("chain", 6).sample(400, rng), schema=list("abcdef"), orient="row")
    frame.write_csv(tmp_path / "table.csv")
    return tmp_path / "table.csv"


@pytest.fixture
def truth(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in zip("abcde", "bcdef")))
    return path


def one_line(result, code, *parts):
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("Error: ")
    for part in parts:
        assert part in result.stderr


@pytest.mark.usefixtures("methods_here")
def test_table_agreement_and_json(table, truth, tmp_path):
    file = tmp_path / "result.json"
    methods = f"hedgerow,{OURS}Chain,{OURS}Raises"
    result = run(table, "--methods", methods, "--truth", truth, "--resamples", 1, "--out", file)
    assert result.exit_code == 0, result.output
    assert "400 rows, 6 columns" in result.stdout
    chain = next(line for line in result.stdout.splitlines() if line.startswith(f"{OURS}Chain"))
    assert re.fullmatch(r"\S+ +5 +[\d.e-]+ +1\.00 +1\.00 +0\.00 +yes +ok *", chain)
    assert f"{OURS}Raises failed: ValueError: rows must be other rows\n" in result.stdout
    assert f"Warning of {OURS}Chain: this is not a method" in result.stdout
    content = json.loads(file.read_text())
    assert [row["status"] for row in content["methods"]] == ["ok", "ok", "failed"]
    assert content["columns"] == list("abcdef")
    assert content["methods"][1]["graph"][0] == {"source": "a", "target": "b", "score": 1.0}
    jaccard = content["agreement"][0][1]
    shown = re.search(r"2 .*Chain +(\d+)", result.stdout)
    assert int(shown[1]) == round(100 * jaccard)


@pytest.mark.usefixtures("methods_here")
def test_a_model_is_drawn_as_simulate_draws_it(tmp_path):
    options = ["-p", 9, "-n", 50, "--seed", 3, "--signs", "mixed"]
    simulated = CliRunner().invoke(cli, ["simulate", "grid", *map(str, options)])
    (tmp_path / "rows.csv").write_text(simulated.stdout)
    method = ["--methods", "inverse_gram", "--out", "-"]
    drawn = run("--family", "grid", *options, *method)
    read = run(tmp_path / "rows.csv", "--seed", 3, *method)
    assert drawn.exit_code == read.exit_code == 0, drawn.output + read.output
    [first], [second] = (json.loads(each.stdout)["methods"] for each in (drawn, read))
    assert first["graph"] == second["graph"]
    assert first["stability"] == second["stability"]
    assert "f1" in first
    assert "f1" not in second
    assert "inverse_gram" in drawn.stderr  # the table


def test_the_list_has_every_method():
    result = run("--list")
    assert [line.split()[0] for line in result.stdout.splitlines()] == rivals.names()


def test_unknown_method_gives_the_list(table):
    one_line(run(table, "--methods", "hedgerow,lasso"), 2, *rivals.names(), "got 'lasso'")
    one_line(run(table, "--methods", ""), 2, *rivals.names(), "got ''")


def test_an_absent_package_is_told_in_its_row(table, monkeypatch, tmp_path):
    # A package of this name that cannot be found, in the worker's process too.
    (tmp_path / "sitecustomize.py").write_text(
        "import hedgerow.rivals._registry as r\n"
        "r.REGISTRY['pc'] = r.REGISTRY['pc']._replace(needs='absent_package')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    result = run(table, "--methods", f"pc,{OURS}Chain", "--resamples", 0)
    assert result.exit_code == 0
    assert "pc absent: pc needs the package absent_package: pip install" in result.stdout
    assert re.search(r"Chain +5 ", result.stdout)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "one of FILE and --family is needed"),
        (["{table}", "--family", "grid"], "one of FILE and --family is needed"),
        (["--family", "grid", "--truth", "x.csv"], "--truth goes with FILE"),
        (["{table}", "-p", "5"], "-p goes with --family"),
        (["--family", "grid", "--drop", "a"], "--drop goes with FILE"),
        (["--family", "gird"], "got 'gird'"),
        (["{table}", "--budget", "0"], "time_budget must be a finite number > 0, got 0"),
        (["{table}", "--resamples", "-1"], "resamples must be an integer >= 0, got -1"),
        (["{table}", "--html", "{table}"], "results must not replace the input"),
        (["{table}", "--out", "a.csv"], "--out must end in .json, got 'a.csv'"),
        (["{table}", "--out", "-", "--json"], "--json prints to stdout"),
    ],
)
def test_misuse(table, arguments, message):
    one_line(run(*(text.format(table=table) for text in arguments)), 2, message)


@pytest.mark.usefixtures("methods_here")
def test_no_graph_at_all_is_a_failure(table):
    result = run(table, "--methods", f"{OURS}Raises")
    assert result.exit_code == 1
    assert "no method has a graph" in result.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("from,to\na,b\n", "must have columns 'source' and 'target', got 'from', 'to'"),
        ("source,target\na,bb\n", "must join columns of the table, got 'bb'; did you mean 'b'?"),
        ("source,target\na,a\n", "edges must join two columns, got 'a' twice"),
        ("", "cannot be read as a table"),
    ],
)
def test_bad_truth(tmp_path, content, message):
    (tmp_path / "truth.csv").write_text(content)
    with pytest.raises(ValueError, match=re.escape(message)):
        read_truth(tmp_path / "truth.csv", list("abcdef"))


def test_truth_files_of_both_kinds_and_no_edges(tmp_path):
    frame = pl.DataFrame({"source": ["10", "7"], "target": ["7", "8"]})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    graphs = [read_truth(tmp_path / f"t.{end}", ["7", "8", "10"]) for end in ("csv", "parquet")]
    for graph in graphs:
        assert graph.toarray().astype(int).tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    frame.clear().write_csv(tmp_path / "t.csv")
    assert read_truth(tmp_path / "t.csv", ["7", "8"]).nnz == 0


def test_a_missing_truth_is_told_by_name(table):
    one_line(run(table, "--truth", "nowhere.csv"), 1, "nowhere.csv: No such file")


def test_ctrl_c_shows_what_is_done(table, tmp_path):
    pid = tmp_path / "pid"
    command = [sys.executable, "-m", "hedgerow", "compare", str(table), "--resamples", "0"]
    process = subprocess.Popen(
        [*command, "--methods", f"{OURS}Chain,{OURS}Hangs"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CHILD_PID_FILE": str(pid)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    end = time.monotonic() + 60
    while not pid.exists() and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert re.search(r"Chain +5 ", stdout)
    assert f"{OURS}Hangs not run: interrupted\n" in stdout
    assert "Interrupted; 1 of 2 methods have a graph." in stderr


@pytest.mark.usefixtures("methods_here")
def test_json_is_a_flag_that_prints_what_out_writes(table, tmp_path):
    file = tmp_path / "result.json"
    result = run(table, "--methods", f"{OURS}Chain", "--resamples", 0, "--json", "--out", file)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == json.loads(file.read_text())
    assert result.stderr == ""


@pytest.mark.usefixtures("methods_here")
def test_what_is_left_out_is_said_everywhere(tmp_path):
    path, page = tmp_path / "rows.csv", tmp_path / "page.html"
    rows = np.random.default_rng(0).standard_normal((50, 3)).tolist()
    lines = [f"{a},{b},{c},Ada {k}" for k, (a, b, c) in enumerate(rows)]
    path.write_text("\n".join(["a,b,c,who", *lines, "1,,2,Bob"]))
    options = ["--methods", f"{OURS}Chain", "--resamples", 0, "--missing", "drop", "--html", page]
    result = run(path, *options)
    assert result.exit_code == 0, result.output
    assert result.stderr == "Left out 1 column (not numeric): 'who'\n"  # before the work
    assert "Left out 1 column (not numeric): 'who'\n" in result.stdout
    assert "Left out 1 row with missing values\n" in result.stdout
    told = json.loads(run(path, *options, "--json").stdout)
    assert told["left_out"] == {"not numeric": ["who"]}
    assert told["rows_left_out"] == {"with missing values": 1}
    assert '"columnsLeftOut":[{"reason":"not numeric","count":1,"names":["who"]}]' in (
        page.read_text()
    )


def test_a_truth_is_one_file_whatever_its_name(tmp_path):
    for name in ("t[1].csv", "t*.csv"):
        (tmp_path / name).write_text("source,target\na,b\n")
        assert read_truth(tmp_path / name, ["a", "b"]).nnz == 2
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder, not a file"):
        read_truth(tmp_path / "folder.csv", ["a", "b"])
