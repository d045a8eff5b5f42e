"""The readable functions as an engine: what the others must agree with, and slow."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow import hedge
from hedgerow.edges import judge_pairs
from hedgerow.engines._interface import Array, Edges, Indices, Named, Repeats
from hedgerow.engines._sums import Learned, learned_of, named, part_of
from hedgerow.moments import Moments, correlation, init_moments, merge_moments, moments_of, varies

Rows = NDArray[np.floating]


class Evidence(NamedTuple):
    """What the tests are made from."""

    moments: Moments
    weights: Rows


def init(n_columns: int) -> Learned:
    return Learned(init_moments(n_columns), hedge.init(n_columns))


def learn(state: Learned, rows: Rows) -> Learned:
    start = 0
    for end in hedge.batch_ends(state.hedge.rows, len(rows)):
        batch = rows[start:end]
        state = Learned(_counted(state, batch), hedge.update(state.hedge, batch))
        start = end
    return state


def count(state: Learned, rows: Rows) -> Learned:
    return Learned(_counted(state, rows), state.hedge)


def mean(state: Learned) -> Array:
    return state.moments.mean


def moments(state: Learned) -> Moments:
    return state.moments


def to_numpy(state: Learned) -> Named:
    return named(state)


def from_numpy(arrays: Named) -> Learned:
    if "table" in arrays:
        return learn(init(arrays["table"].shape[1]), arrays["table"])
    moments, state = learned_of(arrays)
    doubles = [np.asarray(array, dtype=np.float64) for array in state[1:]]
    return Learned(moments, hedge.HedgeState(state.columns, *doubles))


def evidence(state: Learned, rows: Rows) -> Evidence:
    learner = hedge.update(state.hedge, rows) if len(rows) else state.hedge
    return Evidence(state.moments, learner.average)


def weights(evidence: Evidence) -> Rows:
    return evidence.weights


def repeats(evidence: Evidence, copy: float) -> Repeats:
    corr = correlation(evidence.moments)
    original = (np.abs(corr) > copy).argmax(axis=1)
    sign = np.sign(corr[np.arange(len(corr)), original])
    return Repeats(varies(evidence.moments), original, sign)


def part(evidence: Evidence, columns: Indices, repeats: Repeats) -> Evidence:
    return Evidence(*part_of(evidence.moments, evidence.weights, columns, repeats))


def find_edges(evidence: Evidence, error: str, loosest: float) -> Edges:
    moments, weights = evidence
    tests = judge_pairs(correlation(moments), moments.rows, weights, error)
    first, second = np.triu_indices(len(moments.mean), 1)
    keep = tests.q_value <= loosest
    return Edges(
        first[keep],
        second[keep],
        tests.partial_corr[keep],
        tests.z[keep],
        tests.p_value[keep],
        tests.q_value[keep],
        tests.unexplained,
    )


def _counted(state: Learned, rows: Rows) -> Moments:
    """Return the moments with those of the rows that they have not counted yet."""
    new = rows[state.moments.rows - state.hedge.rows :]
    return merge_moments(state.moments, moments_of(new)) if len(new) else state.moments
