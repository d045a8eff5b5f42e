"""Rows of unlike size: each is divided by how large it is.

In heavy tails that columns share (Student t), in volatility, and among rows that went wrong as a
whole, some rows are large in all columns at once. They say no more than others about what is
connected, but would count for more. How large a row is shows in its squared length in the units of
the columns' own correlations, the distance of Mahalanobis, of which the columns give many votes:

- Some columns, evenly spaced, are enough. Their correlations are those of rows divided by their
  lengths, found in some rounds (Tyler's way), and drawn toward zero by the share of Ledoit and
  Wolf, so that few rows will do; no row is measured by correlations that it took part in.
- Of normal rows the logarithms of squared lengths differ by chance, by a variance that is known.
  What they differ by beyond that is believed: a row is divided by its length to the power of that
  share. Where it is nothing, rows stay as they are.

The first rows decide; later ones are measured by what these left. What dividing costs in precision,
`cost` says (docs/theory.md, section 20).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from hedgerow.method.ordered import medians

Array = NDArray[np.float64]

_MOST_VOTES = 64  # columns; their chance adds less than a tenth to a row's length
# With fewer columns dividing costs (k + 2) / k, two thirds and more: about what it mends.
_LEAST_VOTES = 4
_ROWS_PER_VOTE = (
    2  # with fewer, lengths by correlations of the same rows differ by more than chance
)
_ROUNDS = 4  # of measuring rows by the correlations of rows divided by what was measured before
_CLEAR = 3.0  # standard errors by which lengths must differ more than chance makes them
# A row is made larger by no more than this: what is so small is mostly rounding.
LARGEST_FACTOR = 16.0
_TINY = np.finfo(np.float64).tiny
_APART = 1e-6  # of correlations: votes that determine each other would have no inverse
_LEAST_ROOM = 0.05  # of a row's own part in the correlations that it is measured without


class RowSizes(NamedTuple):
    """How large rows are, as the first ones tell."""

    columns: NDArray[np.intp]  # (k,) those that vote; none if rows stay as they are
    centre: Array  # (p,) about which rows are divided
    shape: Array  # (k, k) a row's votes times this has the squared length of Mahalanobis
    typical: float  # mean logarithm of squared lengths
    trust: float  # share of their variance that is not chance
    votes: float  # number of independent columns that say as much as these

    @property
    def divides(self) -> bool:
        """Whether rows are divided at all."""
        return len(self.columns) > 0

    @property
    def cost(self) -> float:
        """Factor by which correlations of divided rows are less precise than their products say.

        For Tyler's (1983) class of estimates, with weights that are a power of the length.
        """
        return ((self.votes + 2.0) / (self.votes + 2.0 - 2.0 * self.trust)) ** 2


def no_sizes(n_columns: int) -> RowSizes:
    """Return that rows stay as they are."""
    none = np.empty(0, dtype=np.intp)
    return RowSizes(none, np.zeros(n_columns), np.empty((0, 0)), 0.0, 0.0, 1.0)


def first_sizes(rows: Array, there: NDArray[np.bool_] | None = None) -> tuple[Array, RowSizes]:
    """Return the first rows, divided if they differ in size, and what they say about sizes.

    A cell that is not ``there``, but filled in, is as it is expected to be, and no vote.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((300, 20))
    >>> first_sizes(rows)[1].divides
    False
    >>> _, sizes = first_sizes(rows * np.exp(rng.standard_normal((300, 1))))
    >>> print(sizes.divides, round(sizes.trust, 1), round(sizes.cost, 1))
    True 1.0 1.2
    """
    n_rows, n_columns = rows.shape
    if n_rows < _ROWS_PER_VOTE * _LEAST_VOTES:
        return rows, no_sizes(n_columns)
    most = min(_MOST_VOTES, n_rows // _ROWS_PER_VOTE)
    step = -(-n_columns // most)
    some = np.arange(0, n_columns, step)[np.ptp(rows[:, ::step], axis=0) > 0]
    if len(some) < _LEAST_VOTES:
        return rows, no_sizes(n_columns)
    centre = rows.mean(axis=0)
    votes = rows[:, some] - centre[some]
    sizes = np.ascontiguousarray(np.abs(votes).T)
    unit = medians(sizes)
    unit = np.where(unit > 0, unit, sizes.max(axis=1))
    votes /= unit
    given = np.ones(n_rows)
    if there is not None and not there.all():
        given = share_of_votes(there[:, some])
    squared = np.square(votes).mean(axis=1) / given
    for _ in range(_ROUNDS):
        factors = 1.0 / np.sqrt(np.maximum(squared, _TINY))
        sample, shape = _shape(votes * factors[:, None])
        squared = np.square(votes @ shape).sum(axis=1) / given
        own = np.square(factors) * squared / n_rows
        squared /= np.maximum(1.0 - own, _LEAST_ROOM)
    logs = _logs(squared)
    moved = shape @ shape.T @ sample
    independent = float(np.trace(moved) ** 2 / (moved * moved.T).sum())
    # A shape that is known from n rows makes squared lengths differ more, by k / n.
    sure = independent * float(given.mean()) / (1.0 + len(some) / n_rows)
    trust = _trust(logs, sure)
    if trust == 0.0:
        return rows, no_sizes(n_columns)
    typical = float(logs.mean())
    found = RowSizes(some, centre, shape / unit[:, None], typical, trust, independent)
    return divided(rows, factors_of(squared, found), found), found


def share_of_votes(there: NDArray[np.bool_]) -> Array:
    """Return the share of votes that are there; one row without any is as one with one vote."""
    share: Array = np.maximum(there.sum(axis=1), 1.0) / there.shape[1]
    return share


def row_factors(rows: Array, sizes: RowSizes) -> Array:
    """Return what to multiply rows with, about their centre."""
    votes = rows[:, sizes.columns] - sizes.centre[sizes.columns]
    squared = np.array([np.square(vote @ sizes.shape).sum() for vote in votes])
    return factors_of(squared, sizes)


def factors_of(squared: Array, sizes: RowSizes) -> Array:
    """Return the factors of rows of these squared lengths."""
    factors: Array = np.exp(-0.5 * sizes.trust * (_logs(squared) - sizes.typical))
    return np.minimum(factors, LARGEST_FACTOR)


def divided(
    rows: Array, factors: Array, sizes: RowSizes, there: NDArray[np.bool_] | None = None
) -> Array:
    """Return the rows multiplied with their factors, about their centre.

    Cells that are not ``there`` make rows look smaller than they are.
    """
    if there is not None:
        factors = factors * share_of_votes(there[:, sizes.columns]) ** (0.5 * sizes.trust)
    result: Array = sizes.centre + factors[:, None] * (rows - sizes.centre)
    return result


def _logs(squared: Array) -> Array:
    logs: Array = np.log(np.maximum(squared, _TINY))
    return logs


def _shape(votes: Array) -> tuple[Array, Array]:
    """Return the covariances of votes, and the root of the inverse of what they are drawn to."""
    n_rows, number = votes.shape
    covariance = votes.T @ votes / n_rows
    scale = np.sqrt(np.diag(covariance))
    sample = covariance / scale / scale[:, None]
    lengths = np.square(np.square(votes) @ (1.0 / np.square(scale))).mean()
    chance = (lengths - np.square(sample).sum()) / n_rows
    related = np.square(sample).sum() - number
    share = min(max(chance / related, _APART), 1.0) if related > 0 else 1.0
    drawn = (1.0 - share) * sample + share * np.eye(number)
    root = linalg.lapack.dtrtri(linalg.cholesky(drawn, lower=True), lower=1)[0].T
    return covariance, root / scale[:, None]


def _trust(logs: Array, independent: float) -> float:
    """Return the share of the variance of logarithms that is not chance; zero if it may be none."""
    chance = float(special.zeta(2.0, independent / 2.0))  # the trigamma function
    found = float(logs.var())
    if found <= chance * (1.0 + _CLEAR * np.sqrt(2.0 / len(logs))):
        return 0.0
    return 1.0 - chance / found
