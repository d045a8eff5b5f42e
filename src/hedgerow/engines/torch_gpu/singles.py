"""Exact statistics of listed pairs, from the rows: what candidates are tested with."""

from collections.abc import Iterator

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


def coefficient_of(refit: Refit, i: Tensor, j: Tensor) -> Tensor:
    """Return the refit's coefficients of nodes i on nodes j."""
    hit = refit.neighbours[i] == j[:, None]
    return (refit.coefficients[i].double() * hit).sum(1)


def given_one(columns: Tensor, refit: Refit, i: Tensor, j: Tensor) -> Tensor:
    """Return z of i with j given i's neighbours other than j: a t test's score."""
    m = columns.shape[1]
    result = torch.empty(len(i), dtype=torch.float64, device=i.device)
    for chunk, neighbours in some_at_a_time(m, refit, i):
        there = (neighbours >= 0) & (neighbours != j[chunk, None])
        ends = torch.stack([i[chunk], j[chunk]], dim=1)
        left = what_is_left(columns, ends, neighbours.clamp(min=0), there)
        result[chunk] = z_score(left[:, 0, 1], refit.n_rows - 2.0 - there.sum(1))
    return result


def some_at_a_time(m: int, refit: Refit, nodes: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield places in a list of nodes, and these nodes' neighbours, -1 where there are fewer.

    They are worked through by the number of neighbours, so that the small systems of a chunk have
    nearly the same size.
    """
    size = refit.sizes[nodes]
    order = torch.argsort(size)
    start = 0
    while start < len(nodes):
        narrow = int(size[order[start]])
        stop = start + max(1, _CHUNK_BYTES // (4 * m * (narrow + 5)))
        stop = start + int((size[order[start:stop]] <= narrow + 2).sum())
        chunk = order[start:stop]
        yield chunk, refit.neighbours[nodes[chunk], : int(size[chunk].max())]
        start = stop


def what_is_left(columns: Tensor, ends: Tensor, given: Tensor, there: Tensor) -> Tensor:
    """Return the correlations of a few columns given others, of which those not there are none."""
    n = ends.shape[1]
    vectors = columns[torch.cat([ends, given], dim=1)]
    gram = torch.bmm(vectors, vectors.mT).double() / columns.shape[1]
    used = torch.nn.functional.pad(there, (n, 0), value=True)
    gram = gram * (used[:, :, None] & used[:, None, :])
    inner = gram[:, n:, n:] + torch.diag_embed(_RIDGE + (~there).double())
    cross = gram[:, n:, :n]
    left = gram[:, :n, :n] - cross.mT @ torch.linalg.solve(inner, cross)
    scale = torch.diagonal(left, dim1=1, dim2=2).clamp(min=_TINY).sqrt()
    return (left / scale[:, :, None] / scale[:, None, :]).clamp(-1.0, 1.0)
