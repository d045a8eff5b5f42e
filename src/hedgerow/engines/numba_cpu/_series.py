"""Sums of Hermite series for pairs of columns (`hedgerow.method.latent`), compiled."""

from numba import njit

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.method.latent import FEW_TERMS, MODERATE


@njit(**IN_ORDER)
def sum_rows(start, end, rho, first, second, by_term, value, slope):
    """Write some rows of the sums and of their derivatives.

    ``by_term`` are the first terms of ``second``, term by term.
    """
    for i in range(start, end):
        for j in range(rho.shape[1]):
            value[i, j] = slope[i, j] = 0.0
        for k in range(FEW_TERMS - 1, -1, -1):
            _next_term(rho[i], first[i, k], by_term[k], value[i], slope[i])
        for j in range(rho.shape[1]):
            if abs(rho[i, j]) > MODERATE:
                value[i, j], slope[i, j] = _long_sum(rho[i, j], first[i], second[j])


@njit(inline="always", **INNER)
def _next_term(rho, one, others, value, slope):
    for j in range(rho.size):
        slope[j] = slope[j] * rho[j] + value[j]
        value[j] = value[j] * rho[j] + one * others[j]


@njit(**INNER)
def _long_sum(rho, one, other):
    value, slope = 0.0, 0.0
    for k in range(one.size - 1, -1, -1):
        slope = slope * rho + value
        value = value * rho + one[k] * other[k]
    return value, slope
