"""The scores of all pairs, tile by tile: summed, counted, and listed where they are large."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hedgerow.engines.shared.listing import BINS, PER_BIN, Counts
from hedgerow.engines.torch_gpu import pair_kernels
from hedgerow.engines.torch_gpu.layout import padded
from hedgerow.engines.torch_gpu.learning import Weights
from hedgerow.engines.torch_gpu.one_sided import OneSided, given_first, given_second
from hedgerow.engines.torch_gpu.pairs import Material
from hedgerow.engines.torch_gpu.selection import Step
from hedgerow.method.groups import CENTRE, GROUP_ENDS

Array = NDArray[np.float64]

_BLOCK = 64  # nodes along each side of a tile
_CHUNK_BYTES = 2 << 30
_COUNTERS = 512  # of every bin, so that few programs count with the same one at a time
_N_ENDS = len(GROUP_ENDS)
_SAMPLE = 1 << 30  # pairs at least, by which those to be listed are judged beforehand ...
_SAMPLED = 32  # ... and one at least of so many nodes


class _Chunk(NamedTuple):
    first: int  # node
    hedge: Tensor  # products of Hedge's residuals with those of all nodes from the first on
    refit: Tensor  # the same for the refit, or anything if it is not needed
    echoes: Tensor  # products of their autocorrelations, or anything
    forth: OneSided  # given the neighbours of these nodes, or anything
    back: OneSided  # given those of the others, or anything
    starts: Tensor  # where the pairs that each tile leaves out begin
    grid: tuple[int, int]


class _Listed(NamedTuple):
    """Which pairs are to be listed, and where."""

    cuts: Tensor  # in score, for each group
    cut: float  # in agreement
    capacity: int
    pairs: Tensor


class Tiles:
    """All pairs i < j in tiles, without those that are tested one by one."""

    def __init__(self, material: Material, skipped: Tensor, *, both: bool) -> None:
        self.p = len(material.columns)
        self.material, self.both = material, both
        dtype = material.settings.dtype
        again = not material.settings.held and not both
        self.hedge = padded(material.hedge_residuals, dtype)
        self.refit = padded(material.refit_residuals, dtype) if both or again else self.hedge
        self.columns = padded(material.columns, dtype) if again else self.hedge
        self.steps = material.refit.steps if again else []
        self.again, self.width = again, len(self.hedge)
        most = min(self.width, _CHUNK_BYTES // (4 * self.width))
        self.rows = max(_BLOCK, most // _BLOCK * _BLOCK)  # nodes of a chunk
        n_chunks, in_chunk = -(-self.width // self.rows), self.rows * self.width
        self.every = 1  # of so many chunks one is a sample; where scores are at hand, all are
        if not material.settings.held:
            self.every = max(1, min(_SAMPLED, n_chunks // -(-_SAMPLE // in_chunk)))
        self.sizes = torch.zeros(self.width, dtype=torch.int32, device=skipped.device)
        self.sizes[: self.p] = material.refit.sizes
        tile = skipped // self.p // _BLOCK * (self.width // _BLOCK) + skipped % self.p // _BLOCK
        self.tile, order = torch.sort(tile)
        self.skipped = torch.cat([skipped[order], skipped.new_zeros(1)])
        self.ends = torch.tensor(GROUP_ENDS, dtype=torch.float32, device=skipped.device)

    def central_sums(self) -> tuple[float, float]:
        """Return the sums of witness times z and of z squared over central pairs, by a sample."""
        total = torch.zeros(2, dtype=torch.float64, device=self.hedge.device)
        for chunk in self._chunks(self.every):
            sums = torch.zeros((*chunk.grid, 2), device=self.hedge.device)
            self._run(pair_kernels.sum_centre, chunk, CENTRE, sums)
            total += sums.sum((0, 1), dtype=torch.float64)
        total *= self._per_sampled()
        return float(total[0]), float(total[1])

    def count(
        self, shared: float, margins: tuple[float, float], least: float, *, sample: bool = False
    ) -> tuple[Counts, Counts]:
        """Return how many pairs are in each group and bin, and in each bin of agreement.

        Pairs with less than the ``least`` agreement of interest are all in the first bin. A sample
        says how many there are about.
        """
        nothing = _Listed(self.ends, math.inf, 0, self.skipped)
        every = self.every if sample else 1
        counts, _ = self._sort(shared, margins, least, nothing, every, listing=False)
        if sample and self.every > 1:
            counts = np.rint(counts * self._per_sampled()).astype(np.int64)
        return self._split(counts)

    def count_and_list(
        self, shared: float, margins: tuple[float, float], least: float, cuts: Array, cut: float
    ) -> tuple[tuple[Counts, Counts], Tensor | None]:
        """Return the counts, and the pairs that reach a cut; None if they are too many to list."""
        wanted = self._wanted(cuts, cut, 64 * self.p)
        counts, number = self._sort(shared, margins, least, wanted, 1)
        found = torch.sort(wanted.pairs[:number]).values if number <= wanted.capacity else None
        return self._split(counts), found

    def listed(
        self, shared: float, margins: tuple[float, float], cuts: Array, cut: float
    ) -> Tensor:
        """Return the pairs that reach the cut of their group, or that of agreement, in order."""
        capacity, number = 0, 64 * self.p
        while number > capacity:
            capacity = number
            wanted = self._wanted(cuts, cut, capacity)
            _, number = self._sort(shared, margins, 0.0, wanted, 1, counting=False)
        return torch.sort(wanted.pairs[:number]).values

    def _wanted(self, cuts: Array, cut: float, capacity: int) -> _Listed:
        device = self.hedge.device
        by_group = torch.tensor(cuts, dtype=torch.float32, device=device)
        pairs = torch.empty(capacity, dtype=torch.int64, device=device)
        return _Listed(by_group, cut, capacity, pairs)

    def _sort(
        self,
        shared: float,
        margins: tuple[float, float],
        least: float,
        wanted: _Listed,
        every: int,
        *,
        counting: bool = True,
        listing: bool = True,
    ) -> tuple[Counts, int]:
        """Count pairs and list those that are wanted, in every so manyth chunk of nodes."""
        device, shape = self.hedge.device, (_N_ENDS + 2, BINS)
        total = torch.zeros(shape, dtype=torch.int64, device=device)
        found = torch.zeros(1, dtype=torch.int32, device=device)
        for chunk in self._chunks(every):
            counts = torch.zeros((_COUNTERS, *shape), dtype=torch.int32, device=device)
            self._run(
                pair_kernels.sort_pairs, chunk, shared, self.ends, *margins, least, counts,
                wanted.cuts, wanted.cut, found, wanted.pairs, wanted.capacity,
                COUNT=counting, COUNTERS=_COUNTERS, LIST=listing,
                N_ENDS=_N_ENDS, BINS=BINS, PER_BIN=PER_BIN,
            )  # fmt: skip
            total += counts.sum(0)
        return total.cpu().numpy(), int(found)

    def _split(self, counts: Counts) -> tuple[Counts, Counts]:
        by_group, by_agreement = np.split(counts, [_N_ENDS + 1])
        by_agreement[0, 0] += by_group.sum() - by_agreement.sum()
        return by_group, by_agreement

    def _per_sampled(self) -> float:
        """Return how many pairs there are for each in the sample."""
        firsts = np.arange(0, self.width, self.rows)
        sizes = np.minimum(self.rows, self.width - firsts) * (self.width - firsts)
        return float(sizes.sum() / sizes[_sampled(len(sizes), self.every)].sum())

    def _chunks(self, every: int) -> Iterator[_Chunk]:
        """Yield some nodes at a time with their products with all later ones."""
        rows = self.rows
        firsts = range(0, self.width, rows)
        ends = torch.arange(0, self.width + rows, rows, device=self.hedge.device)
        cuts = [torch.searchsorted(step.nodes, ends).tolist() for step in self.steps]
        for k in range(len(firsts))[_sampled(len(firsts), every)]:
            first = firsts[k]
            nodes = slice(first, first + rows)
            hedge = torch.mm(self.hedge[nodes], self.hedge[first:].T)
            refit, echoes, calm = hedge, hedge, self.material.calm
            forth = back = OneSided(hedge, hedge)
            if self.both:
                refit = torch.mm(self.refit[nodes], self.refit[first:].T)
            if self.again:
                own = self._steps(first, [(at[k], at[k + 1]) for at in cuts])
                later = self._steps(first, [(at[k], at[-1]) for at in cuts])
                forth = given_first(self.refit[nodes], self.columns[first:], own)
                back = given_second(self.columns[nodes], self.refit[first:], later)
            if calm is not None:
                echoes = torch.mm(calm.fast[nodes], calm.fast[first:].T)
            grid = (hedge.shape[0] // _BLOCK, hedge.shape[1] // _BLOCK)
            n_blocks = self.width // _BLOCK
            tiles = torch.arange(grid[0] * n_blocks + 1, device=hedge.device)
            tiles += first // _BLOCK * n_blocks
            starts = torch.searchsorted(self.tile, tiles).int()
            yield _Chunk(first, hedge, refit, echoes, forth, back, starts, grid)

    def _steps(self, first: int, ranges: list[tuple[int, int]]) -> list[Step]:
        """Return a range of each step, its nodes counted from the first; none that is empty."""
        return [
            Step(step.nodes[start:stop] - first, step.vectors[start:stop])
            for step, (start, stop) in zip(self.steps, ranges)
            if start < stop
        ]

    def _run(self, kernel: Any, chunk: _Chunk, *arguments: Any, **constants: Any) -> None:
        material, calm = self.material, self.material.calm
        tails, typical = (self.sizes, 1.0) if calm is None else (calm.tails, calm.typical)
        held, settings = material.settings.held, material.settings
        scores = material.refit.scores if held else chunk.forth.product
        weights = material.weights.values if isinstance(material.weights, Weights) else chunk.hedge
        kernel[chunk.grid](
            chunk.refit, scores, chunk.forth.explained, *chunk.back,
            chunk.hedge, weights, material.hedge_spread, self.sizes, chunk.starts, self.skipped,
            chunk.echoes, tails,
            chunk.first, self.p, self.width, material.refit.n_rows, settings.weight_unit, typical,
            settings.collinear, *arguments, **constants,
            HELD=held, CALM=calm is not None, BOTH=self.both, BLOCK=_BLOCK, num_warps=4,
        )  # fmt: skip


def _sampled(n_chunks: int, every: int) -> slice:
    return slice(every // 2, n_chunks, every)
