"""The model by which missing cells are filled in, and the first rows that it comes from.

Cells are filled in by a model of the rows, and the model comes from sums of products of rows that
were filled in (Dempster, Laird and Rubin's EM):

- The model is a sparse precision matrix. Who is related to whom is found by forward selection, at a
  level at which one variable of no use is chosen for each node: an edge that the model lacks would
  be filled in as if it were not there, and so be harder to find.
- The first rows are gone through until nothing moves, from the correlations of cells that are there
  together; after some rounds the graph and the scores stay. Later ones are filled in by the model
  as it was when their number last doubled, and only by relations beyond doubt. Rows that remember
  say less than independent ones, and count for less.

docs/theory.md, section 21, says what is promised of it, and why correlations of pairs of cells that
are there together will not do in the tests.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.sparse import csr_array

from hedgerow.method.directions import about_means
from hedgerow.method.gap_scores import no_shift, shifted, shifts, values_at_points
from hedgerow.method.gaps import Expected, fill
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.likelihood import STILL, fit_precision
from hedgerow.method.marginals import LEAST_WEIGHT
from hedgerow.method.neighbours import MOST_NEIGHBOURS, step_thresholds
from hedgerow.method.residuals import LAGS, lagged
from hedgerow.method.scaling import Scaling

Array = NDArray[np.float64]
Choose = Callable[[Array, float, Array], csr_array]

_USELESS = 1.0  # variables that are chosen for a node by chance
_ROWS_PER_NEIGHBOUR = 8
# Later cells are filled in by a model that they are then part of: what is there by chance would
# be there ever more. At this multiple of the usual threshold the chance is nil.
_SURE = 2.0**0.5
_TYPICAL = 64  # columns, evenly taken, that tell how long rows are remembered
_MOST_ROUNDS = 30
# After so many, relations and scores stay: those of thousands of columns would go to and fro.
_ROUNDS_OF_CHANGE = 8
_LEAST_EIGENVALUE = 0.05  # to begin with: correlations of different rows may contradict each other
_STILL = 0.01  # standard errors of a correlation: a round that moves none by more is the last
_FIT = 0.1  # of this: how near a round comes to the maximum of likelihood on its graph


class Filled(NamedTuple):
    """The first rows without gaps, and what is known after them."""

    rows: Array
    covariance: Array  # (p, p); sum over rows of the covariance of what was filled in
    expected: Expected
    shift: Array  # of scores (`gap_scores.shifts`)


def expected_of(
    products: Array, centre: Array, weight: float, n_rows: float, choose: Choose, sweeps: Scaling
) -> Expected:
    """Return the model of later rows that sums of products give.

    Only relations that are beyond doubt count, as they are not asked for again.

    Parameters
    ----------
    products : weighted sums of products of deviations from ``centre``
    weight : of all rows in them
    n_rows : number of complete rows that would say as much
    choose : who finds related variables, as `neighbours.related` does
    sweeps : who computes the likelihood's maximum
    """
    corr, scale = _standard(products, weight)
    n_rows = max(n_rows, MIN_ROWS)
    related = choose(corr, n_rows, _SURE * step_thresholds(len(corr), n_rows))
    return _fitted(corr, centre, scale, n_rows, related, sweeps, STILL)


def first_fill(
    rows: Array,
    row_weights: Array,
    choose: Choose,
    sweeps: Scaling,
    fill_in: Callable[[Array, Expected, Array, Array], Array] = fill,
    ranked: NDArray[np.bool_] | None = None,
) -> Filled:
    """Fill in the first rows by the model that they lead to.

    Columns that are ``ranked`` hold scores of ranks among the cells that are there, and are given
    those among all.
    """
    there = ~np.isnan(rows)
    bends = ~there & (False if ranked is None else ranked)
    shift, among_all = no_shift(rows.shape[1]), rows
    weight = float(row_weights.sum())
    seen = row_weights @ there / weight
    n_rows = max(len(rows) * float(np.median(seen)) ** 2, MIN_ROWS)
    centre = _means(rows, there, row_weights)
    products = _pairwise(np.where(there, rows - centre, 0.0), there, row_weights)
    still = _STILL / np.sqrt(n_rows)
    near = max(_FIT * still, STILL)
    for count in range(_MOST_ROUNDS):
        corr, scale = _standard(products, weight)
        changes = count < _ROUNDS_OF_CHANGE
        if changes:
            related = choose(corr, n_rows, _loose(len(corr), n_rows))
        expected = _fitted(corr, centre, scale, n_rows, related, sweeps, near)
        covariance = np.zeros_like(products)
        filled = fill_in(among_all, expected, row_weights, covariance)
        centre = row_weights @ filled / weight
        deviations = filled - centre
        before = products
        products = (deviations * row_weights[:, None]).T @ deviations + covariance
        per_scale = 1.0 / expected.scale
        moved = np.abs(products - before) / weight * per_scale * per_scale[:, None]
        if moved.max() <= still:
            break
        if changes and bends.any():
            unknown = np.diag(covariance) / np.maximum(weight - row_weights @ there, LEAST_WEIGHT)
            shift = shifts(values_at_points(filled, bends), seen, unknown, shift)
            among_all = shifted(rows, shift)
    return Filled(filled, covariance, expected, shift)


def _standard(products: Array, weight: float) -> tuple[Array, Array]:
    """Return the correlations that sums of products are, and the scale of each column."""
    spread = np.sqrt(np.diag(products) / weight)
    scale = np.where(spread > 0, spread, 1.0)
    corr = products / weight
    corr /= scale
    corr /= scale[:, None]
    np.fill_diagonal(corr, 1.0)
    return corr, scale


def _fitted(
    corr: Array,
    centre: Array,
    scale: Array,
    n_rows: float,
    related: csr_array,
    sweeps: Scaling,
    still: float,
) -> Expected:
    precision = fit_precision(corr, int(n_rows), related, sweeps, still).precision.sorted_indices()
    return Expected(centre, scale, precision.indptr, precision.indices, precision.data)


def share_of_gaps(share: Array) -> float:
    """Return the share of cells that are there in the column of a typical missing one.

    Given that of each column; where a few columns miss many cells, these are the ones that the
    model is for. Columns of which nothing is there say nothing.

    >>> share_of_gaps(np.array([1.0, 1.0, 1.0, 0.5])), share_of_gaps(np.ones(3))
    (0.5, 1.0)
    """
    gone = np.where(share > 0, 1.0 - share, 0.0)
    return float(gone @ share / gone.sum()) if gone.any() else 1.0


def rows_per_one(rows: Array, products: Callable[[Array], Array] = lagged) -> float:
    """Return how many of these rows say as much of a typical pair as one independent row.

    Sums of products of two series with autocorrelations a_k and b_k vary 1 + 2 Σ a_k b_k times as
    much as those of independent rows. Cells may be missing. ``products`` is `residuals.lagged`, or
    what does the same.

    Examples
    --------
    >>> steps = np.random.default_rng(0).standard_normal((512, 20))
    >>> rows = steps.copy()
    >>> for t in range(1, 512):
    ...     rows[t] = 0.8 * rows[t - 1] + 0.6 * steps[t]
    >>> round(rows_per_one(steps)), round(rows_per_one(rows))  # (1 + 0.64) / (1 - 0.64) = 4.6
    (1, 4)
    """
    some = rows[:, :: -(-rows.shape[1] // _TYPICAL)]
    unit, there = about_means(some)
    lags = slice(1, min(LAGS, len(rows) // 4) + 1)
    sums, pairs = products(unit), len(rows) - np.arange(LAGS + 1.0)[lags, None]
    if (there < len(rows)).any():
        pairs = products((~np.isnan(some)).astype(np.float64))[lags]
    known = (sums[0] > 0) & (pairs > 0)
    chance = np.divide(1.0, pairs, out=np.zeros(known.shape), where=known)
    echoes = sums[lags] * chance
    beyond = (np.minimum(np.square(echoes), 1.0) - chance).sum(axis=1)
    squares = float((beyond / np.maximum(known.sum(axis=1), 1)).sum())
    return max(1.0, 1.0 + 2.0 * squares)


def _means(rows: Array, there: NDArray[np.bool_], row_weights: Array) -> Array:
    """Return the mean of the cells that are there; zero where none is."""
    weight = row_weights @ there
    means: Array = (row_weights @ np.where(there, rows, 0.0)) / np.where(weight > 0, weight, 1.0)
    return means


def _pairwise(deviations: Array, there: NDArray[np.bool_], row_weights: Array) -> Array:
    """Return what sums of products would be if all cells were like those that are there together.

    Moved until they could be sums of products: no combination of columns varies less than nothing.
    With more columns than rows very many combinations would, and to mend that would take much of
    what relates columns with it; but those of a few, which are asked for, seldom do.
    """
    weighted = np.sqrt(row_weights)[:, None]
    known = np.where(there, weighted, 0.0)
    together = known.T @ known
    weight = np.diag(together)
    squares = np.square(weighted * deviations).sum(axis=0)
    unit = np.divide(squares, weight, out=np.zeros_like(squares), where=weight > 0)
    standard = weighted * deviations / np.sqrt(np.where(unit > 0, unit, 1.0))
    corr = standard.T @ standard
    np.divide(corr, together, out=corr, where=together > 0)
    np.fill_diagonal(corr, 1.0)
    if len(corr) <= len(deviations):
        corr = _lifted(corr)
    sums: Array = corr * (row_weights.sum() * np.sqrt(unit) * np.sqrt(unit)[:, None])
    return sums


def _lifted(corr: Array) -> Array:
    """Return correlations near those given, with all eigenvalues clear of zero."""
    values, vectors = np.linalg.eigh(corr)
    if values[0] >= _LEAST_EIGENVALUE:
        return corr
    lifted = (vectors * np.maximum(values, _LEAST_EIGENVALUE)) @ vectors.T
    spread = np.sqrt(np.diag(lifted))
    result: Array = lifted / spread / spread[:, None]
    return result


def _loose(n_columns: int, n_rows: float) -> Array:
    most = int(min(n_columns - 1, n_rows // _ROWS_PER_NEIGHBOUR, MOST_NEIGHBOURS))
    level = min(_USELESS / n_columns, 1.0)
    result: Array = -special.stdtrit(np.maximum(n_rows - 3 - np.arange(most), 1), level / 2)
    return result
