"""An exponential that the compiler can vectorise.

A call to the C library's ``exp`` inside a loop stops LLVM from using vector instructions, and the
learners spend most of their time there. This one is straight-line arithmetic and is accurate to
two units in the last place.
"""

from math import factorial, floor, log
from typing import Any

from llvmlite import ir
from numba import int64, njit, types
from numba.extending import intrinsic

_PER_LN2 = 1.0 / log(2.0)
# ln 2 in two parts: the first has enough trailing zeros for k * _LN2_HIGH to be exact.
_LN2_HIGH = float.fromhex("0x1.62e42fefa0000p-1")
_LN2_LOW = float.fromhex("0x1.cf79abc9e3b3ap-40")
_TAYLOR = tuple(1.0 / factorial(k) for k in range(14))
_LOWEST = -708.0  # below, 2**k is no longer a normal number


def _bitcast(typing_context: Any, bits: Any) -> Any:
    """Read the 64 bits of an integer as a floating-point number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


_float_from_bits: Any = intrinsic(_bitcast)


# No reassociation here: it would merge the two parts of ln 2.
@njit(cache=True, forceinline=True, fastmath={"contract"})
def exp(x: float) -> float:
    """Return e**x for x ≤ 709; values below -708 are raised to -708."""
    x = max(x, _LOWEST)
    k = floor(x * _PER_LN2 + 0.5)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    value = _TAYLOR[13]
    for degree in range(12, -1, -1):
        value = value * r + _TAYLOR[degree]
    return value * _float_from_bits((int64(k) + 1023) << 52)  # type: ignore[no-any-return]
