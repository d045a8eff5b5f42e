"""From correlations of scores to tested edges between the variables that lie behind them.

The same two witnesses as in `hedgerow.method.edges`, with tests that know of the noise in columns
of steps. Noise hides neighbours, and where columns are strongly related, an indirect relation is
then not explained away. So what is left given the neighbours of both nodes is asked there whatever
the promise, and everywhere if rows are few, or not a single false edge is allowed. In the latter
case the refit must also hold where another variable could have been chosen as a neighbour, and
where columns are strongly related the weaker of the results given either node's neighbours counts.
At a false discovery rate other variables are tried only for columns that the rows do not tell
apart; and of pairs of which nothing else is asked Hedge is asked by itself, as if there were no
other, if they are clear of the typical bias (docs/theory.md, section 22).
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method import behind, noisy
from hedgerow.method.behind import Behind
from hedgerow.method.company import company_of
from hedgerow.method.edges import (
    EdgeTests,
    Indices,
    adjusted,
    debiased,
    given_ends,
    given_fewer,
)
from hedgerow.method.inflation import Inflation, calming
from hedgerow.method.latent import Latent, at_their_bound
from hedgerow.method.levels import BIAS_OF_FEW_ROWS, MIN_ROWS, STRONGLY_RELATED, plausible_bias
from hedgerow.method.neighbours import NO_HUBS, Refit
from hedgerow.method.promises import BALANCED
from hedgerow.method.scores import two_sided, z_score

Array = NDArray[np.float64]
Pairs = tuple[Indices, Indices]


def judge_latent(
    latent: Latent,
    n_rows: float,
    hedge_weights: NDArray[np.floating],
    error: str,
    inflation: Inflation,
    hubs: NDArray[np.intp] = NO_HUBS,
    who: Behind = behind,
) -> tuple[EdgeTests, float]:
    """Test every pair of variables; return also how many rows say as much as one without noise.

    ``who`` computes what takes long.
    """
    n_columns = len(latent.corr)
    upper = np.triu_indices(n_columns, 1)
    n_rows = max(n_rows / inflation.per_effective, MIN_ROWS)
    calm = calming(inflation, *upper)
    sure = who.refit(latent, n_rows, hubs)
    fitted = sure.fitted
    factor = np.maximum(np.minimum(sure.factor, sure.factor.T), 1.0)[upper]
    per_clear = float(np.median(factor))
    clear = max(n_rows / per_clear, MIN_ROWS)
    hidden = max((1.0 + float(latent.noise.max())) / np.sqrt(per_clear), 1.0)
    # How much surer products of scores are than noise would be that had nothing to do with them.
    tight = np.sqrt(np.minimum(sure.tight, sure.tight.T))
    skew = skews(sure, n_rows, upper)

    few = hidden * plausible_bias(n_columns, clear) > BIAS_OF_FEW_ROWS
    related = _strongly_related(fitted.residual, upper)
    asked = related | few | (error == "fwer")  # what is left given the neighbours of both nodes
    company = None  # what noise hides is not explained, and a balanced graph would believe it
    if error != BALANCED:
        ends = given_ends(fitted, n_rows, upper)
        company = company_of(latent.corr, fitted.coefficients, clear, *ends)

    def normal(score: Array) -> Array:
        return calm * unskewed(score, skew)

    def smallest_level(score: Array) -> Array:
        rules = n_columns, clear, error, company, hidden
        return adjusted(score, witness, *rules, each_agrees=~asked)

    hedge = noisy.debiased(latent, hedge_weights, tight)[upper]
    witness = normal(z_score(-hedge, n_rows - 2))
    known = latent, n_rows, fitted, upper, error
    scores = [normal(raw) for raw in _raw_scores(*known, related, asked, few, who)]
    q_value = np.maximum.reduce([smallest_level(score) for score in scores])
    estimate = -debiased(latent.corr, fitted.coefficients)[upper]
    tests = estimate, scores[0], two_sided(scores[0]), q_value
    return EdgeTests(*tests, fitted.residual, fitted.coefficients), per_clear


def skews(sure: noisy.Sure, n_rows: float, upper: Pairs) -> Array:
    """Return how skewed the scores of pairs are."""
    result: Array = sure.skew[upper[0]] * sure.skew[upper[1]] / np.sqrt(n_rows)
    return result


def unskewed(z: Array, skew: Array) -> Array:
    """Return scores as normal as those of skewed products can be made, and none larger.

    A mean of products that are skewed has larger values on one side than a normal variable: to the
    first order w + skew (w² - 1) / 6 where that has w (Cornish and Fisher). This is solved for w.

    >>> unskewed(np.array([4.0, -4.0]), np.array([0.25, 0.25])).round(2)
    array([ 3.52, -4.  ])
    """
    size, bend = np.abs(z), np.maximum(np.abs(skew), 1e-9)
    solved = (np.sqrt(1.0 + 2.0 / 3.0 * bend * (size + bend / 6.0)) - 1.0) * 3.0 / bend
    result: Array = np.where(z * skew > 0, np.sign(z) * np.minimum(solved, size), z)
    return result


def _raw_scores(
    latent: Latent,
    n_rows: float,
    fitted: Refit,
    upper: Pairs,
    error: str,
    related: NDArray[np.bool_],
    asked: NDArray[np.bool_],
    few: bool,
    who: Behind,
) -> list[Array]:
    """Return z of every pair that all count, the first of them for the p-value."""
    z = given_fewer(fitted, n_rows, upper)
    if error == BALANCED:
        return [z]
    if error == "fwer":
        careful = who.weaken(latent, n_rows, fitted)
        weaker = _weaker(careful, n_rows, upper)
        z = np.where(related, weaker, given_fewer(careful, n_rows, upper))
        return [z, _given_both(latent, n_rows, fitted, upper, asked, z, who)]
    both = _given_both(latent, n_rows, fitted, upper, asked, z, who)
    room = noisy.CLEAR / np.sqrt(n_rows) if few else 0.0
    alike = asked & _at_their_bound(latent, room, upper)
    if alike.any():
        held = given_fewer(who.weaken(latent, n_rows, fitted), n_rows, upper)
        both = np.where(alike & (np.abs(held) < np.abs(both)), held, both)
    return [z, both]


def _strongly_related(residual: Array, upper: Pairs) -> NDArray[np.bool_]:
    """Return the pairs of columns that neighbours tell most of; all, if such ones are typical."""
    some = residual < STRONGLY_RELATED
    result: NDArray[np.bool_] = some[upper[0]] & some[upper[1]]
    return result | bool(np.median(residual) < STRONGLY_RELATED)


def _given_both(
    latent: Latent,
    n_rows: float,
    fitted: Refit,
    upper: Pairs,
    asked: NDArray[np.bool_],
    z: Array,
    who: Behind,
) -> Array:
    """Return z, and of the pairs that are asked what it is given the neighbours of both nodes."""
    result = z.copy()
    partial, size = who.given_both(latent, n_rows, fitted, upper[0][asked], upper[1][asked])
    result[asked] = z_score(partial, n_rows - 2 - size)
    return result


def _at_their_bound(latent: Latent, room: float, upper: Pairs) -> NDArray[np.bool_]:
    """Return which pairs are at their bound, or so near."""
    result = np.zeros_like(latent.corr, dtype=np.bool_)
    result[at_their_bound(latent, room)] = True
    return result[upper]


def _weaker(fitted: Refit, n_rows: float, upper: Pairs) -> Array:
    """Return the weaker z of every pair given either node's neighbours; 0 if signs differ."""
    z = z_score(fitted.partial, n_rows - 2 - fitted.given)
    first, second = z[upper], z.T[upper]
    weaker = np.where(np.abs(first) < np.abs(second), first, second)
    return np.where(first * second > 0, weaker, 0.0)
