"""How rows of an Ising model are drawn: exactly where that can be done, and what is told if not."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.sparse import csr_array

Array = NDArray[np.float64]

MOST_STATES = 2**16  # of models that are enumerated
LONGEST_COUPLING = 512  # sweeps in which the pilot's rows must have coupled
LEAST_BURN_IN = 200  # sweeps
_TIMES_TO_FORGET = 20  # autocorrelation times that a burn-in lasts: e⁻²⁰ of the start is left
_PILOT_ROWS = 16
_PILOT_CHAINS = 4
_PILOT_SWEEPS = 4096
_PILOT_SEED = 0  # the plan is the model's, whatever rows are drawn later
_LONGEST_TIME = _PILOT_SWEEPS / 50  # an autocorrelation time beyond is not to be believed


class SamplingWarning(UserWarning):
    """Rows may not follow the model that they are drawn from."""


class Sampling(NamedTuple):
    """How rows are drawn, and what is known of it.

    Attributes
    ----------
    method : {"enumeration", "coupling", "gibbs"}
        All states listed; coupling from the past; or a chain for each row, with a burn-in.
    sweeps : int
        "coupling": the most that a row of the pilot took. "gibbs": the burn-in. Otherwise 0.
    autocorrelation : float
        "gibbs": integrated autocorrelation time of the pilot's slowest figure, in sweeps; the
        figures are the mean, the energy and the likeness to a common state, of chains that begin
        with all +1, all -1 and coin flips. NaN otherwise.
    """

    method: str
    sweeps: int
    autocorrelation: float

    @property
    def exact(self) -> bool:
        """Whether rows follow the model exactly, and not only nearly."""
        return self.method != "gibbs"

    @property
    def measured(self) -> bool:
        """Whether the pilot was long enough for the autocorrelation to be believed."""
        return self.exact or self.autocorrelation <= _LONGEST_TIME


class Chains:
    """The model as the compiled chains want it."""

    def __init__(self, couplings: csr_array, fields: Array) -> None:
        self._of_model = (
            couplings.indptr.astype(np.int64),
            couplings.indices.astype(np.int64),
            couplings.data.astype(np.float64),
            np.ascontiguousarray(fields, dtype=np.float64),
        )
        self._size = len(fields)

    def plan(self) -> Sampling:
        """Coupling from the past if a pilot couples in time; otherwise Gibbs, with its figures."""
        from hedgerow.datasets import _ising_cpu as kernels

        seeds = row_seeds(np.random.default_rng(_PILOT_SEED), _PILOT_ROWS)
        rows = np.empty((_PILOT_ROWS, self._size))
        sweeps = kernels.rows_from_past(rows, seeds, LONGEST_COUPLING, *self._of_model)
        if sweeps:
            return Sampling("coupling", int(sweeps), float("nan"))
        chains = rows[:_PILOT_CHAINS]
        chains[0], chains[1] = 1.0, -1.0
        kernels.rows_after_burn_in(chains[2:], seeds[2:_PILOT_CHAINS], 0, *self._of_model)
        for state, seed in zip(chains, seeds):
            kernels.follow(state, state, seed, _PILOT_SWEEPS, *self._of_model)
        reference, more = chains[0].copy(), seeds[_PILOT_CHAINS:]
        told = [
            kernels.follow(state, reference, seed, _PILOT_SWEEPS, *self._of_model)
            for state, seed in zip(chains, more)
        ]
        slowest = max(map(autocorrelation_time, np.swapaxes(told, 0, 1)))
        forgotten = int(np.ceil(_TIMES_TO_FORGET * min(slowest, _LONGEST_TIME)))
        return Sampling("gibbs", max(LEAST_BURN_IN, forgotten), slowest)

    def draw(self, plan: Sampling, n: int, rng: Generator) -> Array:
        """Return ``n`` independent rows."""
        from hedgerow.datasets import _ising_cpu as kernels

        rows = np.empty((n, self._size))
        seeds = row_seeds(rng, n)
        if plan.method == "coupling":
            # No limit: to give up on rows that take long would favour those that do not.
            kernels.rows_from_past(rows, seeds, np.iinfo(np.int64).max, *self._of_model)
            return rows
        if not plan.measured:
            warnings.warn(
                f"the chain moves too slowly to be measured: its autocorrelation time was "
                f"{plan.autocorrelation:.0f} sweeps in a pilot of {_PILOT_SWEEPS}, and rows drawn "
                f"after {plan.sweeps} sweeps may not follow the model",
                SamplingWarning,
                stacklevel=3,
            )
        kernels.rows_after_burn_in(rows, seeds, plan.sweeps, *self._of_model)
        return rows


def row_seeds(rng: Generator, n: int) -> NDArray[np.uint64]:
    """One seed for each row: rows drawn in pieces are those drawn at once."""
    return rng.integers(2**64, size=n, dtype=np.uint64)


def log_weights(couplings: Array, fields: Array) -> Array:
    """Return Σ_{i<j} J_ij x_i x_j + Σ_i h_i x_i of all states.

    Variable i is +1 in state k where bit i of k is set.

    >>> log_weights(np.array([[0.0, 2.0], [2.0, 0.0]]), np.array([0.0, 1.0]))
    array([ 1., -3., -1.,  3.])
    """
    weights = np.zeros(1)
    for i in range(len(fields)):
        field = np.full(1, fields[i])
        for j in range(i):
            field = np.concatenate([field - couplings[i, j], field + couplings[i, j]])
        weights = np.concatenate([weights - field, weights + field])
    return weights


def rows_of(states: NDArray[np.int64], size: int) -> Array:
    """Return the states, given by their numbers, as rows of -1 and +1."""
    bits: NDArray[np.int64] = states[:, None] >> np.arange(size) & 1
    return (2 * bits - 1).astype(np.float64)


def autocorrelation_time(series: Array) -> float:
    """Return 1 + 2 Σ ρ_k of several chains, summed until five times the sum so far (Sokal).

    Chains are compared with the mean of all: where each stays in a place of its own, time is long.

    >>> autocorrelation_time(np.array([[1.0, -1.0] * 50, [-1.0, 1.0] * 50])) < 1
    True
    """
    centred = series - series.mean()
    n = centred.shape[1]
    power = (np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2).mean(axis=0)
    covariance = np.fft.irfft(power)[:n]
    if covariance[0] <= 0:
        return 1.0
    times = 2.0 * np.cumsum(covariance / covariance[0]) - 1.0
    window = np.arange(n) >= 5.0 * times
    return float(times[np.argmax(window)] if window.any() else times[-1])
