"""The graphical lasso by the package gglasso."""

from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from hedgerow.base.checks import in_open_interval
from hedgerow.rivals._base import Array, Found, Rival, absolute_partial_corr, correlation
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._penalty import grid


class GGLasso(Rival):
    """Graphical lasso by ADMM, from the package gglasso, with its criterion for the penalty.

    Parameters
    ----------
    gamma : float, default=0.1
        How much the number of possible graphs counts in the package's extended Bayesian
        information criterion, in (0, 1); 0.1 is the package's default.
    time_limit : float, optional
        Seconds; looked at before and after, as the package cannot be stopped inside.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Size of the partial correlations of ``precision_``.
    precision_ : ndarray of shape (n_features, n_features)
    penalty_ : float
        The penalty chosen.

    Notes
    -----
    Assumes what `GraphicalLasso` assumes. Cost: an eigendecomposition, O(p³), for each of up to
    1000 iterations, for each penalty. Needs the package gglasso.

    References
    ----------
    Schaipp, Vlasovets and Müller (2021), GGLasso: a Python package for general graphical lasso
    computation, JOSS 6.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import GGLasso
    >>> X = np.random.default_rng(0).standard_normal((400, 4))
    >>> X[:, 1] += X[:, 0]
    >>> bool(GGLasso().fit(X).adjacency_[0, 1])
    True
    """

    def __init__(self, gamma: float = 0.1, *, time_limit: float | None = None) -> None:
        self.gamma = gamma
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        from gglasso.problem import glasso_problem

        gamma = in_open_interval("gamma", self.gamma, 0, 1)
        clock.check("choosing the penalty", 0.0)
        corr = correlation(rows)
        problem = glasso_problem(corr, len(rows))
        with redirect_stdout(StringIO()):  # it prints how every solution ended
            problem.model_selection({"lambda1_range": np.array(grid(corr, len(rows)))}, gamma=gamma)
        clock.check("choosing the penalty", 1.0)
        precision, graph = problem.solution.precision_, problem.solution.adjacency_ != 0
        attributes = {"penalty_": float(problem.reg_params["lambda1"])}
        return Found(absolute_partial_corr(precision), graph, precision, attributes)
