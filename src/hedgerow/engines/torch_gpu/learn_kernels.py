# mypy: disable-error-code="no-untyped-def"
"""Triton kernels of the learning pass. One program handles some nodes and a range of columns.

The state of a node is its *pull*: minus the sum of its gradients, which is the sum over the rows
seen of residual times row. So it can be made again at any time from the residuals and the rows,
by a matrix product. While the rows are few that is cheaper than to keep it in memory.
"""

import triton
import triton.language as tl

# Triton would compile anew for each kind of value (one, a multiple of 16) of these.
_CHANGING = ("first_node", "base", "start", "stop", "share")


@triton.jit
def _offsets(width, DEPTH: tl.constexpr, BN: tl.constexpr):
    """Return where the entries of a block lie, from its first on; pointers would take registers."""
    return tl.arange(0, DEPTH)[:, None] * width + tl.arange(0, BN)[None, :]


@triton.jit
def _residuals(nodes, start, stop, DEPTH: tl.constexpr):
    """Return the nodes' residuals of the rows from ``start`` to ``stop``, with zeros after them."""
    step = start + tl.arange(0, DEPTH)
    return tl.load(nodes + step[None, :], mask=(step < stop)[None, :], other=0.0)


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
    r = _residuals(residuals + node[:, None] * stride, start, stop, BATCH)
    x_at = rows + start.to(tl.int64) * width
    x_offsets = _offsets(width, BATCH, BN)
    diagonal = first_node + tl.program_id(0) * BM
    off_diagonal = (first_node + node)[:, None] - tl.arange(0, BN)[None, :]
    largest = tl.zeros((BM,), tl.float32)
    for c in range(left, right, BN):
        pull = tl.dot(r, tl.load(x_at + c + x_offsets), input_precision=PRECISION)
        if (c + BN > diagonal) & (c < diagonal + BM):
            pull = tl.where(off_diagonal == c, 0.0, pull)
        largest = tl.maximum(largest, tl.max(tl.abs(pull), axis=1))
    tl.store(result + tl.program_id(1) * tl.num_programs(0) * BM + node, largest)


@triton.jit(do_not_specialize=_CHANGING)
def advance(
    rows, residuals, pulls, average,
    old_rate, old_shift, old_gain, new_rate, new_shift,
    total, largest_pull, predicted,
    first_node, width, stride, base, start, stop, share, unit, columns_each,
    STORED: tl.constexpr, PAST: tl.constexpr, AVERAGE: tl.constexpr, STORE: tl.constexpr,
    FORWARD: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    BATCH: tl.constexpr, NEXT: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Learn the rows from ``start`` to ``stop``, and predict the next with the new weights.

    The pulls before them are those in memory (if ``STORED``), which know the rows before ``base``,
    and those of the rows from there to ``start``, ``PAST`` at most, which are made again. With
    ``AVERAGE`` the weights that these pulls give are averaged first; without ``FORWARD`` that is
    all. Exponents are shifted by a bound on their largest value, known beforehand, so that one
    sweep suffices.
    """
    node = tl.program_id(0) * BM + tl.arange(0, BM)
    left = tl.program_id(1) * columns_each
    right = tl.minimum(left + columns_each, width)
    rate1 = tl.load(new_rate + node)[:, None]
    shift1 = tl.load(new_shift + node)[:, None]
    pull_at = pulls + (tl.program_id(0) * BM).to(tl.int64) * width
    if FORWARD:
        r = _residuals(residuals + node[:, None] * stride, start, stop, BATCH)
        x_at = rows + start.to(tl.int64) * width
        next_at = rows + stop.to(tl.int64) * width
        x_offsets = _offsets(width, BATCH, BN)
        next_offsets = _offsets(width, NEXT, BN)
    offsets = _offsets(width, BM, BN)
    diagonal = first_node + tl.program_id(0) * BM
    off_diagonal = (first_node + node)[:, None] - tl.arange(0, BN)[None, :]
    # What the next round needs of the large arrays is asked for one round ahead.
    if AVERAGE:
        rate0 = tl.load(old_rate + node)[:, None]
        shift0 = tl.load(old_shift + node)[:, None]
        gain0 = tl.load(old_gain + node)[:, None] * (share * unit)
        average_at = average + (tl.program_id(0) * BM).to(tl.int64) * width
        mean_ahead = tl.load(average_at + left + offsets)
    if STORED:
        pull_ahead = tl.load(pull_at + left + offsets)
    if PAST:
        r_past = _residuals(residuals + node[:, None] * stride, base, start, PAST)
        past_at = rows + base.to(tl.int64) * width
        past_offsets = _offsets(width, PAST, BN)

    largest = tl.zeros((BM,), tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    if FORWARD:
        products = tl.zeros((BM, NEXT), tl.float32)
    for c in range(left, right, BN):
        following = tl.minimum(c + BN, right - BN)
        pull = tl.zeros((BM, BN), tl.float32)
        if STORED:
            pull = pull_ahead
            pull_ahead = tl.load(pull_at + following + offsets)
        if PAST:
            x = tl.load(past_at + c + past_offsets)
            pull = tl.dot(r_past, x, acc=pull, input_precision=PRECISION)
            if (c + BN > diagonal) & (c < diagonal + BM):
                pull = tl.where(off_diagonal == c, 0.0, pull)
        if AVERAGE:
            mean = mean_ahead.to(tl.float32)
            mean_ahead = tl.load(average_at + following + offsets)
            weight = tl.exp2(pull * rate0 - shift0) - tl.exp2(-pull * rate0 - shift0)
            mean = mean * (1.0 - share) + gain0 * weight
            tl.store(average_at + c + offsets, mean.to(average.dtype.element_ty))
        if FORWARD:
            x = tl.load(x_at + c + x_offsets)
            pull = tl.dot(r, x, acc=pull, input_precision=PRECISION)
            if (c + BN > diagonal) & (c < diagonal + BM):
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
        part = tl.program_id(1) * tl.num_programs(0) * BM + node
        tl.store(total + part, sums)
        tl.store(largest_pull + part, largest)
        tl.store(predicted + part[:, None] * NEXT + tl.arange(0, NEXT)[None, :], products)
