"""Compiled chains of an Ising model: a row from the past, a row after a burn-in, a pilot.

One update takes a variable to +1 where its field, h_i + Σ_j J_ij x_j, exceeds ½ ln(u / (1 - u)) for
a uniform u: the heat bath. A sweep updates all variables in their order. Each u is a hash of the
row's seed, the sweep and the variable, so a row depends on nothing but its seed, and the past can
be visited again. Neighbours of i are ``near[starts[i] : starts[i + 1]]``.
"""

import numpy as np
from numba import int64, njit, uint64

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # SplitMix64: its step and its two factors
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@njit(cache=True)
def _mixed(word):
    word = (word ^ (word >> uint64(30))) * _FIRST
    word = (word ^ (word >> uint64(27))) * _SECOND
    return word ^ (word >> uint64(31))


@njit(cache=True)
def _key(seed, sweep):
    """What all hashes of a sweep begin with."""
    return _mixed(seed + uint64(sweep + 1) * _GOLDEN)


@njit(cache=True)
def _uniform(key, node):
    """A number in (0, 1), neither end included."""
    return (int64(_mixed(key + uint64(node + 1) * _GOLDEN) >> uint64(11)) + 0.5) * 2.0**-53


@njit(cache=True)
def _update(state, node, u, starts, near, couplings, fields):
    field = fields[node]
    for k in range(starts[node], starts[node + 1]):
        field += couplings[k] * state[near[k]]
    state[node] = 1.0 if field > 0.5 * np.log(u / (1.0 - u)) else -1.0


@njit(cache=True)
def _sweep(state, key, starts, near, couplings, fields):
    for node in range(state.size):
        _update(state, node, _uniform(key, node), starts, near, couplings, fields)


@njit(cache=True)
def _bound(low, high, key, starts, near, couplings, fields):
    """Update the least and largest values that all states between ``low`` and ``high`` can take.

    Returns how many variables are still open.
    """
    still_open = 0
    for node in range(low.size):
        least = largest = fields[node]
        for k in range(starts[node], starts[node + 1]):
            one, other = couplings[k] * low[near[k]], couplings[k] * high[near[k]]
            least += min(one, other)
            largest += max(one, other)
        u = _uniform(key, node)
        threshold = 0.5 * np.log(u / (1.0 - u))
        low[node] = 1.0 if least > threshold else -1.0
        high[node] = 1.0 if largest > threshold else -1.0
        still_open += low[node] != high[node]
    return still_open


@njit(cache=True)
def _from_past(state, seed, longest, starts, near, couplings, fields):
    """Write the state at time 0 that all states ``longest`` sweeps ago, or fewer, lead to.

    Returns how many sweeps back all had met, or 0 if they had not.
    """
    sweeps = 1
    high = np.empty_like(state)
    while sweeps <= longest:
        state[:], high[:] = -1.0, 1.0
        still_open = 1
        for time in range(sweeps, 0, -1):
            key = _key(seed, time)
            if still_open:
                still_open = _bound(state, high, key, starts, near, couplings, fields)
            else:
                _sweep(state, key, starts, near, couplings, fields)
        if not still_open:
            return sweeps
        sweeps *= 2
    return 0


@njit(cache=True, nogil=True)
def rows_from_past(rows, seeds, longest, starts, near, couplings, fields):
    """Fill every row by coupling from the past; return the most sweeps, or 0 if one needs more."""
    most = 1
    for k in range(seeds.size):
        taken = _from_past(rows[k], seeds[k], longest, starts, near, couplings, fields)
        if taken == 0:
            return 0
        most = max(most, taken)
    return most


@njit(cache=True, nogil=True)
def rows_after_burn_in(rows, seeds, sweeps, starts, near, couplings, fields):
    """Fill every row by a chain of its own, from a state of coin flips."""
    for k in range(seeds.size):
        key = _key(seeds[k], 0)
        for node in range(rows.shape[1]):
            rows[k, node] = 1.0 if _uniform(key, node) < 0.5 else -1.0
        for time in range(1, sweeps + 1):
            _sweep(rows[k], _key(seeds[k], time), starts, near, couplings, fields)


@njit(cache=True, nogil=True)
def follow(state, reference, seed, sweeps, starts, near, couplings, fields):
    """Move ``state`` on; return, sweep by sweep, its mean, energy and likeness to a reference.

    Any of the three may be slow where the others are not: the mean in a magnet, the likeness in a
    glass.
    """
    told = np.zeros((3, sweeps))
    for time in range(sweeps):
        _sweep(state, _key(seed, time + 1), starts, near, couplings, fields)
        for node in range(state.size):
            field = 0.0
            for k in range(starts[node], starts[node + 1]):
                field += couplings[k] * state[near[k]]
            told[0, time] += state[node]
            told[1, time] += state[node] * (0.5 * field + fields[node])
            told[2, time] += state[node] * reference[node]
    return told
