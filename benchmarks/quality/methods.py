"""The methods that are compared: each turns rows into one or more graphs, untuned by us.

Methods that test edges answer to three promises, and can balance false and missed edges instead;
the others have a single answer of their own.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.quality.cases import RATIOS
from hedgerow import HedgeGraph, SparsitronGraph, rivals
from hedgerow.datasets import Model, rescale
from hedgerow.method.promises import BALANCED
from hedgerow.method.scores import two_sided, z_score
from hedgerow.rivals._base import symmetric
from hedgerow.rivals._tests import accepted
from hedgerow.theory import constants

Graphs = dict[str, np.ndarray]  # promise -> adjacency matrix

PROMISES = {"FDR 0.05": ("fdr", 0.05), "FDR 0.2": ("fdr", 0.2), "FWER 0.05": ("fwer", 0.05)}
CUTS = {**PROMISES, BALANCED: ("fdr", BALANCED)}
OWN = "own"


class Method(NamedTuple):
    """A method, the number of seeds it is given and the rows for each column it is tried at."""

    label: str
    graphs: Callable[[np.ndarray, Model], Graphs]
    seeds: int
    ratios: tuple[float, ...] = RATIOS


def hedgerow(rows: np.ndarray, model: Model) -> Graphs:
    return cuts_of(HedgeGraph().fit(rows))


def cuts_of(learner: HedgeGraph) -> Graphs:
    """Return the graphs of one fit."""
    return {
        cut: learner.set_params(error=error, level=level).adjacency_.toarray()
        for cut, (error, level) in CUTS.items()
    }


def tested(name: str) -> Callable[[np.ndarray, Model], Graphs]:
    """A rival that has a p-value for every pair."""

    return lambda rows, model: all_cuts(rivals.make(name).fit(rows).p_values_)


def all_cuts(p_values: np.ndarray) -> Graphs:
    return {cut: accepted(p_values, error, level) for cut, (error, level) in CUTS.items()}


def true_neighbours(rows: np.ndarray, model: Model) -> Graphs:
    """Exact tests given the true neighbours of the node that has fewer, which nobody knows."""
    joined = model.adjacency.toarray()
    partial, given = partial_given(np.corrcoef(rows, rowvar=False), joined, len(rows))
    p_values = two_sided(z_score(partial, len(rows) - 2 - given))
    sizes = joined.sum(axis=1)
    source, target = np.triu_indices(model.size, 1)
    fewer = np.where(sizes[source] <= sizes[target], source, target)
    p_values[source, target] = p_values[fewer, source + target - fewer]
    return all_cuts(p_values)


def untested(name: str) -> Callable[[np.ndarray, Model], Graphs]:
    """A rival that has one graph of its own."""
    return lambda rows, model: {OWN: rivals.make(name).fit(rows).adjacency_.toarray()}


def graphical_lasso_cv(rows: np.ndarray, model: Model) -> Graphs:
    from sklearn.covariance import GraphicalLassoCV

    standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return {OWN: symmetric(GraphicalLassoCV().fit(standard).precision_ != 0, np.logical_or)}


def sparsitron(rows: np.ndarray, model: Model) -> Graphs:
    """The paper's method, told the true constants, in units where every true variance is 1."""
    if not len(model.edges):
        return {OWN: np.zeros((model.size, model.size), dtype=bool)}  # told that there is nothing
    scale = np.sqrt(np.diag(model.covariance()))
    known = constants(rescale(model, 1 / scale).precision)
    parameters = known.lambda_max, known.kappa, known.nu_max, known.theta_max, 0.05
    return {OWN: SparsitronGraph(*parameters).fit(rows / scale).adjacency_.toarray()}


def partial_given(
    corr: np.ndarray, joined: np.ndarray, n_rows: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return partial correlations of every node given its other neighbours, and their number.

    A node with too many for a regression has no evidence to offer.
    """
    sizes = joined.sum(axis=1)
    partial = np.zeros_like(corr)
    for node in np.flatnonzero(sizes < n_rows - 3):
        others = np.flatnonzero(joined[node])
        inverse = np.linalg.inv(corr[np.ix_(others, others)])
        left = corr - corr[:, others] @ inverse @ corr[others]
        free = np.flatnonzero(~joined[node])
        partial[node, free] = left[node, free] / np.sqrt(left[node, node] * np.diag(left)[free])
        weights = inverse @ corr[others, node]
        spread = np.diag(inverse) * left[node, node]
        partial[node, others] = weights / np.sqrt(weights**2 + spread)
    return partial, sizes[:, None] - joined


inverse_gram = tested("inverse_gram")
MORE_ROWS = tuple(ratio for ratio in RATIOS if ratio > 1)  # the Gram matrix can be inverted
METHODS: dict[str, Method] = {
    "hedgerow": Method("HedgeGraph", hedgerow, 40),
    "inverse": Method("inverse Gram + tests", inverse_gram, 40, MORE_ROWS),
    "lasso": Method("scaled lasso + tests", tested("scaled_lasso"), 40),
    "neighbours": Method("true neighbours + tests", true_neighbours, 20),
    "nebic": Method("neighbourhoods, EBIC", untested("neighbourhoods_ebic"), 20),
    "ric": Method("pyhuge neighbourhoods, RIC", untested("huge_mb_ric"), 20),
    "stars": Method("pyhuge neighbourhoods, StARS", untested("huge_mb_stars"), 6),
    "ebic": Method("pyhuge graphical lasso, EBIC", untested("huge_glasso_ebic"), 10),
    "glassocv": Method("scikit-learn GraphicalLassoCV", graphical_lasso_cv, 2, (2.0, 10.0)),
    "sparsitron": Method("SparsitronGraph, true constants", sparsitron, 20),
}
