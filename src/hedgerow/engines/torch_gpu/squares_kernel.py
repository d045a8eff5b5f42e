# mypy: disable-error-code="no-untyped-def"
"""Triton kernel that adds what one direction explains of some columns."""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=("n_columns",))
def add_squares(
    total, products, place, width, n_columns, ALONG_ROWS: tl.constexpr, BN: tl.constexpr
):
    """Add the squares of products to the rows, or the columns, that have these places."""
    row = tl.program_id(0).to(tl.int64)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = j < n_columns
    product = tl.load(products + row * n_columns + j, mask=inside, other=0.0).to(tl.float32)
    if ALONG_ROWS:
        at = total + tl.load(place + row) * width + j
    else:
        at = total + row * width + tl.load(place + j, mask=inside, other=0)
    explained = tl.load(at, mask=inside, other=0.0).to(tl.float32) + product * product
    tl.store(at, explained.to(total.dtype.element_ty), mask=inside)
