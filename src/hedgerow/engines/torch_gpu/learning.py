"""The learning pass on a GPU: every node through all the batches, some nodes at a time.

The method is that of `method.hedge`. No node needs another one's state, so a strip of nodes goes
through all the rows before the next strip begins, and of the p×p arrays of the learner only the
average weights are ever held in full.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
import triton
from torch import Tensor

from hedgerow.engines.torch_gpu import learn_kernels, node_kernels
from hedgerow.engines.torch_gpu.layout import SPARE_ROWS, TILE, Settings, times, whole
from hedgerow.method.hedge import LARGEST_RADIUS
from hedgerow.method.moments import SMALLEST_SPREAD
from hedgerow.progress import report

STRIP_BYTES = 8 << 30  # memory for the pulls of one strip of nodes
BLOCK_NODES = 64  # of one program; with the widths and stages below the fastest on an H200
_WIDTH, _STEEPEST_WIDTH = 64, 128  # columns that a program handles at a time
_FAST_BYTES = 208 << 10  # of a program's memory, for the rows and residuals that it has in hand
_PROGRAMS = 2048  # at least, to keep all multiprocessors busy
_COLUMNS, _NODES = 32, 32  # of one program of the small kernels
_DEPTHS = (0, 16, 32, 64, 128, 256)  # of a tile: rows that it has room for
_NARROWEST = 16
_LOG2_E = math.log2(math.e)


class Weights(NamedTuple):
    """Average weights, multiplied by ``unit``; row i holds node i's. Zeros fill whole tiles."""

    values: Tensor
    unit: float

    def at(self, i: Tensor, j: Tensor) -> Tensor:
        """Return the weights of nodes i on columns j."""
        return self.values[i, j].double() / self.unit

    def left(self, columns: Tensor, fast_columns: Tensor) -> Tensor:
        """Return what predictions leave of standardised columns, (p, m), in float32.

        ``fast_columns`` are those of `layout.padded`, in the type of the weights.
        """
        p, m = columns.shape
        return columns - times(self.values, fast_columns)[:p] * (m**0.5 / self.unit)


class _Nodes(NamedTuple):
    """What is known of each node of a strip; all of shape (nodes,)."""

    curvature: Tensor
    matched: Tensor
    squared: Tensor
    largest: Tensor  # largest absolute pull
    gain: Tensor  # what turns unnormalised weights into weights


class _Rates(NamedTuple):
    """What turns a node's pulls into unnormalised weights, in powers of two."""

    rate: Tensor
    shift: Tensor


def standardise(rows: Tensor, batches: list[int], dtype: torch.dtype) -> Tensor:
    """Return the rows as the learner sees them, by the moments up to the end of their batch.

    Zeros fill the result up to whole tiles, and there are spare rows of zeros at its end.
    """
    m, p = rows.shape
    width = whole(p)
    result = torch.zeros((whole(m) + SPARE_ROWS, width), dtype=dtype, device=rows.device)
    ends = torch.tensor(batches, dtype=torch.int32, device=rows.device)
    longest = max(stop - start for start, stop in pairwise([0, *batches]))
    node_kernels.standardise[(width // _COLUMNS,)](
        rows.contiguous(), ends, result, len(batches), p, width,
        LEAST=SMALLEST_SPREAD**2, LONGEST=triton.next_power_of_2(longest), BN=_COLUMNS,
    )  # fmt: skip
    return result


def learn(rows: Tensor, n_columns: int, batches: list[int], settings: Settings) -> Weights:
    """Learn from rows that come from `standardise`; ``batches`` are where batches end."""
    width = rows.shape[1]
    average = torch.zeros((width, width), dtype=settings.dtype, device=rows.device)
    for nodes in strips_of(width):
        learn_strip(rows, average[nodes], nodes.start, n_columns, batches, settings)
        report("learning", nodes.stop / width)
    return Weights(average, settings.weight_unit)


def strips_of(width: int) -> list[slice]:
    """Return which nodes learn at a time."""
    strip = max(TILE, min(width, STRIP_BYTES // (4 * width)) // TILE * TILE)
    return [slice(first, min(first + strip, width)) for first in range(0, width, strip)]


def learn_strip(
    rows: Tensor,
    average: Tensor,
    first: int,
    n_columns: int,
    batches: list[int],
    settings: Settings,
) -> None:
    """Learn the average weights of the nodes from the first on, into an array of zeros."""
    _Strip(rows, average, first, n_columns, settings).learn(batches)
    if rows.is_cuda:
        torch.cuda.synchronize(rows.device)  # what is reported as done should be


def average_shares(batches: list[int], spacing: int) -> list[float]:
    """Return the share of each batch's weights in the average, when they are added to it.

    In the average, the weights of a batch count as the square of its last row less that of the
    row before its first. Only those at least ``spacing`` rows apart are added; they stand for
    those in between, which are taken to lie on a line. The share of these is zero.

    >>> average_shares([8, 16, 24, 32], spacing=0)
    [1.0, 0.75, 0.5555555555555556, 0.4375]
    >>> average_shares([8, 16, 24, 32], spacing=16)
    [1.0, 0.0, 0.7222222222222222, 0.4375]
    """
    starts, ends = np.array([0, *batches[:-1]]), np.array(batches)
    kept = [0]
    for batch in range(1, len(ends)):
        if ends[batch] - ends[kept[-1]] >= spacing or batch == len(ends) - 1:
            kept.append(batch)
    hats = [np.interp(starts, starts[kept], hat) for hat in np.eye(len(kept))]
    mass = np.array(hats) @ (ends**2 - starts**2)
    shares = np.zeros(len(ends))
    shares[kept] = mass / np.cumsum(mass)
    return shares.tolist()


class _Strip:
    """Some nodes on their way through the rows."""

    def __init__(
        self,
        rows: Tensor,
        average: Tensor,
        first: int,
        n_columns: int,
        settings: Settings,
    ) -> None:
        self.rows, self.average, self.settings = rows, average, settings
        self.first, self.n_nodes, self.n_columns = first, len(average), n_columns
        self.width = rows.shape[1]
        self.residuals = self._filled(0, len(rows), dtype=settings.dtype)
        self.pulls = torch.empty(
            (self.n_nodes, self.width), dtype=torch.float32, device=rows.device
        )
        self.nodes = _Nodes(*map(self._filled, (0, 1, 1, 0, 0)))
        self.rates = _Rates(self._filled(0), self._filled(0))
        self.base = 0  # the rows before it are in the pulls that are stored

    def learn(self, batches: list[int]) -> None:
        """Go through all batches."""
        shares = average_shares(batches, batches[-1] // self.settings.averages)
        start, stop = 0, batches[0]  # nothing is predicted of the first batch
        self.residuals[:, :stop] = self.rows[:stop, self.first : self.first + self.n_nodes].T
        for share, (stop, end) in zip(shares, pairwise(batches)):
            self._advance(start, stop, end, share)
            start = stop
        self._sweep(self.rates, start, start, start, shares[-1])

    def _advance(self, start: int, stop: int, end: int, share: float) -> None:
        """Learn one batch; predict the next, which ends at ``end``, and compare."""
        new = _Rates(self._filled(0), self._filled(0))
        steepest = self._steepest(start, stop)
        grid = (triton.cdiv(self.n_nodes, _NODES),)
        node_kernels.set_rates[grid](
            steepest, self.nodes.curvature, self.nodes.largest, *new, self.n_nodes, len(steepest),
            math.log(2 * self.n_columns - 1) * _LOG2_E**2, self.settings.product_shift, BM=_NODES,
        )  # fmt: skip
        swept = self._sweep(new, start, stop, end, share)
        # The total has two experts for the diagonal and for every column of zeros that fills the
        # tiles, all with a pull of zero; "0" is one such expert, and not in the total.
        surplus = 2 * (self.width - self.n_columns) + 1
        node_kernels.compare[grid](
            self.rows, self.residuals, *swept, *self.nodes[1:4], new.shift, self.nodes.gain,
            self.first, self.n_nodes, len(swept[0]), self.width, self.residuals.shape[1],
            stop, end, float(surplus), LARGEST_RADIUS, NEXT=_depth(end - stop), BM=_NODES,
        )  # fmt: skip
        self.rates = new

    def _sweep(
        self, new: _Rates, start: int, stop: int, end: int, share: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Run the main kernel; return total and largest of each node, and its products, in parts.

        Where the weights in use are not averaged, all rows that memory does not know are learned
        at once: the pulls in between are not needed.
        """
        settings = self.settings
        begin = start if share else self.base
        store = end - self.base > (settings.kept_rows if self.base else settings.remade_rows)
        past, batch, following = map(_depth, (begin - self.base, stop - begin, end - stop))
        stages = 2 if batch == _DEPTHS[-1] or (share and not past) else 3
        blocks = self._blocks(_WIDTH, past + batch + following, past + batch, stages)
        columns_each, grid = self._grid(blocks)
        total, largest = self._new(grid[1]), self._new(grid[1])
        predicted = self._new(grid[1], following)
        learn_kernels.advance[grid](
            self.rows, self.residuals, self.pulls, self.average,
            *self.rates, self.nodes.gain, *new, total, largest, predicted,
            self.first, self.width, self.residuals.shape[1],
            self.base, begin, stop, share, settings.weight_unit, columns_each,
            STORED=self.base > 0, PAST=past, AVERAGE=share > 0, STORE=store, FORWARD=end > stop,
            BATCH=batch, NEXT=following, PRECISION=settings.precision, **blocks,
        )  # fmt: skip
        if store:
            self.base = stop
        return total, largest, predicted

    def _steepest(self, start: int, stop: int) -> Tensor:
        batch = _depth(stop - start)
        blocks = self._blocks(_STEEPEST_WIDTH, batch, batch, 3)
        columns_each, grid = self._grid(blocks)
        result = self._new(grid[1])
        learn_kernels.steepest[grid](
            self.rows, self.residuals, result,
            self.first, self.width, self.residuals.shape[1], start, stop, columns_each,
            BATCH=batch, PRECISION=self.settings.precision, **blocks,
        )  # fmt: skip
        return result

    def _blocks(self, width: int, n_rows: int, n_residuals: int, stages: int) -> dict[str, int]:
        """Return the shape of a program's blocks, smaller where batches are long."""
        nodes, settings = BLOCK_NODES, self.settings
        room = _FAST_BYTES // settings.dtype.itemsize
        while nodes * n_residuals * settings.parts + width * n_rows * stages > room:
            if width > _NARROWEST:
                width //= 2
            else:
                nodes //= 2
        return {"BM": nodes, "BN": width, "num_warps": 4, "num_stages": stages}

    def _grid(self, blocks: dict[str, int]) -> tuple[int, tuple[int, int]]:
        n_blocks, width = self.n_nodes // blocks["BM"], blocks["BN"]
        ranges = max(1, min(self.width // (4 * width), -(-_PROGRAMS // n_blocks)))
        columns_each = whole(-(-self.width // ranges), width)
        return columns_each, (n_blocks, -(-self.width // columns_each))

    def _new(self, parts: int, *shape: int) -> Tensor:
        shape = (parts, self.n_nodes, *shape)
        return torch.empty(shape, dtype=torch.float32, device=self.rows.device)

    def _filled(self, value: float, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.full((self.n_nodes, *shape), value, dtype=dtype, device=self.rows.device)


def _depth(n_rows: int) -> int:
    """Return the depth of a tile with so many rows; few are offered, for each is compiled."""
    return next(depth for depth in _DEPTHS if depth >= n_rows)
