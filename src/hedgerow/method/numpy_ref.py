"""The readable functions as an engine: what the others must agree with, and slow."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.base.memory import check_memory
from hedgerow.method import behind as behind
from hedgerow.method import hedge, scaling
from hedgerow.method.behind import Behind
from hedgerow.method.drift import without_level as without_level
from hedgerow.method.edges import judge_pairs
from hedgerow.method.edges import scores_given_fewer as scores_given_fewer
from hedgerow.method.engine import Array, Edges, Indices, Named, Repeats
from hedgerow.method.first_look import memories as memories
from hedgerow.method.forgetting import NEVER, decline, row_weights
from hedgerow.method.gaps import fill as fill
from hedgerow.method.given import without_given as without_given
from hedgerow.method.inflation import Inflation
from hedgerow.method.inflation import inflation_of as inflation_of
from hedgerow.method.intervals import standard_errors
from hedgerow.method.latent import at_their_bound, latent_of
from hedgerow.method.latent_edges import judge_latent
from hedgerow.method.learned import Learned, learned_of, named, part_of, scaled
from hedgerow.method.marginals import Marginals, counted, refreshed_when_due, scored
from hedgerow.method.marginals import first_marginals as first_marginals
from hedgerow.method.marginals import first_scores as first_scores
from hedgerow.method.moments import (
    Moments,
    columns_of,
    correlation,
    init_moments,
    merge_moments,
    moments_of,
    too_small,
    varies,
    with_unknown,
)
from hedgerow.method.neighbours import NO_HUBS
from hedgerow.method.neighbours import related as related
from hedgerow.method.noisy import within_one
from hedgerow.method.ordered import in_order as in_order
from hedgerow.method.outliers import regressions as regressions
from hedgerow.method.outliers import suspicious as suspicious
from hedgerow.method.populations import second_hump as second_hump
from hedgerow.method.repeats import hashes_of as hashes_of
from hedgerow.method.residuals import (
    Residuals,
    first_residuals,
    scaled_residuals,
    with_more,
)
from hedgerow.method.residuals import lagged as lagged
from hedgerow.method.row_sizes import row_factors as row_factors
from hedgerow.method.shared import strength_of
from hedgerow.method.steps import Curves

Rows = NDArray[np.floating]

sweeps = scaling
_BYTES_PER_PAIR = 144  # of sums, and of matrices in double precision while pairs are tested


class Evidence(NamedTuple):
    """What the tests are made from."""

    moments: Moments
    weights: Rows
    inflation: Inflation
    curves: Curves | None = None  # if variables lie behind columns, and are what is tested ...
    who: Behind = behind  # ... by these functions


def score_rows(marginals: Marginals, rows: Rows, half_life: float) -> tuple[Array, Marginals]:
    after = counted(marginals, rows, half_life)
    return scored(marginals, rows), refreshed_when_due(after, half_life)


def init(n_columns: int, half_life: float = NEVER) -> Learned:
    check_memory(_BYTES_PER_PAIR * n_columns**2, n_columns, 'to learn and test with device="numpy"')
    return Learned(init_moments(n_columns), hedge.init(n_columns), half_life)


def learn(state: Learned, rows: Rows) -> Learned:
    start, half_life = 0, state.half_life
    for end in hedge.batch_ends(state.hedge.rows, len(rows), half_life):
        batch, seen = rows[start:end], state.hedge.rows
        learner = hedge.update(state.hedge, batch, _row_weights(state, batch))
        state = _with_residuals(count(state, batch), batch)._replace(hedge=learner)
        state = scaled(state, decline(seen, learner.rows, half_life))
        start = end
    return state


def count(state: Learned, rows: Rows) -> Learned:
    counted = state.moments.rows - state.hedge.rows
    if counted == len(rows):
        return state
    new = moments_of(rows[counted:], _row_weights(state, rows)[counted:])
    return state._replace(moments=merge_moments(state.moments, new))


def look_back(state: Learned, rows: Rows, coefficients: csr_array | None = None) -> Learned:
    weights = row_weights(0, len(rows), state.half_life)
    standard = hedge.standardise(rows, columns_of(rows, weights))
    used = state.hedge.average if coefficients is None else coefficients
    sums = first_residuals(standard - (used @ standard.T).T, weights)
    passed = decline(0, state.hedge.rows, state.half_life)
    return state._replace(residuals=scaled_residuals(sums, passed))


def residuals(state: Learned) -> Residuals | None:
    return state.residuals


def mean(state: Learned) -> Array:
    return state.moments.mean


def moments(state: Learned) -> Moments:
    return state.moments


def to_numpy(state: Learned) -> Named:
    return named(state)


def from_numpy(arrays: Named) -> Learned:
    if "table" in arrays:
        return learn(init(arrays["table"].shape[1]), arrays["table"])
    learned = learned_of(arrays)
    doubles = [np.asarray(array, dtype=np.float64) for array in learned.hedge[1:]]
    return learned._replace(hedge=hedge.HedgeState(learned.hedge.columns, *doubles))


def evidence(
    state: Learned, rows: Rows, inflation: Inflation, unknown: Array | None = None
) -> Evidence:
    learner = state.hedge
    if len(rows):
        learner = hedge.update(learner, rows, _row_weights(state, rows))
    return Evidence(with_unknown(state.moments, unknown), learner.average, inflation)


def weights(evidence: Evidence) -> Rows:
    return evidence.weights


def repeats(evidence: Evidence, copy: float) -> Repeats:
    corr = correlation(evidence.moments)
    original = (np.abs(corr) > copy).argmax(axis=1)
    sign = np.sign(corr[np.arange(len(corr)), original])
    return Repeats(varies(evidence.moments), original, sign, too_small(evidence.moments))


def part(evidence: Evidence, columns: Indices, repeats: Repeats) -> Evidence:
    kept = part_of(evidence.moments, evidence.weights, columns, repeats)
    curves = evidence.curves and evidence.curves.part(columns)
    return Evidence(*kept, evidence.inflation.part(columns), curves, evidence.who)


def find_edges(evidence: Evidence, error: str, loosest: float, hubs: Indices = NO_HUBS) -> Edges:
    moments, weights, inflation, curves, who = evidence
    n_rows, alike, per_clear = moments.effective_rows, Edges._field_defaults["alike"], 1.0
    latent = None if curves is None else latent_of(correlation(moments), curves, who.series)
    if latent is None:
        tests = judge_pairs(correlation(moments), n_rows, weights, error, inflation, hubs)
    else:
        tests, per_clear = judge_latent(latent, n_rows, weights, error, inflation, hubs, who)
        alike = np.column_stack(at_their_bound(latent))
    first, second = np.triu_indices(len(moments.mean), 1)
    keep = tests.q_value <= loosest
    sizes = np.diff(tests.coefficients.indptr)
    pairs = first[keep], second[keep]
    used = np.maximum(*(sizes[end] for end in pairs))
    loose = 1.0 if latent is None else who.looseness(latent, tests.coefficients, *pairs)
    spread = standard_errors(n_rows, inflation, *pairs, used, loose)
    partial = tests.partial_corr[keep]
    if latent is not None:
        partial, unsure = within_one(latent, partial, *pairs, tests.coefficients)
        spread[unsure] = np.inf
    effective = n_rows / inflation.per_effective / per_clear
    shared = strength_of(_square(tests.z, len(moments.mean)), effective)
    return Edges(
        *pairs,
        partial,
        tests.z[keep],
        tests.p_value[keep],
        tests.q_value[keep],
        spread,
        tests.unexplained,
        np.bincount(tests.coefficients.indices, minlength=len(sizes)),
        alike,
        per_clear,
        shared,
    )


def _square(of_pairs: Array, n_columns: int) -> Array:
    """Return a symmetric matrix of what pairs have."""
    result = np.zeros((n_columns, n_columns))
    result[np.triu_indices(n_columns, 1)] = of_pairs
    return result + result.T


def _with_residuals(state: Learned, batch: Rows) -> Learned:
    """Return the sums over residuals with those of the next batch, if sums are kept."""
    if state.residuals is None:
        return state
    weights = _row_weights(state, batch)
    errors = hedge.prediction_errors(state.hedge, batch, weights)
    return state._replace(residuals=with_more(state.residuals, errors, weights))


def _row_weights(state: Learned, batch: Rows) -> Array:
    """Return the weights of the rows of the next batch, or of its beginning."""
    return row_weights(state.hedge.rows, len(batch), state.half_life)
