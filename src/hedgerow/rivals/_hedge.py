"""HedgeGraph with the interface of its rivals."""

import numpy as np

from hedgerow.estimators import HedgeGraph, IsingGraph
from hedgerow.method.balance import LOOSEST_LEVEL
from hedgerow.rivals._base import Array, Found, Rival
from hedgerow.rivals._clock import Clock

_TIE_BREAK = 1e-6  # weight of |z| in the score, which only tells equal q-values apart


class Hedge(Rival):
    """`hedgerow.HedgeGraph`, with a score for every pair.

    Parameters
    ----------
    error : {"fdr", "fwer"}, default="fdr"
        The error rate that is kept below ``level``.
    level : float or "balanced", default=0.05
        The error rate, in (0, 1). With "balanced" none is kept: false and missed edges weigh the
        same (docs/theory.md, section 15).
    columns : {"any", "normal"}, default="any"
        Whether HedgeGraph finds out what columns are, or takes their numbers as they are.
    time_limit : float, optional
        Seconds; looked at after learning only, as HedgeGraph cannot be stopped in between.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        -log10 of the q-value, where that is at most 0.5, else 0; pairs with the same q-value
        are told apart by z.

    Notes
    -----
    Assumes independent rows, near to Gaussian, and few neighbours for each node in comparison
    with the rows. Cost O(m p²). See docs/theory.md, sections 8 to 13.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.rivals import Hedge
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)
    >>> Hedge(error="fwer").fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        error: str = "fdr",
        level: float | str = 0.05,
        *,
        columns: str = "any",
        time_limit: float | None = None,
    ) -> None:
        self.error = error
        self.level = level
        self.columns = columns
        self.time_limit = time_limit

    def _learn(self, rows: Array, clock: Clock) -> Found:
        learner = HedgeGraph(self.error, self.level, columns=self.columns).fit(rows)
        clock.check("learning", 1.0)
        return Found(scores_of(learner), learner.adjacency_.toarray())


def scores_of(learner: HedgeGraph | IsingGraph) -> Array:
    """Return a score for every pair: how small its q-value is."""
    graph = learner.graph_up_to(max(LOOSEST_LEVEL, learner.level_))
    scores = np.zeros((learner.n_features_in_, learner.n_features_in_))
    surprise = -np.log10(np.maximum(graph.q_value, np.finfo(np.float64).tiny))
    scores[graph.source, graph.target] = surprise + _TIE_BREAK * np.abs(graph.z)
    return scores
