"""The learning pass on a GPU: every node through all the batches, some nodes at a time.

The method is that of `hedgerow.hedge`. No node needs another one's state, so a strip of nodes goes
through all the rows before the next strip begins, and of the p×p arrays of the learner only the
average weights are ever held in full.
"""

import math
from itertools import pairwise
from typing import Any, NamedTuple

import torch
import triton
from torch import Tensor

from hedgerow.engines.torch_gpu import learn_kernels
from hedgerow.engines.torch_gpu.layout import SPARE_ROWS, TILE, Settings, whole

LARGEST_RADIUS = 1.0
STRIP_BYTES = 8 << 30  # memory for the pulls of one strip of nodes
# Blocks of the kernels; of several, these were fastest on an H200.
REMADE = {"BM": 64, "BN": 64, "num_warps": 4, "num_stages": 2, "maxnreg": 168}
STORED = {"BM": 64, "BN": 64, "num_warps": 4, "num_stages": 2}
STEEPEST = {"BM": 128, "BN": 128, "num_warps": 4, "num_stages": 3}
_PROGRAMS = 2048  # at least, to keep all multiprocessors busy
_LOG2_E = math.log2(math.e)


class Weights(NamedTuple):
    """Average weights, multiplied by ``unit``; row i holds node i's. Zeros fill whole tiles."""

    values: Tensor
    unit: float


class _Nodes(NamedTuple):
    """What is known of each node of a strip; all of shape (nodes,)."""

    curvature: Tensor
    matched: Tensor
    squared: Tensor
    largest: Tensor  # largest absolute pull
    rate: Tensor  # of the weights in use, in powers of two
    shift: Tensor
    norm: Tensor


def standardise(rows: Tensor, batches: list[int], dtype: torch.dtype) -> Tensor:
    """Return the rows as the learner sees them, by the moments up to the end of their batch.

    Zeros fill the result up to whole tiles, and there are spare rows of zeros at its end.
    """
    m, p = rows.shape
    result = torch.zeros((whole(m) + SPARE_ROWS, whole(p)), dtype=dtype, device=rows.device)
    mean = torch.zeros(p, dtype=torch.float64, device=rows.device)
    squares = torch.zeros_like(mean)
    start = 0
    for stop in batches:
        batch = rows[start:stop].double()
        size = stop - start
        own_mean = batch.mean(0)
        shift = own_mean - mean
        squares += (batch - own_mean).square().sum(0) + shift**2 * (start * size / stop)
        mean += shift * (size / stop)
        scale = (squares / stop).sqrt()
        scale = torch.where(scale > 0, scale, math.inf)
        result[start:stop, :p] = (batch - mean) / scale
        start = stop
    return result


def learn(rows: Tensor, n_columns: int, batches: list[int], settings: Settings) -> Weights:
    """Learn from rows that come from `standardise`; ``batches`` are where batches end."""
    width = rows.shape[1]
    strip = max(TILE, min(width, STRIP_BYTES // (4 * width)) // TILE * TILE)
    average = torch.zeros((width, width), dtype=settings.dtype, device=rows.device)
    for first in range(0, width, strip):
        _Strip(rows, average, first, min(strip, width - first), n_columns, settings).learn(batches)
    return Weights(average, settings.weight_unit)


class _Strip:
    """Some nodes on their way through the rows."""

    def __init__(
        self,
        rows: Tensor,
        average: Tensor,
        first: int,
        n_nodes: int,
        n_columns: int,
        settings: Settings,
    ) -> None:
        self.rows, self.average, self.settings = rows, average, settings
        self.first, self.n_nodes, self.n_columns = first, n_nodes, n_columns
        self.width = rows.shape[1]
        device = rows.device
        self.residuals = torch.zeros((n_nodes, len(rows)), dtype=settings.dtype, device=device)
        self.pulls = torch.empty((n_nodes, self.width), dtype=torch.float32, device=device)
        zeros, ones = torch.zeros(n_nodes, device=device), torch.ones(n_nodes, device=device)
        self.nodes = _Nodes(zeros, ones, ones, zeros, zeros, zeros, ones)
        self.gain = zeros

    def learn(self, batches: list[int]) -> None:
        """Go through all batches."""
        nothing = torch.zeros((self.n_nodes, batches[0]), device=self.rows.device)
        self._compare(0, batches[0], nothing)
        start = 0
        for stop, end in pairwise(batches):
            unit_prediction = self._advance(start, stop, end - stop)
            self._compare(stop, end, unit_prediction)
            start = stop
        self._average(start, batches[-1])

    def _compare(self, start: int, stop: int, unit_prediction: Tensor) -> None:
        """Compare the predictions of a batch with its rows, and note how well they matched."""
        nodes = self.nodes
        x = self.rows[start:stop, self.first : self.first + self.n_nodes].T.float()
        radius = (nodes.matched / nodes.squared).clamp(0.0, LARGEST_RADIUS)
        self.residuals[:, start:stop] = torch.addcmul(x, radius[:, None], unit_prediction, value=-1)
        self.gain = radius / nodes.norm
        self.nodes = nodes._replace(
            matched=nodes.matched + (x * unit_prediction).sum(1),
            squared=nodes.squared + unit_prediction.square().sum(1),
        )

    def _advance(self, start: int, stop: int, n_next: int) -> Tensor:
        """Learn one batch; return the predictions of the next, within the unit l1 ball."""
        old = self.nodes
        gradient = self._steepest(start, stop)
        curvature = old.curvature + gradient**2
        rate = (math.log(2 * self.n_columns - 1) / curvature).sqrt() * _LOG2_E
        rate = torch.where(curvature > 0, rate, 0.0)
        shift = rate * (old.largest + gradient) - self.settings.product_shift
        total, largest, predicted = self._sweep(start, stop, n_next, rate, shift)
        # The total has two experts for the diagonal and for every column of zeros that fills the
        # tiles, all with a pull of zero; "0" is one such expert, and not in the total.
        surplus = 2 * (self.width - self.n_columns) + 1
        norm = total - surplus * torch.exp2(-shift)
        self.nodes = old._replace(
            curvature=curvature, largest=largest, rate=rate, shift=shift, norm=norm
        )
        return predicted[:, :n_next] / norm[:, None]

    def _average(self, start: int, stop: int) -> None:
        """Bring the average up to date with the weights in use."""
        self._sweep(start, stop, 0, self.nodes.rate, self.nodes.shift)

    def _sweep(
        self, start: int, stop: int, n_next: int, rate: Tensor, shift: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Run the main kernel; return total and largest of each node, and its products."""
        remade = self.settings.remade_rows
        blocks = REMADE if start <= remade else STORED
        columns_each, grid = self._grid(blocks["BM"], blocks["BN"])
        next_size = _power(n_next)
        total, largest = self._new(grid[1]), self._new(grid[1])
        predicted = self._new(grid[1], next_size)
        share = 1.0 - (start / stop) ** 2
        learn_kernels.advance[grid](
            self.rows, self.residuals, self.pulls, self.average,
            self.nodes.rate, self.nodes.shift, self.gain * (share * self.settings.weight_unit),
            rate, shift, total, largest, predicted,
            self.first, self.width, self.residuals.shape[1], start, stop, 1.0 - share, columns_each,
            PAST=_power(start, 64) if start <= remade else 0, STORE=stop > remade,
            FORWARD=n_next > 0,
            BATCH=_power(stop - start), NEXT=next_size,
            PRECISION=self.settings.precision, **blocks,
        )  # fmt: skip
        return total.sum(1), largest.amax(1), predicted.sum(1)

    def _steepest(self, start: int, stop: int) -> Tensor:
        columns_each, grid = self._grid(STEEPEST["BM"], STEEPEST["BN"])
        result = self._new(grid[1])
        learn_kernels.steepest[grid](
            self.rows, self.residuals, result,
            self.first, self.width, self.residuals.shape[1], start, stop, columns_each,
            BATCH=_power(stop - start), PRECISION=self.settings.precision, **STEEPEST,
        )  # fmt: skip
        return result.amax(1)

    def _grid(self, block_nodes: int, block_columns: int) -> tuple[int, tuple[int, int]]:
        blocks = self.n_nodes // block_nodes
        ranges = max(1, min(self.width // (4 * block_columns), -(-_PROGRAMS // blocks)))
        columns_each = whole(-(-self.width // ranges), block_columns)
        return columns_each, (blocks, -(-self.width // columns_each))

    def _new(self, *shape: Any) -> Tensor:
        return torch.empty((self.n_nodes, *shape), dtype=torch.float32, device=self.rows.device)


def _power(size: int, least: int = 16) -> int:
    """Return the power of two that holds this many, and that a tile can have."""
    return max(least, triton.next_power_of_2(size))
