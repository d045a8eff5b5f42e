"""The methods that are compared: each turns rows into one or more graphs, untuned by us.

Methods that test edges answer to three promises; the others have a single answer of their own.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import stats

from benchmarks.quality.cases import RATIOS
from benchmarks.quality.lasso import scaled_lasso
from hedgerow import HedgeGraph, SparsitronGraph
from hedgerow.datasets import Model, rescale
from hedgerow.edges import debiased
from hedgerow.multiplicity import benjamini_hochberg, holm
from hedgerow.theory import constants

Graphs = dict[str, np.ndarray]  # promise -> adjacency matrix

PROMISES = {"FDR 0.05": ("fdr", 0.05), "FDR 0.2": ("fdr", 0.2), "FWER 0.05": ("fwer", 0.05)}
OWN = "own"
ADJUST = {"fdr": benjamini_hochberg, "fwer": holm}


class Method(NamedTuple):
    """A method, the number of seeds it is given and the rows for each column it is tried at."""

    label: str
    graphs: Callable[[np.ndarray, Model], Graphs]
    seeds: int
    ratios: tuple[float, ...] = RATIOS


def hedgerow(rows: np.ndarray, model: Model) -> Graphs:
    learner = HedgeGraph().fit(rows)
    return {
        promise: learner.set_params(error=error, level=level).adjacency_.toarray()
        for promise, (error, level) in PROMISES.items()
    }


def inverse_gram(rows: np.ndarray, model: Model) -> Graphs:
    """Exact t tests of the partial correlations given all other variables."""
    m, p = rows.shape
    partial = partial_correlations(rows)
    t = partial * np.sqrt((m - p) / (1 - partial**2))
    return _tested(2 * stats.t.sf(np.abs(t), m - p))


def debiased_lasso(rows: np.ndarray, model: Model) -> Graphs:
    """Scaled lasso at the theoretical penalty, then the debiased statistic, taken as normal."""
    m, p = rows.shape
    corr = np.corrcoef(rows, rowvar=False)
    weights = scaled_lasso(corr, np.sqrt(2 * np.log(p) / m))
    return _tested(2 * stats.norm.sf(np.sqrt(m) * np.abs(debiased(corr, weights))))


def huge(method: str, criterion: str) -> Callable[[np.ndarray, Model], Graphs]:
    def graphs(rows: np.ndarray, model: Model) -> Graphs:
        import pyhuge

        path = pyhuge.huge(rows, method=method, verbose=False)
        best = pyhuge.huge_select(path, criterion=criterion, verbose=False)
        return {OWN: _symmetric(best.refit.toarray() != 0)}

    return graphs


def graphical_lasso_cv(rows: np.ndarray, model: Model) -> Graphs:
    from sklearn.covariance import GraphicalLassoCV

    standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return {OWN: _symmetric(GraphicalLassoCV().fit(standard).precision_ != 0)}


def sparsitron(rows: np.ndarray, model: Model) -> Graphs:
    """The paper's method, told the true constants, in units where every true variance is 1."""
    if not len(model.edges):
        return {OWN: np.zeros((model.size, model.size), dtype=bool)}  # told that there is nothing
    scale = np.sqrt(np.diag(model.covariance()))
    known = constants(rescale(model, 1 / scale).precision)
    parameters = known.lambda_max, known.kappa, known.nu_max, known.theta_max, 0.05
    return {OWN: SparsitronGraph(*parameters).fit(rows / scale).adjacency_.toarray()}


def partial_correlations(rows: np.ndarray) -> np.ndarray:
    """Return all partial correlations, by the inverse of the correlation matrix."""
    inverse = np.linalg.inv(np.corrcoef(rows, rowvar=False))
    scale = np.sqrt(np.diag(inverse))
    result = -inverse / scale / scale[:, None]
    np.fill_diagonal(result, 0.0)
    return result


def _tested(p_values: np.ndarray) -> Graphs:
    upper = np.triu_indices(len(p_values), 1)
    graphs = {}
    for promise, (error, level) in PROMISES.items():
        accepted = np.zeros(p_values.shape, dtype=bool)
        accepted[upper] = ADJUST[error](p_values[upper]) <= level
        graphs[promise] = accepted | accepted.T
    return graphs


def _symmetric(graph: np.ndarray) -> np.ndarray:
    graph = graph | graph.T
    np.fill_diagonal(graph, False)
    return graph


MORE_ROWS = tuple(ratio for ratio in RATIOS if ratio > 1)  # the Gram matrix can be inverted
METHODS: dict[str, Method] = {
    "hedgerow": Method("HedgeGraph", hedgerow, 40),
    "inverse": Method("inverse Gram + tests", inverse_gram, 40, MORE_ROWS),
    "lasso": Method("scaled lasso + tests", debiased_lasso, 40),
    "ric": Method("pyhuge neighbourhoods, RIC", huge("mb", "ric"), 20),
    "stars": Method("pyhuge neighbourhoods, StARS", huge("mb", "stars"), 6),
    "ebic": Method("pyhuge graphical lasso, EBIC", huge("glasso", "ebic"), 10),
    "glassocv": Method("scikit-learn GraphicalLassoCV", graphical_lasso_cv, 2, (2.0, 10.0)),
    "sparsitron": Method("SparsitronGraph, true constants", sparsitron, 20),
}
