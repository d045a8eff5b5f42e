"""Graph paths and their selection by the package pyhuge."""

import numpy as np

from hedgerow.base.checks import one_of
from hedgerow.rivals._base import Array, Found, Rival
from hedgerow.rivals._clock import Clock

SELECTED_BY = {"mb": ("ric", "stars"), "glasso": ("ric", "stars", "ebic")}


class Huge(Rival):
    """Neighbourhood selection or graphical lasso by the package pyhuge, selected as it does.

    Parameters
    ----------
    method : {"mb", "glasso"}, default="mb"
        Neighbourhood selection (an edge needs one of its ends) or graphical lasso.
    criterion : {"ric", "stars", "ebic"}, default="ric"
        How the penalty is chosen: rotation information criterion, which compares with rows whose
        columns have been shifted against each other; stability of graphs from subsamples, with the
        package's limit of 0.1; or extended Bayesian information, for the graphical lasso only.
    time_limit : float, optional
        Seconds; looked at between path and selection, as the package cannot be stopped inside.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        The largest penalty of the path at which the pair is joined; 0 if it never is. Pairs that
        the graph joins at a smaller penalty than any of the path have that penalty.
    penalty_ : float
        The penalty chosen.

    Notes
    -----
    Assumptions as of `NeighbourhoodSelection` and `GraphicalLasso`. Cost: one path of ten
    penalties in compiled code, and twenty more for ``"stars"``. Needs the package pyhuge.

    References
    ----------
    Zhao, Liu, Roeder, Lafferty and Wasserman (2012), The huge package for high-dimensional
    undirected graph estimation in R, JMLR 13.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import Huge
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
    >>> Huge().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self, method: str = "mb", criterion: str = "ric", *, time_limit: float | None = None
    ) -> None:
        self.method = method
        self.criterion = criterion
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        import pyhuge

        one_of("method", self.method, tuple(SELECTED_BY))
        one_of("criterion", self.criterion, SELECTED_BY[self.method])
        clock.check("path", 0.0)
        path = pyhuge.huge(rows, method=self.method, verbose=False, input_type="data")
        clock.check("path", 1.0)
        clock.check("choosing the penalty", 0.0)
        best = pyhuge.huge_select(path, criterion=self.criterion, verbose=False)
        clock.check("choosing the penalty", 1.0)
        graph = best.refit.toarray() != 0
        scores = np.where(graph, best.opt_lambda, 0.0)
        for penalty, joined in zip(path.lambda_path, path.path):
            scores = np.maximum(scores, np.where(joined.toarray() != 0, penalty, 0.0))
        return Found(scores, graph, None, {"penalty_": float(best.opt_lambda)})
