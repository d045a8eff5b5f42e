"""The change log on simulated streams: what docs/streams.md promises."""

import warnings

import numpy as np
from scipy import stats

from hedgerow import HedgeGraph, changes
from hedgerow.datasets import make

HALF_LIFE, LEVEL = 100, 0.05


def watched(worlds):
    """Look at a stream through (half-lives, model) pairs; return all changes and the last state."""
    rng = np.random.default_rng()
    graph = HedgeGraph("fwer", LEVEL, half_life=HALF_LIFE)
    watch, told, row, end = changes.start(LEVEL), [], 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the first rows
        for lives, model in worlds:
            end += lives * HALF_LIFE
            while row < end:
                due = changes.next_look(row, HALF_LIFE)
                graph.partial_fit(model.sample(due - row, rng))
                row = due
                edges = graph.edges_up_to(changes.level_to_stay(LEVEL))
                watch, news = changes.look(watch, row, edges)
                told += news
    return told, watch


def edges_of(model):
    return set(map(tuple, model.edges.tolist()))


def test_false_alarms_are_as_rare_as_promised():
    lives, model = 60, make("chain", 12)
    told, _ = watched([(lives, model)])
    false = [c for c in told if (c.source, c.target) not in edges_of(model)]
    promised = 1.02 * LEVEL * lives
    # A number that rarer events than one in a million would exceed.
    assert sum(c.kind == "appeared" for c in false) <= stats.poisson.isf(1e-6, promised)


def test_edges_that_are_clear_do_not_flicker():
    model = make("chain", 12, strength=0.45)
    told, watch = watched([(40, model)])
    of_true = [(c.source, c.target) for c in told if (c.source, c.target) in edges_of(model)]
    assert sorted(of_true) == sorted(edges_of(model))
    assert edges_of(model) <= set(watch.present)


def test_a_new_graph_replaces_the_old_one():
    before, after = (make(family, 12, strength=0.45) for family in ("chain", "cycle"))
    order = np.random.default_rng().permutation(12)
    after = type(after)("cycle", after.precision[order][:, order])
    told, watch = watched([(10, before), (14, after)])
    late = {(c.source, c.target) for c in told if c.kind == "vanished" and c.row > 10 * HALF_LIFE}
    assert edges_of(after) <= set(watch.present)
    assert edges_of(before) - edges_of(after) <= late
