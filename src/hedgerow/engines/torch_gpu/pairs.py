"""The scores of all pairs: summed, counted and listed tile by tile, or computed one by one.

There are two: given the neighbours of the node that has fewer, and given those of both nodes
(docs/theory.md, section 10). Each comes with Hedge's witness.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hedgerow.engines.shared.listing import BINS, PER_BIN, Counts
from hedgerow.engines.torch_gpu import pair_kernels
from hedgerow.engines.torch_gpu.calm import Calm, shares
from hedgerow.engines.torch_gpu.layout import Settings, padded
from hedgerow.engines.torch_gpu.kept import Kept
from hedgerow.engines.torch_gpu.learning import Weights
from hedgerow.engines.torch_gpu.one_sided import OneSided, given_first, given_second
from hedgerow.engines.torch_gpu.scores import z_score
from hedgerow.engines.torch_gpu.selection import Refit, Step
from hedgerow.engines.torch_gpu.singles import coefficient_of, given_one, mean_products
from hedgerow.engines.torch_gpu.stand_ins import weaken
from hedgerow.method.groups import CENTRE, GROUP_ENDS

Array = NDArray[np.float64]

_BLOCK = 64  # nodes along each side of a tile
_CHUNK_BYTES = 2 << 30
_COUNTERS = 512  # of every bin, so that few programs count with the same one at a time
_N_ENDS = len(GROUP_ENDS)
_TINY = 1e-12


class Material(NamedTuple):
    """All that the scores of pairs are made from."""

    columns: Tensor  # (p, m); standardised, float32
    refit: Refit
    weights: Weights | Kept  # Hedge's
    refit_residuals: Tensor  # (p, m); mean square one, float32
    refit_spread: Tensor  # root mean square of the refit's residuals
    hedge_residuals: Tensor  # (p, m); mean square one, float32
    hedge_spread: Tensor  # root mean square of Hedge's residuals; ones fill whole tiles
    settings: Settings
    calm: Calm | None  # what makes scores less sure, if anything does


class _Chunk(NamedTuple):
    first: int  # node
    hedge: Tensor  # products of Hedge's residuals with those of all nodes from the first on
    refit: Tensor  # the same for the refit, or anything if it is not needed
    echoes: Tensor  # products of their autocorrelations, or anything
    forth: OneSided  # given the neighbours of these nodes, or anything
    back: OneSided  # given those of the others, or anything
    starts: Tensor  # where the pairs that each tile leaves out begin
    grid: tuple[int, int]


class Scores(NamedTuple):
    """Of some pairs, on the host."""

    z: Array
    witness: Array


def gather(
    columns: Tensor,
    fast_columns: Tensor,
    refit: Refit,
    weights: Weights | Kept,
    settings: Settings,
    calm: Calm | None = None,
) -> Material:
    """Return what the scores of all pairs are made from."""
    p = len(columns)
    hedge = weights.left(columns, fast_columns)
    spread = torch.ones(len(fast_columns), device=columns.device)
    spread[:p] = hedge.double().square().mean(1).sqrt().clamp(min=_TINY)
    refit_spread = refit.unexplained.clamp(min=settings.collinear).sqrt()
    return Material(
        columns=columns,
        refit=refit,
        weights=weights,
        refit_residuals=refit.residuals / refit_spread.float()[:, None],
        refit_spread=refit_spread,
        hedge_residuals=hedge / spread[:p, None],
        hedge_spread=spread,
        settings=settings,
        calm=calm,
    )


def told_apart(refit: Refit, weights: Weights | Kept) -> Tensor:
    """Return the pairs i < j, as i * p + j, that are tested one by one anyway; in order.

    The refit joins them, or a weight matters that is not held with all others.
    """
    pairs = joined(refit)
    return torch.unique(torch.cat([pairs, weights.pairs()])) if isinstance(weights, Kept) else pairs


def joined(refit: Refit) -> Tensor:
    """Return the pairs i < j, as i * p + j, that the refit joins; in order."""
    p = len(refit.sizes)
    node = torch.arange(p, device=refit.sizes.device)[:, None].expand_as(refit.neighbours)
    there = refit.neighbours >= 0
    a, b = node[there], refit.neighbours[there]
    return torch.unique(torch.minimum(a, b) * p + torch.maximum(a, b))


def estimates(material: Material, pairs: Tensor) -> Tensor:
    """Return the refit's estimates of the partial correlations of listed pairs."""
    i, j = _ends(material, pairs)
    refit, scale = material.refit, material.refit_spread
    direct = coefficient_of(refit, i, j) * scale[j] / scale[i]
    direct = direct + coefficient_of(refit, j, i) * scale[i] / scale[j]
    return (mean_products(material.refit_residuals, i, j) + direct).clamp(-1.0, 1.0)


def one_by_one(material: Material, pairs: Tensor, *, both: bool, careful: bool) -> Scores:
    """Return the scores of listed pairs, from the rows; if careful, with stand-ins in mind."""
    i, j = _ends(material, pairs)
    sizes, n_rows = material.refit.sizes, material.refit.n_rows
    if both:
        used = torch.maximum(sizes[i], sizes[j])
        z = z_score(estimates(material, pairs), n_rows - 2.0 - used)
    else:
        z = _given_fewer(material, i, j, careful=careful)
    weights, spread = material.weights, material.hedge_spread.double()
    direct = weights.at(i, j) * spread[j] / spread[i]
    direct = direct + weights.at(j, i) * spread[i] / spread[j]
    related = mean_products(material.hedge_residuals, i, j) + direct
    witness = z_score(related, n_rows - 2.0)
    if material.calm is not None:
        share = shares(material.calm, i, j)
        z, witness = z * share, witness * share
    return Scores(z.cpu().numpy(), witness.cpu().numpy())


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
        self.sizes = torch.zeros(self.width, dtype=torch.int32, device=skipped.device)
        self.sizes[: self.p] = material.refit.sizes
        tile = skipped // self.p // _BLOCK * (self.width // _BLOCK) + skipped % self.p // _BLOCK
        self.tile, order = torch.sort(tile)
        self.skipped = torch.cat([skipped[order], skipped.new_zeros(1)])
        self.ends = torch.tensor(GROUP_ENDS, dtype=torch.float32, device=skipped.device)

    def central_sums(self) -> tuple[float, float]:
        """Return the sums of witness times z and of z squared over central pairs."""
        total = torch.zeros(2, dtype=torch.float64, device=self.hedge.device)
        for chunk in self._chunks():
            sums = torch.zeros((*chunk.grid, 2), device=self.hedge.device)
            self._run(pair_kernels.sum_centre, chunk, CENTRE, sums)
            total += sums.sum((0, 1), dtype=torch.float64)
        return float(total[0]), float(total[1])

    def count(
        self, shared: float, margins: tuple[float, float], least: float
    ) -> tuple[Counts, Counts]:
        """Return how many pairs are in each group and bin, and in each bin of agreement.

        Pairs with less than the ``least`` agreement of interest are all in the first bin.
        """
        shape = (_N_ENDS + 2, BINS)
        total = torch.zeros(shape, dtype=torch.int64, device=self.hedge.device)
        for chunk in self._chunks():
            counts = torch.zeros((_COUNTERS, *shape), dtype=torch.int32, device=total.device)
            self._run(
                pair_kernels.count_pairs, chunk, shared, self.ends, *margins, least, counts,
                COUNTERS=_COUNTERS, N_ENDS=_N_ENDS, BINS=BINS, PER_BIN=PER_BIN,
            )  # fmt: skip
            total += counts.sum(0)
        by_group, by_agreement = np.split(total.cpu().numpy(), [_N_ENDS + 1])
        by_agreement[0, 0] += by_group.sum() - by_agreement.sum()
        return by_group, by_agreement

    def listed(
        self, shared: float, margins: tuple[float, float], cuts: Array, cut: float
    ) -> Tensor:
        """Return the pairs that reach the cut of their group, or that of agreement, in order."""
        group_cuts = torch.tensor(cuts, dtype=torch.float32, device=self.hedge.device)
        capacity, number = 0, 64 * self.p
        while number > capacity:
            capacity = number
            found = torch.zeros(1, dtype=torch.int32, device=self.hedge.device)
            pairs = torch.empty(capacity, dtype=torch.int64, device=self.hedge.device)
            for chunk in self._chunks():
                self._run(
                    pair_kernels.list_pairs, chunk, shared, self.ends, *margins,
                    group_cuts, cut, found, pairs, capacity, N_ENDS=_N_ENDS,
                )  # fmt: skip
            number = int(found)
        return torch.sort(pairs[:number]).values

    def _chunks(self) -> Iterator[_Chunk]:
        """Yield some nodes at a time with their products with all later ones."""
        rows = max(_BLOCK, min(self.width, _CHUNK_BYTES // (4 * self.width)) // _BLOCK * _BLOCK)
        firsts = torch.arange(0, self.width + rows, rows, device=self.hedge.device)
        cuts = [torch.searchsorted(step.nodes, firsts).tolist() for step in self.steps]
        for k, first in enumerate(range(0, self.width, rows)):
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


def _given_fewer(material: Material, i: Tensor, j: Tensor, *, careful: bool) -> Tensor:
    """Return z given the neighbours of the node with fewer, or the weaker of both results."""
    sizes = material.refit.sizes
    forth, back = torch.full((2, len(i)), math.inf, dtype=torch.float64, device=i.device)
    first, second = sizes[i] <= sizes[j], sizes[j] <= sizes[i]
    forth[first] = _given_one(material, i[first], j[first], careful=careful)
    back[second] = _given_one(material, j[second], i[second], careful=careful)
    return torch.where(forth.abs() < back.abs(), forth, back)


def _given_one(material: Material, i: Tensor, j: Tensor, *, careful: bool) -> Tensor:
    """Return z of i with j given i's neighbours; if careful, the weakest that stand-ins leave."""
    columns, refit = material.columns, material.refit
    z = given_one(columns, refit, i, j)
    if careful:
        chosen = (refit.neighbours[i] == j[:, None]).any(1)
        z[chosen] = weaken(columns, refit, i[chosen], j[chosen], z[chosen])
    return z


def _ends(material: Material, pairs: Tensor) -> tuple[Tensor, Tensor]:
    p = len(material.columns)
    return pairs // p, pairs % p
