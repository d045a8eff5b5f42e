# mypy: disable-error-code="no-untyped-def"
"""Triton kernels of the learning pass. One program handles some nodes and a range of columns.

The state of a node is its *pull*: minus the sum of its gradients, which is the sum over the rows
seen of residual times row. So it can be made again at any time from the residuals and the rows,
by a matrix product. While the rows are few that is cheaper than to keep it in memory.
"""

import triton
import triton.language as tl

# Triton would compile anew for each kind of value (one, a multiple of 16) of these.
_CHANGING = ("first_node", "start", "stop", "keep")


@triton.jit
def _offsets(width, DEPTH: tl.constexpr, BN: tl.constexpr):
    """Return where the entries of a block lie, from its first on; pointers would take registers."""
    return tl.arange(0, DEPTH)[:, None] * width + tl.arange(0, BN)[None, :]


@triton.jit(do_not_specialize=_CHANGING)
def steepest(
    rows, residuals, result,
    first_node, width, stride, start, stop, columns_each,
    BM: tl.constexpr, BN: tl.constexpr, BATCH: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Write each node's largest absolute gradient for one batch, for each range of columns."""
    node = tl.program_id(0) * BM + tl.arange(0, BM)
    left = tl.program_id(1) * columns_each
    right = tl.minimum(left + columns_each, width)
    step = start + tl.arange(0, BATCH)
    r = tl.load(
        residuals + node[:, None] * stride + step[None, :], mask=(step < stop)[None, :], other=0.0
    )
    x_at = rows + start.to(tl.int64) * width
    x_offsets = _offsets(width, BATCH, BN)
    off_diagonal = (first_node + node)[:, None] - tl.arange(0, BN)[None, :]
    largest = tl.zeros((BM,), tl.float32)
    for c in range(left, right, BN):
        pull = tl.dot(r, tl.load(x_at + c + x_offsets), input_precision=PRECISION)
        pull = tl.where(off_diagonal == c, 0.0, pull)
        largest = tl.maximum(largest, tl.max(tl.abs(pull), axis=1))
    tl.store(result + node * tl.num_programs(1) + tl.program_id(1), largest)


@triton.jit(do_not_specialize=_CHANGING)
def advance(
    rows, residuals, pulls, average,
    old_rate, old_shift, old_gain, new_rate, new_shift,
    total, largest_pull, predicted,
    first_node, width, stride, start, stop, keep, columns_each,
    PAST: tl.constexpr, STORE: tl.constexpr, FORWARD: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BATCH: tl.constexpr, NEXT: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """Average the old weights, learn one batch, and predict the next with the new weights.

    The pull before the batch is made from the first ``PAST`` rows, those before ``start``; if
    ``PAST`` is 0 it is read. The batch is the rows from ``start`` to ``stop``. Exponents are
    shifted by a bound on their largest value, known beforehand, so that one sweep suffices.
    Without ``FORWARD`` only the average is brought up to date.
    """
    node = tl.program_id(0) * BM + tl.arange(0, BM)
    left = tl.program_id(1) * columns_each
    right = tl.minimum(left + columns_each, width)
    rate0 = tl.load(old_rate + node)[:, None]
    shift0 = tl.load(old_shift + node)[:, None]
    gain0 = tl.load(old_gain + node)[:, None]
    rate1 = tl.load(new_rate + node)[:, None]
    shift1 = tl.load(new_shift + node)[:, None]
    step = start + tl.arange(0, BATCH)
    r = tl.load(
        residuals + node[:, None] * stride + step[None, :], mask=(step < stop)[None, :], other=0.0
    )
    x_at = rows + start.to(tl.int64) * width
    next_at = rows + stop.to(tl.int64) * width
    pull_at = pulls + (tl.program_id(0) * BM).to(tl.int64) * width
    average_at = average + (first_node + tl.program_id(0) * BM).to(tl.int64) * width
    x_offsets = _offsets(width, BATCH, BN)
    next_offsets = _offsets(width, NEXT, BN)
    offsets = _offsets(width, BM, BN)
    off_diagonal = (first_node + node)[:, None] - tl.arange(0, BN)[None, :]
    if PAST:
        before = tl.arange(0, PAST)
        r_past = tl.load(
            residuals + node[:, None] * stride + before[None, :],
            mask=(before < start)[None, :], other=0.0,
        )  # fmt: skip
        past_offsets = _offsets(width, PAST, BN)

    largest = tl.zeros((BM,), tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    products = tl.zeros((BM, NEXT), tl.float32)
    # What the next round needs is asked for one round ahead.
    mean_ahead = tl.load(average_at + left + offsets)
    if not PAST:
        pull_ahead = tl.load(pull_at + left + offsets)
    for c in range(left, right, BN):
        following = tl.minimum(c + BN, right - BN)
        mean = mean_ahead.to(tl.float32)
        mean_ahead = tl.load(average_at + following + offsets)
        if PAST:
            pull = tl.dot(r_past, tl.load(rows + c + past_offsets), input_precision=PRECISION)
            pull = tl.where(off_diagonal == c, 0.0, pull)
        else:
            pull = pull_ahead
            pull_ahead = tl.load(pull_at + following + offsets)
        weight = tl.exp2(pull * rate0 - shift0) - tl.exp2(-pull * rate0 - shift0)
        mean = mean * keep + gain0 * weight
        tl.store(average_at + c + offsets, mean.to(average.dtype.element_ty))
        if FORWARD:
            x = tl.load(x_at + c + x_offsets)
            if PAST:
                pull = tl.dot(r, x, acc=pull, input_precision=PRECISION)
            else:
                pull += tl.dot(r, x, input_precision=PRECISION)
            pull = tl.where(off_diagonal == c, 0.0, pull)
            if STORE:
                tl.store(pull_at + c + offsets, pull)
            largest = tl.maximum(largest, tl.max(tl.abs(pull), axis=1))
            plus = tl.exp2(pull * rate1 - shift1)
            minus = tl.exp2(-pull * rate1 - shift1)
            sums += tl.sum(plus + minus, axis=1)
            x = tl.load(next_at + c + next_offsets)
            weight = (plus - minus).to(x.dtype)
            products = tl.dot(weight, tl.trans(x), acc=products, input_precision=PRECISION)
    if FORWARD:
        part = node * tl.num_programs(1) + tl.program_id(1)
        tl.store(total + part, sums)
        tl.store(largest_pull + part, largest)
        tl.store(predicted + part[:, None] * NEXT + tl.arange(0, NEXT)[None, :], products)
