"""How far what an engine computes is from the readable code, in units of what rounding explains.

Every function returns, for each thing compared, the largest difference as a multiple of its bound:
a number above one cannot be rounding. Tests ask for one at most; `test_tolerances` makes arithmetic
worse, and asks that the same numbers exceed one.
"""

import numpy as np
from scipy import stats

from hedgerow.method import numpy_ref
from hedgerow.method.edges import debiased, given_fewer
from hedgerow.method.forgetting import NEVER
from hedgerow.method.graph import OF_EDGES
from hedgerow.method.groups import CENTRE, GROUP_ENDS, shared_part
from hedgerow.method.hedge import batch_ends
from hedgerow.method.inflation import no_inflation
from hedgerow.method.moments import correlation, moments_of
from hedgerow.method.neighbours import NO_HUBS, refit
from hedgerow.method.scores import z_score
from hedgerow.method.stand_ins import weaken

SINGLE = float(np.finfo(np.float32).eps)
DOUBLE = float(np.finfo(np.float64).eps)


def beyond_rounding(distances):
    """Return the distances that rounding does not explain."""
    return {name: distance for name, distance in distances.items() if not distance <= 1}


def learned(engine, rows, half_life=NEVER, cuts=(), asked=False):
    """Learn whole batches, cut where a batch ends next after each cut; return all there is."""
    ends = batch_ends(0, len(rows), half_life)
    stops = sorted({next((end for end in ends if end >= cut), ends[-1]) for cut in cuts})
    state = engine.init(rows.shape[1], half_life)
    for start, stop in zip([0, *stops], [*stops, ends[-1]]):
        if asked:
            state = engine.count(state, rows[start : start + 3])
            engine.weights(
                engine.evidence(state, rows[start : start + 3], no_inflation(rows.shape[1]))
            )
        state = engine.learn(state, rows[start:stop])
    pending = rows[ends[-1] :]
    state = engine.count(state, pending)
    weights = engine.weights(engine.evidence(state, pending, no_inflation(rows.shape[1])))
    return state, {**engine.to_numpy(state), "weights": np.array(weights)}


def rounding_of_weights(rows, half_life):
    """Return by how much weights that were learned in single precision can be off.

    Every batch adds numbers of size at most one, rounded. So are exponents: one unit in the last
    place of one below eight is up to eight units in a weight.
    """
    return 8 * SINGLE * (len(batch_ends(0, len(rows), half_life)) + 1)


def of_moments(moments, rows, half_life):
    """Compare means and covariances with those of all rows at once."""
    direct = moments_of(rows, 0.5 ** (np.arange(len(rows))[::-1] / half_life))
    spread = np.sqrt(np.diag(direct.covariance))
    # Rounding of as many sums as there are rows, in units of a column's spread.
    rounding = len(rows) * DOUBLE * (1 + np.abs(direct.mean) / spread)
    difference = np.abs(moments.covariance - direct.covariance) / np.outer(spread, spread)
    return {
        "mean": np.max(np.abs(moments.mean - direct.mean) / (rounding * spread)),
        "covariance": np.max(difference / (rounding + rounding[:, None])),
    }


def of_learning(fast, slow, rows, half_life):
    """Compare what two engines learned; of rows that are kept, the weights are all there is."""
    off = rounding_of_weights(rows, half_life)
    found = {"weights": np.abs(fast["weights"] - slow["weights"]).max() / off}
    if "table" in fast:
        return found
    # Of a sum that nearly cancels, what is left has the rounding of its terms, of size one.
    size = max(np.abs(slow["gradient"]).max(), len(rows))
    found["gradient"] = np.abs(fast["gradient"] - slow["gradient"]).max() / (off * size)
    curvature = slow["curvature"]
    bound = 2 * off * (curvature + size * np.sqrt(curvature.max()))
    found["curvature"] = np.max(np.abs(fast["curvature"] - curvature) / bound)
    for name in ("column_mean", "column_squares"):
        found[name] = np.max(np.abs(fast[name] - slow[name]) / (1e-9 * np.abs(slow[name])))
    return found


def any_weights(rng, size, strength):
    """Return weights that are anything, as Hedge's could be."""
    weights = rng.standard_normal((size, size)) * strength
    np.fill_diagonal(weights, 0.0)
    weights /= np.maximum(np.abs(weights).sum(axis=1, keepdims=True), 1.0)
    return weights.astype(np.float32).astype(np.float64)


def rounding_of_witness(corr, n_rows, weights, precision):
    """Return by how much correlations behind Hedge's scores, in single precision, can be off."""
    left = np.diag(corr - 2 * weights @ corr + weights @ corr @ weights.T).min()
    if precision > SINGLE:  # rows in single precision: what neighbours leave is rounded
        left = min(left, refit(corr, n_rows).residual.min())
    return 64 * SINGLE / left


def pair_scores(corr, n_rows, weights, error, hubs=NO_HUBS):
    """What the readable code calculates for every pair: two scores of its own, and Hedge's."""
    upper = np.triu_indices(len(corr), 1)
    fitted = refit(corr, n_rows, hubs)
    used = np.maximum(fitted.sizes[upper[0]], fitted.sizes[upper[1]])
    careful = weaken(corr, n_rows, fitted) if error == "fwer" else fitted
    fewer = given_fewer(careful, n_rows, upper)
    both = z_score(-debiased(corr, fitted.coefficients)[upper], n_rows - 2 - used)
    return fewer, both, z_score(-debiased(corr, weights)[upper], n_rows - 2)


def clear_of_borders(z, witness, margin):
    """Whether rounding within ``margin`` cannot move a pair to another group."""
    centre = np.abs(z) < CENTRE
    shared = shared_part(witness[centre] @ z[centre], z[centre] @ z[centre])
    surplus = np.sign(z) * (witness - shared * z)
    near_ends = np.abs(surplus[:, None] - GROUP_ENDS).min() < margin
    inner = [CENTRE, stats.norm.isf(0.25)]
    return not near_ends and np.abs(np.abs(z)[:, None] - inner).min() >= margin


def in_doubt(rows, weights, error, precision, hubs=NO_HUBS):
    """Whether rounding alone may move a pair to another group, which changes all q-values."""
    corr = correlation(moments_of(rows))
    margin = rounding_of_witness(corr, len(rows), weights, precision) * np.sqrt(len(rows))
    fewer, both, witness = pair_scores(corr, len(rows), weights, error, hubs)
    return not all(clear_of_borders(z, witness, margin) for z in (fewer, both))


def by_pair(found, n_columns):
    return dict(zip((found.source * n_columns + found.target).tolist(), zip(*found[2:OF_EDGES])))


def of_edges(found, rows, weights, error, loosest, precision, hubs=NO_HUBS):
    """Compare edges up to a level, and that none is missing, with those of the readable code.

    ``precision`` is that of scores. A normal tail changes by a factor of at most
    exp((|z| + 1) dz), where dz is the error of a score. Of a q-value, the score may be Hedge's, of
    a correlation that is off, and itself held in single precision.
    """
    moments, n_columns = moments_of(rows), rows.shape[1]
    corr = correlation(moments)
    witness = np.abs(debiased(corr, weights))
    rounding = rounding_of_witness(corr, len(rows), weights, precision)
    score, moved = (z_score(np.minimum(r, 1), len(rows) - 2) for r in (witness, witness + rounding))
    of_witness = ((1 + moved) * (moved - score + SINGLE * score)).ravel()
    # Scores that are counted in half precision do change groups. Groups have 32 pairs and more: one
    # of them changes the q-values of all by a few percent.
    regrouped = 1e-6 + 10 * rounding * np.sqrt(len(rows)) if precision > SINGLE else 0.0
    fast = by_pair(found, n_columns)
    evidence = numpy_ref.Evidence(moments, weights, no_inflation(len(weights)))
    slow = by_pair(numpy_ref.find_edges(evidence, error, 1.0, hubs), n_columns)
    off = {"estimate": 0.0, "z": 0.0, "p_value": 0.0, "q_value": 0.0, "spread": 0.0, "missed": 0.0}
    for pair, (estimate, z, p_value, q_value, spread) in slow.items():
        of_tail = precision * (1 + abs(z)) ** 2
        of_level = np.expm1(of_tail + of_witness[pair]) + 40 * regrouped
        if pair not in fast:
            off["missed"] = max(
                off["missed"], (loosest - q_value) / (loosest * of_level + regrouped)
            )
            continue
        differences = {
            "estimate": (estimate, precision * (1 + abs(estimate))),
            "z": (z, precision * (1 + abs(z))),
            "p_value": (p_value, of_tail * p_value),
            "q_value": (q_value, of_level * q_value + regrouped),
            "spread": (spread, precision * spread),
        }
        for (name, (expected, bound)), number in zip(differences.items(), fast[pair]):
            if number != expected:
                off[name] = max(off[name], abs(number - expected) / bound)
    return off


def of_unexplained(found, rows, precision):
    """Compare the share of each column that its neighbours do not explain."""
    residual = refit(correlation(moments_of(rows)), len(rows)).residual
    return {
        "unexplained": np.max(np.abs(found.unexplained - residual) / (10 * precision * residual))
    }
