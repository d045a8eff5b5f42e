"""What the correction for many tests must know about all pairs: sums, counts, and a short list.

The score of a pair i < j is ``scores[i, j]``, Hedge's is ``scores[j, i]``.
"""

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.shared.listing import BINS, PER_BIN
from hedgerow.method.groups import CENTRE


@njit(**IN_ORDER)
def central_sums(first, last, scores):
    """Return the sums of z times witness and of z squared over central pairs, some rows i."""
    together, alone = 0.0, 0.0
    p = scores.shape[0]
    for start in range(first, p, last - first):
        for i in range(first, last):
            for j in range(max(start, i + 1), min(start + last - first, p)):
                z, witness = np.float64(scores[i, j]), np.float64(scores[j, i])
                if abs(z) < CENTRE:
                    together += z * witness
                    alone += z * z
    return together, alone


@njit(**IN_ORDER)
def histograms(first, last, scores, shared, ends, off_witness, off_z):
    """Count pairs by group of surplus and size of z, and by size of agreement, some rows i."""
    by_group = np.zeros((ends.size + 1, BINS), np.int64)
    by_agreement = np.zeros((1, BINS), np.int64)
    p = scores.shape[0]
    for start in range(first, p, last - first):
        for i in range(first, last):
            for j in range(max(start, i + 1), min(start + last - first, p)):
                z, witness = np.float64(scores[i, j]), np.float64(scores[j, i])
                by_group[group_of(z, witness, shared, ends), bin_of(abs(z))] += 1
                agrees = agreement_of(z, witness, off_witness, off_z)
                by_agreement[0, bin_of(max(agrees, 0.0))] += 1
    return by_group, by_agreement


@njit(**IN_ORDER)
def listed(first, last, scores, shared, ends, off_witness, off_z, cuts, cut):
    """Return source, target and witness of pairs that reach the cut of z or of agreement."""
    found = 0
    sources = np.empty(64, np.int64)
    targets, witnesses = np.empty(64, np.int64), np.empty(64)
    p, lowest = scores.shape[0], _least(cuts)  # most pairs are below it, and need no closer look
    for start in range(first, p, last - first):
        for i in range(first, last):
            for j in range(max(start, i + 1), min(start + last - first, p)):
                z, witness = np.float64(scores[i, j]), np.float64(scores[j, i])
                if abs(z) < lowest and max(abs(witness) - off_witness, abs(z) - off_z) < cut:
                    continue
                if (
                    abs(z) >= cuts[group_of(z, witness, shared, ends)]
                    or agreement_of(z, witness, off_witness, off_z) >= cut
                ):
                    if found == sources.size:
                        sources = _twice_as_long(sources)
                        targets = _twice_as_long(targets)
                        witnesses = _twice_as_long(witnesses)
                    sources[found], targets[found], witnesses[found] = i, j, witness
                    found += 1
    return sources[:found], targets[:found], witnesses[:found]


# Loops compile much faster than functions of NumPy.
@njit(**INNER)
def _least(values):
    least = values[0]
    for k in range(1, values.size):
        least = min(least, values[k])
    return least


@njit(**INNER)
def _twice_as_long(values):
    result = np.empty(2 * values.size, values.dtype)
    for k in range(values.size):
        result[k] = values[k]
    return result


@njit(forceinline=True, **INNER)
def bin_of(size):
    return min(int(size * PER_BIN), BINS - 1)


@njit(forceinline=True, **INNER)
def group_of(z, witness, shared, ends):
    """Return the group of a pair by its surplus (``method.groups`` says what that is)."""
    surplus = sign_of(z) * (witness - shared * z)
    group = 0
    for k in range(ends.size):
        group += ends[k] > surplus
    return group


@njit(forceinline=True, **INNER)
def agreement_of(z, witness, off_witness, off_z):
    return max(sign_of(z) * witness - off_witness, abs(z) - off_z)


@njit(forceinline=True, **INNER)
def sign_of(z):
    """Return -1, 0 or 1, without a branch: half of all scores would take the wrong one."""
    return np.float64(z > 0.0) - np.float64(z < 0.0)
