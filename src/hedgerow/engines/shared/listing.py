"""Testing many pairs from counts: which can be edges, and how sure, without a p-value for each.

Benjamini-Hochberg and Holm need the number of all tests and the small p-values. An engine counts
pairs by the size of their scores; from the counts follow the priors of the groups of pairs and
two cuts, such that no pair below both can have a q-value of interest. It lists the others, and
their q-values are exact.

Priors that are means over several groupings are too many to count by: pairs are then counted in
classes of about the same prior (`weighed`, `cuts_of`). An engine that knows only one grouping
counts by its groups (`plan`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.company import explained_groups
from hedgerow.method.groups import GROUP_ENDS, merged_labels, smallest_group, surplus_groups
from hedgerow.method.levels import agreement_scores, smallest_levels, stays_asked
from hedgerow.method.multiplicity import group_priors, null_shares_of_counts
from hedgerow.method.priors import weighs_agreement
from hedgerow.method.scores import two_sided

Array = NDArray[np.float64]
Counts = NDArray[np.integer]
Indices = NDArray[np.intp]

# Bins of equal width in the size of scores, the last without end. Half of the scores of pairs
# without an edge lie in the first bins, as many as in the name.
BINS_TO_MEDIAN = 43
BINS = 12 * BINS_TO_MEDIAN
PER_BIN = float(BINS_TO_MEDIAN / -special.ndtri(0.25))
_LOW = two_sided(np.arange(1, BINS + 1) / PER_BIN)
_LOW[-1] = 0.0
_HIGH = two_sided(np.arange(BINS) / PER_BIN)
# By this much, scores that were counted can differ from those that decide: single precision.
_ROUNDING = 1e-4
_CLASSES = 48  # priors differ by a factor of about 2,000 at most: by 17 % in a class


class Worth(NamedTuple):
    """What pairs are worth by their groups: by surplus, by explained correlation, by degree."""

    priors: Array  # [group, group, group]
    weighs_agreement: bool  # whether p-values of agreement are divided by them, too
    classes: NDArray[np.uint8]  # in which class a pair of these groups is
    least: Array  # prior of each class ...
    largest: Array  # ... and largest


class Cuts(NamedTuple):
    """For each class: list pairs with a score of this size and more, and with this agreement."""

    score: Array
    agreement: Array


class Plan(NamedTuple):
    """What each group of pairs is worth and which pairs must be listed."""

    priors: Array  # of each group
    cuts: Array  # for each group: list pairs with a score of this size and more ...
    cut: float  # ... and those with an agreement of this and more


def weighed(counts: Sequence[Counts], n_columns: int, error: str) -> Worth:
    """Return what pairs are worth from the counts by three groupings.

    Each has for every group its number of pairs, and of those with a p-value above one half.
    """
    used = counts[:1] if error == "fwer" else counts
    shape = tuple(len(of_group) for of_group in counts)
    priors = np.zeros(shape)
    for axis, (size, above) in enumerate(of_group.T for of_group in used):
        own = _priors_of(size, above, n_columns, error)
        priors += np.expand_dims(own, [other for other in range(3) if other != axis])
    priors /= len(used)
    logs = np.log(priors)
    step = max(float(np.ptp(logs)), 1e-9) / _CLASSES
    _, labels = np.unique(np.floor((logs - logs.min()) / step), return_inverse=True)
    classes = labels.reshape(shape).astype(np.uint8)
    number = int(classes.max()) + 1
    least, largest = np.full(number, np.inf), np.zeros(number)
    np.minimum.at(least, classes, priors)
    np.maximum.at(largest, classes, priors)
    return Worth(priors, weighs_agreement(n_columns, error), classes, least, largest)


def cuts_of(
    worth: Worth, by_class: Counts, by_agreement: Counts, error: str, loosest: float
) -> Cuts:
    """Return the cuts of all classes, from the counts of pairs by class and bin.

    Pairs outside the cuts have q-values above ``loosest``.
    """
    bounds = worth.least[:, None], worth.largest[:, None]
    score = _cut(largest_of_interest(by_class, *bounds, error, loosest), worth.largest)
    if worth.weighs_agreement:
        at_most = largest_of_interest(by_agreement, *bounds, error, loosest)
        return Cuts(score, _cut(at_most, worth.largest))
    alike = np.ones((1, 1))
    of_all = by_agreement.sum(axis=0, keepdims=True)
    at_most = largest_of_interest(of_all, alike, alike, error, loosest)
    return Cuts(score, _cut(at_most, np.ones(len(score))))


def _cut(at_most: float, priors: Array, rounding: float = _ROUNDING) -> Array:
    """Return the least scores of p-values that are at most this many times the priors."""
    result: Array = -special.ndtri(np.minimum(at_most * priors, 1.0) / 2) - rounding
    return result


def _priors_of(size: Counts, above: Counts, n_columns: int, error: str) -> Array:
    """Return the priors of groups, of which small ones are joined to their next."""
    labels = merged_labels(size, smallest_group(n_columns))
    merged = np.zeros((labels[-1] + 1, 2), dtype=np.int64)
    np.add.at(merged, labels, np.column_stack([size, above]))
    share = null_shares_of_counts(*merged.T)
    return group_priors(share, merged[:, 0], count_nulls_only=error != "fwer")[labels]


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
    size, above = by_group.sum(axis=1), by_group[:, :BINS_TO_MEDIAN].sum(axis=1)
    priors = _priors_of(size, above, n_columns, error)
    at_least = loosest / by_group.sum() if slack > 1.0 else 0.0
    own = priors[:, None]
    at_most = largest_of_interest(by_group, own, own, error, loosest)
    cuts = _cut(slack * max(at_most, at_least), priors, rounding)
    alike = np.ones((1, 1))
    agreement = largest_of_interest(by_agreement, alike, alike, error, loosest)
    cut = _cut(slack * max(agreement, at_least), np.ones(1), rounding)
    return Plan(priors, cuts, float(cut[0]))


def largest_of_interest(
    counts: Counts, least: Array, largest: Array, error: str, loosest: float
) -> float:
    """Return a p-value over its prior above which the adjusted one exceeds ``loosest``.

    Priors of what is counted together are between the ``least`` and the ``largest``.
    The k-th smallest of n p-values has at least the adjusted value p n / k that is smallest from
    it on (Benjamini and Hochberg), or p (n - k + 1) (Holm). In a bin, p is at least the bin's lower
    end, and k at most the number of pairs whose bins begin below its upper end.
    """
    low = np.minimum(_LOW / largest, 1.0).ravel()
    high = np.minimum(_HIGH / least, 1.0).ravel()
    order = np.argsort(low, kind="stable")
    up_to = np.concatenate([[0], np.cumsum(counts.ravel()[order])])
    rank = up_to[np.searchsorted(low[order], high, side="right")]
    n_tests, rank = counts.sum(), np.maximum(rank, 1)
    adjusted = low * (n_tests - rank + 1) if error == "fwer" else low * n_tests / rank
    interesting = (adjusted <= loosest) & (counts.ravel() > 0)
    return float(high[interesting].max(initial=0.0))


class Asked(NamedTuple):
    """What is asked of pairs, beside their priors."""

    shared: float  # `hedgerow.method.groups.shared_part`
    margins: tuple[float, float]  # `hedgerow.method.levels.agreement_margins`
    n_columns: int
    error: str


def levels_of_listed(z: Array, witness: Array, asked: Asked, priors: Array) -> Array:
    """Return the q-values of listed pairs, with the priors of all groups by surplus.

    All other pairs have larger ones.
    """
    own = priors[surplus_groups(z, witness, asked.shared)]
    return _levels(z, witness, asked, own, np.ones(len(z)))


def levels_in_company(
    z: Array,
    witness: Array,
    explained: NDArray[np.int8],
    degree_group: Indices,
    asked: Asked,
    worth: Worth,
) -> Array:
    """Return the q-values of listed pairs, of which the company is known, too."""
    groups = surplus_groups(z, witness, asked.shared), explained_groups(z, explained), degree_group
    priors = worth.priors[groups]
    of_agreement = priors if worth.weighs_agreement else np.ones(len(z))
    return _levels(z, witness, asked, priors, of_agreement)


def _levels(z: Array, witness: Array, asked: Asked, priors: Array, of_agreement: Array) -> Array:
    n_tests = asked.n_columns * (asked.n_columns - 1) // 2
    return smallest_levels(z, witness, priors, of_agreement, asked.margins, asked.error, n_tests)


def worse(first: Judged, second: Judged, sizes: Indices, error: str) -> Judged:
    """Return the pairs that are in both, with the larger q-value; some need not be in the second.

    Those are named by `hedgerow.method.levels.stays_asked`, from how many neighbours nodes have.
    """
    _, here, there = np.intersect1d(first.pair, second.pair, return_indices=True)
    larger = np.full(len(first.pair), np.inf)
    larger[here] = np.maximum(first.q_value[here], second.q_value[there])
    source, target = np.divmod(first.pair, len(sizes))
    asked = stays_asked(sizes[source], sizes[target], error)
    q_value = np.where(asked, larger, first.q_value)
    keep = np.argsort(first.pair)
    keep = keep[np.isfinite(q_value[keep])]
    return Judged(first.pair[keep], first.z[keep], q_value[keep])
