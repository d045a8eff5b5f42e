"""``hedgerow simulate``: what it writes is what the library draws, and how it fails."""

import os
import re
import subprocess
import sys
import time
from importlib import import_module

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from hedgerow.cli import _progress, cli
from hedgerow.datasets import FAMILIES, ISING_FAMILIES, make

simulate = import_module("hedgerow.cli.simulate")  # the module, not its command


def run(*arguments):
    return CliRunner().invoke(cli, ["simulate", *map(str, arguments)])


def drawn(family, p, n, seed, **options):
    rng = np.random.default_rng(seed)
    model = make(family, p, seed=rng, **options)
    return model, model.sample(n, rng)


@pytest.mark.parametrize(("suffix", "read"), [("csv", pl.read_csv), ("parquet", pl.read_parquet)])
def test_files_hold_the_rows_and_the_true_edges(tmp_path, suffix, read):
    rows, edges = tmp_path / f"rows.{suffix}", tmp_path / f"edges.{suffix}"
    result = run(
        *("erdos_renyi", "-p", 12, "-n", 30, "--strength", 0.2, "--signs", "mixed", "--seed", 3),
        *("--option", "degree=2.5", "--out", rows, "--truth", edges),
    )
    assert result.exit_code == 0, result.stderr
    assert result.output == ""
    assert sorted(tmp_path.iterdir()) == [edges, rows]

    model, sample = drawn("erdos_renyi", 12, 30, 3, strength=0.2, signs="mixed", degree=2.5)
    table = read(rows)
    assert table.columns == model.names
    np.testing.assert_allclose(table.to_numpy(), sample, rtol=1e-12)
    truth = read(edges)
    assert truth.columns == ["source", "target", "partial_corr"]
    assert [(int(s[1:]), int(t[1:])) for s, t in truth.select("source", "target").rows()] == [
        tuple(edge) for edge in model.edges.tolist()
    ]
    np.testing.assert_allclose(truth["partial_corr"].to_numpy(), model.partial_corr, rtol=1e-12)


def test_rows_go_to_stdout_by_default():
    result = run("chain", "-p", 3, "-n", 5)
    assert result.exit_code == 0
    _, sample = drawn("chain", 3, 5, 0)
    table = pl.read_csv(result.stdout_bytes)
    np.testing.assert_allclose(table.to_numpy(), sample, rtol=1e-12)


def test_true_edges_may_go_to_stdout(tmp_path):
    result = run("star", "-p", 4, "--strength", 0.5, "--out", tmp_path / "a.csv", "--truth", "-")
    assert result.stdout == "source,target,partial_corr\nx0,x1,0.5\nx0,x2,0.5\nx0,x3,0.5\n"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_many_pieces_make_one_table(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(simulate, "NUMBERS_AT_ONCE", 35)  # 7 rows of 5
    assert run("chain", "-p", 5, "-n", 30, "--out", tmp_path / f"a.{suffix}").exit_code == 0
    read = pl.read_csv if suffix == "csv" else pl.read_parquet
    _, sample = drawn("chain", 5, 30, 0)
    np.testing.assert_allclose(read(tmp_path / f"a.{suffix}").to_numpy(), sample, rtol=1e-9)


def test_list_shows_every_family_with_its_options():
    result = run("--list")
    assert result.exit_code == 0
    listed = {"gaussian": FAMILIES, "ising": ISING_FAMILIES}
    shown = re.split(r"^--model (\w+):\n", result.stdout, flags=re.MULTILINE)[1:]
    assert shown[::2] == list(listed)
    for families, text in zip(listed.values(), shown[1::2], strict=True):
        lines = text.splitlines()
        assert [line.split()[0] for line in lines] == list(families)
        for line, family in zip(lines, families.values(), strict=True):
            assert family.summary in line
            assert all(option in line for option in family.options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ring"], "family must be one of"),
        (["chain", "-p", 1], "p must be an integer >= 2, got 1"),
        (["chain", "-n", 0], "n must be an integer >= 1, got 0"),
        (["chain", "--seed", -1], "seed must be an integer >= 0, got -1"),
        (["chain", "--signs", "both"], "signs must be one of 'attractive', 'mixed', got 'both'"),
        (["star", "-p", 50, "--strength", 0.3], "strength must be at most 0.1428 for star"),
        (["hubs", "--option", "count"], "option must be NAME=NUMBER, got 'count'"),
        (["hubs", "--option", "count=many"], "option must be NAME=NUMBER, got 'count=many'"),
        (["hubs", "--option", "counts=3"], "option of hubs must be one of 'count', got 'counts'"),
        (["hubs", "--option", "p=30"], "option must be one of the family, got 'p=30'"),
        (["hubs", "--option", "count=2.5"], "count must be an integer >= 1, got 2.5"),
        (["chain", "--out", "a.txt"], "file name must end in .csv or .parquet, got 'a.txt'"),
        (["chain", "--truth", "-"], "--out and --truth must differ, got '-' for both"),
        (["chain", "--out", "a.csv", "--truth", "./a.csv"], "--out and --truth must differ"),
    ],
)
def test_misuse_is_one_line_and_status_two(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_file_that_cannot_be_written_is_one_line_and_status_one(tmp_path):
    result = run("chain", "--out", tmp_path / "absent" / "rows.csv")
    assert result.exit_code == 1
    assert result.stderr == f"Error: {tmp_path}/absent/rows.csv: its folder does not exist\n"


def test_too_many_variables_are_one_line_and_status_one():
    result = run("chain", "-p", 10**17)
    assert result.exit_code == 1
    assert result.stderr == f"Error: not enough memory for {10**17} variables\n"


def test_a_failure_half_way_leaves_no_file(tmp_path, monkeypatch):
    def disk_full(frames, stream):
        stream.write(b"x0\n")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(simulate, "_write_csv", disk_full)
    result = run("chain", "--out", tmp_path / "rows.csv")
    assert result.exit_code == 1
    assert "No space left on device" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_leaves_early_is_no_error_message():
    command = [sys.executable, "-m", "hedgerow", "simulate", "chain", "-n", "200000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().startswith(b"x0,x1")
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.parametrize(("patience", "drawn"), [(0.0, True), (60.0, False)])
def test_a_bar_is_drawn_only_for_work_that_lasts(monkeypatch, capsys, patience, drawn):
    monkeypatch.setattr(_progress, "PATIENCE", patience)
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes rich believe in a terminal
    monkeypatch.setenv("TERM", os.environ.get("TERM", "xterm"))
    with _progress.progress("Drawing rows", 2) as advance:
        time.sleep(0.5)  # before the first piece of work: compiling takes its time too
        advance(1)
        advance(1)
    shown = capsys.readouterr()
    assert ("Drawing rows" in shown.err) == drawn
    assert shown.out == ""


def test_no_bar_without_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with _progress.progress("Drawing rows", 1) as advance:
        advance(1)
    assert capsys.readouterr() == ("", "")
