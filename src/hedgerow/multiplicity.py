"""Corrections for testing many pairs at once: false discovery rate and familywise error.

Both take p-values and prior weights. A weight above one makes a pair easier to accept, one below
makes it harder; the promise holds as long as the weights of the true nulls average at most one
and were not chosen by looking at their p-values (docs/theory.md, section 11).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]

# Half of the null p-values lie above one half, whatever the alternatives do.
_UPPER_HALF = 0.5


def benjamini_hochberg(p_values: Array, n_tests: int | None = None) -> Array:
    """Return adjusted p-values: those up to q make a set with false discovery rate at most q.

    With ``n_tests``, the p-values are the smallest of so many.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.02, 0.03, 0.5])).round(3)
    array([0.04, 0.04, 0.04, 0.5 ])
    """
    order = np.argsort(p_values, kind="stable")[::-1]
    n = len(p_values)
    adjusted = p_values[order] * (n_tests or n) / np.arange(n, 0, -1)
    result = np.empty(n)
    result[order] = np.minimum(np.minimum.accumulate(adjusted), 1.0)
    return result


def holm(p_values: Array, n_tests: int | None = None) -> Array:
    """Return adjusted p-values: with those up to d, any false one has probability at most d.

    With ``n_tests``, the p-values are the smallest of so many.

    Examples
    --------
    >>> holm(np.array([0.01, 0.02, 0.03, 0.5])).round(3)
    array([0.04, 0.06, 0.06, 0.5 ])
    """
    order = np.argsort(p_values, kind="stable")
    n = len(p_values)
    adjusted = p_values[order] * ((n_tests or n) - np.arange(n))
    result = np.empty(n)
    result[order] = np.minimum(np.maximum.accumulate(adjusted), 1.0)
    return result


def stands_out(p_values: Array, n_tests: int) -> bool:
    """Return whether the smallest of so many p-values are too small, or too many, for chance.

    A balanced graph is given edges only then: where nothing is connected, it has any with a
    probability of about 0.05 at most. The k-th smallest is looked at for k = 1, 2, 4, ..., with
    levels that halve from 0.025 on (docs/theory.md, section 15). Larger p-values need not be given.

    Examples
    --------
    >>> stands_out(np.array([0.01, 0.5]), 2), stands_out(np.array([0.01, 0.5]), 100)
    (True, False)
    >>> stands_out(np.repeat(0.001, 4), 100)
    True
    """
    number = 2 ** np.arange(len(p_values).bit_length())
    chance = special.betainc(number, n_tests - number + 1, np.sort(p_values)[number - 1])
    return bool(np.any(chance <= _BY_CHANCE / (2 * number)))


def balanced_level(q_values: Array, loosest: float) -> float:
    """Return the level at which false and missed edges weigh the same: the best expected F1.

    Of the k pairs with the smallest q-values, k q_k are expected to be false; one standard error
    more is allowed for, and the others are edges. The most that these are, up to the level
    ``loosest``, is taken for the number of all edges (docs/theory.md, section 15). Larger q-values
    need not be given.

    Examples
    --------
    >>> balanced_level(np.array([0.001, 0.01, 0.02, 0.4]), loosest=0.5)
    0.02
    """
    q_values = np.sort(q_values[q_values <= loosest])
    if not len(q_values):
        return loosest
    number = np.arange(1, len(q_values) + 1)
    false = number * q_values
    true = number - false - np.sqrt(false)
    best = (true / (number + true.max())).argmax()
    return max(float(q_values[best]), _SUREST)


def null_shares(p_values: Array, groups: NDArray[np.intp]) -> Array:
    """Return for each group of pairs an upward-biased estimate of its share of nulls.

    The groups are numbered from the most promising; the estimate never falls along them.
    """
    above = np.bincount(groups, weights=p_values > _UPPER_HALF)
    return null_shares_of_counts(np.bincount(groups), above)


def null_shares_of_counts(size: NDArray[np.integer], above: NDArray[Any]) -> Array:
    """Return the same from the groups' sizes and numbers of p-values above one half."""
    share = np.minimum((1 + above) / (size * (1 - _UPPER_HALF)), 1.0)
    return np.maximum.accumulate(share)


def group_weights(share: Array, size: NDArray[np.intp], *, count_nulls_only: bool) -> Array:
    """Return each group's weight, in proportion to the odds that a pair in it is an edge.

    The weights average one over all pairs, or, with ``count_nulls_only``, over the pairs that are
    expected to be nulls, which is all that the false discovery rate needs.
    """
    odds = (1 - share) / np.maximum(share, _SMALLEST_SHARE) + _SMALLEST_ODDS
    counted = size * (np.maximum(share, _SMALLEST_SHARE) if count_nulls_only else 1.0)
    return odds * size.sum() / (odds * counted).sum()


# The usual reading of "unlikely".
_BY_CHANCE = 0.05
# Smaller shares of false edges than this are no estimates to speak of.
_SUREST = 1e-6
# A group is never taken to be purer than this, and never worth less than this.
_SMALLEST_SHARE = 0.05
_SMALLEST_ODDS = 0.01
