"""What the correction for many tests must know about all pairs: sums, counts, and a short list.

The score of a pair i < j is ``scores[i, j]``, Hedge's is ``scores[j, i]``; `_company` says what
``codes[i, j]`` is, and ``number`` and ``groups``.
"""

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._company import degree_group, explained_group
from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.shared.listing import BINS, BINS_TO_MEDIAN, PER_BIN
from hedgerow.method.company import LAST_BIN
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
def group_sizes(first, last, scores, codes, number, groups, shared, ends):
    """Count pairs by each of their groups, and those with p-values above one half, some rows i."""
    by_surplus = np.zeros((ends.size + 1, 2), np.int64)
    by_explained = np.zeros((LAST_BIN + 1, 2), np.int64)
    by_degree = np.zeros((_largest(groups) + 1, 2), np.int64)
    p = scores.shape[0]
    for start in range(first, p, last - first):
        for i in range(first, last):
            for j in range(max(start, i + 1), min(start + last - first, p)):
                z, witness, code = np.float64(scores[i, j]), np.float64(scores[j, i]), codes[i, j]
                above = np.int64(bin_of(abs(z)) < BINS_TO_MEDIAN)
                surplus = group_of(z, witness, shared, ends)
                explained = explained_group(z, code)
                degree = degree_group(i, j, code, number, groups)
                by_surplus[surplus, 0] += 1
                by_surplus[surplus, 1] += above
                by_explained[explained, 0] += 1
                by_explained[explained, 1] += above
                by_degree[degree, 0] += 1
                by_degree[degree, 1] += above
    return by_surplus, by_explained, by_degree


@njit(**IN_ORDER)
def histograms(
    first, last, scores, codes, number, groups, shared, ends, off_witness, off_z, classes
):
    """Count pairs by class and size of z, and by class and size of agreement, some rows i."""
    n_classes = _largest(classes.ravel()) + 1
    by_class = np.zeros((n_classes, BINS), np.int64)
    by_agreement = np.zeros((n_classes, BINS), np.int64)
    p = scores.shape[0]
    for start in range(first, p, last - first):
        for i in range(first, last):
            for j in range(max(start, i + 1), min(start + last - first, p)):
                z, witness, code = np.float64(scores[i, j]), np.float64(scores[j, i]), codes[i, j]
                surplus = group_of(z, witness, shared, ends)
                degree = degree_group(i, j, code, number, groups)
                own = classes[surplus, explained_group(z, code), degree]
                by_class[own, bin_of(abs(z))] += 1
                agrees = agreement_of(z, witness, off_witness, off_z)
                by_agreement[own, bin_of(max(agrees, 0.0))] += 1
    return by_class, by_agreement


@njit(**IN_ORDER)
def listed(
    first,
    last,
    scores,
    codes,
    number,
    groups,
    shared,
    ends,
    off_witness,
    off_z,
    classes,
    cuts,
    cuts_of_agreement,
):
    """Return source, target, witness and code of pairs that reach a cut of z or of agreement."""
    found = 0
    sources, targets = np.empty(64, np.int64), np.empty(64, np.int64)
    witnesses, listed_codes = np.empty(64), np.empty(64, np.int8)
    p = scores.shape[0]
    # Most pairs are below these, and need no closer look.
    lowest, least = _least(cuts), _least(cuts_of_agreement)
    for start in range(first, p, last - first):
        for i in range(first, last):
            for j in range(max(start, i + 1), min(start + last - first, p)):
                z, witness = np.float64(scores[i, j]), np.float64(scores[j, i])
                if abs(z) < lowest and max(abs(witness) - off_witness, abs(z) - off_z) < least:
                    continue
                code = codes[i, j]
                surplus = group_of(z, witness, shared, ends)
                degree = degree_group(i, j, code, number, groups)
                own = classes[surplus, explained_group(z, code), degree]
                if (
                    abs(z) >= cuts[own]
                    or agreement_of(z, witness, off_witness, off_z) >= cuts_of_agreement[own]
                ):
                    if found == sources.size:
                        sources = _twice_as_long(sources)
                        targets = _twice_as_long(targets)
                        witnesses = _twice_as_long(witnesses)
                        listed_codes = _twice_as_long(listed_codes)
                    sources[found], targets[found] = i, j
                    witnesses[found], listed_codes[found] = witness, code
                    found += 1
    return sources[:found], targets[:found], witnesses[:found], listed_codes[:found]


# Loops compile much faster than functions of NumPy.
@njit(**INNER)
def _least(values):
    least = values[0]
    for k in range(1, values.size):
        least = min(least, values[k])
    return least


@njit(**INNER)
def _largest(values):
    largest = np.int64(values[0])
    for k in range(1, values.size):
        largest = max(largest, np.int64(values[k]))
    return largest


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
