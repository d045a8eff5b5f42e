"""Corrections for testing many pairs at once: false discovery rate and familywise error.

Both take p-values, each divided by the pair's *prior*. A prior above one makes a pair easier to
accept, one below makes it harder; the promise holds as long as the priors of the true nulls average
at most one and were not chosen by looking at their p-values (docs/theory.md, section 11).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    order = np.argsort(p_values)[::-1]  # equal ones get equal values, in any order
    n = len(p_values)
    adjusted = p_values[order] * (n_tests or n) / np.arange(n, 0, -1)
    result = np.empty(n)
    result[order] = np.minimum(np.minimum.accumulate(adjusted), 1.0)
    return result


def false_shares(p_values: Array, n_tests: int | None = None) -> Array:
    """Return for each p-value the share of false ones among those up to it, or up to a larger one.

    Of the k smallest, n p_k are expected to be false, and one standard error more is allowed for:
    who then takes the best k takes one where chance has made more of them (docs/theory.md, section
    15). With ``n_tests``, the p-values are the smallest of so many.

    Examples
    --------
    >>> false_shares(np.array([0.0025, 0.01, 0.0225, 0.5])).round(3)
    array([0.11 , 0.12 , 0.13 , 0.854])
    """
    order = np.argsort(p_values)[::-1]  # equal ones get equal values, in any order
    n = len(p_values)
    false = p_values[order] * (n_tests or n)
    shares = (false + np.sqrt(false)) / np.arange(n, 0, -1)
    result = np.empty(n)
    result[order] = np.minimum(np.minimum.accumulate(shares), 1.0)
    return result


def holm(p_values: Array, n_tests: int | None = None) -> Array:
    """Return adjusted p-values: with those up to d, any false one has probability at most d.

    With ``n_tests``, the p-values are the smallest of so many.

    Examples
    --------
    >>> holm(np.array([0.01, 0.02, 0.03, 0.5])).round(3)
    array([0.04, 0.06, 0.06, 0.5 ])
    """
    order = np.argsort(p_values)
    n = len(p_values)
    adjusted = p_values[order] * ((n_tests or n) - np.arange(n))
    result = np.empty(n)
    result[order] = np.minimum(np.maximum.accumulate(adjusted), 1.0)
    return result


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


def group_priors(share: Array, size: NDArray[np.intp], *, count_nulls_only: bool) -> Array:
    """Return each group's prior, in proportion to the odds that a pair in it is an edge.

    The priors average one over all pairs, or, with ``count_nulls_only``, over the pairs that are
    expected to be nulls, which is all that the false discovery rate needs.
    """
    odds = (1 - share) / np.maximum(share, _SMALLEST_SHARE) + _SMALLEST_ODDS
    counted = size * (np.maximum(share, _SMALLEST_SHARE) if count_nulls_only else 1.0)
    result: Array = odds * size.sum() / (odds * counted).sum()
    return result


# What makes levels of p-values, by what is promised.
CORRECTIONS: dict[str, Callable[[Array, int | None], Array]] = {
    "fdr": benjamini_hochberg,
    "fwer": holm,
    "balanced": false_shares,
}
# A group is never taken to be purer than this, and never worth less than this.
_SMALLEST_SHARE = 0.05
_SMALLEST_ODDS = 0.01
