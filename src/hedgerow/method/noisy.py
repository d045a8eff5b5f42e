"""Neighbours and tests from correlations that lie behind scores, and are less sure for it.

The correlations of `hedgerow.method.latent`, put into the tests of `hedgerow.method.neighbours`,
would make these far too sure: of a sample covariance, the error of a partial covariance shrinks
with what is left of the two variables; here the noise of every column that took part remains. So
each partial covariance has a standard error of its own, from the influence of rows on it: if u and
v are the vectors that make residuals of i and j, it is u'Rv with errors in every entry of R, and
their covariances are those of products of scores (docs/theory.md, section 22).

What is returned is called a partial correlation, and is one where there is no noise. Where there
is, it is as much smaller as makes the tests of independent normal rows right.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.method.latent import Latent
from hedgerow.method.neighbours import COLLINEAR, NO_HUBS, Refit, step_thresholds

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

TRIED = 16  # variables that are tested in each step of forward selection
# What is left of a variable must be larger than zero by so many standard errors to be used.
CLEAR = 2.0
_TIGHTEST = 1e-3


class Sure(NamedTuple):
    """A refit of noisy columns, and how much less sure it is than one without noise."""

    fitted: Refit
    factor: Array  # (p, p); variance of each test over that without noise
    tight: Array  # (p, p); and over that of noise which does not depend on the variables
    skew: Array  # (p,); third moment of what neighbours leave of the scores, in units of its spread


class _Given(NamedTuple):
    """What some variables leave of all others."""

    chosen: Indices
    coefficients: Array  # (d, p); of every variable on the chosen ones
    variance: Array  # (p,); left, as is ...
    noise: Array  # (p,); ... that of noise
    usable: NDArray[np.bool_]  # (p,); whether something is left for sure


def refit(latent: Latent, n_rows: float, hubs: Indices = NO_HUBS) -> Sure:
    """Choose the neighbours of every node and test it against all variables given them."""
    p = len(latent.corr)
    thresholds = step_thresholds(p, n_rows)
    residual, partial = np.empty(p), np.zeros((p, p))
    factor, tight = np.ones((p, p)), np.ones((p, p))
    given = np.empty((p, p), dtype=np.intp)
    spread = np.empty(p)
    columns, values = [], []
    for node in range(p):
        left = _regress(latent, node, n_rows, thresholds, hubs)
        chosen = left.chosen
        residual[node] = max(left.variance[node], COLLINEAR)
        spread[node] = residual[node] + left.noise[node]
        others = np.setdiff1d(np.arange(p), np.r_[node, chosen])
        partial[node, others], factor[node, others], tight[node, others] = _tested(
            latent, left, node, others, n_rows
        )
        for j in chosen:
            without = _given(latent, chosen[chosen != j], n_rows)
            one = _tested(latent, without, node, np.array([j]), n_rows)
            partial[node, j], factor[node, j], tight[node, j] = (x[0] for x in one)
        given[node] = len(chosen)
        given[node, chosen] -= 1
        columns.append(chosen)
        values.append(left.coefficients[:, node])
    sizes = np.array([len(chosen) for chosen in columns])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    entries = (np.concatenate(values), np.concatenate(columns).astype(np.intp), starts)
    coefficients = csr_array(entries, shape=(p, p))
    fitted = Refit(coefficients, residual, sizes, partial, given)
    return Sure(fitted, factor, tight, skew_left(latent, spread))


def skew_left(latent: Latent, spread: Array) -> Array:
    """Return the skewness of what neighbours leave of the scores, with this variance.

    It is that of a column's own noise, which no neighbour explains.
    """
    result: Array = latent.skew * ((1.0 + latent.noise) / spread) ** 1.5
    return result


def regression(
    latent: Latent, node: int, n_rows: float, thresholds: Array, hubs: Indices = NO_HUBS
) -> tuple[Indices, Array]:
    """Return the chosen neighbours of one node, and its coefficients on them."""
    left = _regress(latent, node, n_rows, thresholds, hubs)
    return left.chosen, left.coefficients[:, node]


def is_left(latent: Latent, node: int, chosen: Indices, n_rows: float) -> bool:
    """Return whether the chosen variables leave something of a node for sure.

    If not, what relates it to others given these is a quotient of two numbers that may be zero.
    """
    try:
        return bool(_given(latent, chosen, n_rows).usable[node])
    except np.linalg.LinAlgError:  # the chosen ones determine each other
        return False


def weaken(latent: Latent, n_rows: float, fitted: Refit) -> Refit:
    """Return the refit with the weakest result of each neighbour for which another could stand in.

    As `hedgerow.method.stand_ins.weaken` does without noise; but noise hides neighbours, so every
    variable that passes the threshold of forward selection is tried, not only those near the two.
    """
    thresholds = step_thresholds(len(latent.corr), n_rows)
    chosen = fitted.coefficients.toarray() != 0
    partial, given = fitted.partial.copy(), fitted.given.copy()
    for i, j in zip(*np.nonzero(chosen)):
        rest = np.flatnonzero(chosen[i] & (np.arange(len(chosen)) != j))
        left = _given(latent, rest, n_rows)
        tried = _strongest(latent, left, i, [j, *rest])
        first, *_ = _tested(latent, left, i, tried, n_rows)
        freedom = n_rows - 3 - len(rest)
        passes = first**2 * freedom > thresholds[len(rest)] ** 2 * (1 - first**2)
        if not passes.any():
            continue
        own = partial[i, j]
        remains = np.sign(own) * _given_one_more(latent, left, i, j, tried[passes])
        weakest = max(float(remains.min()), 0.0)
        if weakest < abs(own):
            partial[i, j] = np.sign(own) * weakest
            given[i, j] += 1
    return fitted._replace(partial=partial, given=given)


def given_both(
    latent: Latent, n_rows: float, fitted: Refit, first: Indices, second: Indices
) -> tuple[Array, Indices]:
    """Return the partial correlations of pairs given both nodes' neighbours, and how many.

    Of the two ways to take a pair, the weaker result counts; it is zero where neighbours determine
    each other.
    """
    partial, size = np.empty(len(first)), np.empty(len(first), dtype=np.intp)
    chosen = fitted.coefficients.toarray() != 0
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        theirs = chosen[i] | chosen[j]
        theirs[[i, j]] = False
        partial[pair], size[pair] = 0.0, theirs.sum()
        if _determined(latent.corr[np.ix_(theirs, theirs)]):
            continue
        left = _given(latent, np.flatnonzero(theirs), n_rows)
        ways = [
            _tested(latent, left, node, np.array([other]), n_rows)[0][0]
            for node, other in ((i, j), (j, i))
        ]
        partial[pair] = min(ways, key=abs)
    return partial, size


def _determined(corr: Array) -> bool:
    """Return whether one of some variables is determined by those before it."""
    left = corr.copy()
    for k in range(len(left)):
        if abs(left[k, k]) <= COLLINEAR:
            return True
        left[k + 1 :, k + 1 :] -= np.outer(left[k + 1 :, k], left[k, k + 1 :]) / left[k, k]
    return False


def debiased(latent: Latent, weights: NDArray[np.floating], tight: Array) -> Array:
    """Return the statistic of `hedgerow.method.edges.debiased`, as sure as noise lets it be.

    Its standard error is that of noise which does not depend on the variables, times ``tight``.
    """
    away = np.eye(len(weights)) - weights
    residual = away @ latent.corr @ away.T
    noise = (away * latent.noise) @ away.T
    variance = np.maximum(np.diag(residual), COLLINEAR)
    direct = weights * variance
    spread = np.outer(*2 * [variance + np.diag(noise)]) + noise**2
    spread = np.sqrt(spread) * np.maximum(tight, _TIGHTEST)
    result: Array = -(residual + direct + direct.T) / spread
    np.fill_diagonal(result, 0.0)
    return np.clip(result, -1.0, 1.0)


def within_one(
    latent: Latent, partial: Array, first: Indices, second: Indices, coefficients: csr_array
) -> tuple[Array, NDArray[np.bool_]]:
    """Return partial correlations, and which were cut off at one: too unsure to mean anything.

    In place of these is what is left given the neighbours of both, which is one rarely.
    """
    noisy = latent.noise[[first, second]].max(axis=0) > 0.0
    cut, result = (np.abs(partial) >= 1.0) & noisy, partial.copy()
    for pair in np.flatnonzero(cut):
        ends = first[pair], second[pair]
        rows = (coefficients.indices[slice(*coefficients.indptr[[i, i + 1]])] for i in ends)
        given = np.setdiff1d(np.concatenate([*rows]), ends)
        left = partial_given(latent.corr, *ends, given)
        result[pair] = partial[pair] if np.isnan(left) else left
    return result, cut


def partial_given(corr: Array, i: int, j: int, given: Indices) -> float:
    """Return the partial correlation of two variables given others, NaN if these leave nothing."""
    pair = np.array([i, j])
    left = corr[np.ix_(pair, pair)]
    if len(given):
        across = corr[np.ix_(given, pair)]
        left = left - across.T @ np.linalg.lstsq(corr[np.ix_(given, given)], across)[0]
    room = left[0, 0] * left[1, 1]
    if min(left[0, 0], left[1, 1]) <= COLLINEAR or left[0, 1] ** 2 >= room:
        return float("nan")
    return float(left[0, 1] / np.sqrt(room))


def _regress(latent: Latent, node: int, n_rows: float, thresholds: Array, hubs: Indices) -> _Given:
    """Return what the variables that are chosen for a node leave, in the order of columns."""
    chosen = _select(latent, node, n_rows, thresholds, hubs).chosen
    return _given(latent, np.sort(chosen), n_rows)


def _select(latent: Latent, node: int, n_rows: float, thresholds: Array, hubs: Indices) -> _Given:
    """Choose variables for a node, hubs and then each the strongest given those before it."""
    chosen: list[int] = []
    left = _given(latent, np.array(chosen, dtype=np.intp), n_rows)
    for step, threshold in enumerate(thresholds):
        if step and not left.usable[node]:
            break
        waiting = [j for j in hubs if j != node and j not in chosen and left.usable[j]]
        if waiting:
            chosen.append(int(waiting[0]))
            left = _given(latent, np.array(chosen), n_rows)
            continue
        tried = _strongest(latent, left, node, chosen)
        if not len(tried):
            break
        partial, *_ = _tested(latent, left, node, tried, n_rows)
        freedom = n_rows - 3 - step
        passes = partial**2 * freedom > threshold**2 * (1.0 - partial**2)
        if not passes.any():
            break
        # Not the surest: of two that are alike, that would be the one with less noise.
        likely = tried[passes]
        strength = _covariance(latent, left, node)[likely] ** 2 / left.variance[likely]
        chosen.append(int(likely[strength.argmax()]))
        left = _given(latent, np.array(chosen), n_rows)
    return left


def _strongest(latent: Latent, left: _Given, node: int, but: list[int]) -> Indices:
    """Return the variables that a node is most related to, as a first guess."""
    covariance = _covariance(latent, left, node)
    room = np.maximum(left.variance + left.noise, COLLINEAR)
    strength = np.where(left.usable, covariance**2 / room, 0.0)
    strength[[node, *but]] = 0.0
    tried = np.argsort(-strength, kind="stable")[:TRIED]
    return tried[strength[tried] > 0]


def _given(latent: Latent, chosen: Indices, n_rows: float) -> _Given:
    corr, noise = latent.corr, latent.noise
    across = corr[chosen]
    coefficients = np.linalg.solve(corr[np.ix_(chosen, chosen)], across)
    variance = 1.0 - (across * coefficients).sum(axis=0)
    beside = noise + noise[chosen] @ coefficients**2
    error = np.sqrt(2.0 / n_rows) * (np.maximum(variance, 0.0) + beside)
    usable = variance > np.maximum(CLEAR * np.where(beside > 0, error, 0.0), COLLINEAR)
    return _Given(chosen, coefficients.astype(np.float64), variance, beside, usable)


def _covariance(latent: Latent, left: _Given, node: int) -> Array:
    result: Array = latent.corr[node] - latent.corr[node, left.chosen] @ left.coefficients
    return result


def _tested(
    latent: Latent, left: _Given, node: int, others: Indices, n_rows: float
) -> tuple[Array, Array, Array]:
    """Return partial correlations of a node with others, and how much less sure they are."""
    n, chosen = len(others), left.chosen
    covariance = _covariance(latent, left, node)[others]
    variance = np.maximum(left.variance[others], COLLINEAR)
    slope = np.where(left.usable[others], covariance / variance, 0.0)
    own, their = left.coefficients[:, node], left.coefficients[:, others].T
    index = np.column_stack([np.full(n, node), others, np.tile(chosen, (n, 1))])
    first = np.column_stack([np.ones(n), -slope, slope[:, None] * their - own])
    second = np.column_stack([np.zeros(n), np.ones(n), -their])
    spread = _spread(latent, index, first, second, (covariance, slope * variance))
    alone = np.maximum(left.variance[node] - slope * covariance, COLLINEAR) * variance
    noise = latent.noise[index]
    known = np.maximum(left.variance[node] - slope * covariance, 0.0)
    free = (known + (noise * first**2).sum(axis=1)) * (variance + left.noise[others])
    free += (noise * first * second).sum(axis=1) ** 2
    free = np.maximum(free, COLLINEAR**2)
    strength = covariance / np.sqrt(spread)
    partial = strength / np.sqrt(1.0 + strength**2)
    return partial, spread / alone, spread / free


def _given_one_more(latent: Latent, left: _Given, i: int, j: int, more: Indices) -> Array:
    """Return the partial correlation of i and j given one more variable, for each of some."""
    n, chosen = len(more), left.chosen
    first, second = _covariance(latent, left, i), _covariance(latent, left, j)
    room = np.maximum(left.variance[more], COLLINEAR)
    of_i, of_j = first[more] / room, second[more] / room  # coefficients on the one more
    covariance = first[j] - of_i * second[more]
    variance = left.variance[j] - of_j * second[more]
    slope = np.where(left.usable[j], covariance / np.maximum(variance, COLLINEAR), 0.0)
    theirs = left.coefficients[:, more].T
    vector_i = np.column_stack(
        [np.ones(n), np.zeros(n), -of_i, of_i[:, None] * theirs - left.coefficients[:, i]]
    )
    vector_j = np.column_stack(
        [np.zeros(n), np.ones(n), -of_j, of_j[:, None] * theirs - left.coefficients[:, j]]
    )
    ends = np.full(n, i), np.full(n, j), more
    index = np.column_stack([*ends, np.tile(chosen, (n, 1))])
    vector_i -= slope[:, None] * vector_j
    spread = _spread(latent, index, vector_i, vector_j, (covariance, slope * variance))
    strength = covariance / np.sqrt(spread)
    result: Array = strength / np.sqrt(1.0 + strength**2)
    return result


def spread_of(latent: Latent, columns: Indices, combined: Array) -> float:
    """Return the variance of the estimate of a combination's variance, times the number of rows."""
    nothing = np.zeros(1)
    vector = combined[None, :]
    return float(_spread(latent, columns[None, :], vector, vector, (nothing, nothing))[0])


def _spread(
    latent: Latent, index: Indices, first: Array, second: Array, signal: tuple[Array, Array]
) -> Array:
    """Return the variance of first' R second, times the number of rows.

    ``index`` names the columns that the entries of both vectors belong to. The ``signal`` is how
    much the residuals of the two columns in front are related, before and by what was taken out of
    the first: it depends on these columns' scales, and they say nothing about whether it is zero.
    """
    pairs = index[:, :, None], index[:, None, :]
    scores = latent.scores[pairs]
    counts = first[:, :, None] * second[:, None, :] * latent.looseness[pairs]
    counts = (counts + counts.transpose(0, 2, 1)) / 2
    diagonal = np.arange(index.shape[1])
    counts[:, diagonal, diagonal] = 0.0
    counts[:, diagonal, diagonal] = -(counts * scores).sum(axis=2)
    counts[:, 0, 0] += signal[0] / 2
    counts[:, 1, 1] -= signal[1] / 2
    seen = counts @ scores
    wobble = 4.0 * (np.square(first * second) * latent.doubt[index]).sum(axis=1)
    result: Array = 2.0 * (seen * seen.transpose(0, 2, 1)).sum(axis=(1, 2)) + wobble
    return np.maximum(result, COLLINEAR**2)
