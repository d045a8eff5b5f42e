"""The Sparsitron where it came from: Ising models (Klivans and Meka), in readable NumPy.

Given all others, variable i of an Ising model is +1 with probability
σ(2 h_i + 2 Σ_j J_ij x_j). So the game of ``sparsitron.py`` is played with the sigmoid as link, the
constant 1 beside the other variables, and 2λ as bound of the weights, where λ bounds
Σ_j |J_ij| + |h_i|. Entries are -1 and +1: losses lie in [0, 1] without any normalisation.
``docs/theory.md`` section 23 gives the derivations.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from hedgerow.paper.sparsitron import Array, sparsitron


class IsingEstimate(NamedTuple):
    """Row i of ``couplings`` is node i's estimate, so that the two of a pair may differ."""

    couplings: Array
    fields: Array
    adjacency: NDArray[np.bool_]
    steps: NDArray[np.int64]
    spans: NDArray[np.int64]


def node_problem(rows: Array, node: int) -> tuple[Array, Array]:
    """Return what predicts a node, the constant last, and what is predicted: 0 or 1.

    >>> node_problem(np.array([[1.0, -1.0, 1.0]]), 1)
    (array([[1., 1., 1.]]), array([0.]))
    """
    others = np.delete(rows, node, axis=1)
    return np.column_stack([others, np.ones(len(rows))]), 0.5 * (1.0 + rows[:, node])


def edges_from_couplings(couplings: Array, min_coupling: float) -> NDArray[np.bool_]:
    """Join i and j when the larger of the two estimates is at least η/2 in size.

    >>> edges_from_couplings(np.array([[0.0, 0.3], [0.1, 0.0]]), min_coupling=0.4)
    array([[False,  True],
           [ True, False]])
    """
    strength = np.abs(couplings)
    joined = np.maximum(strength, strength.T) >= min_coupling / 2.0
    np.fill_diagonal(joined, False)
    return joined


def learn_ising(
    rows: Array,
    holdout: Array,
    *,
    width: float,
    min_coupling: float,
    selection: str = "argmin",
    beta: float | None = None,
) -> IsingEstimate:
    """Run one Sparsitron for each node, on T rows of -1 and 1, with M more held out.

    Parameters
    ----------
    rows, holdout : arrays of shape (T, p) and (M, p)
        M = 0 for ``selection="average"``.
    width, min_coupling : float
        λ, bound of Σ_j |J_ij| + |h_i| over the nodes, and η, of |J_ij| over the edges.
    selection, beta
        As in :func:`hedgerow.paper.sparsitron.sparsitron`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> left = rng.choice([-1.0, 1.0], 2000)
    >>> rows = np.stack([left, left * rng.choice([1.0, 1.0, -1.0], 2000)], axis=1)
    >>> found = learn_ising(rows[:1500], rows[1500:], width=0.5, min_coupling=0.3)
    >>> found.adjacency
    array([[False,  True],
           [ True, False]])
    """
    p = rows.shape[1]
    couplings, fields = np.zeros((p, p)), np.zeros(p)
    steps, spans = np.zeros(p, dtype=np.int64), np.zeros(p, dtype=np.int64)
    for i in range(p):
        chosen = sparsitron(
            *node_problem(rows, i),
            2.0 * width,
            holdout=node_problem(holdout, i) if len(holdout) else None,
            selection=selection,
            beta=beta,
            link=expit,
        )
        couplings[i, np.arange(p) != i] = chosen.weights[:-1] / 2.0
        fields[i], steps[i], spans[i] = chosen.weights[-1] / 2.0, chosen.step, chosen.span
    adjacency = edges_from_couplings(couplings, min_coupling)
    return IsingEstimate(couplings, fields, adjacency, steps, spans)
