"""SparsitronIsing: Klivans and Meka's algorithm as a scikit-learn estimator."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import one_of
from hedgerow.base.locks import locked
from hedgerow.base.words import listed
from hedgerow.estimators._sparsitron_base import SparsitronBase
from hedgerow.estimators._sparsitron_stream import ChosenVectors, Plan
from hedgerow.estimators.input import column_labels
from hedgerow.paper.sparsitron import SELECTIONS
from hedgerow.paper.sparsitron_ising import edges_from_couplings
from hedgerow.theory import IsingProblem, sufficient_ising_rows


class SparsitronIsing(SparsitronBase):
    """Learn an Ising model by multiplicative weights, as Klivans and Meka do.

    One Hedge player for each node predicts the chance that it is +1 from all the others and a
    constant, one row at a time; two nodes are joined when either one's estimate of their coupling
    is at least half of ``min_coupling``. The first three parameters are what the paper takes as
    known of the model, P(x) ∝ exp(Σ_{i<j} J_ij x_i x_j + Σ_i h_i x_i).

    Parameters
    ----------
    width : float, default=1.0
        λ: bound on ``sum_j |J_ij| + |h_i|`` over the nodes i; at most 30.
    min_coupling : float, default=0.2
        η: every edge has an absolute coupling of at least this.
    delta : float, default=0.05
        δ: allowed probability of a wrong graph, in (0, 1). It decides how many rows the guarantee
        asks for, ``guaranteed_rows_``, and nothing else.
    selection : {"checkpoints", "argmin", "average"}, default="checkpoints"
        How one vector is made of the T candidates, one for each row learned from.

        - ``"argmin"``: the candidate of least risk on the M held-out rows, as published. Time
          O(T M p²).
        - ``"checkpoints"``: the best on the held-out rows among averages of the first and of the
          last T, T/2, T/4, ... candidates. Time O(T p² + M p² log T), memory O(p² log T).
        - ``"average"``: the average of all candidates. Time O(T p²); no rows are held out.

        Each is proved to be right from its own number of rows on (docs/planning.md, section 8).
    horizon : int, optional
        Number of rows in all; the learning rate depends on it, so it must be known before the
        first row. ``fit`` takes the number of rows it is given; ``partial_fit`` is available only
        where it is stated.
    n_holdout : int, optional
        M, the number of rows held out to choose among candidates: the *first* M of the stream,
        which are kept. The default is a fifth of the rows. Must be left out for
        ``selection="average"``. All other rows are learned from: ``T = horizon - n_holdout``.

    Attributes
    ----------
    couplings_ : ndarray of shape (n_features, n_features)
        Row i is node i's estimate of its couplings, so that the two of a pair may differ; zero
        diagonal.
    fields_ : ndarray of shape (n_features,)
    adjacency_ : csr_array of bool, of shape (n_features, n_features)
        The graph: symmetric, zero diagonal.
    selected_step_, selected_span_ : ndarray of shape (n_features,)
        Last candidate that node i's estimate averages over, counted from 1, and how many.
    n_steps_, n_holdout_ : int
        T and M.
    guaranteed_rows_ : int
        Rows with which the probability of a wrong graph is proved to be at most ``delta``. It
        comes from a proof, grows like e^(12λ), and is very large.
    n_samples_seen_ : int
        Rows taken so far. During ``partial_fit`` the attributes above appear when it reaches
        the horizon.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only if the columns have names.

    Notes
    -----
    Columns have -1 and 1, or 0 and 1 (booleans too), which are then taken as -1 and 1. Other values
    are refused: a stream cannot know its second value before it comes.

    Warns
    -----
    GuaranteeWarning
        If there are fewer rows than ``guaranteed_rows_``.

    References
    ----------
    A. Klivans and R. Meka (2017), Learning graphical models using multiplicative weights, FOCS.

    Examples
    --------
    >>> import warnings
    >>> from hedgerow import SparsitronIsing
    >>> from hedgerow.datasets import make_ising
    >>> model = make_ising("chain", 4, strength=0.6)
    >>> with warnings.catch_warnings(action="ignore"):
    ...     graph = SparsitronIsing(width=1.2, min_coupling=0.6).fit(model.sample(4000, seed=0))
    >>> graph.adjacency_.toarray().astype(int)
    array([[0, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 1, 0, 1],
           [0, 0, 1, 0]])
    """

    def __init__(
        self,
        width: float = 1.0,
        min_coupling: float = 0.2,
        *,
        delta: float = 0.05,
        selection: str = "checkpoints",
        horizon: int | None = None,
        n_holdout: int | None = None,
    ) -> None:
        self.width = width
        self.min_coupling = min_coupling
        self.delta = delta
        self.selection = selection
        self.horizon = horizon
        self.n_holdout = n_holdout

    @property
    @locked
    def couplings_(self) -> NDArray[np.float64]:
        """Row i is node i's estimate of its couplings."""
        return self._found("couplings_").choice.weights[:, :-1] / 2.0

    @property
    @locked
    def fields_(self) -> NDArray[np.float64]:
        """Estimate of each node's field."""
        return self._found("fields_").choice.weights[:, -1] / 2.0

    def _coded(
        self, rows: NDArray[np.floating], low: NDArray[Any], high: NDArray[Any]
    ) -> NDArray[np.floating]:
        zero_or_one = ((rows == 0) | (rows == 1)).all(axis=0) & (low >= 0)
        minus_or_plus = (np.abs(rows) == 1).all(axis=0) & ((low == -1) | (low == 1))
        bad = np.flatnonzero(~(zero_or_one | minus_or_plus))
        if bad.size:
            labels = column_labels(self)
            columns = listed(f"{labels[j]!r} ({low[j]:g} to {high[j]:g})" for j in bad)
            raise ValueError(
                f"X must have columns of -1 and 1, or of 0 and 1, got columns {columns}"
            )
        return np.where(rows > 0, 1.0, -1.0)

    def _joined(self, choice: ChosenVectors) -> NDArray[np.bool_]:
        return edges_from_couplings(choice.weights[:, :-1] / 2.0, self.min_coupling)

    def _plan(self, horizon: int) -> Plan:
        n_holdout = self._holdout_rows(horizon, horizon)
        return Plan(
            n_features=self.n_features_in_,
            n_holdout=n_holdout,
            n_steps=horizon - n_holdout,
            l1_bound=2.0 * self.width,
            selection=self.selection,
            logistic=True,
        )

    def _check_parameters(self) -> None:
        one_of("selection", self.selection, SELECTIONS)
        self._problem()

    def _problem(self) -> IsingProblem:
        return IsingProblem(self.n_features_in_, self.min_coupling, self.width, self.delta)

    def _rows_for_guarantee(self) -> int:
        budget = sufficient_ising_rows(self._problem(), selection=self.selection)
        return budget.train + budget.holdout
