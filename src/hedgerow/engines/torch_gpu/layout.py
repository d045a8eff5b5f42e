"""How numbers are held on the GPU: their types, products, and zeros that fill up whole tiles."""

from typing import NamedTuple

import torch
from torch import Tensor

TILE = 128  # arrays have a whole number of these along the columns of the data
SPARE_ROWS = 256  # zeros after the last row, so that the largest batch can be read anywhere


class Settings(NamedTuple):
    """float16 products for speed, or nearly those of float32 for small or delicate problems."""

    dtype: torch.dtype
    precision: str  # how Triton multiplies them ...
    parts: int  # ... and in how many it then holds residuals
    weight_unit: float  # scales weights to the middle of the range of dtype
    product_shift: float  # the same for unnormalised weights, as a power of two
    collinear: float  # variance left of a variable below which rounding errors would show
    remade_rows: int  # up to this many rows, pulls are made again rather than stored ...
    kept_rows: int  # ... and later, up to this many rows after they were stored
    averages: int  # weights are averaged at least so often in a pass, and at most in every batch
    rounding: float  # of the scores of all pairs, beside those of listed pairs
    held: bool = True  # whether weights and scores of all pairs are, or made again when needed


HALF = Settings(torch.float16, "ieee", 1, 4096.0, 15.0, 2e-3, 128, 128, 32, 0.05)
SINGLE = Settings(torch.float32, "tf32x3", 3, 1.0, 0.0, 1e-6, 64, 64, 1 << 30, 2e-3)


def whole(size: int, of: int = TILE) -> int:
    """Return the size rounded up to a multiple."""
    return -(-size // of) * of


def padded(columns: Tensor, dtype: torch.dtype) -> Tensor:
    """Return columns, one in each row, so scaled that their inner products are correlations.

    Their mean squares must be one. Rows of zeros fill the result up to whole tiles.
    """
    p, m = columns.shape
    result = torch.zeros((whole(p), m), dtype=dtype, device=columns.device)
    result[:p] = columns / m**0.5
    return result


def times(a: Tensor, b: Tensor) -> Tensor:
    """Return a matrix product in float32, whatever the type of its factors."""
    if a.is_cuda and a.dtype != torch.float32:
        return torch.mm(a, b, out_dtype=torch.float32)
    return a.float() @ b.float()
