"""IsingGraph with the interface of its rivals."""

from hedgerow.estimators import IsingGraph
from hedgerow.rivals._base import Found
from hedgerow.rivals._clock import Clock
from hedgerow.rivals._hedge import scores_of
from hedgerow.rivals._ising_base import IsingRival, Signs


class IsingHedge(IsingRival):
    """`hedgerow.IsingGraph`, with a score for every pair.

    Parameters
    ----------
    error : {"fdr", "fwer"}, default="fdr"
        The error rate that is kept below ``level``.
    level : float or "balanced", default=0.05
        The error rate, in (0, 1). With "balanced" none is kept: false and missed edges weigh the
        same.
    time_limit : float, optional
        Seconds; looked at after learning only, as IsingGraph cannot be stopped in between.

    Attributes
    ----------
    adjacency_, location_, scale_, n_features_in_, feature_names_in_
        As in `Rival`.
    score_matrix_ : ndarray of shape (n_features, n_features)
        -log10 of the q-value, where that is at most 0.5, else 0; pairs with the same q-value
        are told apart by z.
    couplings_ : ndarray of shape (n_features, n_features)
    fields_ : ndarray of shape (n_features,)

    Notes
    -----
    Assumes independent rows of an Ising model. Cost O(m p²), and more where variables have many
    neighbours. See docs/ising.md.

    Examples
    --------
    >>> from hedgerow.datasets import make_ising
    >>> from hedgerow.rivals import IsingHedge
    >>> X = make_ising("chain", 4, strength=0.8).sample(400, seed=0)
    >>> IsingHedge(error="fwer").fit(X).adjacency_.toarray()[0]
    array([False,  True, False, False])
    """

    def __init__(
        self,
        error: str = "fdr",
        level: float | str = 0.05,
        *,
        time_limit: float | None = None,
    ) -> None:
        self.error = error
        self.level = level
        self.time_limit = time_limit

    def _learn_signs(self, signs: Signs, clock: Clock) -> Found:
        learner = IsingGraph(self.error, self.level).fit(signs)
        clock.check("learning", 1.0)
        told = {"couplings_": learner.couplings_, "fields_": learner.fields_}
        return Found(scores_of(learner), learner.adjacency_.toarray(), None, told)
