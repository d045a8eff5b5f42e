"""Sparse factor of a precision matrix, and white noise coloured by it.

A sparse LU decomposition with a symmetric ordering and pivots on the diagonal is, for a positive
definite matrix, L D Lᵀ: a sparse Cholesky factor without any further dependency.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import SuperLU, splu


class Factor:
    """The factor R of a precision matrix, ``precision = Rᵀ R``, kept as a permuted triangle."""

    def __init__(self, precision: csc_array) -> None:
        if not _is_symmetric(precision):
            raise ValueError("precision must be symmetric with a positive diagonal")
        try:
            lu = _diagonal_pivots(precision, "MMD_AT_PLUS_A")
        except RuntimeError as error:
            raise ValueError("precision must be positive definite, got a singular one") from error
        pivots = lu.U.diagonal()
        if not np.array_equal(lu.perm_r, lu.perm_c) or not (pivots > 0).all():
            raise ValueError("precision must be positive definite, got an indefinite one")
        self.order = lu.perm_c
        self.triangle = csc_array(diags_array(np.sqrt(pivots)) @ lu.L.T)
        # The triangle is its own decomposition; this only prepares compiled substitution.
        self._substitution = _diagonal_pivots(self.triangle, "NATURAL")

    def colour(self, white: np.ndarray) -> np.ndarray:
        """Turn rows of independent standard normals into rows with this precision matrix."""
        rows: np.ndarray = self._substitution.solve(white.T).T
        return rows[:, self.order]


def _diagonal_pivots(matrix: csc_array, ordering: str) -> SuperLU:
    return splu(
        matrix,
        permc_spec=ordering,
        diag_pivot_thresh=0,
        options={"SymmetricMode": True, "Equil": False},
    )


def _is_symmetric(precision: csc_array) -> bool:
    """Whether the two halves agree up to rounding, measured in units of the diagonal."""
    diagonal = precision.diagonal()
    if not (diagonal > 0).all():
        return False
    scale = np.sqrt(diagonal)
    skew = (precision - precision.T).tocoo()
    return bool((np.abs(skew.data) <= 1e-9 * scale[skew.row] * scale[skew.col]).all())
