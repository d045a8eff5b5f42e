# mypy: disable-error-code="no-untyped-def"
"""Triton kernels of the learning pass that handle numbers of columns or nodes, not of pairs.

In torch each would be a dozen small steps, with every batch.
"""

import triton
import triton.language as tl


@triton.jit
def standardise(
    rows, batches, result, n_batches, n_columns, width,
    LEAST: tl.constexpr, LONGEST: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Write the rows with mean 0 and spread 1, by the moments up to the end of their batch."""
    column = tl.program_id(0) * BN + tl.arange(0, BN)
    mean = tl.zeros((BN,), tl.float64)
    squares = tl.zeros((BN,), tl.float64)
    start = 0
    for batch in range(n_batches):
        stop = tl.load(batches + batch)
        row = (start + tl.arange(0, LONGEST))[:, None].to(tl.int64)
        there = (row < stop) & (column < n_columns)[None, :]
        x = tl.load(rows + row * n_columns + column[None, :], mask=there, other=0.0).to(tl.float64)
        before, size = tl.cast(start, tl.float64), tl.cast(stop - start, tl.float64)
        seen = tl.cast(stop, tl.float64)
        own_mean = tl.sum(x, axis=0) / size
        away = tl.where(there, x - own_mean[None, :], 0.0)
        shift = own_mean - mean
        squares += tl.sum(away * away, axis=0) + shift * shift * (before * size / seen)
        mean += shift * (size / seen)
        varied = squares > LEAST * seen
        per_scale = tl.where(varied, 1.0 / tl.sqrt(tl.where(varied, squares / seen, 1.0)), 0.0)
        standard = (x - mean[None, :]) * per_scale[None, :]
        at = result + row * width + column[None, :]
        tl.store(at, standard.to(result.dtype.element_ty), mask=there)
        start = stop


@triton.jit
def set_rates(
    steepest, curvature, largest, rate, shift, n_nodes, n_parts, log_experts, product_shift,
    BM: tl.constexpr,
):  # fmt: skip
    """Set the rate of each node by its steepest gradient, in powers of two, and bound exponents."""
    node = tl.program_id(0) * BM + tl.arange(0, BM)
    there = node < n_nodes
    gradient = tl.zeros((BM,), tl.float32)
    for part in range(n_parts):
        gradient = tl.maximum(gradient, tl.load(steepest + part * n_nodes + node, there))
    total = tl.load(curvature + node, there) + gradient * gradient
    new_rate = tl.where(total > 0, tl.sqrt(log_experts / tl.where(total > 0, total, 1.0)), 0.0)
    tl.store(curvature + node, total, there)
    tl.store(rate + node, new_rate, there)
    bound = new_rate * (tl.load(largest + node, there) + gradient) - product_shift
    tl.store(shift + node, bound, there)


@triton.jit(do_not_specialize=("first_node", "start", "stop"))
def compare(
    rows, residuals, total, largest_pull, predicted,
    matched, squared, largest, new_shift, gain,
    first_node, n_nodes, n_parts, width, stride, start, stop, surplus, radius_limit,
    NEXT: tl.constexpr, BM: tl.constexpr,
):  # fmt: skip
    """Compare the predictions of a batch with its rows, and note how well they matched."""
    node = tl.program_id(0) * BM + tl.arange(0, BM)
    there = node < n_nodes
    step = tl.arange(0, NEXT)
    norm = tl.zeros((BM,), tl.float32)
    pull = tl.zeros((BM,), tl.float32)
    prediction = tl.zeros((BM, NEXT), tl.float32)
    for part in range(n_parts):
        at = part * n_nodes + node
        norm += tl.load(total + at, there)
        pull = tl.maximum(pull, tl.load(largest_pull + at, there))
        prediction += tl.load(predicted + at[:, None] * NEXT + step[None, :], there[:, None])
    norm -= surplus * tl.exp2(-tl.load(new_shift + node, there))
    row = start + step
    here = there[:, None] & (row < stop)[None, :]
    prediction = tl.where(here, prediction / norm[:, None], 0.0)
    x = tl.load(
        rows + row[None, :].to(tl.int64) * width + (first_node + node)[:, None], here, other=0.0
    ).to(tl.float32)
    old_matched, old_squared = tl.load(matched + node, there), tl.load(squared + node, there)
    radius = tl.minimum(tl.maximum(old_matched / old_squared, 0.0), radius_limit)
    residual = x - radius[:, None] * prediction
    at = residuals + node[:, None].to(tl.int64) * stride + row[None, :]
    tl.store(at, residual.to(residuals.dtype.element_ty), here)
    tl.store(largest + node, pull, there)
    tl.store(gain + node, radius / norm, there)
    tl.store(matched + node, old_matched + tl.sum(x * prediction, axis=1), there)
    tl.store(squared + node, old_squared + tl.sum(prediction * prediction, axis=1), there)
