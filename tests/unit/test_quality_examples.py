"""The benchmark of tables that people use as examples."""

import numpy as np
import pytest

from benchmarks.quality import examples
from hedgerow.datasets import make


@pytest.fixture
def table(tmp_path):
    def table(rows):
        path = tmp_path / "table.csv"
        header = ",".join(f"c{j}" for j in range(rows.shape[1]))
        np.savetxt(path, rows, delimiter=",", header=header, comments="", fmt="%.6g")
        return path

    return table


def test_a_table_is_read_and_its_halves_are_compared(table):
    seen = examples.look(table(make("chain", 8, seed=0).sample(1000, seed=1)))
    assert not seen.failed
    assert not seen.refused
    assert not seen.steps
    assert seen.edges == 7
    assert seen.asked == seen.same == 7
    assert seen.denied == seen.meaningless == 0


def test_few_rows_have_no_halves(table):
    seen = examples.look(table(make("chain", 4, seed=0).sample(150, seed=1)))
    assert seen.edges == 3
    assert seen.asked == 0


def test_tables_that_are_refused_are_counted(table):
    seen = examples.look(table(np.arange(20.0)[:, None]))
    assert seen.refused
    assert seen.failed == ""


def test_what_was_seen_is_told():
    some = [examples.Seen("a", edges=4, asked=4, same=3, denied=1), examples.Seen("b", "wrong")]
    told = examples._told(some)
    assert "2 tables: 0 were refused" in told
    assert "1 ended with an error that names no rule" in told
    assert "| all | 1 | 0 | 0 | 4 | 0 | 0 | 4 | 0.750 | 0.2500 |" in told
    assert "| 10 columns | 0 of 3 | 1 of 4 |" in examples._simulated([[(3, 0), (4, 1)]])


def test_of_cut_normal_variables_none_is_taken_by_its_scores():
    assert not examples.taken_by_scores(("five steps, even", "random_tree", 10, 10.0, 0))
