"""Columns of steps behind which no normal variables can lie: found, told, and taken by scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hedgerow import HedgeGraph, difference
from hedgerow.datasets import make, rescale
from hedgerow.engines import numba_cpu
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method import behind, noisy
from hedgerow.method.latent import latent_of
from hedgerow.method.moments import correlation
from hedgerow.method.steps import curves_of_steps, straight
from hedgerow.method.untenable import nearest, untenable

ALL = ["mood", "sleep", "work", "north", "south", "east"]


def with_levels(seed, n_rows=600):
    """Three answers from 1 to 5, one after another, and a column for each of three regions."""
    rng = np.random.default_rng(seed)
    answers = np.cumsum(rng.standard_normal((n_rows, 3)), axis=1)
    answers = np.digitize(answers / answers.std(axis=0), [-1.0, -0.3, 0.3, 1.0]) + 1.0
    regions = np.eye(4)[rng.choice(4, n_rows, p=[0.4, 0.3, 0.2, 0.1]), :3]
    return np.column_stack([answers, regions])


def cut(family, seed, n_columns, n_rows, below):
    model = make(family, n_columns, seed=seed)
    model = rescale(model, 1 / np.sqrt(np.diag(model.covariance())))
    return np.digitize(model.sample(n_rows, seed=seed), below).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_levels_of_one_category_are_taken_by_their_scores(seed):
    rows = with_levels(seed)
    with pytest.warns(GuaranteeWarning, match="no normal variables .* behind 3 columns"):
        graph = HedgeGraph(error="fwer").fit(rows)
    assert graph._stream.behind().by_scores.tolist() == [False] * 3 + [True] * 3
    edges = {(int(a), int(b)) for a, b in zip(graph.edges_.source, graph.edges_.target)}
    assert {(0, 1), (1, 2)} == {pair for pair in edges if min(pair) < 3}
    assert (np.abs(graph.edges_.partial_corr) < 1.0).all()
    assert graph.column_kinds_.tolist() == ["steps"] * 3 + ["yes/no"] * 3


def test_it_is_told_in_words_and_in_json():
    pandas = pytest.importorskip("pandas")
    with pytest.warns(GuaranteeWarning, match="'north'"):
        graph = HedgeGraph().fit(pandas.DataFrame(with_levels(0), columns=ALL))
    told = graph.treatment_
    assert set(told.by_scores) <= set(ALL[3:])
    assert told.to_dict(ALL)["by_scores"] == list(told.by_scores)
    assert f"but for {len(told.by_scores)} that are taken by their scores." in graph.summary()


@pytest.mark.parametrize("n_rows", [96, 240, 960])
@pytest.mark.parametrize("below", [[-1, -0.3, 0.3, 1], [0.0], [0.3, 1.0, 1.6]])
@pytest.mark.parametrize("family", ["watts_strogatz", "free_field", "path_cliques", "hubs"])
def test_where_normal_variables_were_cut_none_is_found(family, below, n_rows):
    """Not one of a thousand larger ones was, either (docs/quality.md)."""
    for seed in range(3):
        graph = HedgeGraph().partial_fit(cut(family, seed, 24, n_rows, below))
        assert not graph._stream.behind().by_scores.any(), seed


def test_answers_cut_from_what_is_not_normal_together_are_found():
    """A column, and whether it is high, low, or neither, with what all of it explains."""
    rng = np.random.default_rng(1)
    amount = rng.standard_normal(2000)
    other = np.round(np.abs(amount) + 0.1 * rng.standard_normal(2000), 1)
    rows = np.column_stack([amount, amount > 0.5, amount < -0.5, np.abs(amount) < 0.5, other])
    with pytest.warns(GuaranteeWarning, match="no normal variables"):
        HedgeGraph().fit(rows)


def test_the_engine_finds_the_same_as_the_readable_functions():
    rows = with_levels(3)
    stream = HedgeGraph().partial_fit(rows)._stream
    corr, curves = correlation(stream.asked().moments()), stream.treated.curves(stream.engine)
    found = [untenable(corr, curves, 600.0, who) for who in (behind, numba_cpu.behind)]
    assert np.array_equal(*found)
    assert found[0].any()


def test_of_continuous_columns_nothing_is_asked():
    corr = np.where(np.eye(3), 1.0, -0.9)  # of no variables at all
    assert not untenable(corr, straight(3), 500.0).any()


def test_the_same_is_found_however_rows_are_cut_and_after_saving(tmp_path):
    rows = with_levels(4, 1300)
    graph = HedgeGraph()
    for start, end in ((0, 200), (200, 700), (700, 1300)):
        graph.partial_fit(rows[start:end])
        graph.edges_.source  # noqa: B018
        graph.save(tmp_path / "model.hedgerow")
        graph = HedgeGraph.load(tmp_path / "model.hedgerow")
    whole = HedgeGraph().fit(rows)
    assert graph.treatment_.by_scores == whole.treatment_.by_scores
    assert np.array_equal(graph.partial_corr_, whole.partial_corr_)


def test_what_one_of_two_models_takes_by_scores_both_do_when_compared():
    """The levels of one category are all in one group, and two of them in the other."""
    rows, others = with_levels(0, 900), with_levels(1, 900)
    others[:, 4:] = np.random.default_rng(0).random((900, 2)) < 0.3
    first, second = (HedgeGraph().fit(each) for each in (rows, others))
    mine, theirs = (model._stream.behind().by_scores for model in (first, second))
    assert mine.any()
    assert not np.array_equal(mine, theirs)
    columns = np.arange(6)
    known = [model.compared().known(columns, mine | theirs) for model in (first, second)]
    for each in known:
        noise = np.zeros(6) if each.latent is None else each.latent.noise
        assert np.array_equal(noise == 0.0, mine | theirs)
    assert len(difference(first, second).edges_) >= 0


@settings(max_examples=50)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_the_nearest_correlations_are_those_of_variables(n_columns, seed):
    rng = np.random.default_rng(seed)
    corr = np.clip(rng.standard_normal((n_columns, n_columns)), -1.0, 1.0)
    corr = np.where(np.eye(n_columns), 1.0, (corr + corr.T) / 2)
    found = nearest(corr)
    assert np.linalg.eigvalsh(found)[0] > -1e-9
    assert np.diag(found) == pytest.approx(1.0)
    possible = nearest(found)
    assert np.abs(possible - found).max() < 1e-3


def test_a_partial_correlation_beyond_one_is_told_given_the_neighbours_of_both():
    """Two, each of which has neighbours that say more of it than together with the other's."""
    first = np.array([0.0, 0.5]), np.array([0.5, 1.0]), np.array([-1.0, 1.0])
    curves = curves_of_steps(*np.tile(first, 4), np.repeat(range(4), 2), 4)
    corr = np.array([[1, 0.8, 0.7, 0.3], [0.8, 1, 0.3, 0.7], [0.7, 0.3, 1, 0], [0.3, 0.7, 0, 1]])
    latent = latent_of(np.where(np.eye(4), 1.0, 2 / np.pi * np.arcsin(corr)), curves)
    chosen = csr_array(np.array([[0, 0, 0.7, 0], [0, 0, 0, 0.7], [0, 0, 0, 0], [0, 0, 0, 0]]))
    pairs = np.array([0, 0]), np.array([1, 2])
    found, unsure = noisy.within_one(latent, np.array([1.0, 0.4]), *pairs, chosen)
    inverse = np.linalg.inv(corr)
    assert unsure.tolist() == [True, False]
    assert found[0] == pytest.approx(-inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1]))
    assert found[1] == 0.4
    assert noisy.partial_given(corr, 0, 1, np.array([2, 3])) == pytest.approx(found[0])
    assert np.isnan(noisy.partial_given(np.where(np.eye(3), 1.0, -0.9), 0, 1, np.array([2])))


def test_curves_of_some_columns_can_be_made_straight():
    rows = with_levels(0)
    stream = HedgeGraph().partial_fit(rows)._stream
    curves = stream.treated.curves(stream.engine)
    some = np.arange(6) < 2
    known = curves.straightened(some)
    assert np.array_equal(known.noise == 0.0, some)
    corr = correlation(stream.asked().moments())
    assert np.array_equal(latent_of(corr, known).corr[:2, :2], corr[:2, :2])
