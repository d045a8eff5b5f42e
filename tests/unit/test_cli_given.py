"""hedgerow learn and diff with --given: columns of a file that are held fixed."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph
from hedgerow.cli import cli
from hedgerow.cli._given import given_told
from hedgerow.datasets import make

NAMES = list("abcdef")
N_ROWS = 500


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def table():
    """A chain that batch, sex and age act on, and a column of groups that does nothing."""
    rng = np.random.default_rng(0)
    rows = make("chain", 6, strength=0.4, seed=0).sample(N_ROWS, seed=1)
    batch, age = rng.integers(1, 4, N_ROWS), rng.normal(50, 15, N_ROWS)
    man = rng.random(N_ROWS) < 0.5
    rows = rows + rng.standard_normal((4, 6))[batch] + man[:, None] * rng.standard_normal(6)
    rows += (age[:, None] - 50) / 15 * rng.standard_normal(6)
    frame = pl.DataFrame(rows, schema=NAMES, orient="row")
    return frame.with_columns(
        age=age,
        sex=pl.Series(np.where(man, "m", "f")),
        batch=pl.Series(batch),
        site=pl.Series(np.array(["-", "north", "south", "east"])[batch]),
        group=pl.Series(np.where(rng.random(N_ROWS) < 0.4, "patient", "control")),
    )


@pytest.fixture(scope="module")
def file(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("given") / "t.csv"
    table.drop("batch").write_csv(path)
    return path


def test_a_file_says_what_a_data_frame_says(table, file, tmp_path):
    page, saved = tmp_path / "p.html", tmp_path / "m"
    given = ["age", "sex", "site"]
    done = run(
        *("learn", file, "--given", "age,s*", "--drop", "group", "--json"),
        *("--html", page, "--save", saved),
    )
    told = json.loads(done.stdout)
    graph = HedgeGraph(given=given).fit(table.drop("batch", "group"))
    assert told["edges"] == [edge._asdict() for edge in graph.edges_]
    assert (told["rows"], told["columns"], told["left_out"]) == (N_ROWS, 6, {})
    assert told["treatment"]["given"]["columns"] == {"age": 0, "sex": 2, "site": 3}
    assert "Held fixed: age, sex (2 levels), site (3 levels)" in page.read_text()
    assert str(HedgeGraph.load(saved).edges_) == str(graph.edges_)
    shown = run("learn", file, "--given", "age,s*", "--drop", "group").stdout
    assert f"{N_ROWS} rows, 6 columns" in shown
    assert "Held fixed: age, sex (2 levels), site (3 levels)" in shown


def test_numbers_can_be_categories(table, tmp_path):
    path = tmp_path / "t.csv"
    table.drop("site", "group").write_csv(path)
    told = json.loads(run("learn", path, "--given", "age,sex,batch=categories", "--json").stdout)
    assert told["treatment"]["given"]["columns"] == {"age": 0, "batch": 3, "sex": 2}
    told = json.loads(run("learn", path, "--given", "age,sex,batch", "--json").stdout)
    assert told["treatment"]["given"]["columns"] == {"age": 0, "batch": 0, "sex": 2}


def test_groups_and_files_are_compared_with_columns_held_fixed(table, file, tmp_path):
    by = json.loads(run("learn", file, "--by", "group", "--given", "age,sex,site", "--json").stdout)
    parts = {}
    for name in ("control", "patient"):
        part = table.filter(pl.col("group") == name).drop("batch", "group")
        part.write_csv(tmp_path / f"{name}.csv")
        parts[name] = HedgeGraph(given=["age", "sex", "site"]).fit(part)
    assert [group["edges"] for group in by["groups"]] == [len(g.edges_) for g in parts.values()]
    assert by["groups"][0]["given"] == ["age", "sex", "site"]
    files = tmp_path / "control.csv", tmp_path / "patient.csv"
    of_files = run("diff", *files, "--given", "age,sex,site")
    assert of_files.exit_code == 0, of_files.output
    assert of_files.stdout.count("Held fixed: age, sex (2 levels), site (3 levels)") == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--given", "agee"], "no column is called 'agee'; did you mean 'age'?"),
        (["--given", "age", "--drop", "age"], "cannot be given and dropped at once, got 'age'"),
        (["--given", "group", "--by", "group"], "given and the column of groups at once"),
        (["--given", "age", "--time", "age"], "given and the column of times at once"),
        (["--given", "age", "--columns", "a"], "at least two columns of numbers are needed"),
        (["--given", "age=steps"], "--given must be NAMES, or NAME=categories, got 'age=steps'"),
        (["--given", "a*=categories"], "a category that is given goes by its whole name"),
        (["--given", "age", "--difference"], "given needs a row for each sample"),
        (["--given", "age", "--model", "ising"], "--given is for --model gaussian"),
        (["--given", "age", "--cluster", "x"], "--given is for one machine"),
        (["--given", "sex,age,group,a,b,c,d,e"], "at least two columns of numbers are needed"),
    ],
)
def test_what_cannot_be_held_fixed(file, options, message):
    done = run("learn", file, *options)
    assert done.exit_code != 0
    assert message in done.output


def test_names_with_commas():
    options = {"given": ('"a,b",c=categories',)}
    assert given_told(options) == {"c"}
    assert options["given"] == ["a,b", "c"]


def test_a_given_column_that_takes_all_rows_is_refused_with_its_cost(table, tmp_path):
    path = tmp_path / "table.csv"
    table.with_columns(person=pl.Series([f"p{k}" for k in range(N_ROWS)])).write_csv(path)
    result = run("learn", path, "--given", "person")
    assert result.exit_code == 1
    assert "given columns must leave at least half of the rows" in result.stderr
    assert f"got {N_ROWS} rows and a cost of {N_ROWS}, by column: 'person'" in result.stderr
