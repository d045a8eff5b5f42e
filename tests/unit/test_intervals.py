"""Intervals of partial correlations: what they are made for, and that they cover it."""

import csv
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array

from hedgerow import HedgeGraph, io, report
from hedgerow.datasets import make
from hedgerow.estimators._fresh_rows import FreshRows
from hedgerow.method.inflation import Inflation, no_inflation
from hedgerow.method.intervals import interval, level_of_each, standard_errors
from hedgerow.method.latent import latent_of
from hedgerow.method.looseness import looseness
from hedgerow.method.steps import curves_of_steps, straight
from hedgerow.report import payload

PAIR = np.array([0]), np.array([1])


def chain(n_columns, n_rows, seed):
    return make("chain", n_columns, seed=0), make("chain", n_columns, seed=0).sample(
        n_rows, seed=seed
    )


def test_standard_errors_are_those_of_fisher_where_rows_are_normal_and_independent():
    found = standard_errors(103, no_inflation(2), *PAIR, given=np.array([0]))
    assert found == pytest.approx(0.1)


def test_factors_of_pairs_make_intervals_wider_as_they_make_tests_less_sure():
    slow = Inflation(np.array([2.0, 2.0, 1.0]), np.empty((3, 0)), typical=2.0, common=1.5)
    both = standard_errors(1203, slow, np.array([0, 1]), np.array([1, 2]), given=np.array([0, 0]))
    # 1203 rows are 401 effective ones; of the first pair, with twice the typical factor, half.
    assert both == pytest.approx(np.sqrt([2.0 / 398, 1.0 / 398]))


@pytest.mark.parametrize(
    ("promise", "expected"),
    [("fdr", 0.1 * 9 / 45), ("fwer", 0.1 / 45), ("balanced", 0.05 * 9 / 45)],
)
def test_level_of_each_interval_allows_for_the_choice_of_edges(promise, expected):
    assert level_of_each(0.1, promise, n_edges=9, n_columns=10) == pytest.approx(expected)


def test_an_interval_is_symmetric_on_fishers_scale_and_within_bounds():
    low, high = interval(np.array([0.9, -0.2]), np.array([0.5, 3.0]), 0.01)
    middle = np.arctanh([0.9, -0.2])
    assert np.arctanh(low) + np.arctanh(high) == pytest.approx(2 * middle)
    assert ((low > -1) & (high < 1) & (low < [0.9, -0.2]) & (high > [0.9, -0.2])).all()


def test_looseness_is_one_where_nothing_is_hidden():
    rng = np.random.default_rng()
    rows = rng.standard_normal((60, 6)) @ rng.standard_normal((6, 6))
    corr = np.corrcoef(rows.T)
    theta = np.linalg.inv(corr)
    weights = csr_array(np.eye(6) - theta / np.diag(theta)[:, None])
    found = looseness(latent_of(corr, straight(6)), weights, *np.triu_indices(6, 1))
    # Rounding is multiplied by the condition of the matrix, twice.
    assert found == pytest.approx(1.0, abs=1e-14 * np.linalg.cond(corr) ** 2)


def test_looseness_of_yes_or_no_is_that_of_tetrachoric_correlations():
    # Cut at their medians, g = 2/pi asin(r), the variance of which is 1 - g² for each row.
    low, high, score = np.tile([[0.0, 0.5], [0.5, 1.0], [-1.0, 1.0]], 2)
    curves = curves_of_steps(low, high, score, np.array([0, 0, 1, 1]), 2)
    for r in (0.0, 0.5, 0.8):
        g = 2 / np.pi * np.arcsin(r)
        variance = (1 - g**2) * (np.pi / 2) ** 2 * (1 - r**2)
        seen = np.array([[1.0, g], [g, 1.0]])
        found = looseness(latent_of(seen, curves), csr_array((2, 2)), *PAIR)
        # Series of Hermite polynomials are cut where what is left out is below 1e-4.
        assert found == pytest.approx(variance / (1 - r**2) ** 2, rel=1e-3)


def test_edges_have_intervals_around_their_partial_correlations():
    _, rows = chain(8, 400, seed=1)
    edges = HedgeGraph().fit(rows).edges_
    assert len(edges) >= 7
    assert (edges.low < edges.partial_corr).all()
    assert (edges.partial_corr < edges.high).all()
    wider = HedgeGraph(error="fwer").fit(rows).edges_
    assert (wider.high - wider.low).mean() > (edges.high - edges.low).mean()


def test_more_rows_make_intervals_narrower_by_their_root():
    _, rows = chain(6, 6400, seed=2)
    few, many = (HedgeGraph().fit(rows[:n]) for n in (400, 6400))
    widths = [np.ptp(np.arctanh(graph.partial_corr_of(0, 5)[3:5])) for graph in (few, many)]
    assert widths[0] / widths[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("foretold", [True, False])
def test_rows_that_remember_make_intervals_wider_unless_they_are_foretold(foretold, monkeypatch):
    if not foretold:
        monkeypatch.setattr(FreshRows, "begin", lambda *_: None)
    _, rows = chain(6, 2000, seed=3)
    slow = rows.copy()
    for t in range(1, len(slow)):
        slow[t] = 0.8 * slow[t - 1] + 0.6 * rows[t]
    widths = [np.ptp(HedgeGraph().fit(some).partial_corr_of(0, 5)[3:5]) for some in (slow, rows)]
    expected = 1.0 if foretold else np.sqrt((1 + 0.8**2) / (1 - 0.8**2))
    assert widths[0] / widths[1] == pytest.approx(expected, rel=0.2)


@pytest.mark.parametrize("cut", [False, True])
def test_any_pair_can_be_asked_and_edges_have_the_same_number(cut):
    _, rows = chain(8, 600, seed=4)
    graph = HedgeGraph().fit(np.digitize(rows, [-1.5, -0.5, 0.5, 1.5]) if cut else rows)
    edge = next(iter(graph.edges_))
    found = graph.partial_corr_of(edge.source, edge.target, level=0.05 * len(graph.edges_) / 28)
    assert found.partial_corr == pytest.approx(edge.partial_corr, rel=1e-6)
    # That of an edge allows for neighbours that were not found, beside.
    assert edge.low - 1e-9 <= found.low < found.high <= edge.high + 1e-9
    none = graph.partial_corr_of(0, 7)
    assert none.low < 0 < none.high
    assert none.given == (1, 6)
    assert none.rows == pytest.approx(graph.n_samples_effective_)


def test_intervals_of_pairs_cover_what_they_are_for():
    # Ten models, all pairs of each: pairs of one model are related, models are not.
    missed = []
    for seed in range(10):
        model = make("erdos_renyi", 10, seed=seed)
        theta = model.precision.toarray()
        truth = -theta / np.sqrt(np.outer(np.diag(theta), np.diag(theta)))
        graph = HedgeGraph().fit(model.sample(500, seed=seed))
        pairs = [
            (i, j, graph.partial_corr_of(i, j, level=0.1)) for i in range(10) for j in range(i)
        ]
        missed.append(
            np.mean([not found.low <= truth[i, j] <= found.high for i, j, found in pairs])
        )
    # The rows are seeded; without, 450 independent pairs would exceed this once in 10,000 runs.
    assert 0.0 < np.mean(missed) < stats.binom.isf(1e-4, 450, 0.1) / 450


def test_pairs_of_columns_that_were_set_aside():
    rng = np.random.default_rng(5)
    rows = np.cumsum(rng.standard_normal((300, 3)), axis=1)
    rows = np.column_stack([rows, -2 * rows[:, 0], np.ones(300)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = HedgeGraph().fit(rows)
    assert graph.partial_corr_of(0, 3)[2:5] == (-1.0, -1.0, -1.0)
    copies = {(edge.source, edge.target): edge for edge in graph.edges_}[0, 3]
    assert (copies.low, copies.high) == (-1.0, -1.0)
    for other in (3, 4):
        nothing = graph.partial_corr_of(1, other)
        assert np.isnan(nothing.partial_corr)
        assert nothing[3:5] == (-1.0, 1.0)


def test_bad_questions_are_refused():
    graph = HedgeGraph().fit(chain(4, 100, seed=6)[1], feature_names=["a", "b", "c", "d"])
    with pytest.raises(ValueError, match="target must be a column, got 'e'"):
        graph.partial_corr_of("a", "e")
    with pytest.raises(ValueError, match="source and target must differ, got 'a' twice"):
        graph.partial_corr_of("a", "a")
    with pytest.raises(ValueError, match=r"level must be a number in \(0, 1\), got 1.5"):
        graph.partial_corr_of("a", "b", level=1.5)


def test_intervals_are_in_files_and_after_loading(tmp_path):
    graph = HedgeGraph().fit(chain(4, 300, seed=7)[1], feature_names=["a", "b", "c", "d"])
    graph.save(tmp_path / "model")
    again = HedgeGraph.load(tmp_path / "model")
    assert list(again.edges_) == list(graph.edges_)
    assert again.partial_corr_of("a", "d") == graph.partial_corr_of("a", "d")
    io.write(tmp_path / "edges.csv", graph)
    with (tmp_path / "edges.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["low"]) for row in rows] == graph.edges_.low.tolist()
    first = next(iter(graph.edges_))
    assert graph.to_networkx().edges[first[:2]]["high"] == first.high


def test_a_page_has_intervals_made_for_its_own_level():
    graph = HedgeGraph().fit(chain(8, 400, seed=8)[1])
    data = report.data_of(graph)
    shown = data.q_value <= data.level
    np.testing.assert_allclose(data.low[shown], graph.edges_.low)
    np.testing.assert_allclose(data.high[shown], graph.edges_.high)
    assert payload.edges(data)["low"][0] == float(f"{data.low[0]:.4g}")


def test_a_page_can_be_made_without_intervals():
    whole = report.data_of(HedgeGraph().fit(chain(4, 400, seed=9)[1]))
    assert "low" not in payload.edges(replace(whole, low=None, high=None))
    with pytest.raises(ValueError, match="low and high must be given together"):
        replace(whole, high=None)
