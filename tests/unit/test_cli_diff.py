"""hedgerow diff, and hedgerow learn --by: groups of rows compared from the command line."""

import csv
import json
import os
import shutil

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.sparse import csc_array

from hedgerow import HedgeGraph, difference_by
from hedgerow.cli import _progress, cli
from hedgerow.datasets import Model, make
from hedgerow.estimators.grouping import Groups
from hedgerow.io import open_table

NAMES = list("abcdef")


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def write(path, rows, **more):
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*NAMES, *more])
        writer.writerows([*row, *rest] for row, *rest in zip(rows.tolist(), *more.values()))
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two tables that differ between c and d, and both in one with a column of groups."""
    folder = tmp_path_factory.mktemp("groups")
    model = make("chain", 6, strength=0.4, seed=0)
    theta = model.precision.toarray()
    theta[2, 3] = theta[3, 2] = 0.0
    tables = model.sample(500, seed=1), Model("other", csc_array(theta)).sample(700, seed=2)
    order = np.random.default_rng(3).permutation(1200)
    groups = np.array(["control"] * 500 + ["patient"] * 700)[order]
    one, other = (write(folder / f"{k}.csv", rows) for k, rows in zip("ab", tables))
    return one, other, write(folder / "both.csv", np.concatenate(tables)[order], group=groups)


def test_two_tables(files, tmp_path):
    out = tmp_path / "d.csv"
    done = run("diff", *files[:2], "--out", out)
    assert done.exit_code == 0, done.output
    assert "1 partial correlation differs among 15 pairs" in done.output
    [row] = csv.DictReader(out.read_text().splitlines())
    assert (row["source"], row["target"]) == ("c", "d")
    assert float(row["low"]) < float(row["difference"]) < float(row["high"]) < 0


def test_groups_in_one_table_say_what_two_tables_say(files):
    told = json.loads(run("learn", files[2], "--by", "group", "--json").stdout)
    assert [group["name"] for group in told["groups"]] == ["control", "patient"]
    assert [group["rows"] for group in told["groups"]] == [500, 700]
    [found] = told["differences"]
    assert [(edge["source"], edge["target"]) for edge in found["edges"]] == [("c", "d")]
    apart = json.loads(run("diff", *files[:2], "--json").stdout)["differences"][0]
    assert found["p_value"] == pytest.approx(apart["p_value"], rel=0.5)  # rows in another order


def test_a_saved_model_needs_no_rows(files, tmp_path):
    saved = tmp_path / "a.hedgerow"
    run("learn", files[0], "--save", saved, "--quiet")
    told = [
        json.loads(run("diff", first, files[1], "--json").stdout) for first in (files[0], saved)
    ]
    assert told[0]["differences"][0]["edges"] == told[1]["differences"][0]["edges"]


def test_groups_are_read_beside_the_numbers(tmp_path):
    rows = np.random.default_rng(4).standard_normal((6, 6))
    path = write(tmp_path / "t.csv", rows, group=[2, 2, "", 10, 10, 2])
    with open_table(path, by="group") as table:
        [found] = list(table)
        assert table.groups == ["2", "2", "10", "10", "2"]
        assert table.names == NAMES
    np.testing.assert_allclose(found, rows[[0, 1, 3, 4, 5]])


def test_several_groups_are_compared_with_the_first(tmp_path):
    rows = np.random.default_rng(5).standard_normal((300, 6))
    path = write(tmp_path / "t.csv", rows, wave=np.repeat([10, 9, 8], 100))
    told = json.loads(run("learn", path, "--by", "wave", "--json").stdout)
    assert [(some["first"], some["second"]) for some in told["differences"]] == [
        ("8", "9"),
        ("8", "10"),
    ]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["a"] * 99 + ["b"], "each group must have at least 5 rows, got 1 in 'b'"),
        (["a"] * 100, "column 'group' must have at least two groups, got a"),
        (list(map(str, range(100))), "column 'group' must have at most 20 groups, got more"),
    ],
)
def test_groups_that_cannot_be_compared(tmp_path, groups, message):
    rows = np.random.default_rng(6).standard_normal((100, 6))
    done = run("learn", write(tmp_path / "t.csv", rows, group=groups), "--by", "group")
    assert done.exit_code == 1
    assert message in done.output


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "json"])
def test_where_nothing_differs_a_table_without_rows_is_written(tmp_path, suffix):
    rng = np.random.default_rng(7)
    files = [write(tmp_path / f"{k}.csv", rng.standard_normal((200, 6))) for k in "ab"]
    out = tmp_path / f"d.{suffix}"
    done = run("diff", *files, "--fwer", "0.001", "--out", out)
    assert done.exit_code == 0, done.output
    assert "No partial correlations differ" in done.output
    assert out.exists()
    if suffix == "csv":
        [header] = out.read_text().splitlines()
        assert header.startswith("first,second,source,target,partial_corr,other_partial_corr")


def test_other_columns_are_an_error(files):
    done = run("diff", files[0], files[2])
    assert done.exit_code == 1
    assert "both models must have the same columns, but the second alone has 'group'" in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["diff", 0], "diff needs two files at least, got 1"),
        (["diff", 0, 0], "files must differ, got one of them twice"),
        (["diff", 0, 1, "--out", "d.html"], "file name must end in .csv"),
        (["learn", 2, "--by", "group", "--html", "x.html"], "--by goes without --html"),
        (["learn", 2, "--by", "group", "--balanced"], "goes without --balanced"),
        (["learn", 2, "--by", "group", "--difference"], "--by goes without --difference"),
    ],
)
def test_misuse(files, arguments, message):
    done = run(*(files[k] if isinstance(k, int) else k for k in arguments))
    assert done.exit_code == 2
    assert message in done.output


def test_a_column_that_is_not_there(files):
    done = run("learn", files[2], "--by", "sex")
    assert done.exit_code == 1
    assert "no column is called 'sex'" in done.output


@pytest.mark.parametrize("command", [["diff"], ["learn", "--by", "group"]])
def test_a_bar_is_drawn_while_groups_are_learned(files, monkeypatch, capsys, command):
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes rich believe in a terminal
    monkeypatch.setenv("TERM", os.environ.get("TERM", "xterm"))
    given = files[:2] if command == ["diff"] else files[2:]
    for quiet, drawn in ((["--quiet"], False), ([], True)):
        arguments = [*command, *map(str, given), *quiet]
        cli.main(arguments, standalone_mode=False)
        assert ("Learning" in capsys.readouterr().err) == drawn


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """Three sites that differ in their means, and of which one lacks the edge between c and d."""
    model = make("chain", 6, strength=0.4, seed=0)
    theta = model.precision.toarray()
    theta[2, 3] = theta[3, 2] = 0.0
    tables = [model.sample(500, seed=1), model.sample(400, seed=2)]
    tables.append(Model("other", csc_array(theta)).sample(600, seed=3))
    shifts = 3.0 * np.random.default_rng(4).standard_normal((3, 6))
    order = np.random.default_rng(3).permutation(1500)
    rows = np.concatenate([rows + shift for rows, shift in zip(tables, shifts)])[order]
    names = np.repeat(["north", "south", "west"], [500, 400, 600])[order]
    return write(tmp_path_factory.mktemp("sites") / "t.csv", rows, site=names)


def test_each_group_against_the_rest(sites):
    told = json.loads(run("learn", sites, "--by", "site", "--against", "rest", "--json").stdout)
    pairs = [(pair["first"], pair["second"]) for pair in told["differences"]]
    assert pairs == [(name, "the rest") for name in ("north", "south", "west")]
    west = told["differences"][-1]
    # Means of sites differ, too: were they not held fixed, everything would differ.
    assert [(edge["source"], edge["target"]) for edge in west["edges"]] == [("c", "d")]
    found = difference_by(pl.read_csv(sites), "site", against="rest")
    assert [len(each.edges_) for each in found.values()] == [
        len(pair["edges"]) for pair in told["differences"]
    ]
    assert found["west", "the rest"].p_value_ == pytest.approx(west["p_value"])


def test_chunks_of_groups_say_what_the_whole_says(sites):
    table = pl.read_csv(sites)
    whole, parts = (Groups(HedgeGraph(), "site", "rest") for _ in range(2))
    whole.partial_fit(table.sort("site"))
    for part in table.sort("site").iter_slices(400):  # groups come one after the other
        parts.partial_fit(part)
    for one, other in zip(whole.pairs(), parts.pairs()):
        assert [str(model.edges_) for model in one.models] == [
            str(model.edges_) for model in other.models
        ]


def test_two_groups_are_each_others_rest(files):
    found = difference_by(pl.read_csv(files[2]), "group", against="rest")
    assert list(found) == [("control", "patient")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "sight"}, "by must name a column of X, got 'sight'"),
        ({"by": "site", "against": "last"}, "against must be one of 'first', 'rest', got 'last'"),
        (
            {"by": "site", "model": HedgeGraph(given=["site"])},
            "a column cannot be given and the column of groups at once, got 'site'",
        ),
    ],
)
def test_groups_that_there_are_not(sites, options, message):
    with pytest.raises(ValueError, match=message):
        difference_by(pl.read_csv(sites), **options)


def test_against_goes_with_by(sites):
    assert "--against goes with --by" in run("learn", sites, "--against", "rest").output


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """Checkpoints of one stream, before and after c and d have lost their relation."""
    folder = tmp_path_factory.mktemp("stream")
    model = make("chain", 6, strength=0.4, seed=0)
    theta = model.precision.toarray()
    theta[2, 3] = theta[3, 2] = 0.0
    write(folder / "rows.csv", model.sample(700, seed=1))
    assert run("stream", folder / "rows.csv", "--checkpoint", folder / "new").exit_code == 0
    shutil.copytree(folder / "new", folder / "old")
    more = Model("other", csc_array(theta)).sample(900, seed=2)
    with (folder / "rows.csv").open("a") as stream:
        np.savetxt(stream, more, delimiter=",")
    assert run("stream", folder / "rows.csv", "--checkpoint", folder / "new").exit_code == 0
    return folder, more


def test_a_stream_is_compared_with_what_it_was(grown, tmp_path):
    folder, more = grown
    alone = run("diff", folder / "old", folder / "new")
    assert "models must not share rows, but one has gone on from the other" in alone.output
    out = tmp_path / "d.csv"
    done = run("diff", folder / "old", folder / "new", "--since", "--out", out)
    assert done.exit_code == 0, done.output
    [row] = csv.DictReader(out.read_text().splitlines())
    assert (row["source"], row["target"]) == ("c", "d")
    later = HedgeGraph().fit(more, feature_names=NAMES).partial_corr_of("c", "d")
    assert float(row["other_partial_corr"]) == pytest.approx(later.partial_corr, abs=0.02)


def test_two_streams_are_compared_by_their_checkpoints(grown, tmp_path):
    folder, more = grown
    other = write(tmp_path / "rows.csv", more)
    assert run("stream", other, "--checkpoint", tmp_path / "c").exit_code == 0
    [newest] = (tmp_path / "c").glob("checkpoint-*")
    done = run("diff", folder / "old", newest)
    assert "1 partial correlation differs among 15 pairs" in done.output
    again = run("diff", folder / "old", newest, "--since")
    assert "since=True needs the same model after more rows" in again.output


def test_a_folder_without_checkpoints(tmp_path, files):
    done = run("diff", tmp_path, files[0])
    assert done.exit_code == 1
    assert "must have checkpoints, and has none" in done.output
