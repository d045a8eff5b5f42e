# mypy: disable-error-code="no-untyped-def"
"""Triton kernels over all pairs i < j, tile by tile.

Every kernel computes the same two scores of a tile's pairs, the refit's z and Hedge's witness, and
differs in what it does with them: sum, or count and list. Pairs that the refit joins are
left out (``skipped``): their score has another term, and they are few enough to be tested singly.
"""

import triton
import triton.language as tl

from hedgerow.engines.torch_gpu.normal_score import normal_score

# Triton would compile anew for each kind of value of these.
_CHANGING = ("capacity",)


@triton.jit
def _both_ways(array, i, j, width):
    """Return the entries (i, j) and (j, i) of a square array."""
    forth = tl.load(array + i[:, None].to(tl.int64) * width + j[None, :])
    back = tl.load(array + j[None, :].to(tl.int64) * width + i[:, None])
    return forth.to(tl.float32), back.to(tl.float32)


@triton.jit
def _made_again(products, explained, here, freedom, collinear):
    """Return the scores given one node's neighbours, as the selection finds them."""
    left = 1.0 - tl.load(explained + here).to(tl.float32)
    product = tl.load(products + here).to(tl.float32)
    usable = left > collinear
    correlation = tl.where(usable, product * tl.rsqrt(tl.where(usable, left, 1.0)), 0.0)
    return normal_score(correlation, freedom)


@triton.jit
def _scores(
    both_products, one_sided, forth_explained, back_products, back_explained,
    products, weights, spread, sizes, starts, skipped, echoes, tails,
    first, p, width, n_rows, unit, typical, collinear,
    HELD: tl.constexpr, CALM: tl.constexpr, BOTH: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Return z and witness of one tile, the pairs' numbers, and which of them count.

    Weights and scores of all pairs are held in square arrays. If not, weights that matter belong to
    pairs that are left out, and scores are made from products of the tile's nodes.
    """
    step = tl.arange(0, BLOCK)
    row, column = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    i, j = first + row + step, first + column + step
    here = row.to(tl.int64) * (width - first) + column
    here += step[:, None] * (width - first) + step[None, :]
    related = tl.load(products + here).to(tl.float32)
    if HELD:
        forth, back = _both_ways(weights, i, j, width)
        ratio = tl.load(spread + j)[None, :] / tl.load(spread + i)[:, None]
        related += (forth * ratio + back / ratio) / unit
    witness = normal_score(related, tl.maximum(n_rows - 2.0, 1.0))

    size_i, size_j = tl.load(sizes + i)[:, None], tl.load(sizes + j)[None, :]
    if BOTH:
        freedom = tl.maximum(n_rows - 2.0 - tl.maximum(size_i, size_j), 1.0)
        z = normal_score(tl.load(both_products + here).to(tl.float32), freedom)
    else:
        if HELD:
            forth, back = _both_ways(one_sided, i, j, width)
        else:
            freedom = tl.maximum(n_rows - 2.0 - size_i, 1.0)
            forth = _made_again(one_sided, forth_explained, here, freedom, collinear)
            freedom = tl.maximum(n_rows - 2.0 - size_j, 1.0)
            back = _made_again(back_products, back_explained, here, freedom, collinear)
        weaker = tl.where(tl.abs(forth) < tl.abs(back), forth, back)
        z = tl.where(size_i < size_j, forth, tl.where(size_i > size_j, back, weaker))
    if CALM:
        of_tails = tl.maximum(tl.load(tails + i)[:, None] * tl.load(tails + j)[None, :], 1.0)
        of_memory = tl.maximum(1.0 + tl.load(echoes + here).to(tl.float32), 1.0)
        share = tl.sqrt(typical / (of_tails * of_memory))
        z, witness = z * share, witness * share

    counted = (i[:, None] < j[None, :]) & (j < p)[None, :]
    tile = row // BLOCK * (width // BLOCK) + (first + column) // BLOCK
    for s in range(tl.load(starts + tile), tl.load(starts + tile + 1)):
        pair = tl.load(skipped + s)
        counted = counted & ((i[:, None] != pair // p) | (j[None, :] != pair % p))
    return z, witness, i, j, counted


@triton.jit(do_not_specialize=_CHANGING)
def sum_centre(
    both_products, one_sided, forth_explained, back_products, back_explained,
    products, weights, spread, sizes, starts, skipped, echoes, tails,
    first, p, width, n_rows, unit, typical, collinear, centre, sums,
    HELD: tl.constexpr, CALM: tl.constexpr, BOTH: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Sum witness times z, and z squared, over the pairs with small z."""
    if tl.program_id(0) > tl.program_id(1):
        return
    z, witness, _, _, counted = _scores(
        both_products, one_sided, forth_explained, back_products, back_explained,
        products, weights, spread, sizes, starts, skipped, echoes, tails,
        first, p, width, n_rows, unit, typical, collinear, HELD, CALM, BOTH, BLOCK,
    )  # fmt: skip
    z = tl.where(counted & (tl.abs(z) < centre), z, 0.0)
    part = sums + (tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)) * 2
    tl.store(part, tl.sum(witness * z))
    tl.store(part + 1, tl.sum(z * z))


@triton.jit
def _agreement(z, witness, off_witness, off_z):
    """Return by how much the witness, or else z, is clear of its margin (``method.levels``)."""
    return tl.maximum(tl.where(z < 0, -witness, witness) - off_witness, tl.abs(z) - off_z)


@triton.jit
def _bin_of(size, PER_BIN: tl.constexpr, BINS: tl.constexpr):
    return tl.minimum(size * PER_BIN, BINS - 1.0).to(tl.int32)


@triton.jit(do_not_specialize=_CHANGING)
def sort_pairs(
    both_products, one_sided, forth_explained, back_products, back_explained,
    products, weights, spread, sizes, starts, skipped, echoes, tails,
    first, p, width, n_rows, unit, typical, collinear,
    shared, ends, off_witness, off_z, least, counts,
    cuts, agreement_cut, found, pairs, capacity,
    COUNT: tl.constexpr, COUNTERS: tl.constexpr, LIST: tl.constexpr,
    N_ENDS: tl.constexpr, BINS: tl.constexpr, PER_BIN: tl.constexpr,
    HELD: tl.constexpr, CALM: tl.constexpr, BOTH: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Count the pairs by group of surplus and size of z, and by size of agreement; list the best.

    Each of several counters has a row of bins for every group, and one for agreement, of which only
    pairs with the ``least`` or more are counted: most have less, and would wait for each other.
    Listed are pairs whose z exceeds the cut of their group, or whose witnesses agree.
    """
    if tl.program_id(0) > tl.program_id(1):
        return
    z, witness, i, j, counted = _scores(
        both_products, one_sided, forth_explained, back_products, back_explained,
        products, weights, spread, sizes, starts, skipped, echoes, tails,
        first, p, width, n_rows, unit, typical, collinear, HELD, CALM, BOTH, BLOCK,
    )  # fmt: skip
    size = tl.abs(z)
    surplus = tl.where(z < 0, -witness, witness) - shared * size
    group = tl.zeros((BLOCK, BLOCK), tl.int32)
    for e in tl.static_range(N_ENDS):
        group += (surplus < tl.load(ends + e)).to(tl.int32)
    agreement = _agreement(z, witness, off_witness, off_z)
    if COUNT:
        one = tl.full((BLOCK, BLOCK), 1, tl.int32)
        counter = (tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)) % COUNTERS
        at = counts + counter * (N_ENDS + 2) * BINS
        here = group * BINS + _bin_of(size, PER_BIN, BINS)
        tl.atomic_add(at + here, one, mask=counted, sem="relaxed")
        there = (N_ENDS + 1) * BINS + _bin_of(tl.maximum(agreement, 0.0), PER_BIN, BINS)
        tl.atomic_add(at + there, one, mask=counted & (agreement >= least), sem="relaxed")
    if LIST:
        wanted = counted & ((size >= tl.load(cuts + group)) | (agreement >= agreement_cut))
        if tl.sum(wanted.to(tl.int32)) > 0:
            more = wanted.to(tl.int32)
            slot = tl.atomic_add(found + tl.zeros((BLOCK, BLOCK), tl.int32), more, mask=wanted)
            pair = i[:, None].to(tl.int64) * p + j[None, :]
            tl.store(pairs + slot, pair, mask=wanted & (slot < capacity))
