"""Counts of rows that were counted to different depths: told, and by how much."""

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.depth import depth_spread
from hedgerow.method.kinds import kinds_of
from hedgerow.method.ordered import in_order

FAMILIES = ("chain", "grid", "erdos_renyi", "barabasi_albert", "hubs", "cliques", "random_tree")


def counts(rng, family, mean, spread, n_rows=512, n_columns=60):
    behind = make(family, n_columns, seed=rng).sample(n_rows, rng)
    depth = rng.gamma(spread**-2, spread**2, size=(n_rows, 1)) if spread else 1.0
    return rng.poisson(depth * mean * np.exp(0.6 * behind / behind.std(axis=0))).astype(float)


def told(rows):
    first = in_order(rows)
    return depth_spread(first, kinds_of(first, np.zeros(rows.shape[1], dtype=bool)))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("mean", [1, 5, 20, 100])  # of the last, hardly a column comes down to zero
def test_how_different_rows_are_is_told_whatever_the_size_of_counts(family, mean):
    spread = 0.6
    assert told(counts(np.random.default_rng(), family, mean, spread)) == pytest.approx(
        spread, rel=0.3
    )


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("mean", [1, 5, 20])
def test_counts_to_the_same_depth_are_not_told(family, mean):
    assert told(counts(np.random.default_rng(), family, mean, 0.0)) == 0.0


def test_gaps_do_not_hide_it_and_numbers_that_are_no_counts_do_not_tell():
    rng = np.random.default_rng()
    rows = counts(rng, "random_tree", 5, 0.6)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    rows[:, 3] = np.nan
    assert told(rows) == pytest.approx(0.6, rel=0.3)
    assert told(np.log1p(rows)) == 0.0
    assert told(1000.0 * rows) == 0.0  # whole numbers, but their noise is not that of counting
    assert told(rows[:, :20]) == 0.0  # of few columns most may be related


def test_a_fit_warns_and_a_saved_model_remembers(tmp_path):
    rows = counts(np.random.default_rng(), "random_tree", 5, 0.5)
    model = HedgeGraph()
    with pytest.warns(GuaranteeWarning, match=r"as where more was counted in some rows"):
        model.fit(rows)
    model.save(tmp_path / "model.hedgerow")
    spread = HedgeGraph.load(tmp_path / "model.hedgerow").treatment_.depth
    assert spread == model.treatment_.depth > 0.2
