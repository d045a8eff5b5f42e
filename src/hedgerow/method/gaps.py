"""Cells that are missing, filled in: what the other cells of their row say about them.

A missing cell is replaced by what a model of the rows expects of it, given the cells of its row
that are there. What such an expectation cannot know varies less than the cell did, and more than
nothing: the covariance that is left is added to the sums of products. `hedgerow.method.gap_model`
makes the model.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]


class Expected(NamedTuple):
    """A model of rows: which cells tell about which."""

    centre: Array  # (p,)
    scale: Array  # (p,)
    starts: Indices  # (p + 1,) where the entries of each row of the precision begin
    neighbours: Indices  # columns of these entries, ascending
    precision: Array  # the entries, for rows in units of the scale

    def matrix(self) -> Array:
        """Return the precision matrix."""
        size = len(self.centre)
        entries = (self.precision, self.neighbours, self.starts)
        dense: Array = csr_array(entries, shape=(size, size)).toarray()
        return dense


def fill(rows: Array, expected: Expected, row_weights: Array, covariance: Array) -> Array:
    """Return rows with their missing cells, NaN, filled in.

    To ``covariance`` is added what filling leaves out, row by row, unless it is empty.

    Examples
    --------
    >>> alike = Expected(np.zeros(2), np.ones(2), np.array([0, 2, 4]), np.array([0, 1, 0, 1]),
    ...                  np.linalg.inv([[1, 0.8], [0.8, 1]]).ravel())
    >>> covariance = np.zeros((2, 2))
    >>> fill(np.array([[2.0, np.nan], [1.0, 1.0]]), alike, np.ones(2), covariance).round(2).tolist()
    [[2.0, 1.6], [1.0, 1.0]]
    >>> covariance.round(2).tolist()
    [[0.0, 0.0], [0.0, 0.36]]
    """
    precision, filled = expected.matrix(), rows.copy()
    for t in np.flatnonzero(np.isnan(rows).any(axis=1)):
        gone = np.isnan(rows[t])
        here = np.where(gone, 0.0, (rows[t] - expected.centre) / expected.scale)
        left = np.linalg.inv(precision[np.ix_(gone, gone)])
        mean = -left @ (precision[gone] @ here)
        filled[t, gone] = expected.centre[gone] + expected.scale[gone] * mean
        scale = expected.scale[gone]
        if covariance.size:
            covariance[np.ix_(gone, gone)] += row_weights[t] * left * scale * scale[:, None]
    return filled
