"""Threads that never rest share a model: no row is lost, no bit is changed, no answer is mixed."""

import copy
import pickle
import sys
from itertools import cycle
from threading import Barrier, Event, Thread

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from hedgerow import HedgeGraph, SparsitronGraph
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.progress import watching
from hedgerow.river import RiverHedgeGraph

pytestmark = pytest.mark.filterwarnings(
    *(f"ignore::{kind.__module__}.{kind.__name__}" for kind in (DataWarning, GuaranteeWarning))
)

CHUNK, CHUNKS = 13, 90
ROWS = np.cumsum(np.random.default_rng(0).standard_normal((CHUNK * CHUNKS, 6)), axis=1)


@pytest.fixture(autouse=True)
def hurried_threads():
    """Let threads take turns a thousand times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


def side_by_side(*jobs):
    """Begin all jobs at once, each in a thread of its own; raise what any of them raised."""
    start, failures = Barrier(len(jobs)), []

    def work(job):
        start.wait()
        try:
            job()
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=work, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def with_readers(write, *readers):
    """Run ``write`` while other threads go on reading, in turn, until it is done."""
    done = Event()

    def writer():
        try:
            write()
        finally:
            done.set()

    def reading(reader):
        while not done.is_set():
            reader()

    side_by_side(writer, *(lambda reader=reader: reading(reader) for reader in readers))


def chunks(rows=ROWS):
    return np.split(rows, len(rows) // CHUNK)


def arrays(model):
    return {name: array.copy() for name, array in model._stream.arrays().items()}


def same(one, other):
    return list(one) == list(other) and all(np.array_equal(one[k], other[k]) for k in one)


def state_after(n_rows, **options):
    return arrays(HedgeGraph(**options).partial_fit(ROWS[:n_rows]))


@pytest.mark.parametrize("options", [{}, {"half_life": 50}, {"error": "fwer"}])
def test_readers_change_no_bit(options):
    model = HedgeGraph(**options).partial_fit(ROWS[:CHUNK])
    seen = []

    def write():
        for rows in chunks()[1:]:
            model.partial_fit(rows)

    def count():
        seen.append(model.n_samples_seen_)

    questions = cycle(
        [
            lambda: model.edges_.z,
            lambda: model.precision_,
            lambda: model.adjacency_,
            lambda: model.location_,
            lambda: model.score(ROWS[:5]),
            lambda: model.edges_up_to(0.3),
            lambda: model._repr_html_(),
            lambda: model.covariance_,
            lambda: model.partial_corr_,
        ]
    )
    with_readers(write, lambda: model.edges_, lambda: next(questions)(), count)
    assert same(arrays(model), state_after(len(ROWS), **options))
    assert all(rows % CHUNK == 0 for rows in seen)
    assert seen == sorted(seen)
    alone = HedgeGraph(**options).fit(ROWS)
    assert np.array_equal(model.edges_.z, alone.edges_.z)


def test_what_is_saved_and_copied_meanwhile_is_the_state_of_some_moment(tmp_path):
    model = HedgeGraph().partial_fit(ROWS[:CHUNK])
    kept = []

    def write():
        for rows in chunks()[1:]:
            model.partial_fit(rows)

    def save():
        model.save(tmp_path / "model")
        kept.append(HedgeGraph.load(tmp_path / "model"))

    with_readers(
        write,
        save,
        lambda: kept.append(copy.copy(model)),
        lambda: kept.append(pickle.loads(pickle.dumps(model))),  # noqa: S301
        lambda: kept.append(copy.deepcopy(model)),
    )
    assert same(arrays(model), state_after(len(ROWS)))
    assert len(kept) > 3
    for found in kept[:: max(1, len(kept) // 40)]:
        n_rows = found.n_samples_seen_
        assert n_rows % CHUNK == 0
        assert same(arrays(found), state_after(n_rows))
        assert np.array_equal(found.edges_.z, HedgeGraph().partial_fit(ROWS[:n_rows]).edges_.z)


def test_two_writers_lose_no_row():
    """Chunks are all the same, so that their order does not matter."""
    model, part = HedgeGraph(), ROWS[:CHUNK]

    def write():
        for _ in range(CHUNKS):
            model.partial_fit(part)

    side_by_side(write, write, write)
    assert model.n_samples_seen_ == 3 * CHUNKS * CHUNK
    alone = HedgeGraph()
    for _ in range(3 * CHUNKS):
        alone.partial_fit(part)
    assert same(arrays(model), arrays(alone))


@pytest.mark.parametrize("selection", ["checkpoints", "argmin"])
def test_two_writers_bring_the_published_algorithm_to_its_end(selection):
    part = ROWS[:CHUNK] / np.abs(ROWS).max()
    options = {"selection": selection, "horizon": 2 * CHUNKS * CHUNK}
    model, seen = SparsitronGraph(**options), []

    def write():
        for _ in range(CHUNKS):
            model.partial_fit(part)

    def read():
        if hasattr(model, "weights_"):
            assert model.adjacency_.shape == (6, 6)
            assert model.selected_step_.shape == model.selected_span_.shape == (6,)
        seen.append(getattr(model, "n_samples_seen_", 0))
        copy.copy(model)

    with_readers(lambda: side_by_side(write, write), read, read)
    alone = SparsitronGraph(**options)
    for _ in range(2 * CHUNKS):
        alone.partial_fit(part)
    assert model.n_samples_seen_ == 2 * CHUNKS * CHUNK
    assert all(count % CHUNK == 0 for count in seen)
    assert np.array_equal(model.weights_, alone.weights_)


def test_fits_and_questions_at_once_have_an_answer():
    """A fit begins anew; whoever asks meanwhile gets the graph before it or after it."""
    hedge, published = HedgeGraph(), SparsitronGraph()
    tables = [ROWS[:400], ROWS[400:800]]
    answers = [HedgeGraph().fit(rows).edges_.z.tolist() for rows in tables]
    weights = [SparsitronGraph().fit(rows).weights_ for rows in tables]
    hedge.fit(tables[0])
    published.fit(tables[0])

    def write():
        for k in range(12):
            hedge.fit(tables[k % 2])
            published.fit(tables[k % 2])

    def read():
        assert hedge.edges_.z.tolist() in answers
        found = published.weights_  # asked once: between two questions there can be a fit
        assert any(np.array_equal(found, known) for known in weights)
        assert published.n_samples_seen_ == 400

    with_readers(write, read, read)


def test_parameters_change_between_answers_only():
    model = HedgeGraph(level=0.9).fit(ROWS)
    counts = {len(HedgeGraph(level=level).fit(ROWS).edges_) for level in (1e-9, 0.9)}

    def write():
        for k in range(4000):
            model.set_params(level=(1e-9, 0.9)[k % 2])

    def read():
        assert len(model.edges_) in counts

    with_readers(write, read, read)


def test_the_adapter_for_river_is_as_safe():
    names = list("abcdef")
    one = dict(zip(names, ROWS[0].tolist()))
    other = pd.DataFrame([one] * 5)
    model, seen = RiverHedgeGraph(), []
    model.learn_one(one)

    def single():
        for _ in range(600):
            model.learn_one(one)

    def many():
        for _ in range(120):
            model.learn_many(other)

    def read():
        seen.append(model.graph.n_samples_seen_)

    with_readers(
        lambda: side_by_side(single, many), read, lambda: pickle.dumps(model), lambda: model.edges
    )
    assert model.graph.n_samples_seen_ == 1 + 600 + 600
    assert seen == sorted(seen)
    alone = HedgeGraph().partial_fit(np.repeat(ROWS[:1], 1201, axis=0))
    assert same(arrays(model.graph), arrays(alone))


def test_different_models_learn_side_by_side():
    alone = HedgeGraph().fit(ROWS)
    published = SparsitronGraph().fit(ROWS)
    models = [HedgeGraph(), HedgeGraph(), SparsitronGraph(), SparsitronGraph()]
    told = [[] for _ in models]

    def learn(k):
        with watching(lambda stage, done: told[k].append((stage, done))):
            for _ in range(5):
                models[k].fit(ROWS)

    side_by_side(*(lambda k=k: learn(k) for k in range(4)))
    for model in models[:2]:
        assert same(arrays(model), arrays(alone))
        assert np.array_equal(model.edges_.z, alone.edges_.z)
    for model in models[2:]:
        assert np.array_equal(model.weights_, published.weights_)
    for heard in told[:2]:  # each of its own five fits, and of nothing else
        assert sum(stage == "learning" and done == 1.0 for stage, done in heard) == 5


@pytest.mark.parametrize("model", [HedgeGraph(), SparsitronGraph(), RiverHedgeGraph()], ids=repr)
def test_no_lock_goes_with_a_copy(model):
    if isinstance(model, RiverHedgeGraph):
        model.learn_many(pd.DataFrame(ROWS).rename(columns=str))
        twin = model.clone()
    else:
        model.fit(ROWS)
        twin = clone(model)
        assert joblib.hash(copy.copy(model)) == joblib.hash(copy.copy(model))
    copies = [copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model)), twin]  # noqa: S301
    assert "_lock" in vars(model)
    assert not any("_lock" in vars(each) for each in copies)


def test_a_copy_goes_its_own_way():
    model = HedgeGraph().fit(ROWS[:500])
    before, twin = model.precision_, copy.copy(model)
    model.partial_fit(ROWS[500:])
    assert np.array_equal(twin.precision_, before)
    assert same(arrays(twin), state_after(500))
    twin.partial_fit(ROWS[500:])
    assert same(arrays(twin), arrays(model))
    mean = model.location_
    mean[:] = 0.0
    assert np.array_equal(model.location_, HedgeGraph().fit(ROWS).location_)


def test_warnings_point_at_the_call():
    for ask in (lambda: HedgeGraph().fit(ROWS[:4]), lambda: SparsitronGraph().fit(ROWS)):
        with pytest.warns(GuaranteeWarning) as warned:
            ask()
        assert {warning.filename for warning in warned} == {__file__}
    model = HedgeGraph().partial_fit(ROWS[:4])
    with pytest.warns(GuaranteeWarning) as warned:
        _ = model.edges_
    assert {warning.filename for warning in warned} == {__file__}
