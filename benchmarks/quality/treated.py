"""What others do about rows that are not independent and normal: treat them, then learn as usual.

Ranks are treated in two ways, as R's huge does (normal scores) and by rank correlations with a
transform that makes them Pearson's for normal data; series by differences or by leaving rows out.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.quality.kinds import RATIOS
from benchmarks.quality.methods import OWN, Graphs, Method, cuts_of, hedgerow
from hedgerow import HedgeGraph, rivals
from hedgerow.datasets import Model

Array = NDArray[np.float64]

SMALLEST = 1e-3  # eigenvalue that a matrix of rank correlations is lifted to
BEYOND_CHANCE = 1.96  # standard errors of an autocorrelation


def before(rows: Array, model: Model) -> Graphs:
    """HedgeGraph told that rows are independent and columns normal, whether or not they are."""
    return cuts_of(HedgeGraph(rows="independent", columns="normal").fit(rows))


def scores_of_ranks(rival: str, rows: Array, model: Model) -> Graphs:
    """R huge's way: every column is replaced by normal scores of its ranks."""
    import pyhuge

    return _own(rival, pyhuge.huge_npn(rows, verbose=False))


def rank_correlations(corr: Callable[[Array], Array], rows: Array, model: Model) -> Graphs:
    """Neighbourhoods from a matrix of correlations that are not Pearson's."""
    return _own("neighbourhoods_ebic", rows_with(positive(corr(rows)), len(rows)))


def differences(rows: Array, model: Model) -> Graphs:
    """What each row has more than the last."""
    return before(np.diff(rows, axis=0), model)


def thinned(rows: Array, model: Model) -> Graphs:
    """Rows so far apart that they have forgotten each other."""
    return before(rows[:: memory(rows)], model)


def memory(rows: Array) -> int:
    """Return the first lag at which the columns' mean autocorrelation is within chance."""
    standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    for lag in range(1, len(rows)):
        if np.mean(standard[lag:] * standard[:-lag]) < BEYOND_CHANCE / np.sqrt(len(rows)):
            return lag
    return len(rows)


def spearman(rows: Array) -> Array:
    """Return the correlations of normal data with these Spearman correlations."""
    ranks = stats.rankdata(rows, axis=0)
    return 2 * np.sin(np.pi / 6 * np.corrcoef(ranks, rowvar=False))


def kendall(rows: Array) -> Array:
    """Return the correlations of normal data with these Kendall correlations (no ties)."""
    together = np.zeros((rows.shape[1], rows.shape[1]))
    for lag in range(1, len(rows)):
        signs = np.sign(rows[lag:] - rows[:-lag]).astype(np.float32)
        together += signs.T @ signs
    return np.sin(np.pi / 2 * together * 2 / (len(rows) * (len(rows) - 1)))


def positive(corr: Array) -> Array:
    """Return a correlation matrix with positive eigenvalues, lifted where they are not."""
    values, vectors = np.linalg.eigh(corr)
    lifted = vectors * np.maximum(values, SMALLEST) @ vectors.T
    scale = np.sqrt(np.diag(lifted))
    return lifted / scale / scale[:, None]


def rows_with(corr: Array, m: int) -> Array:
    """Return rows with exactly these correlations, for methods that are given rows."""
    white = np.random.default_rng(0).standard_normal((m, len(corr)))
    white, _ = np.linalg.qr(white - white.mean(axis=0))
    return white @ np.linalg.cholesky(corr).T


def _own(rival: str, rows: Array) -> Graphs:
    return {OWN: rivals.make(rival).fit(rows).adjacency_.toarray()}


AS_IT_COMES, BEFORE = "hedgerow", "before"
SOME = (2.0, 10.0)  # rows for each column that the others are tried at
TREATED: dict[str, Method] = {
    AS_IT_COMES: Method("HedgeGraph", hedgerow, 22, RATIOS),
    BEFORE: Method("HedgeGraph, before", before, 8, RATIOS),
    "ric": Method("scores, RIC", partial(scores_of_ranks, "huge_mb_ric"), 2, SOME),
    "stars": Method("scores, StARS", partial(scores_of_ranks, "huge_mb_stars"), 1, SOME),
    "spearman": Method("Spearman, EBIC", partial(rank_correlations, spearman), 2, SOME),
    "kendall": Method("Kendall, EBIC", partial(rank_correlations, kendall), 1, SOME),
    "differences": Method("differences, before", differences, 2, SOME),
    "thinned": Method("thinned, before", thinned, 2, SOME),
}
FOR_SERIES = ("differences", "thinned")
