"""Odd tables, each through Python and both commands: an error, or said what was made of it."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph
from hedgerow.cli import cli

N = 600
NAMES = list("abcd")


def plain(n_rows=N):
    """Return rows in which a - b - c - d is a chain."""
    rows = np.random.default_rng(0).standard_normal((n_rows, 4)).cumsum(axis=1)
    return pd.DataFrame(rows, columns=NAMES)


def with_column(values, n_rows=N):
    return plain(n_rows).assign(b=values)


def but(values, where):
    """Return the column b with some cells replaced."""
    column = plain()["b"].astype(object)
    column[where] = values
    return with_column(column)


def in_time(order):
    times = pd.Timestamp("2024-01-01") + pd.to_timedelta(order, unit="min")
    return plain().set_axis(times, axis=0).rename_axis("when")


STUCK = plain()
STUCK.loc[100:200, "b"] = 0.25
THREE = with_column(np.digitize(plain()["b"], [-1, 1]))
ONE_MEMBER = with_column(np.where(np.arange(N) == 7, 5, THREE["b"]))
GONE = np.arange(N) % 3 == 0
EMPTY_ROW = plain()
EMPTY_ROW.loc[5] = np.nan
SHUFFLED = np.random.default_rng(1).permutation(N)

# What `fit` says, and what `learn` and `stream` say.
WARNED = {
    "a constant stretch": (STUCK, r"stuck.*b' \(rows 100 to 200\)", None),
    "fewer rows than lags": (plain(20), "rows", None),
    "one value and gaps": (with_column(np.where(GONE, np.nan, 3.0)), "constant.*: 'b'", None),
    "a column without cells": (
        with_column(np.nan),
        "more than two thirds of the rows, .* are isolated.*: 'b'",
        r"eft out.*\(empty\): 'b'|not numeric, or not wanted\): 'b'",
    ),
    "a row without cells": (EMPTY_ROW, "1 of 600 rows have no cell", "Left out 1 row"),
    "half of the rows twice": (
        pd.concat([plain(300), plain(300)], ignore_index=True),
        "rows repeat each other exactly, 2 times in the mean",
        None,
    ),
    "times out of order": (in_time(SHUFFLED), "times in the index go back", "'when' go back in"),
    "times that come twice": (
        in_time(np.arange(N) // 2),
        "300 of 600 rows have the time of another",
        "300 of 600 rows have the time of the row before",
    ),
}
# What `fit` refuses, and what commands make of it.
REFUSED = {
    "infinite": (but(np.inf, 5), "got 1 inf values in columns: 'b' .1.", None),
    "minus infinite": (but(-np.inf, 5), "got 1 inf values in columns: 'b' .1.", None),
    "text": (
        but("ERR", 5),
        "columns that are not: 'b' .text among numbers",
        "cells of text.*'ERR'",
    ),
    "an answer": (
        but("don't know", slice(5, 12)),
        "not: 'b' .text among",
        'cells of text.*"don\'t know"',
    ),
}
CODES = {
    "NA": (but("NA", slice(200, 230)), "30 cells are missing"),
    "-99": (but(-99, slice(200, 500, 10)), r"-99 lies far outside the other values of 'b' \(30\)"),
}
TAKEN = {"three values": (THREE, [3]), "a step with one member": (ONE_MEMBER, [4])}


@pytest.fixture(params=["learn", "stream"])
def command(request, tmp_path):
    def run(table, *options):
        path = tmp_path / "table.csv"
        table.to_csv(path, index=table.index.name is not None)
        return CliRunner().invoke(cli, [request.param, str(path), *options])

    return run


@pytest.mark.parametrize(("table", "said", "_"), WARNED.values(), ids=WARNED)
def test_python_warns(table, said, _):
    with pytest.warns(UserWarning, match=said):
        HedgeGraph().fit(table)


@pytest.mark.parametrize(("table", "of_python", "said"), WARNED.values(), ids=WARNED)
def test_commands_say_it(command, table, of_python, said):
    result = command(table)
    assert result.exit_code == 0, result.output
    assert re.search(said or of_python, result.output)


@pytest.mark.parametrize(("table", "said", "_"), REFUSED.values(), ids=REFUSED)
def test_python_refuses(table, said, _):
    with pytest.raises(ValueError, match=said):
        HedgeGraph().fit(table)


@pytest.mark.parametrize(("table", "_", "said"), REFUSED.values(), ids=REFUSED)
def test_commands_refuse_or_take_it_for_missing(command, table, _, said):
    result = command(table, "--json")
    if said is None:
        assert result.exit_code == 1
        assert re.search(r"line 7.*column 'b'|column 'b'.*line 7", result.stderr)
        assert "inf" in result.stderr
    else:
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        assert any(re.search(said, each) for each in found["warnings"])
        texts = sum(isinstance(cell, str) for cell in table["b"])
        assert found["treatment"]["missing"]["b"] == texts


@pytest.mark.parametrize(("table", "said"), CODES.values(), ids=CODES)
def test_commands_know_codes(command, table, said):
    assert re.search(said, command(table).output)


@pytest.mark.parametrize(("table", "values"), TAKEN.values(), ids=TAKEN)
def test_steps_are_taken_without_a_word(command, table, values):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = HedgeGraph().fit(table)
    assert model.column_kinds_.tolist() == ["continuous", "steps", "continuous", "continuous"]
    assert [len(model.value_counts()[1].values)] == values
    told = json.loads(command(table, "--json").stdout)
    assert told["treatment"]["kinds"]["b"] == "steps"
    assert not told["warnings"]
