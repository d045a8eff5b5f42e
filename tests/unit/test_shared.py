"""What most columns share and none of them is: seen in many weak scores, and warned of."""

import warnings
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.engines.numba_cpu import _shared as compiled
from hedgerow.engines.numba_cpu._threads import team, with_threads
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.shared import CLEAR, largest_by_chance, strength_of

P, M = 40, 1500


def rows_with(cause, seed, n_rows=M):
    rng = np.random.default_rng(seed)
    rows = make("random_tree", P, seed=seed).sample(n_rows, seed=seed)
    return rows / rows.std(axis=0) + cause(rng, n_rows)


CAUSES = {
    "a batch": lambda rng, m: (0.5 * rng.standard_normal((3, P)))[rng.integers(3, size=m)],
    "rows of another kind": lambda rng, m: np.outer(rng.random(m) < 0.05, rng.normal(0, 2, P)),
    "something continuous": lambda rng, m: np.outer(rng.normal(0, 0.4, m), rng.standard_normal(P)),
    "rows that went wrong together": lambda rng, m: np.outer(
        (rng.random(m) < 0.02) * rng.normal(0, 6, m), np.ones(P)
    ),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_common_cause_is_warned_of(cause):
    for seed in range(4):
        with pytest.warns(GuaranteeWarning, match="most columns share something"):
            graph = HedgeGraph().fit(rows_with(CAUSES[cause], seed))
        assert graph._graph().shared > 1.5


@pytest.mark.parametrize(
    "family", ["random_tree", "free_field", "hubs", "star", "cliques", "erdos_renyi", "ar1"]
)
def test_sparse_graphs_share_nothing(family):
    """With many rows for each column; with few, edges that were not found add up, too."""
    for seed in range(4):
        rows = make(family, P, seed=seed).sample(M, seed=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error", GuaranteeWarning)
            assert HedgeGraph().fit(rows)._graph().shared < 1.3


def test_holding_it_fixed_is_the_end_of_it():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    batch = rng.integers(3, size=M)
    rows = rows_with(lambda *_: (0.5 * rng.standard_normal((3, P)))[batch], 0)
    table = pandas.DataFrame(rows, columns=[f"c{j}" for j in range(P)])
    table["batch"] = batch
    with warnings.catch_warnings():
        warnings.simplefilter("error", GuaranteeWarning)
        graph = HedgeGraph(given={"batch": "categories"}).fit(table)
    assert graph._graph().shared < 1.3


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 60), st.integers(5, 400), st.integers(0, 2**32 - 1))
def test_the_engine_finds_the_same(n_columns, n_rows, seed):
    rng = np.random.default_rng(seed)
    scores = 2.0 * rng.standard_normal((n_columns, n_columns)) + rng.random()
    upper = np.triu(scores, 1).astype(np.float32)
    lower = np.where(upper != 0, upper, 7.0).astype(np.float32)
    symmetric = (upper + upper.T).astype(np.float64)
    for threads in (1, 3):
        with (
            with_threads(threads),
            team() as run,
            mock.patch.object(compiled, "_SHARED_OUT", 1 if threads > 1 else n_columns + 1),
        ):
            assert compiled.strength_of(lower, n_rows, run) == strength_of(symmetric, n_rows)


def test_it_is_the_largest_eigenvalue_of_unclear_scores():
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((30, 30))
    scores = scores + scores.T + 1.0
    np.fill_diagonal(scores, 0.0)
    left = np.where(np.abs(scores) > CLEAR, 0.0, scores)
    largest = np.abs(np.linalg.eigvalsh(left)).max()
    assert strength_of(scores, 900) == pytest.approx(largest / largest_by_chance(30, 900), rel=1e-3)


@pytest.mark.parametrize(("n_columns", "n_rows"), [(10, 60), (40, 80), (60, 600), (150, 75)])
def test_what_chance_has_is_exceeded_once_in_a_thousand_at_most(n_columns, n_rows):
    """Of 200 tables more than three are above with a probability of 6 in 100,000."""
    rng = np.random.default_rng()
    above = 0
    for _ in range(200):
        corr = np.corrcoef(rng.standard_normal((n_rows, n_columns)).T)
        np.fill_diagonal(corr, 0.0)
        above += strength_of(np.sqrt(n_rows) * corr, n_rows) > 1.0
    assert above <= 3


@pytest.mark.parametrize("n_columns", [1, 2])
def test_few_columns_share_nothing(n_columns):
    assert strength_of(np.zeros((n_columns, n_columns)), 100) == 0.0


def test_the_readable_functions_tell_the_same():
    rows = rows_with(CAUSES["something continuous"], 1, 600)
    told = [HedgeGraph(device=device).fit(rows)._graph().shared for device in ("cpu", "numpy")]
    assert told[0] == pytest.approx(told[1], rel=0.02)
