"""SparsitronIsing with the interface of its rivals."""

import numpy as np

from hedgerow.estimators import SparsitronIsing
from hedgerow.rivals._base import Found
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._ising_base import IsingRival, Signs


class IsingSparsitron(IsingRival):
    """`hedgerow.SparsitronIsing`, with a score for every pair.

    Parameters
    ----------
    width : float, default=2.0
        Bound on ``sum_j |J_ij| + |h_i|`` over the nodes i.
    min_coupling : float, default=0.2
        Every edge has an absolute coupling of at least this.
    selection : {"checkpoints", "argmin", "average"}, default="checkpoints"
        How one weight vector is made of the candidates.
    time_limit : float, optional
        Seconds; looked at after learning only, as SparsitronIsing cannot be stopped in between.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        The larger of the two nodes' couplings with each other, in size.
    couplings_ : ndarray of shape (n_features, n_features)
        Row i has node i's couplings.
    fields_ : ndarray of shape (n_features,)

    Notes
    -----
    Assumes what its parameters state. Its guarantee asks for very many rows, about which it
    warns; with fewer, edges may be missing. Cost: see `hedgerow.SparsitronIsing`.

    Examples
    --------
    >>> import warnings
    >>> from hedgerow.datasets import make_ising
    >>> from hedgerow.rivals import IsingSparsitron
    >>> X = make_ising("chain", 4, strength=0.8).sample(4000, seed=0)
    >>> with warnings.catch_warnings(action="ignore"):
    ...     graph = IsingSparsitron(1.6, 0.8).fit(X)
    >>> graph.adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        width: float = 2.0,
        min_coupling: float = 0.2,
        *,
        selection: str = "checkpoints",
        time_limit: float | None = None,
    ) -> None:
        self.width = width
        self.min_coupling = min_coupling
        self.selection = selection
        self.time_limit = time_limit

    def _learn_signs(self, signs: Signs, clock: Clock) -> Found:
        learner = SparsitronIsing(self.width, self.min_coupling, selection=self.selection)
        learner.fit(signs)
        clock.check("learning", 1.0)
        told = {"couplings_": learner.couplings_, "fields_": learner.fields_}
        return Found(np.abs(told["couplings_"]), learner.adjacency_.toarray(), None, told)
