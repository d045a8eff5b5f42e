"""Rows of an Ising model, drawn exactly at any coupling: variables are summed out one by one.

It takes a table of 2^k numbers, k the largest number of neighbours that a variable has when its
turn comes: few on small lattices and sparse graphs, where coupling from the past takes for ever if
couplings are strong.
"""

import numpy as np

MOST = 20  # neighbours at a variable's turn


def eliminated(model):
    """Return variables in the order of their turns, with neighbours and log odds given these."""
    couplings, size = model.couplings.toarray(), model.size
    factors = [((i,), np.array([-h, h])) for i, h in enumerate(model.fields)]
    for i, j in model.edges.tolist():
        factors.append(((i, j), couplings[i, j] * np.array([[1.0, -1.0], [-1.0, 1.0]])))
    around = [set(np.flatnonzero(row).tolist()) for row in couplings]
    left, turns = set(range(size)), []
    while left:
        node = min(left, key=lambda k: _cost(around, k))
        near = tuple(sorted(around[node]))
        if len(near) > MOST:
            raise ValueError(f"a variable has {len(near)} neighbours at its turn, more than {MOST}")
        total = np.zeros((2,) * (len(near) + 1))
        for ends, table in factors:
            if node in ends:
                scope = [k for k in (node, *near) if k in ends]
                shape = [2 if k in ends else 1 for k in (node, *near)]
                total = total + table.transpose([ends.index(k) for k in scope]).reshape(shape)
        factors = [(ends, table) for ends, table in factors if node not in ends]
        factors.append((near, np.logaddexp(total[0], total[1])))
        turns.append((node, near, (total[1] - total[0]).ravel()))
        left.discard(node)
        for k in near:
            around[k] = (around[k] | set(near)) - {k, node}
    return turns


def _cost(around, node):
    return len(around[node]), sum(len(around[k] - around[node]) for k in around[node])


def draw(model, n, seed):
    """Return ``n`` independent rows of zeros and ones."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((n, model.size), dtype=np.uint8)
    for node, near, odds in reversed(eliminated(model)):
        state = np.zeros(n, dtype=np.intp)
        for k in near:
            state = 2 * state + rows[:, k]
        rows[:, node] = rng.random(n) < 1.0 / (1.0 + np.exp(-odds[state]))
    return rows
