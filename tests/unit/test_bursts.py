"""Rows on end in which some columns are off together are found, and nothing else is."""

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.bursts import (
    LEAST_COLUMNS,
    MOST_COLUMNS,
    NONE,
    WINDOW,
    _squared_sums,
    bursts_of,
)


def remembering(rng, m, p, share):
    rows = rng.standard_normal((m, p))
    for t in range(1, m):
        rows[t] = share * rows[t - 1] + np.sqrt(1 - share**2) * rows[t]
    return rows


def with_burst(rows, start, columns, size=3.0, length=10):
    rows[start : start + length, columns] += size * np.std(rows, axis=0)[columns]
    return rows


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5])
def test_a_burst_is_found_with_its_rows_and_columns(share):
    rng = np.random.default_rng()
    rows = with_burst(remembering(rng, 400, 60, share), 200, np.arange(10, 20), size=5.0)
    found = bursts_of(rows)
    assert found.number
    assert found.first >= 200 - WINDOW
    assert found.last < 210 + WINDOW
    if share == 0.0:  # else the columns' own memory is off here and there
        assert set(range(10, 20)) <= set(found.columns.tolist())
        assert len(found.columns) < 15


def test_columns_may_have_any_unit_and_gaps():
    rng = np.random.default_rng()
    rows = with_burst(rng.standard_normal((300, 30)), 100, np.arange(10), size=4.0)
    rows[rng.random(rows.shape) < 0.05] = np.nan
    found = bursts_of(rows)
    changed = bursts_of(rows * 10.0 ** rng.integers(-140, 140, 30) + 0.0)
    assert found.number == changed.number == 1
    assert (found.first, found.columns.tolist()) == (changed.first, changed.columns.tolist())
    flat = np.column_stack([rng.standard_normal((300, 8)), np.full(300, 5.0)])
    assert bursts_of(flat).number == bursts_of(flat[:, :8]).number == 0


def test_several_bursts_are_counted():
    rows = np.random.default_rng().standard_normal((500, 60))
    for start in (50, 200, 350):
        with_burst(rows, start, np.arange(8), size=4.0)
    found = bursts_of(rows)
    assert found.number == 3


@pytest.mark.parametrize("shape", [(40, 20), (150, LEAST_COLUMNS), (150, 100), (512, 20)])
@pytest.mark.parametrize("kind", ["normal", "remembering", "heavy", "volatile", "one factor"])
def test_rows_without_one_have_none(kind, shape):
    """But for one data set in a thousand; these are the same every time."""
    rng, found = np.random.default_rng([2, *shape]), 0
    m, p = shape
    for _ in range(40):
        rows = remembering(rng, m, p, 0.8 if kind == "remembering" else 0.0)
        if kind == "heavy":
            rows /= np.sqrt(rng.chisquare(3, (m, 1)) / 3)
        if kind == "volatile":
            rows *= np.exp(remembering(rng, m, 1, 0.95))
        if kind == "one factor":
            rows += 2.0 * rng.standard_normal((m, 1))
        found += bursts_of(rows).number > 0
    assert found <= 2  # with the rate that is stated, more come once in 100,000 times


def test_a_doubled_limit_would_be_seen():
    """How often rows without a burst have one, in many data sets."""
    rng = np.random.default_rng(0)
    found = sum(bursts_of(rng.standard_normal((100, 30))).number > 0 for _ in range(2000))
    assert found <= 8  # two are expected; more than eight come once in 4,000 times


@pytest.mark.parametrize("shape", [(100, 30), (60, 90)])
def test_sums_are_as_long_as_those_of_rows_without_common_directions(shape):
    rng = np.random.default_rng()
    n_rows, n_columns = shape
    rows = rng.standard_normal(shape) + 2.0 * rng.standard_normal((n_rows, 1))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    left, sizes, right = np.linalg.svd(unit, full_matrices=False)
    most = np.sqrt(n_rows / n_columns) * (1.0 + np.sqrt(n_columns / n_rows))
    assert sizes[0] > most
    even = left * np.minimum(sizes, most) @ right
    sums = [even[start : start + WINDOW].sum(axis=0) for start in range(n_rows - WINDOW + 1)]
    squares = _squared_sums(unit)
    # The norm of the matrix of products is at most its trace; a sum is of a square of `WINDOW`.
    rounding = WINDOW * n_rows * np.finfo(np.float32).eps
    np.testing.assert_allclose(squares, np.square(sums).sum(axis=1), rtol=0, atol=rounding)


@pytest.mark.parametrize(
    "shape", [(0, 20), (4 * WINDOW - 1, 20), (100, LEAST_COLUMNS - 1), (40, MOST_COLUMNS + 1)]
)
def test_too_few_rows_and_too_few_or_many_columns_tell_nothing(shape):
    assert bursts_of(np.random.default_rng().standard_normal(shape)) is NONE


def test_rows_that_are_all_the_same_tell_nothing():
    assert bursts_of(np.ones((100, 20))) is NONE
    assert bursts_of(np.zeros((100, 20))) is NONE


class TestTold:
    """A graph with bursts warns, and its saved model knows."""

    @staticmethod
    def rows(m):
        rows = np.random.default_rng(1).standard_normal((m, 20))
        return with_burst(rows, 100, np.arange(6), size=4.0)

    @pytest.mark.parametrize("m", [300, 700])
    def test_with_rows_and_columns(self, m, tmp_path):
        with pytest.warns(GuaranteeWarning, match="some columns are off together for a few rows"):
            graph = HedgeGraph().fit(self.rows(m))
        told = graph.treatment_.bursts
        assert told.number == 1
        assert 95 < told.first < told.last < 115
        assert set(told.names) == set(range(6))
        assert graph.treatment_.to_dict(range(20))["bursts"]["names"] == [*map(str, told.names)]
        graph.save(tmp_path / "model")
        assert HedgeGraph.load(tmp_path / "model").treatment_.bursts == told

    @pytest.mark.filterwarnings("error")
    def test_not_if_rows_have_no_order(self):
        graph = HedgeGraph(rows="independent").fit(self.rows(300))
        assert graph.treatment_.bursts.number == 0
