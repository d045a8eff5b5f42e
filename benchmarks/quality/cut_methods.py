"""What is done about steps and gaps: by us, before and now, and by others.

Polychoric correlations are ours (`hedgerow.method.latent`): found from the correlation of scores
and the shares of steps, not by the likelihood of each pair's table. They estimate the same.
"""

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.quality.cut import RATIOS
from benchmarks.quality.cut_oracle import oracle
from benchmarks.quality.methods import OWN, PROMISES, Graphs, Method
from benchmarks.quality.treated import AS_IT_COMES, BEFORE, before, positive, rows_with
from benchmarks.quality.treated import scores_of_ranks as ranked
from hedgerow import HedgeGraph, rivals
from hedgerow.datasets import Model
from hedgerow.method.kinds import curves_of, kinds_of
from hedgerow.method.latent import latent_of
from hedgerow.method.marginals import first_marginals, first_scores, flat
from hedgerow.method.ordered import in_order

Array = NDArray[np.float64]

KEPT = ("FDR 0.05", "FWER 0.05")  # the promises that are looked at


def hedgerow(rows: Array, model: Model) -> Graphs:
    """HedgeGraph as it comes."""
    learner = HedgeGraph().fit(rows)
    graphs = {}
    for promise in KEPT:
        error, level = PROMISES[promise]
        graphs[promise] = learner.set_params(error=error, level=level).adjacency_.toarray()
    return graphs


def complete(rows: Array, model: Model) -> Graphs:
    """HedgeGraph, as before, on the rows without gaps."""
    return before(rows[~np.isnan(rows).any(axis=1)], model)


def filled(rows: Array, model: Model) -> Graphs:
    """HedgeGraph, as before, with the column's mean in place of each gap."""
    return before(np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows), model)


def polychoric_lasso(rows: Array, model: Model) -> Graphs:
    """Psychology's way: polychoric correlations of pairs that are seen, EBIC graphical lasso."""
    lasso = rivals.make("quic").fit(rows_with(positive(polychoric(rows)), len(rows)))
    return {OWN: lasso.adjacency_.toarray()}


def polychoric(rows: Array) -> Array:
    """Return the correlations of the normal variables behind columns, pair by pair."""
    first, as_is = in_order(rows), flat(rows)
    corr = pd.DataFrame(first_scores(first, as_is)).corr().to_numpy()
    return latent_of(corr, curves_of(kinds_of(first, as_is), first_marginals(first, as_is))).corr


WHOLE = "whole"  # the method that is shown the whole table: as many rows as pairs of cells are seen
ORACLE = "oracle"  # the method that knows the model
ONE = (10.0,)  # rows for each column that the others are tried at
METHODS: dict[str, Method] = {
    AS_IT_COMES: Method("HedgeGraph", hedgerow, 14, RATIOS),
    WHOLE: Method("HedgeGraph, whole rows", hedgerow, 14, RATIOS),
    BEFORE: Method("HedgeGraph, before", before, 4, RATIOS),
    "complete": Method("before, complete rows", complete, 4, RATIOS),
    "filled": Method("before, means filled in", filled, 4, RATIOS),
    ORACLE: Method("oracle", oracle, 1, ONE),
    "polychoric": Method("polychoric, graphical lasso, EBIC", polychoric_lasso, 1, ONE),
    "ric": Method("scores, RIC", partial(ranked, "huge_mb_ric"), 1, ONE),
    "stars": Method("scores, StARS", partial(ranked, "huge_mb_stars"), 1, ONE),
}
FOR_GAPS, NOT_FOR_GAPS = ("complete", "filled"), (BEFORE, ORACLE, "ric", "stars")
UNTOLD = (ORACLE, "polychoric", "ric", "stars")  # not tried where there is nothing to find
