"""Scores given one node's neighbours, made again for some nodes at a time.

The correlation of node i with column j, given i's neighbours, is that of what they leave of both.
Of i the refit has it. Of column j they leave a variance of one less the squares of its products
with the directions in which i's selection went.

Columns and residuals are as `layout.padded` has them; steps are those of the nodes in question,
counted from the first of these.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from hedgerow.engines.torch_gpu.selection import Step
from hedgerow.engines.torch_gpu.squares_kernel import add_squares

_BLOCK = 1024  # columns that one program handles


class OneSided(NamedTuple):
    """Of some nodes i with later columns j; both of shape (i, j)."""

    product: Tensor  # of what is left of one with the other
    explained: Tensor  # of the other's variance, by the one's neighbours


def given_first(residuals: Tensor, later: Tensor, steps: list[Step]) -> OneSided:
    """Return what the scores given i's neighbours are made from, by the residuals of i."""
    product = torch.mm(residuals, later.T)
    explained = torch.zeros_like(product)
    for step in steps:
        _add(explained, torch.mm(step.vectors, later.T), step.nodes, along_rows=True)
    return OneSided(product, explained)


def given_second(columns: Tensor, later: Tensor, steps: list[Step]) -> OneSided:
    """Return the same given j's neighbours, by the residuals of ``later`` columns j."""
    product = torch.mm(columns, later.T)
    explained = torch.zeros_like(product)
    for step in steps:
        _add(explained, torch.mm(columns, step.vectors.T), step.nodes, along_rows=False)
    return OneSided(product, explained)


def _add(total: Tensor, products: Tensor, place: Tensor, *, along_rows: bool) -> None:
    """Add squares to the rows or columns of an array that have these places."""
    n_rows, n_columns = products.shape
    grid = (n_rows, -(-n_columns // _BLOCK))
    add_squares[grid](
        total, products, place, total.shape[1], n_columns, ALONG_ROWS=along_rows, BN=_BLOCK
    )
