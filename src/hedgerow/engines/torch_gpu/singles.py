"""Exact statistics of listed pairs, from the rows: what candidates are tested with."""

import torch
from torch import Tensor

from hedgerow.engines.torch_gpu.scores import z_score
from hedgerow.engines.torch_gpu.selection import Refit

_CHUNK_BYTES = 2 << 30
_RIDGE = 1e-9  # keeps collinear neighbours from spoiling the solution
_TINY = 1e-12


def mean_products(columns: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """Return the mean products of columns i and j, accumulated in float64."""
    chunk = max(1, _CHUNK_BYTES // (16 * columns.shape[1]))
    parts = [
        (columns[a].double() * columns[b].double()).mean(1)
        for a, b in zip(i.split(chunk), j.split(chunk))
    ]
    return torch.cat(parts) if parts else columns.new_zeros(0, dtype=torch.float64)


def weight_of(refit: Refit, i: Tensor, j: Tensor) -> Tensor:
    """Return the refit's weights of nodes i on nodes j."""
    hit = refit.neighbours[i] == j[:, None]
    return (refit.weights[i].double() * hit).sum(1)


def given_one(columns: Tensor, refit: Refit, i: Tensor, j: Tensor) -> Tensor:
    """Return z of i with j given i's neighbours other than j: a t test's score.

    Pairs are worked through by the number of neighbours, so that the small systems of a chunk
    have nearly the same size.
    """
    m = columns.shape[1]
    size = refit.sizes[i]
    order = torch.argsort(size)
    result = torch.empty(len(i), dtype=torch.float64, device=i.device)
    start = 0
    while start < len(i):
        narrow = int(size[order[start]])
        stop = start + max(1, _CHUNK_BYTES // (4 * m * (narrow + 4)))
        stop = start + int((size[order[start:stop]] <= narrow + 2).sum())
        chunk = order[start:stop]
        neighbours = refit.neighbours[i[chunk], : int(size[chunk].max())]
        there = (neighbours >= 0) & (neighbours != j[chunk, None])
        correlation = _partial(columns, i[chunk], j[chunk], neighbours.clamp(min=0), there)
        result[chunk] = z_score(correlation, m - 2.0 - there.sum(1))
        start = stop
    return result


def _partial(columns: Tensor, i: Tensor, j: Tensor, given: Tensor, there: Tensor) -> Tensor:
    """Return the correlation of i and j given some variables, of which those not there are none."""
    vectors = columns[torch.cat([i[:, None], j[:, None], given], dim=1)]
    gram = torch.bmm(vectors, vectors.mT).double() / columns.shape[1]
    used = torch.nn.functional.pad(there, (2, 0), value=True)
    gram = gram * (used[:, :, None] & used[:, None, :])
    inner = gram[:, 2:, 2:] + torch.diag_embed(_RIDGE + (~there).double())
    cross = gram[:, 2:, :2]
    left = gram[:, :2, :2] - cross.mT @ torch.linalg.solve(inner, cross)
    variance = torch.diagonal(left, dim1=1, dim2=2).clamp(min=_TINY)
    return (left[:, 0, 1] / variance.prod(1).sqrt()).clamp(-1.0, 1.0)
