"""Forward selection for many nodes, some columns at a time: `_select` for who has only these.

What selection knows of a column j depends on j and on the variables chosen so far, not on other
columns. So whoever has some columns of the products finds the strongest among them, for every node,
if it is told the products of the node and of its chosen variables with each other. The functions
that compute are those of `_select`, and the bits are the same.

``chosen[n]`` has the variables of node n in the order in which they were chosen. Entry
t (t + 1) / 2 + k of ``related[n]`` is the product of the t-th with the node, for k = 0, or else
with variable k - 1. Row ``places[i]`` of ``block`` has the products of variable i with the columns.
"""

import numpy as np
from numba import njit

from hedgerow.engines.numba_cpu._products import IN_ORDER, INNER
from hedgerow.engines.numba_cpu._scores import score
from hedgerow.engines.numba_cpu._select import (
    JOINED,
    bin_of,
    regress,
    scores_of_others,
    strongest,
    take,
    too_weak,
)
from hedgerow.method.neighbours import COLLINEAR


@njit(**IN_ORDER)
def strongest_of_columns(
    first, block, places, nodes, chosen, related, per_scale, hubs, best, strength, at
):
    """Write the strongest of the columns from ``first`` on, and its strength, where it is stronger.

    ``at`` becomes the place among hubs of the first that can be used, if it is in these columns.
    """
    step, width = chosen.shape[1], block.shape[1]
    room = _room(step, width)
    explained = np.empty(width)
    for n in range(nodes.size):
        _explained(nodes[n], first, block, places, chosen[n], related[n], per_scale, room)
        covariance, variance = room[2][step:], room[3][step:]
        top = strongest(covariance, variance, explained)
        if explained[top] > strength[n]:
            best[n], strength[n] = first + top, explained[top]
        for h in range(at[n]):
            if 0 <= hubs[h] - first < width and variance[hubs[h] - first] > COLLINEAR:
                at[n] = h
                break


@njit(**IN_ORDER)
def decide(nodes, chosen, related, per_scale, n_rows, thresholds, strength, is_hub, taken, goes_on):
    """Write of the last of the chosen whether it is taken, and whether another may follow."""
    step = chosen.shape[1] - 1
    nothing, nowhere = np.empty((1, 0)), np.zeros(per_scale.size, np.int64)
    before, after = _room(step, 0), _room(step + 1, 0)
    for n in range(nodes.size):
        node = nodes[n]
        residual = _explained(
            node, 0, nothing, nowhere, chosen[n, :step], related[n], per_scale, before
        )
        taken[n] = is_hub[n] or not too_weak(strength[n] / residual, n_rows, step, thresholds[step])
        goes_on[n] = False
        if taken[n] and step + 1 < thresholds.size:
            residual = _explained(
                node, 0, nothing, nowhere, chosen[n], related[n], per_scale, after
            )
            goes_on[n] = not residual < COLLINEAR


@njit(**IN_ORDER)
def regress_nodes(nodes, chosen, related, squares, per_scale, found):
    """Write what is ``found`` for nodes, from the products of their chosen variables."""
    size = chosen.shape[1]
    products, scales = np.empty((size + 1, size + 1)), np.empty(size + 1)
    for n in range(nodes.size):
        node = nodes[n]
        order = np.argsort(chosen[n])
        scales[size], products[size, size] = per_scale[node], squares[node]
        for t in range(size):
            scales[t], products[t, t] = per_scale[chosen[n, t]], squares[chosen[n, t]]
            row = related[n, t * (t + 1) // 2 :]
            products[t, size] = products[size, t] = row[0]
            for k in range(t):
                products[t, k] = products[k, t] = row[1 + k]
        for t in range(size):
            found.chosen[node, t] = chosen[n, order[t]]
        found.sizes[node] = size
        regress(size, products, scales, order, node, found)


@njit(**IN_ORDER)
def scores_of_columns(
    first,
    block,
    places,
    nodes,
    chosen,
    related,
    per_scale,
    n_rows,
    curves,
    ends,
    found,
    scores,
    codes,
):
    """Write scores and codes of nodes with the columns from ``first`` on, given the neighbours."""
    size, width = chosen.shape[1], block.shape[1]
    room = _room(size, width)
    line, of_company = np.empty(width, np.float32), np.empty(width, np.int8)
    freedom = max(n_rows - 2.0 - size, 1.0)
    for n in range(nodes.size):
        node = nodes[n]
        _explained(node, first, block, places, chosen[n], related[n], per_scale, room)
        residual = found.residual[node]
        scores_of_others(room[2][size:], room[3][size:], residual, freedom, curves[size], line)
        for j in range(width):
            of_company[j] = bin_of(
                _whole(node, size + j, per_scale, room) - room[2][size + j], ends
            )
        if 0 <= node - first < width:
            line[node - first] = 0.0
            of_company[node - first] = 0
        for k in range(size):
            at, partial = found.chosen[node, k] - first, found.partial[node, k]
            if 0 <= at < width:
                whole = _whole(node, size + at, per_scale, room)
                of_company[at] = JOINED + bin_of(whole - found.left[node, k], ends)
            if 0 <= at < width and found.stands_in[node, k]:
                line[at] = score(partial, freedom, curves[size])
            elif 0 <= at < width:
                line[at] = score(partial, freedom + 1.0, curves[size - 1])
        scores[node], codes[node] = line, of_company


@njit(inline="always", **INNER)
def _whole(node, j, per_scale, room):
    """Return the correlation of a node with one of the columns in the room."""
    return room[0][0, j] * (per_scale[node] * room[1][j])


@njit(**INNER)
def _room(step, width):
    """Return room for a node: rows of products, scales, covariances, variances, and a basis.

    Chosen variables have columns of their own, before the others.
    """
    size = step + width
    rows, basis = np.empty((step + 1, size)), np.empty((step, size))
    return rows, np.empty(size), np.empty(size), np.empty(size), basis


@njit(inline="always", **INNER)
def _explained(node, first, block, places, chosen, related, per_scale, room):
    """Write covariances and variances given the chosen; return what is left of the node's own.

    As `_select` does it, whose choices are known.
    """
    rows, scales, covariance, variance, basis = room
    step, width = chosen.size, block.shape[1]
    rows[0, step:] = block[places[node]]
    scales[step:] = per_scale[first : first + width]
    for t in range(step):
        scales[t] = per_scale[chosen[t]]
        rows[0, t] = related[t * (t + 1) // 2]
        rows[t + 1, t] = 0.0
        for k in range(t):
            rows[t + 1, k] = rows[k + 1, t] = related[t * (t + 1) // 2 + 1 + k]
        rows[t + 1, step:] = block[places[chosen[t]]]
    for j in range(scales.size):
        covariance[j] = rows[0, j] * (per_scale[node] * scales[j])
        variance[j] = 1.0
    own = step + node - first
    inside = 0 <= node - first < width
    if inside:
        variance[own] = 0.0
    residual = 1.0
    for t in range(step):
        loading = take(t, rows[t + 1], scales, basis, t, covariance, variance)
        variance[t] = 0.0
        if inside:
            variance[own] = 0.0
        if 0 <= chosen[t] - first < width:
            variance[step + chosen[t] - first] = 0.0
        residual -= loading * loading
    return residual
