"""What the engines for processors keep: running sums, and no rows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method import hedge
from hedgerow.method.engine import Indices, Named, Repeats
from hedgerow.method.forgetting import NEVER
from hedgerow.method.hedge import HedgeState
from hedgerow.method.moments import Columns, Moments, scaled_moments
from hedgerow.method.residuals import LEAST_SCALE, Residuals, scaled_residuals

_OF_RESIDUALS = "residual_"


class Learned(NamedTuple):
    """What some rows have taught.

    The moments can be ahead of Hedge, which learns in whole batches: the first
    ``moments.rows - hedge.rows`` rows of the next batch are then counted in them already.
    """

    moments: Moments
    hedge: HedgeState
    half_life: float = NEVER
    residuals: Residuals | None = None  # of the rows that have been learned, if asked for


def scaled(learned: Learned, factor: float) -> Learned:
    """Return the sums as if all row weights so far had been multiplied."""
    if factor == 1.0:
        return learned
    sums = learned.residuals
    return Learned(
        scaled_moments(learned.moments, factor),
        hedge.scaled(learned.hedge, factor),
        learned.half_life,
        None if sums is None else scaled_residuals(sums, factor),
    )


def named(learned: Learned) -> Named:
    """Return the sums by name."""
    moments, learner, half_life, sums = learned
    kept = (
        {}
        if sums is None
        else {f"{_OF_RESIDUALS}{name}": np.array(value) for name, value in sums._asdict().items()}
    )
    return {
        **kept,
        "half_life": np.array(half_life),
        "rows": np.array(moments.rows),
        "learned_rows": np.array(learner.rows),
        "mean": moments.mean,
        "products": moments.products,
        "weight": np.array(moments.weight),
        "squared_weight": np.array(moments.squared_weight),
        "column_mean": learner.columns.mean,
        "column_squares": learner.columns.squares,
        "column_weight": np.array(learner.columns.weight),
        "gradient": learner.gradient,
        "curvature": learner.curvature,
        "matched": learner.matched,
        "squared": learner.squared,
        "average": learner.average,
    }


def learned_of(arrays: Named) -> Learned:
    """Return the sums that have been given names."""
    get = arrays.__getitem__
    columns = Columns(
        int(get("learned_rows")),
        get("column_mean"),
        get("column_squares"),
        float(get("column_weight")),
    )
    learner = HedgeState(columns, *(get(name) for name in HedgeState._fields[1:]))
    weights = float(get("weight")), float(get("squared_weight"))
    moments = Moments(int(get("rows")), get("mean"), get("products"), *weights)
    return Learned(moments, learner, float(get("half_life")), _residuals_of(arrays))


def _residuals_of(arrays: Named) -> Residuals | None:
    if f"{_OF_RESIDUALS}lags" not in arrays:
        return None
    # Models that were saved before swings were looked for have none.
    none = np.empty((arrays[f"{_OF_RESIDUALS}lags"].shape[1], 0))
    known = {f"{_OF_RESIDUALS}swings": none, **arrays}
    lags, recent, scale, related, beside, swings, together, weight = (
        np.array(known[f"{_OF_RESIDUALS}{name}"]) for name in Residuals._fields
    )
    # Models of 0.2 have smaller units, in which later residuals can be beyond single precision.
    scale = np.where(scale > LEAST_SCALE, scale, np.inf)
    return Residuals(lags, recent, scale, related, beside, swings, float(together), float(weight))


def part_of(
    moments: Moments, weights: NDArray[np.floating], columns: Indices, repeats: Repeats
) -> tuple[Moments, NDArray[np.floating]]:
    """Return moments and weights of some columns."""
    square = np.ix_(columns, columns)
    part = moments._replace(mean=moments.mean[columns], products=moments.products[square])
    return part, folded(weights, repeats)[square]


def folded(weights: NDArray[np.floating], repeats: Repeats, first: int = 0) -> NDArray[np.floating]:
    """Give the weight that Hedge put on a copy to its original; rows begin with node ``first``."""
    result = weights.copy()
    for copy in np.flatnonzero(repeats.original != np.arange(weights.shape[1])):
        result[:, repeats.original[copy]] += repeats.sign[copy] * weights[:, copy]
    nodes = np.arange(len(weights))
    result[nodes, first + nodes] = 0.0
    return result
