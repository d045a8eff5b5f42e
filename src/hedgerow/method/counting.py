"""Counts of a rate that varies: the rate's logarithm is normal, and counting adds noise.

A count y is taken to be Poisson with rate exp(a + b z), z standard normal. Mean and variance of the
counts tell a and b. The score of a row is then a function of z plus noise that no other column
shares, and what is needed of it is the mean of the score, of its square and of its cube given z
(docs/theory.md, section 22).
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from hedgerow.method.marginals import Marginals
from hedgerow.method.steps import TERMS, Curves, hermite, standardised

Array = NDArray[np.float64]

_NODES = 120  # of the quadrature in z
_ENUMERATED = 400  # counts up to this are summed one by one; of larger ones, quantiles are taken
_LEVELS = 64
_NOTHING = 1e-16  # probabilities below this
_DOUBTFUL = 0.01  # a column that fits this badly, or worse, is none of counts


class Rates(NamedTuple):
    """The distribution of a column's logarithm of rates."""

    centre: float
    spread: float


def rates_of(mean: float, variance: float) -> Rates | None:
    """Return the rates that counts of such a mean and variance have; None if rates do not vary.

    >>> rates_of(2.0, 2.0) is None, rates_of(2.0, 3.0)
    (True, Rates(centre=0.5815754049028404, spread=0.47238072707743883))
    """
    if variance <= mean or mean <= 0:
        return None
    squared = float(np.log1p((variance - mean) / mean**2))
    return Rates(float(np.log(mean) - squared / 2), float(np.sqrt(squared)))


def are_counts(values: Array) -> bool:
    """Return whether whole numbers are counts: they come down to zero, and `may_be_counts`.

    Ages, pressures, weights and other measurements in whole numbers fit as well as counts of large
    rates do, but only the noise of counting goes by how far from zero they are. What never comes
    down to zero shows nothing that ties it to zero, and is not taken for counts.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> are_counts(rng.poisson(np.exp(rng.standard_normal(500))).astype(float))
    True
    >>> are_counts(rng.integers(1, 6, 500).astype(float))
    False
    >>> ages = np.round(rng.normal(50, 12, 500))
    >>> may_be_counts(ages), are_counts(ages)
    (True, False)
    """
    return bool(values.min() == 0) and may_be_counts(values)


def may_be_counts(values: Array) -> bool:
    """Return whether numbers are whole, none is negative, and they fit counts of varied rates."""
    if values.min() < 0 or (values != np.round(values)).any():
        return False
    rates = rates_of(float(values.mean()), float(values.var(ddof=1)))
    return rates is not None and _fit(values, rates) > _DOUBTFUL


def expected_beyond(values: Array) -> float:
    """Return how many larger counts there should be than the largest of these.

    Of counts without an end that is one in the mean, at most; of a scale that ends, more.

    Examples
    --------
    >>> counts = np.random.default_rng(0).poisson(2.0, 1000).astype(float)
    >>> bool(expected_beyond(counts) < 1.0), expected_beyond(np.minimum(counts, 3.0)) > 20.0
    (True, True)
    """
    mean = float(values.mean())
    rates = rates_of(mean, float(values.var(ddof=1))) or Rates(float(np.log(mean)), 0.0)
    nodes, weights = _quadrature()
    rate = np.exp(rates.centre + rates.spread * nodes)
    return float(len(values) * (weights @ special.pdtrc(values.max(), rate)))


def counting_curve(marginals: Marginals, column: int) -> Curves | None:
    """Return the curve of one column of counts; None if its rates do not vary."""
    weight = marginals.weight[column]
    mean, variance = float(marginals.mean[column]), float(marginals.squares[column] / weight)
    rates = rates_of(mean, variance)
    if rates is None:
        return None
    finite = np.isfinite(marginals.knots[column])
    knots, scores = marginals.knots[column][finite], marginals.scores[column][finite]
    nodes, weights = _quadrature()
    basis = np.zeros((TERMS, len(nodes)))  # the curve is smooth: later coefficients are nothing
    basis[: _NODES // 2] = hermite(nodes, _NODES // 2) * weights
    seen = finite & ((marginals.at + marginals.between)[column] > 0)
    largest = float(marginals.knots[column][seen].max(initial=0.0))
    counts, chances = _counts(np.exp(rates.centre + rates.spread * nodes), largest)
    score = np.interp(counts, knots, scores)
    powers = np.array([basis @ (chances * score**power).sum(axis=1) for power in range(5)])
    return standardised(powers[:, None], np.array([_doubt(marginals, column, rates)]))


@lru_cache
def _quadrature() -> tuple[Array, Array]:
    """Return points of a standard normal variable and their probabilities."""
    nodes, weights = special.roots_hermitenorm(_NODES)
    weights = weights / weights.sum()
    kept = weights > _NOTHING
    return nodes[kept], weights[kept]


def _counts(rate: Array, largest: float) -> tuple[Array, Array]:
    """Return counts that a rate leads to, and their probabilities; a row for each rate.

    Counts beyond the largest that was seen all have its score.
    """
    rate = rate[:, None]
    if largest <= _ENUMERATED:
        counts = np.arange(largest + 1)
        below = special.pdtr(counts, rate)
        below[:, -1] = 1.0
        return counts[None, :], np.diff(below, axis=1, prepend=0.0)
    deviation = special.ndtri((np.arange(_LEVELS) + 0.5) / _LEVELS)
    counts = rate + np.sqrt(rate) * deviation
    return counts, np.full_like(counts, 1 / _LEVELS)


def _fit(values: Array, rates: Rates) -> float:
    """Return the p-value of a chi-squared test, in classes of at least five expected rows."""
    nodes, weights = _quadrature()
    rate = np.exp(rates.centre + rates.spread * nodes)
    points = np.unique(values)
    below = weights @ special.pdtr(points, rate[:, None])
    ends: list[tuple[float, int]] = []
    before, seen_before = 0.0, 0
    for point, chance in zip(points, below, strict=True):
        seen = int((values <= point).sum())
        expected, observed = (chance - before) * len(values), seen - seen_before
        if expected >= 5.0 and (1.0 - chance) * len(values) >= 5.0:
            ends.append((expected, observed))
            before, seen_before = chance, seen
    ends.append(((1.0 - before) * len(values), len(values) - seen_before))
    freedom = len(ends) - 3
    if freedom < 1:  # too few different counts to tell them from steps
        return 0.0
    surprise = sum((seen - expected) ** 2 / max(expected, 1e-9) for expected, seen in ends)
    return float(stats.chi2.sf(surprise, freedom))


def _doubt(marginals: Marginals, column: int, rates: Rates) -> float:
    """Return the variance of the logarithm of c_1, times the number of rows.

    c_1² is about the share of variance that is the rates', s = 1 - mean / variance. Its logarithm
    changes by (variance - mean)' / (variance - mean) - variance' / variance.
    """
    at, between, knots = (marginals.at[column], marginals.between[column], marginals.knots[column])
    finite = np.isfinite(knots)
    values, weight = knots[finite], at[finite] + between[finite]
    mean, total = marginals.mean[column], weight.sum()
    variance = marginals.squares[column] / marginals.weight[column]
    square = np.square(values - mean)
    influence = (square - values) / (variance - mean) - square / variance
    centre = (weight * influence).sum() / total
    return float((weight * (influence - centre) ** 2).sum() / total / 4)
