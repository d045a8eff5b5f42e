"""The graphical lasso, by scikit-learn's solver."""

import warnings

from sklearn.covariance import graphical_lasso
from sklearn.exceptions import ConvergenceWarning

from hedgerow.rivals._base import Array
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._likelihood import PenalisedLikelihood


class GraphicalLasso(PenalisedLikelihood):
    """Graphical lasso: the l1-penalised Gaussian likelihood, by block coordinate descent.

    Parameters
    ----------
    penalty : float or {"ebic", "stars", "cv"}, default="ebic"
        Weight of the sum of absolute entries off the diagonal, on the scale of correlations: a
        number, or how to choose it among twenty from the empty graph down to half the noise of a
        correlation:

        - ``"ebic"``: extended Bayesian information criterion with γ = 0.5 of the graph, that is,
          at the greatest likelihood on it without penalty (Foygel and Drton 2010); one path of
          solutions, which ends after five penalties without improvement.
        - ``"stars"``: the smallest penalty at which graphs from 20 subsamples of the rows hardly
          differ (Liu, Roeder and Wasserman 2010; instability up to 0.05); 20 paths.
        - ``"cv"``: likelihood of rows left out, in five folds; five paths, which end likewise. It
          aims at prediction, and makes denser graphs than the others.
    random_state : int or None, default=0
        Draws subsamples and folds; None draws others every time.
    time_limit : float, optional
        Seconds; looked at between solutions, as scikit-learn's solver cannot be stopped inside.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        Size of the partial correlations of ``precision_``.
    precision_ : ndarray of shape (n_features, n_features)
    penalty_ : float
        The penalty used.

    Notes
    -----
    Finds the graph, given m of order d² log p for degrees up to d, if the model is incoherent: no
    pair without an edge is too well predicted, as a product of columns, by the pairs with one
    (Ravikumar, Wainwright, Raskutti and Yu 2011). A star breaks this if its leaves have
    correlations above 1/2 with the hub; so does a diamond, four nodes with all edges but one, from
    correlations of 0.23 on: then false edges stay as rows grow. Cost: for each penalty and
    resample, up to 100 sweeps of p lasso problems on p columns, about O(p³) each; connected
    components of the correlations above the penalty are solved apart.

    References
    ----------
    Friedman, Hastie and Tibshirani (2008), Sparse inverse covariance estimation with the graphical
    lasso, Biostatistics 9.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import GraphicalLasso
    >>> X = np.random.default_rng(0).standard_normal((400, 4))
    >>> X[:, 1] += X[:, 0]
    >>> GraphicalLasso().fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        penalty: float | str = "ebic",
        *,
        random_state: int | None = 0,
        time_limit: float | None = None,
    ) -> None:
        self.penalty = penalty
        self.random_state = random_state
        self.time_limit = time_limit

    def _solve_component(
        self, corr: Array, penalty: float, start: Array | None, clock: Clock
    ) -> Array:
        with warnings.catch_warnings():
            # Along a path it warns for every solution whose gap is not quite closed.
            warnings.simplefilter("ignore", ConvergenceWarning)
            _, precision = graphical_lasso(corr, penalty)
        result: Array = precision
        return result
