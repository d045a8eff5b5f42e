"""Streams that hold columns fixed: numbers and texts, the same as a table, through checkpoints."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph, stream
from hedgerow.cli import cli
from hedgerow.datasets import make
from hedgerow.io import DataError

NAMES = list("abcdef")
PLACES = np.array(["north", "south", "east"])


@pytest.fixture(scope="module")
def table():
    """A chain that age and places act on, with a few rows that lack one of these."""
    rng = np.random.default_rng(0)
    rows = make("chain", 6, strength=0.4, seed=0).sample(900, seed=1)
    age, place = rng.uniform(20, 80, 900), rng.integers(0, 3, 900)
    rows = rows + rng.standard_normal((3, 6))[place] + np.outer(age / 20, rng.standard_normal(6))
    frame = pl.DataFrame(rows, schema=NAMES, orient="row")
    frame = frame.with_columns(place=pl.Series(PLACES[place]), age=pl.Series(age))
    absent = pl.int_range(pl.len())
    return frame.with_columns(
        place=pl.when(absent % 100 != 7).then("place"), age=pl.when(absent % 300 != 50).then("age")
    )


@pytest.fixture
def file(tmp_path, table):
    path = tmp_path / "rows.csv"
    table.write_csv(path)
    return path


@pytest.fixture(scope="module")
def expected(table):
    graph = HedgeGraph(given=["place", "age"]).fit(table.drop_nulls())
    return edges(graph)


def edges(graph):
    return [tuple(edge) for edge in graph.edges_]


def run(*arguments):
    return CliRunner().invoke(cli, [*map(str, arguments)])


def test_a_stream_gives_what_a_table_gives(file, expected):
    found = stream.run(file, HedgeGraph(given=["place", "age"]))
    assert edges(found) == expected
    assert found.treatment_.given.columns == {"age": 0, "place": 3}
    assert list(found.feature_names_in_) == NAMES


@pytest.mark.parametrize("stop_after", [1, 2])
def test_it_goes_on_from_a_checkpoint(file, tmp_path, table, expected, stop_after):
    part, saved = tmp_path / "part", tmp_path / "saved"
    part.mkdir()
    for k in range(3):
        table[300 * k : 300 * (k + 1)].write_csv(part / f"{k}.csv")
    asked = []

    def stop():
        asked.append(1)
        return len(asked) >= 2 * stop_after

    stream.run(part, HedgeGraph(given=["place", "age"]), checkpoint=saved, stop=stop)
    found = stream.run(part, HedgeGraph(given={"place": None, "age": None}), checkpoint=saved)
    assert edges(found) == expected


def test_the_command_says_what_was_held_fixed(file, expected):
    result = run("stream", file, "--given", "age,place", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["treatment"]["given"]["columns"] == {"age": 0, "place": 3}
    assert told["columns"] == 6
    assert [edge["source"] for edge in told["edges"]] == [edge[0] for edge in expected]
    assert "place" not in str(told["left_out"])
    assert told["rows_dropped"] == 12


def test_events_and_numbers_as_categories(file, tmp_path, table):
    numbered = table.with_columns(place=pl.col("place").str.len_chars())
    numbered.write_csv(file)
    events = tmp_path / "events.jsonl"
    result = run("stream", file, "--given", "place=categories,age", "--events", events, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["treatment"]["given"]["columns"] == {"age": 0, "place": 2}
    graph = HedgeGraph(given={"place": "categories", "age": None}).fit(numbered.drop_nulls())
    assert [edge["q_value"] for edge in told["edges"]] == graph.edges_.q_value.tolist()
    assert events.read_text()


def test_other_columns_given_are_refused_later(file, tmp_path):
    saved = tmp_path / "saved"
    stream.run(file, HedgeGraph(given=["age"]), checkpoint=saved)
    for given in (["age", "place"], None):
        with pytest.raises(DataError, match="given must stay the same"):
            stream.run(file, HedgeGraph(given=given), checkpoint=saved)


def test_what_cannot_be_held_fixed_is_told(file, table):
    with pytest.raises(DataError, match="no column is called 'place2'"):
        stream.run(file, HedgeGraph(given=["place2"]))
    with pytest.raises(ValueError, match="given goes with no difference"):
        stream.run(file, HedgeGraph(given=["age"]), difference=1)
    table.with_columns(place=pl.lit("north")).write_csv(file)
    with pytest.raises(DataError, match="given columns must vary, got 'north' only"):
        stream.run(file, HedgeGraph(given=["place"]))
    result = run("stream", file, "--given", "age", "--difference")
    assert result.exit_code == 2
    assert "--given and --difference" in result.output
