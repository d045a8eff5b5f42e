"""What strips are asked for: how often, and that they stay where they are."""

import warnings

import dask
import dask.array as da
import distributed
import pytest

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.engines.dask.entries import Asking
from hedgerow.engines.dask.layout import UNIT, Layout, layout_of
from hedgerow.estimators import _cluster_fit
from hedgerow.method.neighbours import MOST_NEIGHBOURS
from hedgerow.progress import watching
from tests.cluster.conftest import differences, skewed

COLUMNS, STRIPS = 6 * UNIT, 2
ROWS = skewed(400, COLUMNS)
STRIP = "products of strip"
# Squares, copies, scores given neighbours, correlations for Hedge, and twice for what is left of
# them, tests, and estimates: beside the rounds in which neighbours are chosen.
BESIDE_ROUNDS = 8


def divided(monkeypatch, run):
    division_of = _cluster_fit.division_of
    layout = layout_of(COLUMNS, STRIPS, run)
    assert len(layout.strips) == STRIPS
    monkeypatch.setattr(
        _cluster_fit, "division_of", lambda *_: division_of(*_)._replace(layout=layout)
    )


def names_in(value):
    """Yield the names of all promises among arguments."""
    if isinstance(value, distributed.Future):
        yield str(value.key)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from names_in(part)


@pytest.fixture
def visits(monkeypatch):
    """The names of tasks that have each strip of products for an argument."""
    found, submit = {}, distributed.Client.submit

    def seen(self, function, *arguments, **options):
        for name in set(names_in(arguments)):
            if name.startswith(STRIP):
                found.setdefault(name, []).append(options["key"])
        return submit(self, function, *arguments, **options)

    monkeypatch.setattr(distributed.Client, "submit", seen)
    return found


@pytest.mark.parametrize("error", ["fdr", "fwer"])
def test_strips_are_asked_as_often_however_many_runs_there_are(threads, monkeypatch, visits, error):
    numbers = []
    for run in (UNIT, COLUMNS):
        visits.clear()
        with monkeypatch.context() as patch:
            divided(patch, run)
            HedgeGraph(error=error).fit(da.from_array(ROWS, chunks=(170, -1)))
        assert len(visits) == STRIPS
        for names in visits.values():
            rounds = sum("round" in name for name in names)
            assert 1 < rounds <= MOST_NEIGHBOURS
            assert len(names) - rounds <= BESIDE_ROUNDS + (error == "fwer")
            numbers.append(len(names))
    assert len(set(numbers)) == 1


def test_strips_stay_where_they_are(monkeypatch):
    """Only asking Hedge, where they pass by each other, moves what strips have."""
    divided(monkeypatch, UNIT)
    moved = []

    def told(stage, done):
        if done == 1.0:
            names = [name for some in client.run(_transferred).values() for name in some]
            moved.extend((stage, name) for name in names)

    with (
        dask.config.set({"distributed.scheduler.work-stealing": False}),
        distributed.LocalCluster(
            n_workers=3, processes=False, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        watching(told),
    ):
        model = HedgeGraph().fit(da.from_array(ROWS, chunks=(170, -1)))
        told("testing", 1.0)
    assert differences(HedgeGraph().fit(ROWS), model) == []
    assert any(name.startswith("candidates") for _, name in moved)
    strips = {stage for stage, name in moved if name.startswith(STRIP)}
    assert strips <= {"asking Hedge"}


def test_batches_of_any_size_give_the_same(threads, monkeypatch):
    rows = make("random_tree", COLUMNS // 2, seed=0).sample(100, seed=1)
    asked, submit = [], distributed.Client.submit

    def seen(self, function, *arguments, **options):
        asked.append(options["key"])
        return submit(self, function, *arguments, **options)

    layout = layout_of(COLUMNS // 2, STRIPS, UNIT)
    division_of = _cluster_fit.division_of
    monkeypatch.setattr(
        _cluster_fit, "division_of", lambda *_: division_of(*_)._replace(layout=layout)
    )
    monkeypatch.setattr(distributed.Client, "submit", seen)
    monkeypatch.setattr(Layout, "rows", 1)
    monkeypatch.setattr(Asking, "_most", 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows are few: then scores given both are asked for
        there = HedgeGraph(error="fwer").fit(da.from_array(rows, chunks=(17, -1)))
        here = HedgeGraph(error="fwer").fit(rows)
    for what in ("ask stand-ins, entries", "test, entries", "estimate, entries", "rows of strip"):
        assert sum(key.startswith(what) for key in asked) > STRIPS, what
    assert differences(here, there) == []


def _transferred(dask_worker):
    found = [str(key) for one in dask_worker.transfer_incoming_log for key in one["keys"]]
    dask_worker.transfer_incoming_log.clear()
    return found
