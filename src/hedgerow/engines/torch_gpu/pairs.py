"""The scores of all pairs: summed, counted and listed tile by tile, or computed one by one.

There are two: given the neighbours of the node that has fewer, and given those of both nodes
(docs/theory.md, section 10). Each comes with Hedge's witness.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

from hedgerow.engines.torch_gpu import pair_kernels
from hedgerow.engines.torch_gpu.layout import Settings, padded
from hedgerow.engines.torch_gpu.learning import Weights
from hedgerow.engines.torch_gpu.scores import z_score
from hedgerow.engines.torch_gpu.selection import Refit
from hedgerow.engines.torch_gpu.singles import given_one, mean_products, weight_of
from hedgerow.engines.torch_gpu.stand_ins import weaken

_BLOCK = 64  # nodes along each side of a tile
_CHUNK_BYTES = 2 << 30
_TINY = 1e-12


class Evidence(NamedTuple):
    """All that the scores of pairs are made from."""

    columns: Tensor  # (p, m); standardised, float32
    refit: Refit
    weights: Weights  # Hedge's
    refit_residuals: Tensor  # (p, m); mean square one, float32
    refit_spread: Tensor  # root mean square of the refit's residuals
    hedge_residuals: Tensor  # (p, m); mean square one, float32
    hedge_spread: Tensor  # root mean square of Hedge's residuals; ones fill whole tiles
    settings: Settings


class _Chunk(NamedTuple):
    first: int  # node
    hedge: Tensor  # products of Hedge's residuals with those of all nodes from the first on
    refit: Tensor  # the same for the refit, or anything if it is not needed
    grid: tuple[int, int]


class Scores(NamedTuple):
    """Of some pairs, float64."""

    z: Tensor
    witness: Tensor


def gather(
    columns: Tensor, fast_columns: Tensor, refit: Refit, weights: Weights, settings: Settings
) -> Evidence:
    """Return the evidence on all pairs."""
    p, m = columns.shape
    hedge = columns - _times(weights.values, fast_columns)[:p] * (m**0.5 / weights.unit)
    spread = torch.ones(len(fast_columns), device=columns.device)
    spread[:p] = hedge.double().square().mean(1).sqrt().clamp(min=_TINY)
    refit_spread = refit.unexplained.clamp(min=settings.collinear).sqrt()
    return Evidence(
        columns=columns,
        refit=refit,
        weights=weights,
        refit_residuals=refit.residuals / refit_spread.float()[:, None],
        refit_spread=refit_spread,
        hedge_residuals=hedge / spread[:p, None],
        hedge_spread=spread,
        settings=settings,
    )


def joined(refit: Refit) -> Tensor:
    """Return the pairs i < j, as i * p + j, that the refit's weights join; in order."""
    p = len(refit.sizes)
    node = torch.arange(p, device=refit.sizes.device)[:, None].expand_as(refit.neighbours)
    there = refit.neighbours >= 0
    a, b = node[there], refit.neighbours[there]
    return torch.unique(torch.minimum(a, b) * p + torch.maximum(a, b))


def estimates(evidence: Evidence, pairs: Tensor) -> Tensor:
    """Return the refit's estimates of the partial correlations of listed pairs."""
    i, j = _ends(evidence, pairs)
    refit, scale = evidence.refit, evidence.refit_spread
    direct = weight_of(refit, i, j) * scale[j] / scale[i]
    direct = direct + weight_of(refit, j, i) * scale[i] / scale[j]
    return (mean_products(evidence.refit_residuals, i, j) + direct).clamp(-1.0, 1.0)


def one_by_one(evidence: Evidence, pairs: Tensor, *, both: bool, careful: bool) -> Scores:
    """Return the scores of listed pairs, from the rows; if careful, with stand-ins in mind."""
    m = evidence.columns.shape[1]
    i, j = _ends(evidence, pairs)
    sizes = evidence.refit.sizes
    if both:
        used = torch.maximum(sizes[i], sizes[j])
        z = z_score(estimates(evidence, pairs), m - 2.0 - used)
    else:
        z = _given_fewer(evidence, i, j, careful=careful)
    values, spread = evidence.weights.values, evidence.hedge_spread.double()
    direct = values[i, j].double() * spread[j] / spread[i]
    direct = (direct + values[j, i].double() * spread[i] / spread[j]) / evidence.weights.unit
    related = mean_products(evidence.hedge_residuals, i, j) + direct
    return Scores(z, z_score(related, m - 2.0))


class Tiles:
    """All pairs i < j in tiles, without those that the refit joins."""

    def __init__(self, evidence: Evidence, skipped: Tensor, *, both: bool) -> None:
        self.p, self.m = evidence.columns.shape
        self.evidence, self.both = evidence, both
        dtype = evidence.settings.dtype
        self.hedge = padded(evidence.hedge_residuals, dtype)
        self.refit = padded(evidence.refit_residuals, dtype) if both else self.hedge
        self.width = len(self.hedge)
        self.sizes = torch.zeros(self.width, dtype=torch.int32, device=skipped.device)
        self.sizes[: self.p] = evidence.refit.sizes
        n_blocks = self.width // _BLOCK
        tile = skipped // self.p // _BLOCK * n_blocks + skipped % self.p // _BLOCK
        tile, order = torch.sort(tile)
        self.skipped = torch.cat([skipped[order], skipped.new_zeros(1)])
        every = torch.arange(n_blocks**2 + 1, device=skipped.device)
        self.starts = torch.searchsorted(tile, every).int()

    def shared(self, centre: float) -> tuple[float, float]:
        """Return the sums of witness times z and of z squared over the pairs with small z."""
        total = torch.zeros(2, dtype=torch.float64, device=self.hedge.device)
        for chunk in self._chunks():
            sums = torch.zeros((*chunk.grid, 2), device=self.hedge.device)
            self._run(pair_kernels.sum_centre, chunk, centre, sums)
            total += sums.sum((0, 1), dtype=torch.float64)
        return float(total[0]), float(total[1])

    def group_counts(self, shared: float, median: float, ends: Tensor) -> Tensor:
        """Return the sizes of the groups of surplus and, of each, the pairs with a large p-value.

        The result has one row for each group, from the one beyond the first end to the rest.
        """
        reached = torch.zeros((len(ends) + 1, 2), dtype=torch.int64, device=self.hedge.device)
        bounds = ends.float()
        for chunk in self._chunks():
            counts = torch.zeros(
                (*chunk.grid, len(ends) + 1), dtype=torch.int32, device=self.hedge.device
            )
            self._run(
                pair_kernels.count_groups, chunk, shared, median, bounds, counts, N_ENDS=len(ends)
            )
            halves = [(counts & 0xFFFF).sum((0, 1)), (counts >> 16).sum((0, 1))]
            reached += torch.stack(halves, dim=1)
        return torch.diff(reached, dim=0, prepend=reached.new_zeros((1, 2)))

    def listed(
        self,
        shared: float,
        ends: Tensor,
        cuts: Tensor,
        agreement: tuple[float, float, float],
        capacity: int,
    ) -> tuple[Tensor, int]:
        """Return the pairs beyond the cut of their group or with agreement, and their number.

        ``agreement`` is the cut, and what is taken off witness and z before it. If the number is
        above the capacity, the list is incomplete.
        """
        found = torch.zeros(1, dtype=torch.int32, device=self.hedge.device)
        pairs = torch.empty(capacity, dtype=torch.int64, device=self.hedge.device)
        for chunk in self._chunks():
            self._run(
                pair_kernels.list_pairs, chunk, shared, ends.float(), cuts.float(), *agreement,
                found, pairs, capacity, N_ENDS=len(ends),
            )  # fmt: skip
        number = int(found)
        return torch.sort(pairs[: min(number, capacity)]).values, number

    def _chunks(self) -> Iterator[_Chunk]:
        """Yield some nodes at a time with their products with all later ones."""
        rows = max(_BLOCK, min(self.width, _CHUNK_BYTES // (4 * self.width)) // _BLOCK * _BLOCK)
        for first in range(0, self.width, rows):
            hedge = torch.mm(self.hedge[first : first + rows], self.hedge[first:].T)
            refit = hedge
            if self.both:
                refit = torch.mm(self.refit[first : first + rows], self.refit[first:].T)
            grid = (hedge.shape[0] // _BLOCK, hedge.shape[1] // _BLOCK)
            yield _Chunk(first, hedge, refit, grid)

    def _run(self, kernel: Any, chunk: _Chunk, *arguments: Any, **constants: Any) -> None:
        evidence = self.evidence
        kernel[chunk.grid](
            chunk.refit, evidence.refit.scores, chunk.hedge, evidence.weights.values,
            evidence.hedge_spread, self.sizes, self.starts, self.skipped,
            chunk.first, self.p, self.width, float(self.m), evidence.weights.unit,
            *arguments, **constants, BOTH=self.both, BLOCK=_BLOCK, num_warps=4,
        )  # fmt: skip


def _given_fewer(evidence: Evidence, i: Tensor, j: Tensor, *, careful: bool) -> Tensor:
    """Return z given the neighbours of the node with fewer, or the weaker of both results."""
    sizes = evidence.refit.sizes
    forth, back = torch.full((2, len(i)), math.inf, dtype=torch.float64, device=i.device)
    first, second = sizes[i] <= sizes[j], sizes[j] <= sizes[i]
    forth[first] = _given_one(evidence, i[first], j[first], careful=careful)
    back[second] = _given_one(evidence, j[second], i[second], careful=careful)
    return torch.where(forth.abs() < back.abs(), forth, back)


def _given_one(evidence: Evidence, i: Tensor, j: Tensor, *, careful: bool) -> Tensor:
    """Return z of i with j given i's neighbours; if careful, the weakest that stand-ins leave."""
    columns, refit = evidence.columns, evidence.refit
    z = given_one(columns, refit, i, j)
    if careful:
        chosen = (refit.neighbours[i] == j[:, None]).any(1)
        z[chosen] = weaken(columns, refit, i[chosen], j[chosen], z[chosen])
    return z


def _ends(evidence: Evidence, pairs: Tensor) -> tuple[Tensor, Tensor]:
    p = len(evidence.columns)
    return pairs // p, pairs % p


def _times(a: Tensor, b: Tensor) -> Tensor:
    """Return a matrix product in float32, whatever the type of its factors."""
    if a.is_cuda and a.dtype != torch.float32:
        return torch.mm(a, b, out_dtype=torch.float32)
    return a.float() @ b.float()
