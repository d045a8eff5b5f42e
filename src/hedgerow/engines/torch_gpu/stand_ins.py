"""Chosen neighbours for which another variable could stand in (`hedgerow.method.stand_ins`)."""

from typing import NamedTuple

import torch
from torch import Tensor

from hedgerow.engines.torch_gpu.scores import z_score
from hedgerow.engines.torch_gpu.selection import Refit
from hedgerow.engines.torch_gpu.singles import some_at_a_time, what_is_left
from hedgerow.method.neighbours import COLLINEAR, step_thresholds


class _Triples(NamedTuple):
    """Variables that may stand in for neighbours: ``variable[t]`` for that of pair ``pair[t]``."""

    pair: Tensor
    variable: Tensor


def weaken(columns: Tensor, refit: Refit, i: Tensor, j: Tensor, z: Tensor) -> Tensor:
    """Return z of nodes i with their neighbours j, the weakest that any stand-in leaves."""
    p, m = columns.shape
    n_rows = refit.n_rows
    triples = _candidates(refit, i, j)
    first, other = i[triples.pair], j[triples.pair]
    size = refit.sizes[first]
    remains, own = (torch.ones(len(first), dtype=torch.float64, device=i.device) for _ in range(2))
    thresholds = torch.tensor(step_thresholds(p, n_rows), device=i.device)
    for chunk, neighbours in some_at_a_time(m, refit, first):
        there = (neighbours >= 0) & (neighbours != other[chunk, None])
        ends = torch.stack([first[chunk], other[chunk], triples.variable[chunk]], dim=1)
        left = what_is_left(columns, ends, neighbours.clamp(min=0), there)
        own[chunk] = left[:, 0, 1].abs()
        bound = thresholds[size[chunk] - 1] ** 2 / (n_rows - 2.0 - size[chunk])
        remains[chunk] = _explained_away(left, bound)
    least = torch.ones_like(z).scatter_reduce_(0, triples.pair, remains, "amin")
    before = torch.ones_like(z).scatter_reduce_(0, triples.pair, own, "amin")
    weaker = torch.sign(z) * z_score(least, n_rows - 2.0 - refit.sizes[i])
    return torch.where(least < before, weaker, z)


def _explained_away(left: Tensor, bound: Tensor) -> Tensor:
    """Return what the third variable leaves of the first two's correlation; one if it may not."""
    own, first, second = left[:, 0, 1], left[:, 0, 2], left[:, 1, 2]
    room = ((1 - first**2) * (1 - second**2)).clamp(min=COLLINEAR**2)
    remains = (torch.sign(own) * (own - first * second) / room.sqrt()).clamp(0.0, 1.0)
    return torch.where(first**2 > bound * (1 - first**2), remains, 1.0)


def _candidates(refit: Refit, i: Tensor, j: Tensor) -> _Triples:
    """Return the variables that j chose, and those that chose i or j, without i's neighbours."""
    here, there = torch.nonzero(refit.neighbours[j] >= 0, as_tuple=True)
    parts = [_Triples(here, refit.neighbours[j][here, there]), *_choosers(refit, (i, j))]
    pair, variable = (torch.cat(part) for part in zip(*parts))
    new = (variable != i[pair]) & (variable != j[pair])
    new &= (refit.neighbours[i[pair]] != variable[:, None]).all(1)
    return _Triples(pair[new], variable[new])


def _choosers(refit: Refit, variables: tuple[Tensor, ...]) -> list[_Triples]:
    """Return which nodes chose each variable."""
    node, place = torch.nonzero(refit.neighbours >= 0, as_tuple=True)
    chosen, order = torch.sort(refit.neighbours[node, place])
    every = torch.arange(len(refit.sizes) + 1, device=chosen.device)
    starts = torch.searchsorted(chosen, every)
    parts = []
    for variable in variables:
        count = starts[variable + 1] - starts[variable]
        pair = torch.repeat_interleave(torch.arange(len(variable), device=count.device), count)
        within = torch.arange(len(pair), device=count.device) - (count.cumsum(0) - count)[pair]
        parts.append(_Triples(pair, node[order[starts[variable][pair] + within]]))
    return parts
