"""The adaptive learner: one Hedge for each variable, in one pass, with nothing to tune.

Every variable i is predicted from all the others. Its predictor is a vector of weights inside an
l1 ball, and Hedge keeps it there by being multiplicative: each other variable j is two experts,
one that says "+x_j" and one that says "-x_j", and one more expert says "0". Experts that would
have predicted well gain weight exponentially. After the rows have passed, the weight that i gives
to j is an estimate of -theta_ij / theta_ii, so the graph can be read from the weights.

    state = init(n_columns)
    for batch in batches:            # some rows at a time, each row once
        state = update(state, batch)
    weights = state.average

What the paper needs to be told, this learner finds out (docs/theory.md, section 8): the scale of
the columns (running standard deviations), the learning rate (from the gradients seen so far) and
the radius of each l1 ball (from how well the predictions have matched). No horizon is needed.
`hedgerow.method.edges` then decides which weights are edges.

If the world changes, old rows should count less. Every sum here can be one of weighted rows, and
later rows are then given larger weights (`hedgerow.method.forgetting`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.forgetting import NEVER
from hedgerow.method.moments import Columns, columns_of, init_columns, merge_columns, scaled_columns

Array = NDArray[np.float64]
Matrix = NDArray[np.floating]  # fast copies of these functions keep single precision

SMALLEST_BATCH, LARGEST_BATCH = 8, 256
LARGEST_RADIUS = 1.0
# Sums that are forgotten end here, before they are too small to divide by. A batch in which
# anything varies adds about one to each.
LEAST_SUM = 1e-290


class HedgeState(NamedTuple):
    """All that is kept of the rows seen, whatever their number."""

    columns: Columns  # mean and spread of each column
    gradient: Matrix  # (p, p); row i: sum of the gradients of node i's squared error
    curvature: Array  # (p,); sum over batches of the largest squared gradient of node i
    matched: Array  # (p,); sum of x_i u_i, where u_i is the prediction within the unit l1 ball
    squared: Array  # (p,); sum of u_i squared
    average: Matrix  # (p, p); row i: average of node i's weights, later ones counting more

    @property
    def rows(self) -> int:
        """Number of rows learned from."""
        return self.columns.rows


def init(n_columns: int) -> HedgeState:
    """Return the state before the first row.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((512, 3))
    >>> rows[:, 1] += rows[:, 0]
    >>> state = init(3)
    >>> for batch in np.split(rows, 64):
    ...     state = update(state, batch)
    >>> state.average.round(1) + 0.0
    array([[0. , 0.7, 0. ],
           [0.7, 0. , 0. ],
           [0. , 0. , 0. ]])
    """
    square = (n_columns, n_columns)
    # Both sums of the radius start at one: the radius begins at one and moves as evidence comes.
    return HedgeState(
        columns=init_columns(n_columns),
        gradient=np.zeros(square),
        curvature=np.zeros(n_columns),
        matched=np.ones(n_columns),
        squared=np.ones(n_columns),
        average=np.zeros(square),
    )


def update(
    state: HedgeState, batch: NDArray[np.floating], row_weights: Array | None = None
) -> HedgeState:
    """Learn from one batch of rows; every prediction is made before its row is learned from.

    Rows count in proportion to ``row_weights``, by default all one.
    """
    columns = merge_columns(state.columns, columns_of(batch, row_weights))
    x = standardise(batch, columns)
    weight = np.ones((len(batch), 1)) if row_weights is None else row_weights[:, None]

    direction = unit_weights(state.gradient, state.curvature)
    radius = unit_radius(state.matched, state.squared)
    unit_prediction = x @ direction.T
    residual = x - radius * unit_prediction

    gradient = -(residual.T @ (weight * x))
    np.fill_diagonal(gradient, 0.0)
    share = share_of(state.columns.weight, columns.weight)
    return HedgeState(
        columns=columns,
        gradient=state.gradient + gradient,
        curvature=state.curvature + np.square(gradient).max(axis=1),
        matched=state.matched + (weight * x * unit_prediction).sum(axis=0),
        squared=state.squared + (weight * unit_prediction**2).sum(axis=0),
        average=state.average + share * (radius[:, None] * direction - state.average),
    )


def prediction_errors(
    state: HedgeState, batch: NDArray[np.floating], row_weights: Array | None = None
) -> Array:
    """Return the residuals of a batch that is about to be learned, in standard deviations."""
    x = standardise(batch, merge_columns(state.columns, columns_of(batch, row_weights)))
    direction = unit_weights(state.gradient, state.curvature)
    return x - unit_radius(state.matched, state.squared) * (x @ direction.T)


def scaled(state: HedgeState, factor: float) -> HedgeState:
    """Return the state as if all row weights so far had been multiplied; it predicts the same."""
    return state._replace(
        columns=scaled_columns(state.columns, factor),
        gradient=state.gradient * factor,
        curvature=state.curvature * factor**2,
        matched=state.matched * factor,
        squared=state.squared * factor,
    )


def batch_size(rows_seen: int, half_life: float = NEVER) -> int:
    """Return how many rows the next batch takes: 8 at first, doubling up to 256.

    The first rows move the weights most, so they come in small batches; later ones are cheaper
    by the dozen. But no batch of more than 8 is longer than an eighth of the half-life. The size
    depends on nothing else, so that a stream gives the same state however it is cut.

    >>> [batch_size(n) for n in (0, 255, 256, 1024, 10**6)]
    [8, 8, 16, 64, 256]
    >>> [batch_size(n, half_life=1000) for n in (0, 255, 256, 1024, 10**6)]
    [8, 8, 16, 64, 64]
    """
    doublings = int(min(rows_seen, 2 * half_life) // 256).bit_length()
    return min(SMALLEST_BATCH << doublings, LARGEST_BATCH)


def batch_ends(rows_seen: int, n_rows: int, half_life: float = NEVER) -> list[int]:
    """Return where each whole batch among the next ``n_rows`` rows ends.

    >>> batch_ends(rows_seen=240, n_rows=50)
    [8, 16, 32, 48]
    """
    ends, end = [], batch_size(rows_seen, half_life)
    while end <= n_rows:
        ends.append(end)
        end += batch_size(rows_seen + end, half_life)
    return ends


def share_of(weight_before: float, weight_after: float) -> float:
    """Return a batch's share in the average so far, given the weight of all rows.

    A row counts in proportion to its own weight and to that of all rows up to it: without
    forgetting, row t in proportion to t.
    """
    return 1.0 - (weight_before / (weight_after or 1.0)) ** 2


def standardise(batch: NDArray[np.floating], columns: Columns) -> Array:
    """Return the rows with mean 0 and spread 1, by the moments so far; 0 where nothing varied."""
    scale = columns.scale
    return (batch - columns.mean) / np.where(scale > 0, scale, np.inf)


def unit_weights(gradient: Matrix, curvature: Array) -> Array:
    """Return every node's weights in the unit l1 ball, by the closed form of Hedge.

    With expert weights exp(-rate G) for "+x_j", exp(+rate G) for "-x_j" and 1 for "0", the weight
    of j is the difference of the first two over the sum of all. The rate makes it free of scale:
    gradients ten times as large give the same weights.
    """
    n_columns = len(gradient)
    moved = np.where(curvature > LEAST_SUM, curvature, np.inf)
    rate = np.sqrt(np.log(2 * n_columns - 1) / moved)
    exponent = rate[:, None] * gradient
    largest = np.abs(exponent).max(axis=1, keepdims=True)
    plus, minus = np.exp(-exponent - largest), np.exp(exponent - largest)
    np.fill_diagonal(plus, 0.0)
    np.fill_diagonal(minus, 0.0)
    zero = np.exp(-largest)
    result: Array = (plus - minus) / (zero + (plus + minus).sum(axis=1, keepdims=True))
    return result


def unit_radius(matched: Array, squared: Array) -> Array:
    """Return the radius of each node's l1 ball: the least-squares scale of its past predictions.

    It is at most one. Larger balls predict hubs better, but then explain away the very
    correlations that the edge tests want to weigh (docs/theory.md, section 8).
    """
    return np.clip(matched / np.maximum(squared, LEAST_SUM), 0.0, LARGEST_RADIUS)
