"""Forward selection of each node's neighbours, and scores given them (`method.neighbours`).

The correlation of i and j is ``products[i, j] * per_scale[i] * per_scale[j]``; no matrix of
correlations is made.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._bits import reinterpret
from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.numba_cpu._scores import score
from hedgerow.engines.numba_cpu._small import correlations, inverse
from hedgerow.method.neighbours import COLLINEAR

JOINED = 32  # added to the codes of chosen variables (`_company`)
_TINY = float(np.finfo(np.float64).eps)


class Neighbours(NamedTuple):
    """What was chosen for each node; row i has ``sizes[i]`` entries that count."""

    chosen: NDArray[np.int64]  # variables, in ascending order
    coefficients: NDArray[np.float64]  # of the node's least squares on them
    sizes: NDArray[np.int64]
    residual: NDArray[np.float64]  # share of the node's variance that is not explained
    variance: NDArray[np.float64]  # the same, as the debiased statistic wants it
    partial: NDArray[np.float64]  # partial correlations of the node with them, given the others
    left: NDArray[np.float64]  # and what these leave of the correlation
    stands_in: NDArray[np.bool_]  # whether these were given a variable in place of the neighbour


def no_neighbours(n_columns: int, most: int) -> Neighbours:
    """Return room for up to ``most`` neighbours of each node."""
    return Neighbours(
        np.zeros((n_columns, most), np.int64),
        np.zeros((n_columns, most)),
        np.zeros(n_columns, np.int64),
        np.empty(n_columns),
        np.empty(n_columns),
        np.zeros((n_columns, most)),
        np.zeros((n_columns, most)),
        np.zeros((n_columns, most), np.bool_),
    )


def chosen_by(found: Neighbours) -> NDArray[np.intp]:
    """Return how many nodes each variable was chosen for."""
    n_columns, most = found.chosen.shape
    return np.bincount(found.chosen[np.arange(most) < found.sizes[:, None]], minlength=n_columns)


@njit(**IN_ORDER)
def select_nodes(
    first,
    last,
    products,
    per_scale,
    n_rows,
    thresholds,
    hubs,
    curves,
    ends,
    found,
    scores,
    codes,
):
    """Choose the neighbours of nodes ``first`` to ``last``; write what is ``found``.

    Row i of ``scores`` becomes the score of node i with every variable given i's neighbours other
    than that variable, and of ``codes`` what these explain (`_company`). ``curves`` are the
    polynomials of `score_polynomials`, and ``ends`` those of `company.ends_of_bins`.
    """
    p = per_scale.size
    covariance, variance, strength = np.empty(p), np.empty(p), np.empty(p)
    basis = np.empty((thresholds.size, p))
    for node in range(first, last):
        size = _choose(
            node,
            products,
            per_scale,
            n_rows,
            thresholds,
            hubs,
            covariance,
            variance,
            strength,
            basis,
            found,
        )
        chosen = found.chosen[node, :size]
        freedom = max(n_rows - 2.0 - size, 1.0)
        scores_of_others(
            covariance, variance, found.residual[node], freedom, curves[size], scores[node]
        )
        scores[node, node] = 0.0
        for k in range(size):
            partial = found.partial[node, k]
            scores[node, chosen[k]] = score(partial, freedom + 1.0, curves[size - 1])
        _write_codes(node, products, per_scale, covariance, ends, found, codes[node])


@njit(**IN_ORDER)
def choose_nodes(first, last, products, per_scale, n_rows, thresholds, hubs, found):
    """Choose the neighbours of nodes ``first`` to ``last``, and score nothing."""
    p = per_scale.size
    covariance, variance, strength = np.empty(p), np.empty(p), np.empty(p)
    basis = np.empty((thresholds.size, p))
    for node in range(first, last):
        _choose(
            node,
            products,
            per_scale,
            n_rows,
            thresholds,
            hubs,
            covariance,
            variance,
            strength,
            basis,
            found,
        )


@njit(inline="always", **INNER)
def _choose(
    node,
    products,
    per_scale,
    n_rows,
    thresholds,
    hubs,
    covariance,
    variance,
    strength,
    basis,
    found,
):
    """Write what is found for a node; return how many neighbours it has."""
    size = _select(
        node,
        products,
        per_scale,
        n_rows,
        thresholds,
        hubs,
        covariance,
        variance,
        strength,
        basis,
        found.chosen[node],
    )
    found.sizes[node] = size
    chosen = found.chosen[node, :size]
    _sort(chosen)
    regress(node, products, per_scale, chosen, node, found)
    return size


@njit(inline="always", **INNER)
def _select(
    node,
    products,
    per_scale,
    n_rows,
    thresholds,
    hubs,
    covariance,
    variance,
    strength,
    basis,
    chosen,
):
    """Write the variables chosen for a node, hubs and then the strongest; return their number."""
    for j in range(per_scale.size):
        covariance[j] = products[node, j] * (per_scale[node] * per_scale[j])
        variance[j] = 1.0
    variance[node] = 0.0
    residual, at = 1.0, 0
    for step in range(thresholds.size):
        while at < hubs.size and variance[hubs[at]] <= COLLINEAR:
            at += 1
        if at < hubs.size:
            best = hubs[at]
        else:
            best = strongest(covariance, variance, strength)
            if too_weak(strength[best] / residual, n_rows, step, thresholds[step]):
                return step
        loading = take(best, products[best], per_scale, basis, step, covariance, variance)
        variance[node] = variance[best] = 0.0
        residual -= loading * loading
        chosen[step] = best
        if residual < COLLINEAR:
            return step + 1
    return thresholds.size


@njit(inline="always", **INNER)
def too_weak(top, n_rows, step, threshold):
    """Return whether a variable that explains a share ``top`` of what is left is no neighbour."""
    return top * (n_rows - 3.0 - step) <= threshold**2 * (1.0 - top)


@njit(inline="always", **INNER)
def take(best, row, per_scale, basis, step, covariance, variance):
    """Explain covariances and variances by one more variable; return its loading."""
    scale = 1.0 / sqrt(variance[best])
    loading = covariance[best] * scale
    _next_direction(row, per_scale, per_scale[best], basis, step, best, scale)
    _explain(basis[step], loading, covariance, variance)
    return loading


@njit(inline="always", **INNER)
def _sort(values):
    """Sort a few numbers by insertion."""
    for a in range(1, values.size):
        value, b = values[a], a
        while b > 0 and values[b - 1] > value:
            values[b] = values[b - 1]
            b -= 1
        values[b] = value


@njit(inline="always", **INNER)
def strongest(covariance, variance, strength):
    """Return the usable variable that explains most; write what each would explain."""
    top = np.int64(0)
    for j in range(covariance.size):
        explained = covariance[j] * covariance[j] / max(variance[j], COLLINEAR)
        explained = explained if variance[j] > COLLINEAR else 0.0
        strength[j] = explained
        top = max(top, reinterpret(explained))  # bits of positive numbers are in their order
    largest = reinterpret(top)
    for j in range(covariance.size):
        if strength[j] == largest:
            return j
    return 0


@njit(inline="always", **INNER)
def _next_direction(row, per_scale, own_scale, basis, step, best, scale):
    """Write the part of a variable that the basis does not explain yet, with length one."""
    direction = basis[step]
    for j in range(row.size):
        direction[j] = row[j] * (own_scale * per_scale[j])
    for k in range(step):
        _subtract(direction, basis[k, best], basis[k])
    for j in range(row.size):
        direction[j] *= scale


@njit(inline="always", **INNER)
def _subtract(total, factor, values):
    for j in range(total.size):
        total[j] -= factor * values[j]


@njit(inline="always", **INNER)
def _explain(direction, loading, covariance, variance):
    for j in range(direction.size):
        covariance[j] -= loading * direction[j]
        variance[j] -= direction[j] * direction[j]


@njit(inline="always", **INNER)
def regress(at, products, per_scale, chosen, node, found):
    """Write a node's coefficients, what they leave, and its partial correlations.

    Row ``at`` of the products is the node's.
    """
    matrix = correlations(products, per_scale, chosen)
    inverted = inverse(matrix)
    size = chosen.size
    target, coefficients = np.empty(size), found.coefficients[node, :size]
    for a in range(size):
        target[a] = products[at, chosen[a]] * (per_scale[at] * per_scale[chosen[a]])
    explained = 0.0
    for a in range(size):
        coefficients[a] = 0.0
        for b in range(size):
            coefficients[a] += inverted[a, b] * target[b]
        explained += coefficients[a] * target[a]
    residual = max(1.0 - explained, COLLINEAR)
    variance = 1.0 - explained
    for a in range(size):
        noise = inverted[a, a] * residual
        found.partial[node, a] = coefficients[a] / sqrt(coefficients[a] ** 2 + noise)
        found.left[node, a] = coefficients[a] / inverted[a, a]
        left = target[a]
        for b in range(size):
            left -= coefficients[b] * matrix[a, b]
        variance -= coefficients[a] * left
    found.residual[node] = residual
    found.variance[node] = max(variance, _TINY)


@njit(**INNER)
def _write_codes(node, products, per_scale, covariance, ends, found, codes):
    """Write the codes of a node with all variables, given what its neighbours leave of each."""
    for j in range(per_scale.size):
        whole = products[node, j] * (per_scale[node] * per_scale[j])
        codes[j] = bin_of(whole - covariance[j], ends)
    codes[node] = 0
    for k in range(found.sizes[node]):
        j = found.chosen[node, k]
        whole = products[node, j] * (per_scale[node] * per_scale[j])
        codes[j] = JOINED + bin_of(whole - found.left[node, k], ends)


@njit(inline="always", **INNER)
def bin_of(explained, ends):
    """Return the bin of an explained correlation (`hedgerow.method.company.bins_of`)."""
    number = 0
    for k in range(ends.size):
        number += abs(explained) >= ends[k]
    return number if explained > 0.0 else -number


@njit(inline="always", **INNER)
def scores_of_others(covariance, variance, residual, freedom, curve, scores):
    for j in range(covariance.size):
        scale = sqrt(max(variance[j], COLLINEAR) * residual)
        r = min(max(covariance[j] / scale, -1.0), 1.0)
        z = score(r, freedom, curve)
        scores[j] = z if variance[j] > COLLINEAR else 0.0
