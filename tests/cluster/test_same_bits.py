"""A cluster gives the bits of one machine, whatever rows and columns are like."""

from time import monotonic, sleep

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.engines.dask import asking
from hedgerow.engines.dask.cluster import Cluster
from hedgerow.engines.dask.layout import UNIT, layout_of
from hedgerow.estimators import _clear, _cluster_fit, _filled_rows
from hedgerow.estimators._fresh_rows import FreshRows
from tests.cluster.conftest import differences, skewed

ROWS = skewed(600, 230)


def both(table, chunk=170, **parameters):
    """Return what one machine and a cluster make of a table."""
    there = da.from_array(table, chunks=(chunk, -1))
    return HedgeGraph(**parameters).fit(table), HedgeGraph(**parameters).fit(there)


def volatile(n_rows, n_columns):
    sizes = np.abs(np.random.default_rng(3).standard_t(3, (n_rows, 1)))
    return sizes * make("random_tree", n_columns, seed=0).sample(n_rows, seed=1)


@pytest.mark.parametrize(
    "parameters",
    [
        {"level": "balanced"},
        {"rows": "independent"},
        {"rows": "independent", "columns": "normal"},
    ],
)
def test_promises_and_assumptions(threads, parameters):
    assert differences(*both(ROWS, **parameters)) == []


def test_rows_of_unlike_size_are_divided_alike(threads):
    one, other = both(volatile(600, 230))
    assert one.treatment_.divided
    assert differences(one, other) == []


def test_rows_that_remember_alike_are_learned_as_they_are(threads, monkeypatch):
    rows = np.random.default_rng(5).standard_normal((600, 230))
    for t in range(1, 600):
        rows[t] = 0.8 * rows[t - 1] + 0.6 * rows[t]
    one, other = both(rows)
    assert one.n_samples_effective_ > 2 * other.n_samples_effective_
    monkeypatch.setattr(FreshRows, "begin", lambda *_: None)
    assert differences(HedgeGraph().fit(rows), other) == []


def test_single_precision_and_chunks_of_columns(threads):
    rows = ROWS.astype(np.float32)
    there = da.from_array(rows, chunks=(250, 100))
    assert differences(HedgeGraph().fit(rows), HedgeGraph().fit(there)) == []


def test_fewer_rows_than_the_first_look_wants(threads):
    assert differences(*both(ROWS[:301], chunk=77)) == []


@pytest.fixture(params=[True, False], ids=["matrices together", "rows by rows"])
def together(request, monkeypatch):
    """Whether workers have small matrices whole, or ask each other for rows as with large ones."""
    divided = _cluster_fit.division_of

    def division(*known):
        found = divided(*known)
        return found._replace(layout=found.layout._replace(together=request.param))

    monkeypatch.setattr(_cluster_fit, "division_of", division)


@pytest.mark.parametrize("error", ["fdr", "fwer"])
def test_matrices_whole_and_by_rows(threads, together, error):
    assert differences(*both(ROWS, error=error)) == []


def test_hubs_that_are_given_to_all(threads, together):
    rows = make("hubs", 230, count=2, seed=0).sample(200, seed=1)
    one, other = both(rows, level="balanced")
    assert len(one._graph().hubs)
    assert differences(one, other) == []


def test_few_rows(threads, together, monkeypatch):
    """Correlations of few rows are products of thin matrices, there as here."""
    made, few_rows = [], asking.tiles_of_few_rows

    def seen(*known):
        made.append(few_rows(*known))
        return made[-1]

    monkeypatch.setattr(asking, "tiles_of_few_rows", seen)
    rows = make("brownian_path", 500, seed=0).sample(30, seed=1)
    one, other = both(rows, chunk=11, rows="independent", columns="normal")
    assert len(made) == 1
    assert made[0] is not None
    assert len(one.edges_) > 100
    assert differences(one, other) == []


def test_columns_that_are_set_aside(threads):
    rows = ROWS.copy()
    rows[:, 50], rows[:, 100], rows[:, 229] = 3.0, 1.0 - 2.0 * rows[:, 20], rows[:, 0]
    one, other = both(rows)
    assert len(one._graph().copies) == 2
    assert differences(one, other) == []


def test_more_columns_than_are_judged_and_several_spans_of_rows(threads, monkeypatch):
    # A limit of columns beyond which the first look leaves more to the learner.
    for module in (_clear, _filled_rows):
        monkeypatch.setattr(module, "MOST_JUDGED", 100)
    divided = _cluster_fit.division_of
    narrow = layout_of(230, 2, 192)
    monkeypatch.setattr(
        _cluster_fit, "division_of", lambda *_: divided(*_)._replace(layout=narrow, rows=30)
    )
    assert differences(*both(ROWS)) == []


def test_a_data_frame_keeps_its_names(threads):
    frame = pd.DataFrame(ROWS[:, :40], columns=[f"c{j}" for j in range(40)])
    there = dd.from_pandas(frame, npartitions=3)
    one, other = HedgeGraph().fit(frame), HedgeGraph(device="dask").fit(there)
    assert differences(one, other) == []
    assert list(one.edges_) == list(other.edges_)


def test_rows_in_zarr_are_read_by_the_workers(threads, tmp_path):
    zarr = pytest.importorskip("zarr")
    rows = ROWS[:, :40]
    zarr.save(tmp_path / "rows.zarr", rows)
    there = da.from_zarr(tmp_path / "rows.zarr", chunks=(250, 30))
    assert differences(HedgeGraph().fit(rows), HedgeGraph().fit(there)) == []


def test_nothing_is_left_on_the_cluster(threads):
    both(ROWS[:, :40])
    until = monotonic() + 20.0  # what was let go is known there some time later
    while kept := [key for key in threads.who_has() if "strip" in str(key)]:
        assert monotonic() < until, kept
        sleep(0.05)


def arrays_in(value):
    """Yield all arrays in a value."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from arrays_in(part)
    elif hasattr(value, "__dict__"):
        yield from arrays_in(list(vars(value).values()))


def test_nothing_for_each_pair_comes_back(threads, together, monkeypatch):
    answers, sizes = Cluster.answers, []

    def seen(self, futures, stage=None):
        found = answers(self, futures, stage)
        sizes.extend(array.size for array in arrays_in(found))
        return found

    monkeypatch.setattr(Cluster, "answers", seen)
    monkeypatch.setattr(_cluster_fit, "CORRELATIONS_AT_HAND", ROWS.shape[1] - 1)
    graph = HedgeGraph().fit(da.from_array(ROWS, chunks=(170, -1)))
    # 128 knots for each column, say; a strip has 192 nodes, and a number for each and all others.
    assert 0 < max(sizes) < 140 * ROWS.shape[1] < UNIT**2
    assert "Hub" not in graph.summary()
    with pytest.raises(RuntimeError, match="stay there until fit returns"):
        graph.hubs_  # noqa: B018
