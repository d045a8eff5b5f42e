"""How much less precise a test is than independent normal rows would make it, for each pair.

The mean of products r_i r_j of residuals has, over independent normal rows, a variance of one over
their number (in units of the residuals). It is larger by

    tails_i tails_j / typical tails  *  sum over lags k of rho_i(k) rho_j(k)

where rho are autocorrelations of the residuals: the first factor is for rows that differ in size
(heavy tails, volatility, mixtures), the second for rows that remember. A pair's score is divided by
the root of it. Neighbours are chosen, and thresholds set, for the number of rows divided by the
typical factor: the effective rows.

Autocorrelations are those of an autoregression fitted to each column's residuals, its order chosen
by Akaike's criterion. Raw ones are too noisy to be multiplied and summed over pairs and lags; and
an autoregression goes on beyond the lags that are measured. docs/theory.md, section 17.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.directions import partners
from hedgerow.method.marginals import FIRST_ROWS
from hedgerow.method.residuals import LAGS, Residuals

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]

_ROWS_PER_ORDER = 8  # an autoregression has no more coefficients than one for so many rows
FARTHEST = 1024  # lags that are summed at most
FORGOTTEN = 0.01  # autocorrelations below this, of all columns, are left out of the sum
LARGEST_ECHO = 1.0 - 1e-9  # an autoregression that explains more than this has no end
_SAMPLE = 512  # columns whose pairs tell what is typical
_FEWEST = 4  # columns whose memories tell what is chance (James and Stein)
_MOST_DOUBT = 1.0  # beyond, what a small error of a logarithm does is no guide
_ANY = 0.05  # chance of any false edge, that tells what scores these have


class Inflation(NamedTuple):
    """Factors for columns; `of_pairs` makes factors for pairs of them."""

    tails: Array  # (p,)
    echoes: Array  # (p, k): autocorrelations, by the roots of what they count in a sum over lags
    typical: float  # median factor of pairs
    common: float = 1.0  # one more factor, of all pairs
    swings: int = 0  # last columns of ``echoes`` that are no memory, but swings of groups
    at_once: float = 1.0  # what is in ``common`` because all columns forget at once

    @property
    def per_effective(self) -> float:
        """Number of rows for each effective one."""
        return self.typical * self.common

    def part(self, columns: Indices) -> "Inflation":
        """Return the factors of some columns."""
        return self._replace(tails=self.tails[columns], echoes=self.echoes[columns])

    def typical_parts(self) -> tuple[float, float]:
        """Return the typical factor for rows of unlike size, and what is left: for memory."""
        tails = max(float(np.median(self.tails)) ** 2, 1.0)
        memory = self.typical / tails
        if self.swings:
            memory *= _typical(self.without_swings()) / _typical(self)
        return tails, max(memory, 1.0)

    def without_swings(self) -> "Inflation":
        """Return the factors without those of groups of columns."""
        memory = self.echoes[:, : self.echoes.shape[1] - self.swings]
        return self._replace(echoes=memory, swings=0)

    def of_swings(self) -> Array:
        """Return, for each column, what its group adds to the factor of a pair of its like."""
        loadings = self.echoes[:, self.echoes.shape[1] - self.swings :]
        result: Array = np.square(loadings).sum(axis=1)
        return result

    @property
    def matters(self) -> bool:
        """Whether any factor is not one."""
        return bool((self.tails > 1.0).any() or self.echoes.shape[1])


def no_inflation(n_columns: int) -> Inflation:
    """Return the factors of independent normal rows: ones."""
    return Inflation(np.ones(n_columns), np.empty((n_columns, 0)), 1.0)


def inflation_of(
    sums: Residuals,
    n_rows: float,
    *,
    tails: bool = True,
    memory: bool = True,
    divided: float = 1.0,
) -> Inflation:
    """Return the factors that sums over residuals give.

    Parameters
    ----------
    sums : what the residuals have left
    n_rows : number of rows; of weighted rows, the effective one
    tails, memory : whether rows may differ in size, and whether they may remember
    divided : what it costs that rows were divided by their sizes (`row_sizes.RowSizes.cost`)
    """
    n_columns = sums.lags.shape[1]
    found = no_inflation(n_columns)
    if tails:
        found = found._replace(tails=tail_factors(sums, n_rows, divided))
    if memory:
        echoes = echoes_of(autocorrelations(sums.lags, n_rows), n_rows)
        at_once = shared(echoes, sums.together, n_rows)
        found = found._replace(echoes=echoes, common=at_once, at_once=at_once)
    if tails:
        found = with_swings(found, sums.swings)
    return found._replace(typical=_typical(found))


def with_swings(inflation: Inflation, loadings: Array) -> Inflation:
    """Return the factors with those of groups of columns that are large together.

    With s the sum of products of two columns' loadings and e that of their autocorrelations, the
    factor is (1 + e)(1 + s). It is no larger than 1 + e + s times the root of 1 + e of either
    column with itself, which is a sum of products again.
    """
    own = 1.0 + np.square(inflation.echoes).sum(axis=1, keepdims=True)
    both = np.concatenate([inflation.echoes, loadings * np.sqrt(own)], axis=1)
    return inflation._replace(echoes=both, swings=loadings.shape[1])


def shared(echoes: Array, together: float, n_rows: float) -> float:
    """Return by how much memory that columns share makes the factors of all pairs larger.

    Autocorrelations tell what products of residuals remember if columns remember independently of
    each other; ``together`` is what they do, up to as many rows apart. Of p columns without memory
    it is zero give or take sqrt(8 k / n) / p for k lags. What it is more is drawn to nothing as
    far as twice that explains it (James and Stein's way).

    Examples
    --------
    >>> nothing = np.zeros((50, 0))
    >>> print(shared(nothing, 0.02, 400.0), round(shared(nothing, 1.0, 400.0), 3))
    1.0 1.999
    """
    n_columns = len(echoes)
    if n_columns < 2:
        return 1.0
    near = echoes[:, :LAGS]
    squares = np.square(near.sum(axis=0)).sum() - np.square(near).sum()
    told = 1.0 + max(float(squares) / (n_columns * (n_columns - 1.0)), 0.0)
    some = len(partners(n_columns))
    chance = 2.0 * told * np.sqrt(8.0 * LAGS / min(n_rows, FIRST_ROWS)) / some
    more = 1.0 + together - told
    return 1.0 + max(more - chance**2 / more, 0.0) / told if more > 0.0 else 1.0


def without_tails(inflation: Inflation, columns: NDArray[np.bool_]) -> Inflation:
    """Return the factors if the sizes of rows do not matter to some columns.

    Those of yes or no: what is positive stays so, however large the row is.

    Examples
    --------
    >>> unlike = Inflation(np.array([2.0, 2.0, 2.0]), np.empty((3, 0)), 4.0)
    >>> without_tails(unlike, np.array([True, True, True])).typical
    1.0
    """
    fewer = inflation._replace(tails=np.where(columns, 1.0, inflation.tails))
    return fewer._replace(typical=_typical(fewer))


def swinging_only(inflation: Inflation, columns: NDArray[np.bool_]) -> Inflation:
    """Return the factors if only some columns can swing together in groups.

    Of columns of steps or counts, residuals are large where the column is far from its commonest
    value, and so are those of their neighbours: that is no size of rows.
    """
    if not inflation.swings or columns.all():
        return inflation
    echoes = inflation.echoes.copy()
    echoes[~columns, -inflation.swings :] = 0.0
    found = inflation._replace(echoes=echoes)
    return found._replace(typical=_typical(found))


def of_pairs(inflation: Inflation, first: Indices, second: Indices) -> Array:
    """Return the factors of pairs of columns, none below one, without the ``common`` one."""
    tails = inflation.tails[first] * inflation.tails[second]
    echo = 1.0 + (inflation.echoes[first] * inflation.echoes[second]).sum(axis=-1)
    factors: Array = np.maximum(tails, 1.0) * np.maximum(echo, 1.0)
    return factors


def memories_of(
    lags: Array, n_rows: float, go_on: Callable[[Array, float], Array] | None = None
) -> Array:
    """Return, for each column, the factor that memory makes for a pair with another like it.

    Parameters are those of `autocorrelations`.
    """
    echoes = echoes_of(autocorrelations(lags, n_rows, go_on), n_rows)
    result: Array = 1.0 + np.square(echoes).sum(axis=1)
    return result


def alike(inflation: Inflation) -> Inflation:
    """Return the factors with one memory for all pairs, the typical one."""
    _, memory = inflation.typical_parts()
    echoes = np.full((len(inflation.tails), 1), np.sqrt(memory - 1.0))
    found = inflation._replace(echoes=echoes, swings=0)
    return found._replace(typical=_typical(found))


def calming(inflation: Inflation, first: Indices, second: Indices) -> Array:
    """Return what to multiply scores of pairs with, made for the effective rows."""
    return np.sqrt(inflation.typical / of_pairs(inflation, first, second))


def tail_factors(sums: Residuals, n_rows: float, divided: float = 1.0) -> Array:
    """Return, for each column, the root of the factor for rows of unlike size.

    For normal residuals the mean product of two squares is 1 + 2 c², with c their correlation. The
    mean over all partners of a column is compared with that, and drawn toward the mean over all
    columns as far as chance explains the differences (James and Stein's way).

    Examples
    --------
    >>> from hedgerow.method.residuals import first_residuals
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((400, 20))
    >>> ones = np.ones(400)
    >>> print(tail_factors(first_residuals(rows, ones), 400).mean().round(2))
    1.0
    >>> sizes = rng.choice([1.0, 3.0], (400, 1))
    >>> print(tail_factors(first_residuals(rows * sizes, ones), 400).mean().round(1))
    1.3
    """
    squares = np.where(np.isfinite(sums.scale), sums.lags[0] / sums.scale, 0.0)
    n_columns = len(squares)
    varied = squares > 0
    if varied.sum() < 2:
        return np.ones(n_columns)
    expected = squares * (squares.sum() - squares) / sums.weight * (1.0 + 2.0 * sums.related)
    factor = np.divide(sums.beside, expected, out=np.ones(n_columns), where=varied & (expected > 0))
    factor *= divided
    typical = max(float(factor[varied].mean()), 1.0)
    differences = float(factor[varied].var())
    chance = 4.0 * typical**2 / ((n_columns - 1) * n_rows)
    trust = max(0.0, 1.0 - chance / differences) if differences > 0 else 0.0
    factor = np.maximum(typical + trust * (factor - typical), 1.0)
    roots: Array = np.where(varied, factor, 1.0) / np.sqrt(typical)
    return roots


class Autoregressions(NamedTuple):
    """An autoregression for each column."""

    order: NDArray[np.intp]  # (p,)
    coefficients: Array  # (most + 1, p); row k: of the value k rows before; zero beyond the order


def autoregressions(measured: Array, n_rows: float) -> Autoregressions:
    """Return the autoregressions of the orders that Akaike's criterion chooses.

    Durbin and Levinson's recursion gives those of all orders from autocorrelations.
    """
    n_columns = measured.shape[1]
    varied = measured[0] > 0
    most = largest_order(n_rows)
    order = np.zeros(n_columns, dtype=np.intp)
    chosen, current = np.zeros((2, most + 1, n_columns))
    left, best = np.ones(n_columns), np.zeros(n_columns)
    for step in range(1, most + 1):
        explained = (current[1:step] * measured[step - 1 : 0 : -1]).sum(axis=0)
        echo = (measured[step] - explained) / left
        varied = varied & (np.abs(echo) < 1.0)  # else chance has made what no memory has
        echo = np.clip(echo, -LARGEST_ECHO, LARGEST_ECHO)
        current[1:step] = current[1:step] - echo * current[1:step][::-1]
        current[step] = echo
        left = left * (1.0 - echo**2)
        criterion = n_rows * np.log(left) + 2.0 * step
        better = varied & (criterion < best)
        best, order = np.where(better, criterion, best), np.where(better, step, order)
        chosen = np.where(better, current, chosen)
    return Autoregressions(order, chosen)


def measured_echoes(lags: Array, n_rows: float) -> Array:
    """Return the autocorrelations that sums of products give, a row for each lag from 0.

    Of n rows, n - k pairs are k rows apart.
    """
    pairs = np.maximum(1.0 - np.arange(len(lags)) / n_rows, 1.0 / n_rows)[:, None]
    room = pairs * lags[0]
    measured: Array = np.divide(lags, room, out=np.zeros_like(lags), where=room > 0)
    return measured.clip(-LARGEST_ECHO, 1.0)


def largest_order(n_rows: float) -> int:
    """Return how many coefficients an autoregression may have."""
    return int(min(LAGS, n_rows // _ROWS_PER_ORDER))


def autocorrelations(
    lags: Array, n_rows: float, go_on: Callable[[Array, float], Array] | None = None
) -> Array:
    """Return the autocorrelations of an autoregression for each column, a row for each lag from 1.

    All of a column are multiplied by what few rows make of them (`made_up`).

    Parameters
    ----------
    lags : sums of products of residuals
    go_on : `continued`, or what does the same

    Examples
    --------
    >>> lag = np.arange(LAGS + 1)[:, None]
    >>> autocorrelations((1e6 - lag) * 0.5**lag, 1e6)[:3].ravel().round(4)
    array([0.5  , 0.25 , 0.125])
    """
    go_on = go_on or continued
    measured = measured_echoes(lags, n_rows)
    varied = measured[0] > 0
    mean = measured[:, varied].mean(axis=1, keepdims=True) if varied.any() else measured[:, :1]
    trust = own_share(measured[:, varied], go_on(mean, n_rows), n_rows)
    known = go_on(np.where(varied, mean + trust * (measured - mean), measured), n_rows)
    known = known.clip(-1.0, 1.0)
    more: Array = known * np.sqrt(made_up(known, trust, n_rows))
    return more


def own_share(measured: Array, of_mean: Array, n_rows: float) -> float:
    """Return how much of columns' differences is not chance.

    Autocorrelations are drawn toward their mean as far as chance explains how they differ (James
    and Stein's way). The variance that chance makes of an autocorrelation is

        sum over h > 0 of (rho_(h+k) + rho_(h-k) - 2 rho_k rho_h)^2 / n

    (Bartlett's formula), ``of_mean`` being rho. Lags count as much as they do for a pair, by rho².
    The share is one for all of them, or what comes of it were no autocorrelations.

    Examples
    --------
    >>> noise = np.random.default_rng(0).standard_normal((LAGS + 1, 50)) / np.sqrt(500)
    >>> own_share(noise, 0.5 ** np.arange(1, 9)[:, None], 500.0) < 0.5
    True
    >>> noise[1] += np.linspace(0.0, 0.9, 50)
    >>> own_share(noise, 0.5 ** np.arange(1, 9)[:, None], 500.0) > 0.9
    True
    """
    n_lags, number = measured.shape
    if number < _FEWEST:
        return 1.0
    rho = np.zeros(2 * n_lags + len(of_mean))
    rho[0], rho[1 : len(of_mean) + 1] = 1.0, of_mean[:, 0]
    h, k = np.arange(1, n_lags + len(of_mean))[:, None], np.arange(n_lags)
    chance = np.square(rho[h + k] + rho[np.abs(h - k)] - 2.0 * rho[k] * rho[h]).sum(axis=0) / n_rows
    counts = np.square(rho[1:n_lags])
    differences = float(counts @ measured[1:].var(axis=1, ddof=1))
    believed = (number - 3) / (number - 1) * float(counts @ chance[1:])
    return max(1.0 - believed / differences, 0.0) if differences > 0 else 0.0


def made_up(known: Array, trust: float, n_rows: float) -> Array:
    """Return by how much sums of squared autocorrelations should be larger, for each column.

    A sum is taken for that of an autoregression of order one, 2 r² / (1 - r²). Of n rows, r is
    measured too low, in the mean by (1 + 3 r) / n (Kendall, 1954). What is left of chance, a share
    ``trust`` of the variance (1 - r²) / n, makes factors F of pairs wrong by s² in the mean square
    of their logarithm, with F = (1 + r²) / (1 - r²). False edges have scores near some limit c, and
    are more frequent by exp((c² s)² / 8): as if the logarithm of F were too small by c² s² / 4.

    Examples
    --------
    >>> known = 0.8 ** np.arange(1, 200)[:, None]
    >>> found = made_up(known, 0.0, 1e4)
    >>> right = 0.8 + 3.4 / 1e4
    >>> print(found.round(3), round(right**2 / (1 - right**2) / (0.64 / 0.36), 3))
    [1.002] 1.002
    """
    squares = np.square(known) * _counts(len(known), n_rows)[:, None]
    excess = squares.sum(axis=0)
    some = excess > 0
    square = excess / (excess + 2.0)
    root = np.sqrt(square)
    right = np.square(np.minimum(root + (1.0 + 3.0 * root) / n_rows, 1.0 - 1.0 / n_rows))
    more = np.divide(2.0 * right / (1.0 - right), excess, out=np.ones_like(excess), where=some)
    steepness = 2.0 * root / (1.0 - square**2)
    doubt = 2.0 * trust * (1.0 - square) / n_rows * steepness**2
    limit = -special.ndtri(_ANY / max(known.shape[1], 2) ** 2)
    doubtful = np.exp(np.minimum(limit**2 / 4.0 * doubt, _MOST_DOUBT))
    result = np.maximum(more, 1.0) * doubtful
    most = np.divide(n_rows - 1.0, excess, out=np.ones_like(excess), where=some)
    limited: Array = np.minimum(result, np.maximum(most, 1.0))
    return limited


def continued(measured: Array, n_rows: float) -> Array:
    """Return autocorrelations as an autoregression continues those that were measured."""
    order, coefficients = autoregressions(measured, n_rows)
    farthest = int(min(FARTHEST, max(n_rows - 1, 1))) if order.any() else 0
    known = np.zeros((farthest + 1, measured.shape[1]))
    known[0] = 1.0
    top = int(order.max(initial=0))
    for lag in range(1, farthest + 1):
        reach = min(lag, top)
        follows = (coefficients[1 : reach + 1] * known[lag - reach : lag][::-1]).sum(axis=0)
        within = measured[lag] if lag <= LAGS else 0.0
        known[lag] = np.where(lag <= order, within, follows)
        if lag >= top and (np.abs(known[lag - top + 1 : lag + 1]) < FORGOTTEN).all():
            return known[1 : lag + 1]
    return known[1:]


def echoes_of(autocorrelation: Array, n_rows: float) -> Array:
    """Return a row for each column, whose products over pairs sum autocorrelations over lags."""
    counts = _counts(len(autocorrelation), n_rows)
    return np.ascontiguousarray((autocorrelation * np.sqrt(counts)[:, None]).T)


def _counts(n_lags: int, n_rows: float) -> Array:
    """Return how much autocorrelations at 1, 2, ... rows count in a sum over lags."""
    counts: Array = 2.0 * np.maximum(1.0 - np.arange(1, n_lags + 1) / n_rows, 0.0)
    return counts


def some_columns(n_columns: int) -> Indices:
    """Return the columns whose pairs tell what is typical: not too many, evenly spaced."""
    return np.arange(0, n_columns, -(-n_columns // _SAMPLE))


def _typical(inflation: Inflation) -> float:
    n_columns = len(inflation.tails)
    if not inflation.matters or n_columns < 2:
        return 1.0
    some = some_columns(n_columns)
    first, second = np.triu_indices(len(some), 1)
    factors = [
        of_pairs(inflation, some[first[i : i + 4096]], some[second[i : i + 4096]])
        for i in range(0, len(first), 4096)
    ]
    return float(np.median(np.concatenate(factors)))
