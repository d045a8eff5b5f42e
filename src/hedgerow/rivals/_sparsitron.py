"""SparsitronGraph with the interface of its rivals."""

import numpy as np

from hedgerow.estimators import SparsitronGraph
from hedgerow.rivals._base import Array, Found, Rival
from hedgerow.rivals._clock import Clock


class Sparsitron(Rival):
    """`hedgerow.SparsitronGraph` on standard columns, with a score for every pair.

    Parameters
    ----------
    l1_bound : float, default=2.0
        Bound on ``sum_j |theta_ij| / theta_ii`` of the standardised model, over the nodes i.
    min_edge_strength : float, default=0.2
        Every edge has an absolute partial correlation of at least this; in (0, 1).
    selection : {"checkpoints", "argmin", "average"}, default="checkpoints"
        How one weight vector is made of the candidates.
    time_limit : float, optional
        Seconds; looked at after learning only, as SparsitronGraph cannot be stopped in between.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        The larger of the two nodes' weights on each other, in size.
    weights_ : ndarray of shape (n_features, n_features)
        Row i predicts column i, for standard columns.

    Notes
    -----
    Assumes what its parameters state. Its guarantee asks for very many rows, about which it
    warns; with fewer, edges may be missing. Cost: see `hedgerow.SparsitronGraph`.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from hedgerow.rivals import Sparsitron
    >>> X = np.random.default_rng(0).standard_normal((20_000, 3))
    >>> X[:, 1] += X[:, 0]
    >>> with warnings.catch_warnings(action="ignore"):
    ...     graph = Sparsitron().fit(X)
    >>> graph.adjacency_.toarray()[0]
    array([False,  True, False])
    """

    def __init__(
        self,
        l1_bound: float = 2.0,
        min_edge_strength: float = 0.2,
        *,
        selection: str = "checkpoints",
        time_limit: float | None = None,
    ) -> None:
        self.l1_bound = l1_bound
        self.min_edge_strength = min_edge_strength
        self.selection = selection
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        learner = SparsitronGraph(
            self.l1_bound, self.min_edge_strength, selection=self.selection, assume_centered=True
        ).fit(rows)
        clock.check("learning", 1.0)
        weights = learner.weights_
        return Found(np.abs(weights), learner.adjacency_.toarray(), None, {"weights_": weights})
