"""The scores of pairs: what they are made from, and those of listed pairs, one by one.

There are two: given the neighbours of the node that has fewer, and given those of both nodes
(docs/theory.md, section 10). Each comes with Hedge's witness.
"""

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hedgerow.engines.torch_gpu.calm import Calm, shares
from hedgerow.engines.torch_gpu.kept import Kept
from hedgerow.engines.torch_gpu.layout import Settings
from hedgerow.engines.torch_gpu.learning import Weights
from hedgerow.engines.torch_gpu.scores import z_score
from hedgerow.engines.torch_gpu.selection import Refit
from hedgerow.engines.torch_gpu.singles import coefficient_of, given_one, mean_products
from hedgerow.engines.torch_gpu.stand_ins import weaken

Array = NDArray[np.float64]

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
