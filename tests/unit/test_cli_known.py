"""What users say that they know of rows and columns, in the commands."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph
from hedgerow.cli import _known, cli
from hedgerow.estimators import _assumptions
from hedgerow.method import kinds
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


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(5)
    walk = np.cumsum(rng.standard_normal((300, 4)), axis=1)
    walk /= walk.std(axis=0)
    answers = [
        *(1 + np.searchsorted([-1, -0.3, 0.3, 1], walk[:, j]) for j in range(2)),
        (walk[:, 2] > 0).astype(int),
        rng.poisson(np.exp(1 + walk[:, 3])),
    ]
    return pl.DataFrame(dict(zip(["q1", "q2", "ill", "a=b, c"], answers)))


@pytest.fixture
def survey_file(tmp_path, survey):
    path = tmp_path / "survey.csv"
    survey.write_csv(path)
    return path


TOLD = [
    ([], {}),
    (["--kind", "q1=continuous"], {"q1": "continuous"}),
    (["--kind", "q1,q2=continuous"], {"q1": "continuous", "q2": "continuous"}),
    (
        ["--kind", "q*=continuous, ill=as is"],
        {"q1": "continuous", "q2": "continuous", "ill": "as is"},
    ),
    (
        ["--kind", "a=b, c=steps", "--kind", "q2=continuous"],
        {"a=b, c": "steps", "q2": "continuous"},
    ),
    (["--kind", "q*=continuous", "--kind", "q2=zeros"], {"q1": "continuous", "q2": "zeros"}),
    (
        ["--kind", "q1=continuous", "--as-is", "q2,ill"],
        {"q1": "continuous", "q2": "as is", "ill": "as is"},
    ),
]


@pytest.mark.parametrize("command", ["learn", "stream"])
@pytest.mark.parametrize(("options", "meant"), TOLD)
def test_kinds_are_told(survey_file, survey, command, options, meant):
    result = run(command, survey_file, "--json", *options)
    assert result.exit_code == 0, result.output
    model = HedgeGraph(columns=meant or "any").fit(survey)
    told = json.loads(result.stdout)
    assert told["treatment"]["kinds"] == dict(zip(survey.columns, model.column_kinds_.tolist()))
    assert told["edges"] == [edge._asdict() for edge in model.edges_]


def test_what_is_found_is_said_in_one_line(survey_file):
    said = run("learn", survey_file).stdout.splitlines()
    assert said[2] == (
        "2 columns of steps (Likert items and the like), 1 of yes or no, 1 of counts: edges are "
        "between the normal variables behind them."
    )


@pytest.mark.parametrize("command", ["learn", "stream"])
@pytest.mark.parametrize(
    ("options", "exit_code", "told"),
    [
        (["--kind", "q1"], 2, "--kind must be NAMES=KIND, as in mood=steps, got 'q1'"),
        (["--kind", ""], 2, "--kind must be NAMES=KIND, as in mood=steps, got ''"),
        (
            ["--kind", "q1=stairs"],
            2,
            "--kind: the kind of a column must be one of 'continuous', 'steps', 'yes/no', "
            "'counts', 'zeros', 'as is', got 'stairs' for 'q1'",
        ),
        (
            ["--kind", "q1=steps,q2=stairs"],
            2,
            "--kind: the kind of a column must be one of 'continuous', 'steps', 'yes/no', "
            "'counts', 'zeros', 'as is', got 'stairs' for 'q2'",
        ),
        (
            ["--kind", "q1=steps", "--kind", "q1=zeros"],
            2,
            "a column has one kind, got 'steps' and 'zeros' for 'q1'",
        ),
        (
            ["--kind", "q1=steps", "--normal-columns"],
            2,
            "--normal-columns and --kind exclude each other",
        ),
        (
            ["--kind", "ill_=steps"],
            1,
            "{file}: no column that is learned from is called 'ill_'; did you mean 'ill'?",
        ),
        (
            ["--kind", "q1=steps", "--as-is", "q1,q2"],
            1,
            "{file}: a column has one kind, got 'steps' and 'as is' for 'q1'",
        ),
        (
            ["--kind", "q1=yes/no"],
            1,
            "{file}: columns['q1'] must have two values to be 'yes/no', got 1, 2, 3, 4, 5",
        ),
    ],
)
def test_kinds_that_are_none_are_refused(survey_file, command, options, exit_code, told):
    result = run(command, survey_file, *options)
    assert result.exit_code == exit_code
    assert result.stderr.splitlines()[-1] == f"Error: {told.format(file=survey_file)}"


def test_the_kinds_of_the_command_are_those_of_the_model():
    assert (_known.KINDS, _known.AS_IS) == (kinds.KINDS, _assumptions.AS_IS)
