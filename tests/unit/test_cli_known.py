"""What users say that they know of rows and columns, in the commands."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph
from hedgerow.cli import cli
from hedgerow.stream._checkpoint import Checkpoints

NAMES = ["t1", "t2", "mass", "odd, name"]


def run(*arguments, **extra):
    return CliRunner().invoke(cli, [*map(str, arguments)], **extra)


@pytest.fixture(scope="module")
def frame():
    """Columns that are far from normal, so that it shows in the numbers how they were taken."""
    rng = np.random.default_rng(3)
    walk = np.cumsum(rng.standard_normal((300, 4)), axis=1)
    return pl.DataFrame(np.exp(walk), schema=NAMES, orient="row")


@pytest.fixture
def table(tmp_path, frame):
    path = tmp_path / "table.csv"
    frame.with_columns(who=pl.lit("Ada")).write_csv(path)
    return path


SAID = [
    ([], {}),
    (["--independent-rows"], {"rows": "independent"}),
    (["--normal-columns"], {"columns": "normal"}),
    (["--independent-rows", "--normal-columns"], {"rows": "independent", "columns": "normal"}),
    (["--as-is", "mass,t1"], {"columns": ["t1", "mass"]}),
    (["--as-is", "t*", "--as-is", "odd, name"], {"columns": ["t1", "t2", "odd, name"]}),
]


@pytest.mark.parametrize("command", ["learn", "stream"])
@pytest.mark.parametrize(("options", "parameters"), SAID)
def test_what_is_said_is_taken_for_granted(table, frame, command, options, parameters):
    result = run(command, table, "--json", *options)
    assert result.exit_code == 0, result.output
    model = HedgeGraph(**parameters).fit(frame)
    assert json.loads(result.stdout)["edges"] == [edge._asdict() for edge in model.edges_]


def test_the_ways_to_take_these_columns_differ(frame):
    tables = [HedgeGraph(**parameters).fit(frame).edges_ for _, parameters in SAID]
    assert len({str([*table]) for table in tables}) >= 5


@pytest.mark.parametrize("command", ["learn", "stream"])
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("masss", "did you mean 'mass'?"),
        ("who", "there are 't1'"),
        ("q*", "there are 't1'"),
    ],
)
def test_names_that_are_not_learned_from_are_refused(table, command, name, hint):
    result = run(command, table, "--as-is", name)
    assert result.exit_code == 1
    told = result.stderr.splitlines()[-1]
    assert told.startswith(
        f"Error: {table}: no column that is learned from is called {name!r}; {hint}"
    )


@pytest.mark.parametrize("command", ["learn", "stream"])
def test_normal_columns_need_no_names(table, command):
    result = run(command, table, "--normal-columns", "--as-is", "mass")
    assert result.exit_code == 2
    assert "--normal-columns and --as-is exclude each other" in result.stderr


def test_a_stream_goes_on_with_what_was_said(table, tmp_path, frame):
    state = tmp_path / "state"
    head, rest = table.read_text().splitlines()[:201], table.read_text().splitlines()[201:]
    options = ["--checkpoint", state, "--independent-rows", "--as-is", "t*"]
    table.write_text("\n".join(head) + "\n")
    assert run("stream", table, *options).exit_code == 0
    with table.open("a") as file:
        file.write("\n".join(rest) + "\n")
    result = run("stream", table, "--json", *options)
    assert result.exit_code == 0, result.output
    model = HedgeGraph(rows="independent", columns=["t1", "t2"]).fit(frame)
    assert json.loads(result.stdout)["edges"] == [edge._asdict() for edge in model.edges_]
    saves = Checkpoints(state)
    assert saves.latest().model["parameters"]["columns"] == ["t1", "t2"]
    saves.close()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--as-is", "t*"], "rows must stay the same, got 'any', and the checkpoint has 'indep"),
        (["--independent-rows"], "columns must stay the same, got 'any', and the checkpoint has ["),
        (["--independent-rows", "--as-is", "t1"], "columns must stay the same, got ['t1'], and"),
    ],
)
def test_a_stream_refuses_to_go_on_otherwise(table, tmp_path, options, told):
    state = ["--checkpoint", tmp_path / "state"]
    assert run("stream", table, *state, "--independent-rows", "--as-is", "t*").exit_code == 0
    result = run("stream", table, *state, *options)
    assert result.exit_code == 1
    assert told in result.stderr
