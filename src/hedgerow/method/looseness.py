"""How much less sure a partial correlation is for steps and counts that hide what is behind them.

A partial correlation is a function of the correlations of all columns that took part. If a and b
are the vectors that make residuals of the two, s and t their variances and c their correlation, an
error E in the matrix of correlations changes c by

    a'Eb / sqrt(st)  -  c / 2 (a'Ea / s + b'Eb / t),

a sum over errors of correlations, and their covariances are those of products of scores, as in
`hedgerow.method.noisy`. Without noise the variance is (1 - c²)², over the rows: what Fisher's scale
counts on. The looseness is what it is over that (docs/theory.md, section 25).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.method.latent import Latent
from hedgerow.method.neighbours import COLLINEAR

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]


def looseness(latent: Latent, coefficients: csr_array, first: Indices, second: Indices) -> Array:
    """Return it for pairs of columns, by regressions with these coefficients.

    Examples
    --------
    >>> from hedgerow.method.latent import latent_of
    >>> from hedgerow.method.steps import straight
    >>> corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])  # 0 - 1 - 2
    >>> chosen = csr_array([[0.0, 0.6, 0.0], [0.44, 0.0, 0.44], [0.0, 0.6, 0.0]])
    >>> nothing_hidden = latent_of(corr, straight(3))
    >>> looseness(nothing_hidden, chosen, np.array([0, 0]), np.array([1, 2])).round(2)
    array([1., 1.])
    """
    dense = coefficients.toarray()
    return np.array([_of_pair(latent, dense[[i, j]], i, j) for i, j in zip(first, second)])


def of_residuals(latent: Latent, columns: Indices, one: Array, other: Array) -> float:
    """Return it for two residuals, that two vectors make of some columns.

    Infinite, if one of the residuals is not there.
    """
    some = np.ix_(columns, columns)
    corr, scores = latent.corr[some], latent.scores[some]
    rooms = [float(vector @ corr @ vector) for vector in (one, other)]
    if min(rooms) <= COLLINEAR:
        return float("inf")
    one, other = (vector / np.sqrt(room) for vector, room in zip((one, other), rooms))
    related = float(one @ corr @ other)
    left = 1.0 - related**2
    if left <= COLLINEAR:
        return 1.0
    squares = np.outer(one, one) + np.outer(other, other)
    change = (np.outer(one, other) + np.outer(other, one) - related * squares) / 2
    counts = change * latent.looseness[some]
    np.fill_diagonal(counts, 0.0)
    np.fill_diagonal(counts, -(counts * scores).sum(axis=1))
    seen = counts @ scores
    unsure = np.diag(change) - (change * corr).sum(axis=1)
    wobble = 4.0 * float(np.square(unsure) @ latent.doubt[columns])
    return (2.0 * float((seen * seen.T).sum()) + wobble) / left**2


def _of_pair(latent: Latent, rows: Array, i: int, j: int) -> float:
    columns = np.union1d(np.flatnonzero(rows.any(axis=0)), [i, j])
    one, other = (
        (columns == end).astype(np.float64) - row[columns]
        for end, row in zip((i, j), rows, strict=True)
    )
    return of_residuals(latent, columns, one, other)
