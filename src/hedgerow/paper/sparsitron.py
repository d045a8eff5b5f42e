"""The paper's two algorithms in readable NumPy.

Algorithm 1 (Sparsitron) learns one node's weights: a Hedge player predicts the node from all the
others, and is charged for every row it predicts badly. Algorithm 2 runs it once for each node
and joins two nodes when either one's weight on the other is large. ``docs/theory.md`` sections 1
to 6 give the derivations; ``sparsitron_cpu.py`` holds the compiled copy.
``sparsitron_ising.py`` plays the same game with another link between weights and prediction.

In this file ``x`` is the (T, n) array of the other variables, ``y`` the node to be predicted,
``(a, b)`` the same for the M held-out rows, and a *candidate* is the weight vector λp^t formed
from the rows before row t.
"""

from collections.abc import Callable, Iterator
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Link = Callable[[Array], Array]  # from weighted sums to predictions, entry by entry

SELECTIONS = ("argmin", "checkpoints", "average")


class Selected(NamedTuple):
    """The weight vector that was chosen, and which candidates it is the average of."""

    weights: Array
    step: int  # the last candidate averaged, counted from 1
    span: int  # how many candidates, ending with `step`, were averaged


class Graph(NamedTuple):
    """What Algorithm 2 returns; row i of ``weights`` is node i's weight vector."""

    weights: Array
    adjacency: NDArray[np.bool_]
    steps: NDArray[np.int64]
    spans: NDArray[np.int64]


# --- Algorithm 1: the Hedge player ----------------------------------------------------------


def identity(sums: Array) -> Array:
    """The link of Gaussian variables: a weighted sum is the prediction."""
    return sums


def default_beta(n_experts: int, n_steps: int) -> float:
    """Return the update parameter β = 1 / (1 + sqrt(ln N / T)) for N experts and T steps.

    The paper prints ``ln n``; the player has N = 2n + 1 experts, and the regret bound needs the
    number there really are (docs/theory.md, section 2.2).

    >>> round(default_beta(n_experts=15, n_steps=10_000), 4)
    0.9838
    """
    return 1.0 / (1.0 + sqrt(log(n_experts) / n_steps))


def hedge_step(weights: Array, loss: Array, beta: float) -> Array:
    """Return the experts' weights after a loss in [0, 1] for each of them."""
    return weights * beta**loss


def literal_candidates(
    x: Array, y: Array, l1_bound: float, beta: float, link: Link = identity
) -> Iterator[Array]:
    """Yield λp^1, ..., λp^T exactly as Algorithm 1 prints them.

    Rows become [x, -x, 0] so that weights of either sign and of l1 norm below ``l1_bound`` can
    be expressed; the 2n + 1 probabilities are folded back to n weights. The raw weights shrink
    like β^(T/2) and reach zero near T = 2·10⁶ / ln N: use :func:`candidates` for long runs.
    """
    n = x.shape[1]
    experts = np.hstack([x, -x, np.zeros((len(x), 1))])
    weights = np.full(2 * n + 1, 1.0 / (2 * n + 1))
    for row, target in zip(experts, y):
        p = weights / weights.sum()
        yield l1_bound * (p[:n] - p[n : 2 * n])
        residual = link(l1_bound * (p @ row)) - target
        weights = hedge_step(weights, 0.5 * (1.0 + residual * row), beta)


def closed_form(gradient: Array, l1_bound: float, beta: float) -> Array:
    """Return the candidate that a summed gradient leads to.

    With s = ½ ln(1/β) this is -λ sinh(s·G_j) / (½ + Σ_k cosh(s·G_k)); numerator and denominator
    are divided by the largest exponential, so nothing overflows (docs/theory.md, section 3).

    >>> closed_form(np.array([0.0, -1e6]), l1_bound=2.0, beta=0.5)
    array([0., 2.])
    """
    scaled = 0.5 * log(1.0 / beta) * gradient
    top = np.abs(scaled).max()
    up, down = np.exp(scaled - top), np.exp(-scaled - top)
    result: Array = l1_bound * (down - up) / (np.exp(-top) + up.sum() + down.sum())
    return result


def candidates(
    x: Array, y: Array, l1_bound: float, beta: float, link: Link = identity
) -> Iterator[Array]:
    """Yield the same vectors as :func:`literal_candidates` from n numbers of state."""
    gradient = np.zeros(x.shape[1])
    for row, target in zip(x, y):
        weights = closed_form(gradient, l1_bound, beta)
        yield weights
        gradient += (link(weights @ row) - target) * row


# --- Algorithm 1: choosing among the candidates ----------------------------------------------


def empirical_risk(weights: Array, a: Array, b: Array, link: Link = identity) -> float:
    """Return the mean squared error of predicting ``b`` by ``link(a @ weights)``."""
    return float(np.mean((link(a @ weights) - b) ** 2))


def checkpoint_windows(n_steps: int) -> list[tuple[int, int]]:
    """Return the O(log T) windows of steps that ``selection="checkpoints"`` averages over.

    A window (start, stop) covers steps start + 1 to stop. There is one prefix and one suffix for
    each of the lengths T, T/2, T/4, ..., 1, rounded up.

    >>> checkpoint_windows(4)
    [(0, 4), (0, 2), (0, 1), (2, 4), (3, 4)]
    """
    lengths = [n_steps]
    while lengths[-1] > 1:
        lengths.append((lengths[-1] + 1) // 2)
    prefixes = [(0, length) for length in lengths]
    suffixes = [(n_steps - length, n_steps) for length in lengths[1:]]
    return prefixes + suffixes


def selection_windows(selection: str, n_steps: int) -> list[tuple[int, int]]:
    """Return the windows of steps whose averages compete under ``selection``."""
    if selection == "average":
        return [(0, n_steps)]
    if selection == "checkpoints":
        return checkpoint_windows(n_steps)
    return [(step - 1, step) for step in range(1, n_steps + 1)]


def choose(
    made: Array,
    windows: list[tuple[int, int]],
    holdout: tuple[Array, Array] | None,
    link: Link = identity,
) -> Selected:
    """Return the average, over the windows of the candidates ``made``, of least risk."""
    averages = [made[start:stop].mean(axis=0) for start, stop in windows]
    best = 0
    if holdout is not None:
        best = int(np.argmin([empirical_risk(weights, *holdout, link) for weights in averages]))
    start, stop = windows[best]
    return Selected(averages[best], step=stop, span=stop - start)


def literal_sparsitron(
    x: Array,
    y: Array,
    a: Array,
    b: Array,
    l1_bound: float,
    beta: float | None = None,
    link: Link = identity,
) -> Selected:
    """Run Algorithm 1 with nothing changed but the number of experts in the default β.

    The second loop scores all T candidates; the paper's index stops at M by mistake.
    """
    n_steps, n = x.shape
    beta = default_beta(2 * n + 1, n_steps) if beta is None else beta
    made = np.array(list(literal_candidates(x, y, l1_bound, beta, link)))
    return choose(made, selection_windows("argmin", n_steps), (a, b), link)


def sparsitron(
    x: Array,
    y: Array,
    l1_bound: float,
    *,
    holdout: tuple[Array, Array] | None = None,
    selection: str = "argmin",
    beta: float | None = None,
    link: Link = identity,
) -> Selected:
    """Run Algorithm 1 in closed form: learn from (x, y), choose by the risk on ``holdout``.

    Parameters
    ----------
    x, y : arrays of shape (T, n) and (T,)
        Normalised rows to learn from, in order.
    l1_bound : float
        λ, an upper bound on the l1 norm of the true weights.
    holdout : pair of arrays of shape (M, n) and (M,), optional
        Rows that score the candidates; not needed for ``selection="average"``.
    selection : {"argmin", "checkpoints", "average"}
        Which averages of candidates compete: each candidate alone (the paper), prefixes and
        suffixes of geometric lengths, or only the average of all.
    beta : float, optional
        Update parameter in (0, 1); :func:`default_beta` when not given.
    link : callable
        From weighted sums to predictions; the identity for Gaussian variables.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-0.5, 0.5, (2000, 3))
    >>> y = 0.8 * x[:, 1]
    >>> chosen = sparsitron(x, y, 1.0, holdout=(x[:100], y[:100]), beta=0.8)
    >>> bool(abs(chosen.weights - [0.0, 0.8, 0.0]).max() < 0.02)
    True
    """
    n_steps, n = x.shape
    beta = default_beta(2 * n + 1, n_steps) if beta is None else beta
    made = np.array(list(candidates(x, y, l1_bound, beta, link)))
    return choose(made, selection_windows(selection, n_steps), holdout, link)


# --- Algorithm 2: from nodes to the graph ----------------------------------------------------


def row_bound(max_variance: float, delta: float, n_features: int, n_steps: int) -> float:
    """Return B·sqrt(ν_max), which no entry of T Gaussian rows exceeds with probability 1 - δ.

    >>> round(row_bound(max_variance=4.0, delta=0.05, n_features=8, n_steps=1000), 2)
    10.07
    """
    return sqrt(2.0 * log(2.0 * n_features * n_steps / delta) * max_variance)


def centre_rows(rows: Array) -> Array:
    """Return m - 1 rows of mean zero made from m rows of unknown mean.

    Row t becomes its difference from the mean of the rows before it, times sqrt((t - 1) / t).
    These are orthonormal contrasts: independent Gaussian rows stay independent, with the same
    covariance and no mean (docs/theory.md, section 5).

    >>> centre_rows(np.array([[5.0], [7.0], [6.0]])).round(3) + 0.0
    array([[1.414],
           [0.   ]])
    """
    before = np.arange(1, len(rows))[:, None]
    mean_before = np.cumsum(rows[:-1], axis=0) / before
    return (rows[1:] - mean_before) * np.sqrt(before / (before + 1))


def edges_from_weights(weights: Array, min_edge_strength: float) -> NDArray[np.bool_]:
    """Join i and j when max(\\|v^i_j\\|, \\|v^j_i\\|) ≥ 2κ/3.

    >>> edges_from_weights(np.array([[0.0, 0.3], [0.1, 0.0]]), min_edge_strength=0.4)
    array([[False,  True],
           [ True, False]])
    """
    strength = np.abs(weights)
    joined = np.maximum(strength, strength.T) >= 2.0 * min_edge_strength / 3.0
    np.fill_diagonal(joined, False)
    return joined


def learn_graph(
    rows: Array,
    holdout: Array,
    *,
    l1_bound: float,
    min_edge_strength: float,
    max_variance: float,
    delta: float,
    selection: str = "argmin",
    beta: float | None = None,
) -> Graph:
    """Run Algorithm 2 on T centred rows, with M more held out (M = 0 for ``"average"``).

    Parameters
    ----------
    rows, holdout : arrays of shape (T, p) and (M, p)
        Rows of mean zero, not normalised.
    l1_bound, min_edge_strength, max_variance, delta : float
        λ, κ, ν_max and δ.
    selection, beta
        As in :func:`sparsitron`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> left = rng.standard_normal(2000)
    >>> rows = np.stack([left, 0.8 * left + 0.6 * rng.standard_normal(2000)], axis=1)
    >>> graph = learn_graph(rows[:1500], rows[1500:], l1_bound=0.8, min_edge_strength=0.8,
    ...                     max_variance=1.0, delta=0.1, beta=0.5)
    >>> graph.adjacency
    array([[False,  True],
           [ True, False]])
    """
    n_steps, p = rows.shape
    scale = 1.0 / (row_bound(max_variance, delta, p, n_steps) * sqrt(l1_bound + 1.0))
    rows, holdout = rows * scale, holdout * scale
    weights = np.zeros((p, p))
    steps, spans = np.zeros(p, dtype=np.int64), np.zeros(p, dtype=np.int64)
    for i in range(p):
        others = np.arange(p) != i
        chosen = sparsitron(
            rows[:, others],
            rows[:, i],
            l1_bound,
            holdout=(holdout[:, others], holdout[:, i]) if len(holdout) else None,
            selection=selection,
            beta=beta,
        )
        weights[i, others], steps[i], spans[i] = chosen
    return Graph(weights, edges_from_weights(weights, min_edge_strength), steps, spans)
