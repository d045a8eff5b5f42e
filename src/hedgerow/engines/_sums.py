"""What the engines for processors keep: running sums, and no rows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines._interface import Indices, Named, Repeats
from hedgerow.hedge import HedgeState
from hedgerow.moments import Columns, Moments


class Learned(NamedTuple):
    """What some rows have taught.

    The moments can be ahead of Hedge, which learns in whole batches: the first
    ``moments.rows - hedge.rows`` rows of the next batch are then counted in them already.
    """

    moments: Moments
    hedge: HedgeState


def named(learned: Learned) -> Named:
    """Return the sums by name."""
    moments, hedge = learned
    return {
        "rows": np.array(moments.rows),
        "learned_rows": np.array(hedge.rows),
        "mean": moments.mean,
        "products": moments.products,
        "column_mean": hedge.columns.mean,
        "column_squares": hedge.columns.squares,
        "gradient": hedge.gradient,
        "curvature": hedge.curvature,
        "matched": hedge.matched,
        "squared": hedge.squared,
        "average": hedge.average,
    }


def learned_of(arrays: Named) -> Learned:
    """Return the sums that have been given names."""
    get = arrays.__getitem__
    columns = Columns(int(get("learned_rows")), get("column_mean"), get("column_squares"))
    learner = HedgeState(columns, *(get(name) for name in HedgeState._fields[1:]))
    return Learned(Moments(int(get("rows")), get("mean"), get("products")), learner)


def part_of(
    moments: Moments, weights: NDArray[np.floating], columns: Indices, repeats: Repeats
) -> tuple[Moments, NDArray[np.floating]]:
    """Return moments and weights of some columns."""
    square = np.ix_(columns, columns)
    part = moments._replace(mean=moments.mean[columns], products=moments.products[square])
    return part, _folded(weights, repeats)[square]


def _folded(weights: NDArray[np.floating], repeats: Repeats) -> NDArray[np.floating]:
    """Give the weight that Hedge put on a copy to its original."""
    folded = weights.copy()
    for copy in np.flatnonzero(repeats.original != np.arange(len(weights))):
        folded[:, repeats.original[copy]] += repeats.sign[copy] * weights[:, copy]
    np.fill_diagonal(folded, 0.0)
    return folded
