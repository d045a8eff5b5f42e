"""Whether all columns remember alike: asked of the first rows, and of all rows.

If rows are sum over s of a_s A e_(t-s), with one A, then products of columns k rows apart are d_k
times those of the same row, for any two, and a filter in time changes none of what relates them.
Of residuals these products are known but for chance, however few the rows (docs/theory.md,
section 36). What drifts, jumps or is off for a while is none of that, and lasts (section 27).
"""

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from hedgerow.method.outliers import MEDIAN
from hedgerow.method.residuals import LAGS, Residuals
from hedgerow.method.spectra import as_many_independent, autocovariances, of_unit_length

Array = NDArray[np.float64]
Spans = list[tuple[int, int]]

# Of taking columns that remember alike for unlike ones: in the first rows, which alone are asked
# whether columns foretell each other, and each time that edges are asked for.
_CHANCE_AT_FIRST = 0.05
_CHANCE_LATER = 0.01
_CHANCE_OF_STEPS = 0.001
_CHANCE_FADING = 0.05
_LARGEST_STEP = 3.0  # standard deviations, of normal steps
_CHANCE_ADRIFT = 0.01  # of taking independent rows for drifting ones, which costs a third of them
_DRIFTS_FOR = ((1, 4), (1, 16))  # rows apart: what lasts so long is seen in the sum of products
# With so much noise for each column and product, the sum of squared logarithms is what it is with
# none, to a few hundredths (simulated; docs/theory.md, section 36). Of more columns at a time sums
# are known to less than they are off by.
_MOST_NOISE = 0.3
_MOST_AT_ONCE = 128
_ROUNDING = 1e-10
_FAR = 8  # rows apart, up to which autocorrelations say how one of them varies
_LEAST_VARIANCE = 0.1  # of an autocorrelation, times the number of rows


def alike_at_first(residual: Array) -> bool:
    """Return whether nothing in residuals of what is new remembers, or foretells, in its own way.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((300, 10))
    >>> alike_at_first(rows)
    True
    >>> rows[1:, 0] += 0.5 * rows[:-1, 1]
    >>> alike_at_first(rows)
    False
    """
    return _own_way(residual, _single(residual)) > _CHANCE_AT_FIRST


def adrift(residual: Array) -> bool:
    """Return whether anything in residuals lasts for some rows that is not memory of all columns.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((300, 10))
    >>> adrift(rows)
    False
    >>> rows[100:150] += rng.standard_normal(10)
    >>> adrift(rows)
    True
    """
    spans = [span for span in _DRIFTS_FOR if 4 * span[1] <= len(residual)]
    return _own_way(residual, spans, otherwise=1.0) <= _CHANCE_ADRIFT


def steps_alike(residual: Array) -> bool:
    """Return whether rows have no memory but what is slow, as far as residuals of steps tell.

    Of steps the autocorrelation at one row apart tells most of memory that each column has in its
    own way: it is -1/2 if rows remember nothing and near 0 if they wander. So it is asked by
    itself, and of all else more is taken for chance.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((300, 10))
    >>> rows[100:] += rng.standard_normal(10)
    >>> steps_alike(np.diff(rows, axis=0))
    True
    >>> for t in range(1, 300):
    ...     rows[t] += 0.7 * rows[t - 1]
    >>> steps_alike(np.diff(rows, axis=0))
    False
    """
    residual = _without_spikes(residual)
    unit = _unit(residual)
    echoes = autocovariances(unit)[: min(LAGS, len(unit) // 4) + 1]
    if _fading(echoes, len(unit) * as_many_independent(unit)) <= _CHANCE_FADING:
        return False
    chance = min(_own_echo(residual), _own_way(residual, _single(residual)))
    return chance > _CHANCE_OF_STEPS


def _without_spikes(steps: Array) -> Array:
    """Return steps, those of jumps made as small as the largest of other rows."""
    most = _LARGEST_STEP / MEDIAN * np.median(np.abs(steps), axis=0)
    return np.clip(steps, -most, most)


def steps_remember(sums: Residuals, n_rows: float) -> bool:
    """Return whether residuals of all steps deny that rows remember nothing but what is slow.

    Examples
    --------
    >>> from hedgerow.method.residuals import first_residuals
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((2000, 10))
    >>> steps_remember(first_residuals(np.diff(rows, axis=0), np.ones(1999)), 1999.0)
    False
    >>> rows[1:] += 0.2 * rows[:-1]
    >>> steps_remember(first_residuals(np.diff(rows, axis=0), np.ones(1999)), 1999.0)
    True
    """
    varied = sums.lags[0] > 0
    if not varied.any():
        return False
    echoes = (sums.lags[:, varied] / sums.lags[0, varied]).mean(axis=1)
    n_columns = varied.sum()
    beside = (n_columns - 1.0) * float(sums.related[varied].mean())
    return _fading(echoes, n_rows * n_columns / (1.0 + beside)) <= _CHANCE_LATER


def _fading(echoes: Array, amount: float) -> float:
    """Return how likely steps of rows without memory, but for what is slow, fade so much.

    The sum of their autocorrelations from 2 rows apart on is what products of rows lose from one to
    two rows apart, and little of what is slow. It is that of all columns, whatever they remember:
    what each has of its own is seen later than what they have in the mean. Its variance is one by
    the number of rows, if one column tells it, and of so many the ``amount``.
    """
    return float(special.ndtr(echoes[2:].sum() * np.sqrt(amount)))


def _single(residual: Array) -> Spans:
    return [(lag, lag) for lag in range(1, min(LAGS, len(residual) // 4) + 1)]


def _own_echo(residual: Array) -> float:
    """Return how likely columns that remember alike have such autocorrelations, one row apart.

    These vary as Bartlett (1946) says of the autocorrelations that columns have in the mean.
    """
    unit, n_rows = _unit(residual), len(residual)
    n_columns = unit.shape[1]
    if n_columns < 2:
        return 0.0
    products = [(unit[lag:] * unit[: n_rows - lag]).sum(axis=0) for lag in range(_FAR + 2)]
    found, mean = np.array(products[1]), np.array(products).mean(axis=1)
    here = np.concatenate([mean[_FAR:0:-1], mean[: _FAR + 1]])
    before, after = (np.abs(np.arange(-_FAR, _FAR + 1) + by) for by in (-1, 1))
    terms = here**2 + mean[before] * mean[after] - 4.0 * mean[1] * here * mean[before]
    variance = max(float((terms + 2.0 * mean[1] ** 2 * here**2).sum()), _LEAST_VARIANCE) / n_rows
    own = float(np.square(found - found.mean()).sum()) / variance
    return _chance(own, n_columns - 1.0, 2.0 * _squares(unit)[1])


def _own_way(residual: Array, spans: Spans, otherwise: float = 0.0) -> float:
    """Return how likely rows whose columns remember alike have such products, so far apart.

    Sums over each span of distances, of all pairs of columns, are a multiple of the products of the
    same row, and chance. Their squares then sum to a known number, in the mean, and none is larger
    than the largest of so many. Of many columns some are asked, evenly spaced.
    """
    n_rows = len(residual)
    unit = _unit(residual)
    n_columns = unit.shape[1]
    if n_columns < 2 or not spans:
        return otherwise
    together = unit.T @ unit
    squares, fourths = _squares(unit)
    single = unit.astype(np.float32)  # chance is larger than what is rounded
    apart = [_apart(single, *span) for span in spans]
    common = np.array([np.diag(products).mean() for products in apart])
    least = _wider(common, n_rows, n_columns**2 / squares)
    chances: list[float] = []
    for products, mean, (first, last) in zip(apart, common, spans, strict=True):
        wide = least if first == last else _as_wide_as(products)
        own = np.square(np.diag(products) - mean).sum()
        others = np.square(products - mean * together) / wide
        chances += [
            _chance(own / wide, n_columns - 1.0, 2.0 * fourths),
            _chance(float(others.sum()), float(n_columns**2), 2.0 * squares**2),
            n_columns**2 * float(special.chdtrc(1.0, others.max())),
        ]
    return min(chances) * len(chances)


def _unit(residual: Array) -> Array:
    """Return columns of length one: those that are asked."""
    return of_unit_length(residual[:, :: -(-residual.shape[1] // _MOST_AT_ONCE)])


def _squares(unit: Array) -> tuple[float, float]:
    """Return sums of squares and fourth powers of correlations, without what chance makes."""
    n_rows, n_columns = unit.shape
    number = n_columns * (n_columns - 1)
    squares = np.square(unit.T @ unit)
    of_squares = float(squares.sum()) - n_columns - number / n_rows
    of_fourths = float(np.square(squares).sum()) - n_columns - 3 * number / n_rows**2
    return n_columns + max(of_squares, 0.0), n_columns + max(of_fourths, 0.0)


def _apart(unit: NDArray[np.float32], first: int, last: int) -> Array:
    """Return the sum of products of rows that are so far apart, in units of what chance makes."""
    n_rows = len(unit)
    pairs = sum(n_rows - lag for lag in range(first, last + 1))
    later = unit[first:]
    if last > first:
        later = np.copy(later, order="K")
    for lag in range(first + 1, last + 1):
        later[: n_rows - lag] += unit[lag:]
    result: Array = (later.T @ unit[: len(later)]).astype(np.float64) * (n_rows / np.sqrt(pairs))
    return result


def _wider(common: Array, n_rows: float, amount: float) -> float:
    """Return by how much chance is wider for memory that is common and was left (Bartlett)."""
    beyond = np.square(common) / n_rows - 1.0 / (n_rows * amount)
    return 1.0 + 2.0 * max(float(beyond.sum()), 0.0)


def _as_wide_as(products: Array) -> float:
    """Return the same of sums of products, as far as they differ by which column comes first.

    Of what lasts, that makes no difference; chance does not know of it.
    """
    n_columns = len(products)
    between = float(np.square(products - products.T).sum()) / (2 * n_columns * (n_columns - 1))
    return max(between, 1.0)


def _chance(found: float, mean: float, variance: float) -> float:
    """Return how likely a larger sum of squares of this mean and variance is, taken for gamma."""
    return float(special.chdtrc(2.0 * mean**2 / variance, 2.0 * mean / variance * found))


def alike_later(as_they_are: Array, fresh: Array, variance: float) -> bool:
    """Return whether rows and what is new in them are related alike, as if columns remember alike.

    Parameters
    ----------
    as_they_are, fresh : correlation matrices, or covariances
    variance : of what chance makes a product of two columns differ by, of `differing`

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> mixed = rng.standard_normal((6, 6))
    >>> rows = rng.standard_normal((2, 1000, 6))
    >>> one, other = (np.cov(each @ mixed, rowvar=False) for each in rows)
    >>> alike_later(one, other, 2 / 1000)
    True
    >>> rows[1, :, 0] *= 1.5
    >>> alike_later(one, np.cov(rows[1] @ mixed, rowvar=False), 2 / 1000)
    False
    """
    found, free = unlikeness(as_they_are, fresh, variance)
    return free > 0 and bool(special.chdtrc(free, found) > _CHANCE_LATER)


def unlikeness(as_they_are: Array, fresh: Array, variance: float) -> tuple[float, int]:
    """Return what is chi-square if rows and what is new are related alike, and its freedom.

    That is zero if nothing can be told.
    """
    n_columns = len(fresh)
    size = int(min(n_columns, _MOST_AT_ONCE, _MOST_NOISE / variance))
    varies = (np.diag(fresh) > 0) & (np.diag(as_they_are) > 0)
    columns = np.flatnonzero(varies)
    # In an order that does not depend on where columns stand.
    columns = columns[np.argsort(np.diag(fresh)[columns] / np.diag(as_they_are)[columns])]
    if size < 2 or len(columns) < 2:
        return 0.0, 0
    places = [np.ix_(some, some) for some in np.array_split(columns, -(-len(columns) // size))]
    ratios = [_ratios(as_they_are[some], fresh[some]) for some in places]
    logs = np.log(np.maximum(np.concatenate(ratios), np.finfo(np.float64).tiny))
    free = sum(len(some) * (len(some) + 1) // 2 for some in ratios) - 1
    return float(np.square(logs - logs.mean()).sum() / (2.0 * variance)), free


def _ratios(as_they_are: Array, fresh: Array) -> Array:
    """Return the variances of what is new over those of rows, in directions that share nothing.

    In units of columns: of those that are nearly determined by others, rounding is left out.
    """
    spread = np.sqrt(np.diag(as_they_are))
    sizes, directions = linalg.eigh(as_they_are / spread / spread[:, None])
    clear = sizes > _ROUNDING * sizes[-1]
    into = directions[:, clear] / np.sqrt(sizes[clear])
    between = into.T @ (fresh / spread / spread[:, None]) @ into
    result: Array = linalg.eigvalsh(between)
    return result
