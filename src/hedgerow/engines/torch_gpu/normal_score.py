# mypy: disable-error-code="no-untyped-def"
"""Normal scores inside a kernel."""

import triton
import triton.language as tl


@triton.jit
def normal_score(correlation, freedom):
    """Return the normal score of a correlation: the leading terms of Hill's expansion."""
    square = tl.minimum(correlation * correlation, 0.9999999)
    series = square * (1.0 + square * (0.5 + square * (0.33333333 + square * 0.25)))
    log = tl.where(square < 0.01, series, -tl.log(1.0 - square))
    a = freedom - 0.5
    y = a * log
    z = tl.sqrt(y) * (1.0 + (y + 3.0) / (48.0 * a * a))
    return tl.where(correlation < 0, -z, z)
