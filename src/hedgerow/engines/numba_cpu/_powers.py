"""Powers of two in single precision that the compiler can vectorise, and sizes to compare.

Hedge needs 2**x and 2**-x of the same number. With the integer k nearest to x and f = x - k, both
come from 2**f = even(f) + odd(f) and k, which goes straight into the bits of the exponent.
"""

from math import log
from typing import Any

import numpy as np
from numba import njit
from numpy.polynomial import Chebyshev, Polynomial

from hedgerow.engines.numba_cpu._bits import reinterpret

_LN2 = log(2.0)
_MANTISSA_BITS = np.int32(23)
_WITHOUT_SIGN = np.int32(0x7FFFFFFF)
LARGEST = np.float32(125.0)  # beyond, powers or their inverses are not normal numbers


def _coefficients(function: Any, degree: int) -> list[np.float32]:
    """Return a polynomial for a function on [0, ¼], by rising powers."""
    fitted = Chebyshev.interpolate(function, degree, domain=[0.0, 0.25])
    return [np.float32(c) for c in fitted.convert(kind=Polynomial).coef]


# Functions of f²: cosh(f ln 2), and sinh(f ln 2) / f, which is never asked for at f = 0.
_E0, _E1, _E2, _E3 = _coefficients(lambda s: np.cosh(_LN2 * np.sqrt(s)), 3)
_O0, _O1, _O2 = _coefficients(lambda s: np.sinh(_LN2 * np.sqrt(s)) / np.sqrt(s), 2)


@njit(cache=True, forceinline=True)
def size_as_bits(x: Any) -> Any:
    """Return the bits of abs(x), as an integer: the larger, the larger abs(x).

    There are vector instructions for the largest of integers, but none for that of numbers which
    might be NaN.
    """
    return np.int32(reinterpret(x) & _WITHOUT_SIGN)


@njit(cache=True, forceinline=True, fastmath={"contract"})
def both_powers(x: Any) -> Any:
    """Return 2**x and 2**-x, to two units in the last place, for abs(x) ≤ `LARGEST`."""
    k = np.rint(x)
    f = x - k
    square = f * f
    even = ((_E3 * square + _E2) * square + _E1) * square + _E0
    odd = ((_O2 * square + _O1) * square + _O0) * f
    shift = np.int32(np.int32(k) << _MANTISSA_BITS)
    up = np.int32(reinterpret(np.float32(even + odd)) + shift)
    down = np.int32(reinterpret(np.float32(even - odd)) - shift)
    return reinterpret(up), reinterpret(down)


@njit(cache=True, forceinline=True, fastmath={"contract"})
def small_power(x: Any) -> Any:
    """Return 2**x for x ≤ 0; values below -`LARGEST` are raised to it."""
    return both_powers(max(x, -LARGEST))[0]
