"""Exponentials in single precision that the compiler can vectorise, and sizes to compare.

Hedge needs e**x and e**-x of the same number. Both come from one reduction x = k ln 2 + r and the
even and odd parts of the same short series, without a division.
"""

from math import factorial, log
from typing import Any

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._bits import reinterpret

_PER_LN2 = np.float32(1.0 / log(2.0))
# ln 2 in two parts: the first has enough trailing zeros for k * _LN2_HIGH to be exact.
_LN2_HIGH = np.float32(0.693359375)
_LN2_LOW = np.float32(log(2.0) - 0.693359375)
_E0, _O0, _E1, _O1, _E2, _O2, _E3, _O3 = (np.float32(1.0 / factorial(k)) for k in range(8))
_BIAS, _MANTISSA_BITS = np.int32(127), np.int32(23)
_WITHOUT_SIGN = np.int32(0x7FFFFFFF)
LARGEST = np.float32(87.0)  # beyond, 2**k or 2**-k is not a normal number


@njit(cache=True, forceinline=True)
def size_as_bits(x: Any) -> Any:
    """Return the bits of abs(x), as an integer: the larger, the larger abs(x).

    There are vector instructions for the largest of integers, but none for that of numbers which
    might be NaN.
    """
    return np.int32(reinterpret(x) & _WITHOUT_SIGN)


@njit(cache=True, forceinline=True)
def _power_of_two(k: Any) -> Any:
    return reinterpret(np.int32(np.int32(_BIAS + k) << _MANTISSA_BITS))


# No reassociation here: it would merge the two parts of ln 2.
@njit(cache=True, forceinline=True, fastmath={"contract"})
def exp_both(x: Any) -> Any:
    """Return e**x and e**-x, to two units in the last place, for abs(x) ≤ `LARGEST`."""
    k = np.rint(x * _PER_LN2)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    square = r * r
    even = ((_E3 * square + _E2) * square + _E1) * square + _E0
    odd = (((_O3 * square + _O2) * square + _O1) * square + _O0) * r
    power = np.int32(k)
    return (even + odd) * _power_of_two(power), (even - odd) * _power_of_two(np.int32(-power))


@njit(cache=True, forceinline=True, fastmath={"contract"})
def exp_down(x: Any) -> Any:
    """Return e**x for x ≤ 0; values below -`LARGEST` are raised to it."""
    return exp_both(max(x, -LARGEST))[0]
