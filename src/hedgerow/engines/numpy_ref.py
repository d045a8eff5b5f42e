"""The readable functions as an engine: what the others must agree with, and slow."""

import numpy as np
from numpy.typing import NDArray

from hedgerow import hedge
from hedgerow.edges import judge_pairs
from hedgerow.engines._interface import Edges, Learned
from hedgerow.moments import Moments, correlation, init_moments, merge_moments, moments_of

Rows = NDArray[np.floating]


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


def to_numpy(state: Learned) -> Learned:
    return state


def from_numpy(learned: Learned) -> Learned:
    moments, state = learned
    doubles = [np.asarray(array, dtype=np.float64) for array in state[1:]]
    return Learned(moments, hedge.HedgeState(state.columns, *doubles))


def weights(state: Learned, rows: Rows) -> Rows:
    return (hedge.update(state.hedge, rows) if len(rows) else state.hedge).average


def dense(weights: Rows) -> Rows:
    return weights


def given(dense: Rows) -> Rows:
    return dense


def originals(moments: Moments, copy: float) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    corr = correlation(moments)
    original = (np.abs(corr) > copy).argmax(axis=1)
    return original, np.sign(corr[np.arange(len(corr)), original])


def find_edges(moments: Moments, weights: Rows, error: str, loosest: float) -> Edges:
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
