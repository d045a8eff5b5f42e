"""Hedge for yes-or-no variables: the logistic loss, one Hedge for each variable, in one pass.

In {-1, +1}, the log odds of x_i given all others are 2 (h_i + sum_j J_ij x_j). Row i of the weights
is (J_i, h_i), a vector inside an l1 ball, learned as in `hedgerow.method.hedge`: each other
variable is an expert that says "+x_j" and one that says "-x_j", a last pair says "+1" and "-1", and
one says "0". What differs is the loss: the residual is x_i - tanh(prediction), and the radius of
the ball takes Newton steps of the same loss.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.hedge import share_of
from hedgerow.method.ising_logistic import Bits

Matrix = NDArray[np.float32]

_SMALLEST_BATCH = 64
_LARGEST_RADIUS = 16.0  # a variable with larger weights is all but determined


def learn(rows: Bits) -> Matrix:
    """Return each variable's average weights on the others, from rows of zeros and ones.

    Later weights count more, as they were learned from more rows. The rows after the last whole
    batch are not learned from.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> first = rng.random(4096) < 0.5
    >>> second = first ^ (rng.random(4096) < 0.2)  # J = log(0.8 / 0.2) / 2 = 0.69
    >>> third = rng.random(4096) < 0.5
    >>> learn(np.column_stack([first, second, third]).astype(np.uint8)).round(1) + 0.0
    array([[0. , 0.7, 0. ],
           [0.7, 0. , 0. ],
           [0. , 0. , 0. ]], dtype=float32)
    """
    game = _start(rows.shape[1])
    start = 0
    for end in batch_ends(len(rows)):
        _play(game, rows[start:end], np.float32(share_of(start, end)))
        start = end
    return game.average[:-1, :-1]


class _Game(NamedTuple):
    """Where all players stand; the constant is a variable that nothing is learned about."""

    gradient: Matrix
    average: Matrix
    curvature: NDArray[np.float64]
    squared: NDArray[np.float64]
    radius: NDArray[np.float32]


def _start(n_columns: int) -> _Game:
    square = (n_columns + 1, n_columns + 1)
    gradient, average = np.zeros(square, dtype=np.float32), np.zeros(square, dtype=np.float32)
    radius = np.ones(n_columns + 1, dtype=np.float32)
    return _Game(gradient, average, np.zeros(n_columns + 1), np.ones(n_columns + 1), radius)


def _play(game: _Game, rows: Bits, share: np.float32) -> None:
    """Learn from some rows; weights before them are given this share of the average."""
    x = np.ones((len(rows), rows.shape[1] + 1), dtype=np.float32)
    np.multiply(rows, 2, out=x[:, :-1], casting="unsafe")
    x[:, :-1] -= 1
    direction = _unit_weights(game.gradient, game.curvature)
    prediction = x @ direction.T
    residual = game.radius * prediction
    np.tanh(residual, out=residual)
    slope = np.square(residual)
    np.subtract(1.0, slope, out=slope)
    game.squared[:] += np.einsum("ti,ti,ti->i", prediction, prediction, slope)
    del slope
    np.subtract(x, residual, out=residual)
    residual[:, -1] = 0.0
    step = residual.T @ x
    np.fill_diagonal(step, 0.0)
    direction *= game.radius[:, None]
    direction -= game.average
    direction *= share
    game.average[:] += direction
    game.gradient[:] -= step
    game.curvature[:] += np.maximum(step.max(axis=1), -step.min(axis=1)) ** 2
    newton = np.einsum("ti,ti->i", residual, prediction) / game.squared
    game.radius[:] += newton.astype(np.float32)
    np.clip(game.radius, 0.0, _LARGEST_RADIUS, out=game.radius)


def batch_ends(n_rows: int) -> list[int]:
    """Return where batches end: each is an eighth of the rows before it, and at least 64.

    >>> batch_ends(1000)
    [64, 128, 192, 256, 320, 384, 448, 512, 576, 648, 729, 820, 922]
    """
    ends, end = [], _SMALLEST_BATCH
    while end <= n_rows:
        ends.append(end)
        end += max(_SMALLEST_BATCH, end // 8)
    return ends


def _unit_weights(gradient: Matrix, curvature: NDArray[np.float64]) -> Matrix:
    """Return what `hedgerow.method.hedge.unit_weights` does, in single precision."""
    rate = np.sqrt(np.log(2 * len(gradient) - 1) / np.where(curvature > 0, curvature, np.inf))
    minus: Matrix = gradient * rate[:, None].astype(np.float32)
    largest = np.maximum(minus.max(axis=1, keepdims=True), -minus.min(axis=1, keepdims=True))
    plus: Matrix = -minus
    for exponent in (minus, plus):
        exponent -= largest
        np.exp(exponent, out=exponent)
    np.fill_diagonal(plus, 0.0)
    np.fill_diagonal(minus, 0.0)
    total = np.exp(-largest) + plus.sum(axis=1, keepdims=True) + minus.sum(axis=1, keepdims=True)
    plus -= minus
    plus /= total
    return plus


def proposals(weights: Matrix, most: int) -> NDArray[np.intp]:
    """Return for each variable the others with the largest weights, the heaviest first.

    >>> proposals(np.array([[0, 0.1, -0.3], [0.1, 0, 0], [-0.3, 0, 0]], dtype=np.float32), 2)
    array([[2, 1],
           [0, 2],
           [0, 1]])
    """
    size = np.abs(weights)
    np.fill_diagonal(size, -1.0)
    first = np.argpartition(-size, max(most, 1) - 1, axis=1)[:, :most]
    first = np.sort(first, axis=1)  # of equal weights the first is taken
    order = np.argsort(-np.take_along_axis(size, first, axis=1), axis=1, kind="stable")
    return np.take_along_axis(first, order, axis=1)
