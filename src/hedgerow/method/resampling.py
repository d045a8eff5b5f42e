"""How often an edge is found again in a random half of the rows.

A half and the other half go together: the sums of one are those of all rows less those of the
other. Each is a table of its own, of half the rows, in which no row is there twice, so that tests
keep in it what they promise; in a sample with replacement they would not, as chance repeats itself
there. Where rows remember, halves are made of blocks of rows that follow each other
(docs/theory.md, section 29).
"""

from collections.abc import Iterator
from math import ceil

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.moments import Moments

Array = NDArray[np.float64]

_ROUNDING = 1e-12  # of sums over many rows, relative to them
FEWEST_BLOCKS = 16  # of which 12,870 different halves can be made


def block_length(n_rows: int, memory: float) -> int:
    """Return how many rows a block has, where so many rows say as much as one independent one.

    That of Politis and White (2004) for a mean of rows whose memory fades geometrically and makes
    this factor: (1.5 n)^(1/3) r^(2/3) with r = (memory - 1 / memory) / 2. It balances what is lost
    where blocks meet with how few blocks there are.

    Examples
    --------
    >>> [block_length(1000, memory) for memory in (1.0, 1.02, 2.0, 10.0)]
    [1, 1, 10, 34]
    """
    apart = (memory - 1.0 / memory) / 2.0
    length: float = (1.5 * n_rows) ** (1 / 3) * apart ** (2 / 3)
    return max(ceil(length), 1)


def halves(n_rows: int, block: int, times: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    """Yield which rows are in the first of two halves, for so many halves, both counted.

    Examples
    --------
    >>> [half.astype(int).tolist() for half in halves(8, 2, 3, seed=0)]
    [[1, 1, 0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1]]
    """
    rng = np.random.default_rng(seed)
    blocks = np.arange(n_rows) // block
    number = int(blocks[-1]) + 1
    for _ in range(ceil(times / 2)):
        chosen = np.zeros(number, dtype=np.bool_)
        chosen[rng.permutation(number)[: number // 2]] = True
        yield chosen[blocks]


def both_moments(
    rows: NDArray[np.floating], whole: Moments, half: NDArray[np.bool_]
) -> tuple[Moments, Moments]:
    """Return the moments of the rows of a half, and of those of the other.

    ``whole`` are those of all rows.

    Examples
    --------
    >>> from hedgerow.method.moments import moments_of
    >>> rows = np.array([[1.0, 2.0], [3.0, 6.0], [5.0, 2.0]])
    >>> first, second = both_moments(rows, moments_of(rows), np.array([True, True, False]))
    >>> first.products
    array([[2., 4.],
           [4., 8.]])
    >>> second.products
    array([[0., 0.],
           [0., 0.]])
    """
    centred = rows[half] - whole.mean
    sums, products = centred.sum(axis=0), centred.T @ centred
    others = len(rows) - len(centred)
    return (
        _about_mean(len(centred), whole, sums, products),
        _about_mean(others, whole, -sums, whole.products - products),
    )


def _about_mean(n_rows: int, whole: Moments, sums: Array, products: Array) -> Moments:
    """Return moments from sums about the mean of all rows."""
    weight = float(n_rows)
    shift = sums / weight
    about = products - np.outer(shift, shift) * weight
    # What a column that is constant in a half has left are the last digits of others.
    varies = np.diag(about) > _ROUNDING * np.diag(whole.products)
    about = np.where(varies & varies[:, None], about, 0.0)
    return Moments(n_rows, whole.mean + shift, about, weight, weight)
