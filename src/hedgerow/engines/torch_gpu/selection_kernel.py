# mypy: disable-error-code="no-untyped-def"
"""Triton kernel of forward selection: one step of many nodes."""

import triton
import triton.language as tl

from hedgerow.engines.torch_gpu.normal_score import normal_score


@triton.jit
def strongest(
    products, covariance, variance, scores, place, node, newest, loading, left, best, which,
    width, freedom, collinear, FIRST: tl.constexpr, HELD: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Take one direction out of all columns; find a node's strongest column given the rest.

    One program handles one node and ``BN`` columns. ``products`` are those of the direction with
    the columns; from them, covariance, variance and, if held, scores are brought up to date.
    """
    row = tl.program_id(0).to(tl.int64)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = j < width
    product = tl.load(products + row * width + j, mask=inside, other=0.0).to(tl.float32)
    own = tl.load(node + row)
    offset = tl.load(place + row) * width + j
    if FIRST:
        cov = product
        var = tl.where(own == j, 0.0, 1.0)
    else:
        cov = tl.load(covariance + offset, mask=inside, other=0.0).to(tl.float32)
        var = tl.load(variance + offset, mask=inside, other=0.0).to(tl.float32)
        cov -= tl.load(loading + row) * product
        var = tl.where(tl.load(newest + row) == j, 0.0, var - product * product)
    tl.store(covariance + offset, cov.to(covariance.dtype.element_ty), mask=inside)
    tl.store(variance + offset, var.to(variance.dtype.element_ty), mask=inside)
    usable = inside & (var > collinear)
    scale = tl.where(usable, var, 1.0) * tl.load(left + row)
    partial = tl.where(usable, cov * tl.rsqrt(scale), 0.0)
    if HELD:
        z = normal_score(partial, freedom)
        tl.store(scores + own * width + j, z.to(scores.dtype.element_ty), mask=inside)
    value, index = tl.max(partial * partial, axis=0, return_indices=True)
    part = row * tl.num_programs(1) + tl.program_id(1)
    tl.store(best + part, value)
    tl.store(which + part, index + tl.program_id(1) * BN)
