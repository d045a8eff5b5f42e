"""Testing many pairs from counts: which can be edges, and how sure, without a p-value for each.

Benjamini-Hochberg and Holm need the number of all tests and the small p-values. An engine counts
pairs by the size of their scores; from the counts follow the priors of the groups of pairs and
two cuts, such that no pair below both can have a q-value of interest. It lists the others, and
their q-values are exact.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.groups import GROUP_ENDS, merged_labels, smallest_group, surplus_groups
from hedgerow.method.levels import agreement_scores, smallest_levels
from hedgerow.method.multiplicity import group_priors, null_shares_of_counts
from hedgerow.method.scores import two_sided

Array = NDArray[np.float64]
Counts = NDArray[np.integer]
Indices = NDArray[np.intp]

# Bins of equal width in the size of scores, the last without end. Half of the scores of pairs
# without an edge lie in the first bins, as many as in the name.
_BINS_TO_MEDIAN = 43
BINS = 12 * _BINS_TO_MEDIAN
PER_BIN = float(_BINS_TO_MEDIAN / -special.ndtri(0.25))
_LOW = two_sided(np.arange(1, BINS + 1) / PER_BIN)
_LOW[-1] = 0.0
_HIGH = two_sided(np.arange(BINS) / PER_BIN)
# By this much, scores that were counted can differ from those that decide: single precision.
_ROUNDING = 1e-4


class Plan(NamedTuple):
    """What each group of pairs is worth and which pairs must be listed."""

    priors: Array  # of each group
    cuts: Array  # for each group: list pairs with a score of this size and more ...
    cut: float  # ... and those with an agreement of this and more


def covers(early: Plan, final: Plan) -> bool:
    """Return whether all pairs within the final cuts are within the early ones."""
    return bool((early.cuts <= final.cuts).all()) and early.cut <= final.cut


class Judged(NamedTuple):
    """Some pairs, all that can be edges among them, as numbers i * n_columns + j."""

    pair: Indices
    z: Array
    q_value: Array


def count_scores(
    z: Array, witness: Array, shared: float, margins: tuple[float, float]
) -> tuple[Counts, Counts]:
    """Return how many of some pairs are in each group and bin, and in each bin of agreement."""
    groups = surplus_groups(z, witness, shared)
    by_group = np.bincount(groups * BINS + _bins(np.abs(z)), minlength=(len(GROUP_ENDS) + 1) * BINS)
    agreed = _bins(agreement_scores(z, witness, margins))
    return by_group.reshape(-1, BINS), np.bincount(agreed, minlength=BINS)[None]


def _bins(size: Array) -> Indices:
    return np.minimum(size * PER_BIN, BINS - 1).astype(np.intp)


def plan(
    by_group: Counts,
    by_agreement: Counts,
    n_columns: int,
    error: str,
    loosest: float,
    rounding: float = _ROUNDING,
    slack: float = 1.0,
) -> Plan:
    """Return priors and cuts from the counts of pairs by group and bin.

    Pairs outside the cuts have q-values above ``loosest``, if the scores that were counted are
    within ``rounding`` of those that decide. With ``slack`` above one the counts are estimates, and
    cuts are for p-values so many times larger, as if at least one pair were of interest.
    """
    labels = merged_labels(by_group.sum(axis=1), smallest_group(n_columns))
    merged = np.zeros((labels[-1] + 1, BINS), dtype=np.int64)
    np.add.at(merged, labels, by_group)
    size = merged.sum(axis=1)
    share = null_shares_of_counts(size, merged[:, :_BINS_TO_MEDIAN].sum(axis=1))
    priors = group_priors(share, size, count_nulls_only=error != "fwer")[labels]
    at_least = loosest / by_group.sum() if slack > 1.0 else 0.0
    at_most = largest_of_interest(by_group, priors[:, None], error, loosest)
    at_most = slack * max(at_most, at_least)
    cuts = -special.ndtri(np.minimum(at_most * priors, 1.0) / 2) - rounding
    agreement = largest_of_interest(by_agreement, np.ones((1, 1)), error, loosest)
    agreement = min(slack * max(agreement, at_least), 1.0)
    return Plan(priors, cuts, float(-special.ndtri(agreement / 2)) - rounding)


def largest_of_interest(counts: Counts, priors: Array, error: str, loosest: float) -> float:
    """Return a p-value over its prior above which the adjusted one exceeds ``loosest``.

    The k-th smallest of n p-values has at least the adjusted value p n / k that is smallest from
    it on (Benjamini and Hochberg), or p (n - k + 1) (Holm). In a bin, p is at least the bin's lower
    end, and k at most the number of pairs whose bins begin below its upper end.
    """
    low = np.minimum(_LOW / priors, 1.0).ravel()
    high = np.minimum(_HIGH / priors, 1.0).ravel()
    order = np.argsort(low, kind="stable")
    up_to = np.concatenate([[0], np.cumsum(counts.ravel()[order])])
    rank = up_to[np.searchsorted(low[order], high, side="right")]
    n_tests, rank = counts.sum(), np.maximum(rank, 1)
    adjusted = low * (n_tests - rank + 1) if error == "fwer" else low * n_tests / rank
    interesting = (adjusted <= loosest) & (counts.ravel() > 0)
    return float(high[interesting].max(initial=0.0))


def levels_of_listed(
    z: Array,
    witness: Array,
    shared: float,
    priors: Array,
    margins: tuple[float, float],
    n_columns: int,
    error: str,
) -> Array:
    """Return the q-values of listed pairs, with the priors of all groups.

    All other pairs have larger ones. ``shared`` and ``margins`` are those of
    `hedgerow.method.groups.shared_part` and `hedgerow.method.levels.agreement_margins`.
    """
    own = priors[surplus_groups(z, witness, shared)]
    n_tests = n_columns * (n_columns - 1) // 2
    return smallest_levels(z, witness, own, margins, error, n_tests)


def worse(first: Judged, second: Judged) -> Judged:
    """Return the pairs that are in both, with the larger q-value."""
    pair, here, there = np.intersect1d(first.pair, second.pair, return_indices=True)
    q_value = np.maximum(first.q_value[here], second.q_value[there])
    return Judged(pair, first.z[here], q_value)
