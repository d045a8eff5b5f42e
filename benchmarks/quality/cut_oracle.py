"""How many edges tests can find in a table of steps if all is known but the edge in question.

The oracle knows the rest of the graph, the distribution of each column, and how errors of
correlations are related. It weighs the correlations of all pairs of columns accordingly (minimum
distance): with many rows no test of a single edge by such correlations does better. A method that
is told nothing can still find more here and there: it may give promising pairs a larger prior,
where the oracle treats all alike, and an edge is clearer given fewer neighbours than it has.

Errors of correlations are those of rows that are simulated from the model. With few rows its z are
larger than normal ones, most of all where columns are strongly related, and a correction for many
tests would promise what it does not keep. So the oracle is also told where to stop: it takes the
strongest pairs, as many as can be taken with a share of false ones that is no larger than promised.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from benchmarks.quality.cut import counted
from benchmarks.quality.methods import PROMISES, Graphs
from hedgerow.datasets import Model
from hedgerow.method.kinds import COUNTS, curves_of, kinds_of
from hedgerow.method.latent import series
from hedgerow.method.marginals import first_marginals, flat, scored
from hedgerow.method.ordered import in_order

Array = NDArray[np.float64]

_SIMULATED = 20_000  # rows
_POWERS = 3  # of a column's scores, whose means are known
_PROMISE = "FDR 0.05"


def oracle(rows: Array, model: Model) -> Graphs:
    """Return the strongest pairs, as many as there can be with no more false ones than promised."""
    first, second = np.triu_indices(model.size, 1)
    order = np.argsort(-np.abs(scores_of_pairs(rows, model)))
    false = ~model.adjacency.toarray()[first, second][order]
    _, level = PROMISES[_PROMISE]
    kept = np.flatnonzero(np.cumsum(false) <= level * np.arange(1, len(order) + 1))
    taken = order[: kept[-1] + 1 if len(kept) else 0]
    graph = np.zeros((model.size, model.size), dtype=np.bool_)
    graph[first[taken], second[taken]] = True
    return {_PROMISE: graph | graph.T}


def scores_of_pairs(rows: Array, model: Model) -> Array:
    """Return the oracle's z of each pair, standard normal where there is no edge and many rows."""
    corr, precision = model.covariance(), model.precision.toarray()
    pairs = np.triu_indices(model.size, 1)
    as_is = flat(rows)
    first = in_order(rows)
    kinds, marginals = kinds_of(first, as_is), first_marginals(first, as_is)
    curves = curves_of(kinds, marginals)
    _, slope = series(corr - np.eye(model.size), curves.coefficients, curves.coefficients)

    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((_SIMULATED, model.size)) @ np.linalg.cholesky(corr).T
    alike = np.empty_like(hidden)
    for j, place in enumerate(special.ndtr(hidden).T):
        alike[:, j] = np.quantile(rows[:, j], place, method="inverted_cdf")
    counts = kinds == COUNTS
    alike[:, counts] = counted(hidden[:, counts], rng)
    own, simulated = _products(scored(marginals, alike), pairs)
    known, seen = _products(scored(marginals, rows), pairs)
    # What columns by themselves say of a product is known, and no error.
    centre, mean = own.mean(axis=0), simulated.mean(axis=0)
    taken = np.linalg.lstsq(own - centre, simulated - mean)[0]
    errors = (simulated - mean - (own - centre) @ taken) / slope[pairs]
    error = (seen - mean - (known - centre) @ taken).mean(axis=0) / slope[pairs]

    covariance = errors.T @ errors / (_SIMULATED - errors.shape[1] - 2)
    moves = _moves(corr, precision, pairs)
    weighed = linalg.cho_solve(linalg.cho_factor(covariance), moves)
    information, score = moves.T @ weighed, weighed.T @ error
    return _tested(information, score, precision, pairs, len(rows))


def _products(scores: Array, pairs: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return powers of the scores of single columns, and products of those of pairs."""
    spread = scores / scores.std(axis=0)
    varied = [spread**k for k in range(1, _POWERS + 1)]
    return np.hstack(varied), spread[:, pairs[0]] * spread[:, pairs[1]]


def _moves(corr: Array, precision: Array, pairs: tuple[Array, Array]) -> Array:
    """Return by how much each correlation moves with the partial correlation of each pair."""
    scale = np.sqrt(np.diag(precision))
    covariance = corr * scale * scale[:, None]  # where each variable has precision one
    spread = np.sqrt(np.diag(covariance))
    moves = np.empty((len(pairs[0]), len(pairs[0])))
    for column, (i, j) in enumerate(zip(*pairs)):
        moved = np.outer(covariance[i], covariance[j])
        moved = (moved + moved.T) / spread / spread[:, None]
        own = np.diag(moved) / 2
        moves[:, column] = (moved - corr * (own + own[:, None]))[pairs]
    return moves


def _tested(
    information: Array, score: Array, precision: Array, pairs: tuple[Array, Array], n_rows: int
) -> Array:
    """Return z of each pair, given those that are joined."""
    scale = np.sqrt(np.diag(precision))
    strength = -(precision / scale / scale[:, None])[pairs]
    joined = strength != 0
    inverse = np.linalg.inv(information[np.ix_(joined, joined)])
    across = information[:, joined] @ inverse
    left = np.diag(information) - (across * information[:, joined]).sum(axis=1)
    z = (score - across @ score[joined]) / np.sqrt(np.maximum(left, 1e-12))
    z[joined] = (strength[joined] + inverse @ score[joined]) / np.sqrt(np.diag(inverse))
    return z * np.sqrt(n_rows)
