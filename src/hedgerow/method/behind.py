"""What takes long in tests of variables that lie behind columns: functions that engines compile."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.method.latent import Latent
from hedgerow.method.latent import series as series
from hedgerow.method.looseness import looseness as looseness
from hedgerow.method.neighbours import NO_HUBS, Refit
from hedgerow.method.noisy import Sure
from hedgerow.method.noisy import given_both as given_both
from hedgerow.method.noisy import refit as refit
from hedgerow.method.noisy import weaken as weaken

Array = NDArray[np.float64]
Indices = NDArray[np.signedinteger]
Chosen = NDArray[np.intp]


class Behind(Protocol):
    """The functions of this module; `hedgerow.engines.numba_cpu.behind` has them compiled."""

    def series(self, rho: Array, first: Array, second: Array) -> tuple[Array, Array]:
        """Return what `latent.series` returns."""

    def refit(self, latent: Latent, n_rows: float, hubs: Chosen = NO_HUBS) -> Sure:
        """Return what `noisy.refit` returns."""

    def weaken(self, latent: Latent, n_rows: float, fitted: Refit) -> Refit:
        """Return what `noisy.weaken` returns."""

    def given_both(
        self, latent: Latent, n_rows: float, fitted: Refit, first: Chosen, second: Chosen
    ) -> tuple[Array, Chosen]:
        """Return what `noisy.given_both` returns."""

    def looseness(
        self, latent: Latent, coefficients: csr_array, first: Indices, second: Indices
    ) -> Array:
        """Return what `looseness.looseness` returns."""
