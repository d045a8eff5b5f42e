"""Sparse factor of a precision matrix, and white noise coloured by it.

A sparse LU decomposition with a symmetric ordering and pivots on the diagonal is, for a positive
definite matrix, L D Lᵀ: a sparse Cholesky factor without any further dependency.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import splu


class Factor:
    """The factor R of a precision matrix, ``precision = Rᵀ R``, kept as a permuted triangle."""

    def __init__(self, precision: csc_array) -> None:
        lu = splu(
            precision,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0,
            options={"SymmetricMode": True, "Equil": False},
        )
        pivots = lu.U.diagonal()
        if not np.array_equal(lu.perm_r, lu.perm_c) or not (pivots > 0).all():
            raise ValueError("precision must be symmetric positive definite")
        self.order = lu.perm_c
        self.triangle = csc_array(diags_array(np.sqrt(pivots)) @ lu.L.T)
        # The triangle is its own decomposition, so this only prepares compiled substitution.
        self._substitution = splu(
            self.triangle,
            permc_spec="NATURAL",
            diag_pivot_thresh=0,
            options={"SymmetricMode": True, "Equil": False},
        )

    def colour(self, white: np.ndarray) -> np.ndarray:
        """Turn rows of independent standard normals into rows with this precision matrix."""
        return self._substitution.solve(white.T).T[:, self.order]
