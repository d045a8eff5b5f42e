"""A season bends normal scores; scores of a mixture are straight."""

import numpy as np
import pytest
from scipy import special

from hedgerow import HedgeGraph
from hedgerow.base import storage
from hedgerow.datasets import make
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.bends import KNOTS, bends_of, bent
from hedgerow.method.marginals import first_scores
from hedgerow.method.ordered import in_order
from hedgerow.method.seasons import period_of

KIND = "HedgeGraph"


def scores_of(rows):
    return first_scores(in_order(rows), np.zeros(rows.shape[1], dtype=np.bool_))


def seasonal(rng, n_rows, n_columns, size, period=24, family="watts_strogatz"):
    """Return rows of a graph with waves of their own phases added, and the graph."""
    model = make(family, n_columns, seed=rng)
    rows = model.sample(n_rows, rng) / np.sqrt(np.diag(model.covariance()))
    phase = rng.uniform(0, 2 * np.pi, n_columns)
    wave = np.sin(2 * np.pi * np.arange(n_rows)[:, None] / period + phase)
    return rows + size * wave, model.adjacency.toarray() != 0


def false_edges(rows, true):
    source, target = HedgeGraph(error="fwer").fit(rows).graph_up_to(0.05)[:2]
    return int((~true[source, target]).sum())


@pytest.mark.parametrize("shape", [np.exp, np.cbrt, lambda x: x])
def test_bent_scores_are_the_values_that_were_added(shape):
    rng = np.random.default_rng()
    levels = np.array([-3.0, -1.0, 0.0, 4.0])[np.arange(2000) % 4]
    values = rng.standard_normal(2000) + levels
    scores = scores_of(shape(values)[:, None])
    found = bent(scores, bends_of(scores, 4, np.array([0])))[:, 0]
    # How far apart phases are that do not overlap, ranks cannot tell; and it is taken out.
    for phase in range(4):
        before, after, original = (x[phase::4] for x in (scores[:, 0], found, values))
        assert np.corrcoef(after, original)[0, 1] > 0.985
        # By five of the standard errors that simulation gave, 0.03.
        assert after.std() / original.std() == pytest.approx(1.0, abs=0.15)
        assert abs(before.std() / original.std() - 1.0) > 0.3


def test_without_a_season_scores_hardly_bend():
    rng = np.random.default_rng()
    scores = scores_of(rng.standard_normal((480, 3)))
    bends = bends_of(scores, 12, np.array([0, 1]))
    np.testing.assert_array_equal(bends[:, 2], KNOTS)
    # Means of phases that chance makes are drawn together; three times as large a variance is not.
    assert np.abs(bent(scores, bends) - scores).max() < 0.5
    assert bends_of(scores, 12, np.empty(0, dtype=np.intp)).shape == (0, 3)


def test_gaps_stay_and_columns_that_are_no_scores_too():
    rng = np.random.default_rng()
    rows = 1e6 * rng.standard_normal((240, 2))
    rows[3, 0] = np.nan
    scored = np.column_stack([scores_of(rows)[:, 0], rows[:, 1]])
    found = bent(scored, bends_of(scored, 24, np.array([0])))
    assert np.isnan(found[3, 0])
    np.testing.assert_array_equal(found[:, 1], rows[:, 1])


@pytest.mark.parametrize("size", [1.0, 4.0])
@pytest.mark.parametrize("family", ["path_cliques", "free_field"])
def test_a_season_of_columns_that_nearly_determine_each_other_makes_no_edges(family, size):
    """Before scores were bent, or left out, each of these tables had false edges."""
    rng = np.random.default_rng()
    tables = [seasonal(rng, 900, 36, size, family=family) for _ in range(4)]
    assert sum(false_edges(*table) > 0 for table in tables) <= 2  # of 0.2: more by a chance of 5e-4


def test_seasons_of_columns_that_are_not_normal_are_doubted_where_it_matters():
    rng = np.random.default_rng(1)
    rows, _ = seasonal(rng, 900, 36, 1.0, family="path_cliques")
    with pytest.warns(GuaranteeWarning, match="a season was taken out of columns that are not"):
        HedgeGraph().fit(np.exp(rows / 2))
    rows, true = seasonal(rng, 900, 36, 1.0)
    graph = HedgeGraph(error="fwer").fit(np.exp(rows / 2))
    assert graph.treatment_.season == 24
    assert len(graph.edges_) > 0.5 * true.sum() / 2


@pytest.mark.parametrize("n_rows", [96, 128, 300])
def test_patterns_without_a_shape_are_found(n_rows):
    """Levels of twelve months, as large as what varies about them, in six columns of twenty."""
    rng = np.random.default_rng()
    found = []
    for _ in range(8):
        rows = rng.standard_normal((n_rows, 20))
        rows += rng.standard_normal((12, 20))[np.arange(n_rows) % 12]
        found.append(period_of(scores_of(rows)))
    assert sum(period == 12 for period in found) >= 7


def test_any_cut_of_the_rows_bends_alike_and_files_go_on(tmp_path):
    rows = np.exp(seasonal(np.random.default_rng(4), 1300, 8, 3.0)[0])
    whole = HedgeGraph().fit(rows)
    assert whole.treatment_.season == 24
    cut = HedgeGraph()
    for number, piece in enumerate(np.split(rows, [1, 512, 700])):
        cut.partial_fit(piece)
        cut.save(tmp_path / str(number))
        cut = HedgeGraph.load(tmp_path / str(number))
    np.testing.assert_array_equal(cut.edges_.z, whole.edges_.z)


def test_saved_bends_that_cannot_be_are_refused_and_old_models_load(tmp_path):
    rows = np.exp(seasonal(np.random.default_rng(4), 800, 8, 3.0)[0])
    path = tmp_path / "model"
    HedgeGraph().fit(rows).save(path)
    header, arrays = storage.read(path, KIND)
    for wrong in (-arrays["season_bends"], arrays["season_bends"][1:], np.full((145, 8), np.inf)):
        storage.write(path, KIND, header, {**arrays, "season_bends": wrong})
        with pytest.raises(storage.StorageError, match="season_bends"):
            HedgeGraph.load(path)
    rows = seasonal(np.random.default_rng(4), 800, 8, 3.0)[0]  # of which nothing is bent
    HedgeGraph().fit(rows).save(path)
    header, arrays = storage.read(path, KIND)
    assert arrays["season_bends"].shape == (0, 8)
    storage.write(path, KIND, header, {n: a for n, a in arrays.items() if n != "season_bends"})
    assert HedgeGraph.load(path).n_samples_seen_ == 800


def test_knots_reach_beyond_all_scores():
    assert KNOTS[-1] > -special.ndtri(0.5 / 1e15)


@pytest.mark.parametrize("value", [0.0, 0.3])
def test_a_column_whose_phases_are_all_alike_stays(value):
    """As where a table lists the same combinations again and again."""
    alike = np.full((40, 1), value)
    crossed = np.tile([value, value, -value, -value], 10)[:, None]
    for scored, period in ((alike, 4), (crossed, 2)):
        found = bends_of(scored, period, np.array([0]))
        np.testing.assert_allclose(found[:, 0], KNOTS, atol=0.01)
