"""Histograms of columns: in the user's units, from counts as from the rows themselves."""

import numpy as np
import pytest
from scipy import stats

from hedgerow import HedgeGraph
from hedgerow.method.histograms import BINS, histogram_of_values


def columns(n_rows, rng):
    return np.column_stack(
        [
            5.0 + 2.0 * rng.standard_normal(n_rows),
            np.exp(1.5 * rng.standard_normal(n_rows)),
            rng.integers(0, 4, n_rows),
            1e6 * rng.standard_t(2, n_rows),
        ]
    )


@pytest.mark.parametrize("n_rows", [100, 512, 3000])
def test_every_row_that_has_the_cell_is_in_a_bin(n_rows):
    rows = columns(n_rows, np.random.default_rng())
    graph = HedgeGraph().fit(rows)
    slipped = [column for _, column in graph.treatment_.outlying_cells]
    for j, (start, stop, counts) in enumerate(graph.histograms()):
        assert rows[:, j].min() <= start < stop <= rows[:, j].max()
        assert len(counts) == BINS
        assert (counts >= 0).all()
        assert counts.sum() == pytest.approx(n_rows - slipped.count(j))


def test_few_rows_are_counted_exactly():
    values = np.random.default_rng().standard_normal(400)
    start, stop, counts = histogram_of_values(values)
    edges = np.linspace(start, stop, BINS + 1)
    edges[0], edges[-1] = -np.inf, np.inf
    assert counts.tolist() == np.histogram(values, edges)[0].tolist()
    beyond = (values < start).sum(), (values > stop).sum()
    assert max(beyond) <= 0.005 * len(values)


def test_many_rows_have_the_histogram_of_their_distribution():
    """Between knots rows are spread evenly, which hardly matters: the rest is chance."""
    n_rows = 40_000
    rows = np.random.default_rng(0).gamma(2.0, size=(n_rows, 2))
    start, stop, counts = HedgeGraph().fit(rows).histograms()[0]
    edges = np.linspace(start, stop, BINS + 1)
    expected = np.diff(np.r_[0.0, stats.gamma(2.0).cdf(edges[1:-1]), 1.0])
    assert (np.abs(counts / n_rows - expected) < 4 * np.sqrt(expected / n_rows) + 1e-3).all()


def test_few_values_have_a_bar_each():
    rows = np.column_stack([np.tile([0.0, 3.0], 400), np.random.default_rng().normal(size=800)])
    start, stop, counts = HedgeGraph().fit(rows).histograms()[0]
    assert (start, stop) == (0.0, 3.0)
    assert counts[[0, -1]].tolist() == [400, 400]
    assert counts[1:-1].sum() == 0


@pytest.mark.filterwarnings("ignore:constant columns")
@pytest.mark.parametrize("n_rows", [60, 600])
def test_a_constant_column_has_one_bar(n_rows):
    rows = np.random.default_rng().standard_normal((n_rows, 3))
    rows[:, 1] = 7.0
    start, stop, counts = HedgeGraph().fit(rows).histograms()[1]
    assert (start, stop, counts.tolist()) == (7.0, 7.0, [n_rows])


@pytest.mark.parametrize("value", [1e9, -1e9])
@pytest.mark.parametrize("row", [500, 900])
def test_one_outlying_cell_does_not_hide_the_others(row, value):
    """Among the first rows, where it is a slip and left out, or later."""
    for seed in range(20):
        rows = np.random.default_rng(seed).standard_normal((1000, 2))
        rows[row, 0] = value
        start, stop, counts = HedgeGraph().fit(rows).histograms()[0]
        assert -4 < start < stop < 4
        assert counts.sum() == pytest.approx(1000, abs=1.0 if row == 500 else 1e-6)


def test_any_cut_of_the_rows_gives_the_same():
    rows = columns(1500, np.random.default_rng())
    model = HedgeGraph()
    for some in np.array_split(rows, 17):
        model.partial_fit(some)
    for one, other in zip(model.histograms(), HedgeGraph().fit(rows).histograms()):
        assert one[:2] == other[:2]
        assert one.counts.tobytes() == other.counts.tobytes()


def test_rows_that_are_forgotten_count_less():
    rng = np.random.default_rng()
    rows = np.r_[rng.standard_normal((2000, 2)), 10 + rng.standard_normal((8000, 2))]
    start, _, counts = HedgeGraph(half_life=500).fit(rows).histograms()[0]
    assert start > 5
    assert counts.sum() < 3000


def test_what_is_taken_as_it_is_was_not_counted():
    rows = np.random.default_rng().standard_normal((600, 2))
    assert HedgeGraph(rows="independent", columns="normal").fit(rows).histograms() == []
    assert len(HedgeGraph(columns="normal").fit(rows).histograms()) == 2


@pytest.mark.parametrize("n_rows", [300, 3000])
def test_few_values_are_counted_one_by_one(n_rows):
    rng = np.random.default_rng(6)
    answers = rng.choice([1.0, 2.0, 4.0, 5.0], p=[0.4, 0.1, 0.2, 0.3], size=n_rows)
    answers[5::9] = np.nan
    many = np.floor(20 * rng.standard_normal(n_rows))
    rows = np.column_stack([rng.standard_normal(n_rows), answers, answers < 3, many])
    bars = HedgeGraph(columns={3: "steps"}).fit(rows).value_counts()
    assert bars[0] is None
    assert bars[3] is None, "of so many values bins are as good"
    values, counts = np.unique(answers[~np.isnan(answers)], return_counts=True)
    assert bars[1].values.tolist() == values.tolist()
    assert bars[1].counts.tolist() == counts.tolist()
    assert bars[2].values.tolist() == [0.0, 1.0]
    assert bars[2].counts.sum() == n_rows


def test_a_value_that_comes_late_counts_as_the_one_below():
    rows = np.random.default_rng(7).integers(1, 4, (3000, 3)).astype(float)
    rows[2000, 0] = 2.5
    rows[2001, 0] = 9.0
    rows[2002, 0] = -1.0
    values, counts = HedgeGraph().fit(rows).value_counts()[0]
    often = np.unique(np.delete(rows[:, 0], [2000, 2001, 2002]), return_counts=True)[1]
    assert values.tolist()[-3:] == [1.0, 2.0, 3.0]
    assert counts[-3:].tolist() == np.add(often, [len(values) == 3, 1, 1]).tolist()
    assert counts.sum() == 3000


def test_what_was_not_counted_has_no_bars():
    rows = np.random.default_rng().standard_normal((600, 2))
    assert HedgeGraph(rows="independent", columns="normal").fit(rows).value_counts() == []
