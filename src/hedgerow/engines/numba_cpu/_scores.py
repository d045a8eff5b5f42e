"""Normal scores of partial correlations by polynomials, instead of quantiles of two distributions.

A partial correlation r with f degrees of freedom has a score close to w = sqrt(-f log(1 - r²)),
and their ratio is a smooth function of w. Two polynomials for each number of degrees of freedom,
one for small and one for large w, give scores to six digits if there are 3 or more, and to ten
from 100 on. Pairs that can be edges get exact scores later.
"""

from math import log, sqrt

import numpy as np
from numba import njit
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy import special

from hedgerow.engines.numba_cpu._bits import reinterpret
from hedgerow.engines.numba_cpu._products import INNER

Array = NDArray[np.float64]

_DEGREE = 12
_BORDER, _LARGEST = 8.0, 37.0  # the polynomials are for w up to these
_TOP = -float(special.ndtri(np.finfo(np.float64).tiny))  # no score is larger
_SMALLEST = float(np.finfo(np.float64).eps) ** 2  # what is left of a variance, at least
_LN2 = log(2.0)
_HALF_ROOT = int(np.float64(0.5**0.5).view(np.int64))
_MANTISSA_BITS = 52
_NODES = chebyshev.chebpts1(_DEGREE + 4)
# Row k: coefficients of the k-th Chebyshev polynomial, by powers.
_TO_POWERS = np.array(
    [np.pad(chebyshev.cheb2poly([0] * k + [1]), (0, _DEGREE - k)) for k in range(_DEGREE + 1)]
)
# From values at the nodes to the polynomial that fits them best, by powers.
_FIT = np.linalg.pinv(chebyshev.chebvander(_NODES, _DEGREE)).T @ _TO_POWERS


def score_polynomials(n_rows: float, most_used: int) -> Array:
    """Return two polynomials for 0, 1, ..., ``most_used`` variables that are conditioned on."""
    freedom = np.maximum(n_rows - 2 - np.arange(most_used + 1), 1)[:, None]
    end = np.minimum(np.sqrt(-np.log(_SMALLEST) * freedom), _LARGEST)
    small = np.sqrt((_NODES + 1) / 2) * _BORDER + 0 * freedom
    large = _BORDER + (_NODES + 1) / 2 * (end - _BORDER)
    return np.stack([_fitted(small, freedom), _fitted(large, freedom)], axis=1)


def _fitted(w: Array, freedom: Array) -> Array:
    tail = special.stdtr(freedom, -np.sqrt(freedom * np.expm1(w**2 / freedom)))
    result: Array = -(special.ndtri(tail) / w) @ _FIT
    return result


@njit(forceinline=True, **INNER)
def score(r, freedom, curves):
    """Return the normal score of a partial correlation (``edges.z_score``)."""
    square = freedom * _minus_log(max(1.0 - r * r, _SMALLEST))
    w = sqrt(square)
    end = min(sqrt(-log(_SMALLEST) * freedom), _LARGEST)
    small = _value(curves[0], square * (2.0 / _BORDER**2) - 1.0)
    large = _value(curves[1], (min(w, end) - _BORDER) * (2.0 / (end - _BORDER)) - 1.0)
    z = min(w * (small if w < _BORDER else large), _TOP)
    return z if r >= 0.0 else -z


@njit(forceinline=True, **INNER)
def _value(c, x):
    high = c[8] + x * (c[9] + x * (c[10] + x * (c[11] + x * c[12])))
    middle = c[4] + x * (c[5] + x * (c[6] + x * (c[7] + x * high)))
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * middle)))


@njit(forceinline=True, **INNER)
def _minus_log(x):
    """Return -log(x) for normal x in (0, 1], to ten digits, without a call that stops vectors."""
    bits = reinterpret(x)
    power = (bits - _HALF_ROOT) >> _MANTISSA_BITS
    mantissa = reinterpret(bits - (power << _MANTISSA_BITS))  # between the roots of ½ and of 2
    q = (mantissa - 1.0) / (mantissa + 1.0)
    s = q * q
    series = 1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s / 13))))
    return -(power * _LN2 + 2.0 * q * (1.0 + s * series))
