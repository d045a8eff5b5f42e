"""SparsitronGraph: the paper's algorithm as a scikit-learn estimator."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import in_open_interval, one_of
from hedgerow.base.locks import locked
from hedgerow.base.words import listed
from hedgerow.estimators._sparsitron_base import SparsitronBase
from hedgerow.estimators._sparsitron_stream import ChosenVectors, Plan
from hedgerow.estimators._warnings import GuaranteeWarning, warn
from hedgerow.estimators.input import column_labels
from hedgerow.paper.sparsitron import SELECTIONS, edges_from_weights, row_bound
from hedgerow.theory import Problem, sufficient_rows

_SMALL, _LARGE = 1e-12, 1e12  # the range in which the bounds can be computed
_ROUNDING = 1e-9  # slack for relations that hold exactly only in real numbers
_LARGEST_ENTRY = 1e100  # in scaled units; sums of squares stay far from overflow


def _refuse_overflow(low: NDArray[Any], high: NDArray[Any], plan: Plan) -> None:
    largest = max(high.max(), -low.min())
    limit = _LARGEST_ENTRY / plan.scale
    if largest > limit:
        raise ValueError(f"X must have entries of size up to {limit:g}, got {largest:g}")


class SparsitronGraph(SparsitronBase):
    """Learn a Gaussian graphical model by multiplicative weights, as the paper does.

    One Hedge player for each node predicts that node from all the others, one row at a time; two
    nodes are joined when either one's weight on the other is at least two thirds of
    ``min_edge_strength``. The first five parameters are what the paper takes as known of the
    model. The guarantee depends on the units of the columns: standardise them unless the
    parameters are known in their units.

    Parameters
    ----------
    l1_bound : float, default=2.0
        λ: bound on ``sum_j |theta_ij| / theta_ii`` over the nodes i.
    min_edge_strength : float, default=0.2
        κ: every edge has an absolute partial correlation of at least this; in (0, 1).
    max_variance : float, default=1.0
        ν_max: bound on the variance of every column.
    max_precision : float, default=2.0
        θ_max: bound on the diagonal of the precision matrix. The weights do not depend on it; it
        decides how many rows the guarantee asks for, ``guaranteed_rows_``.
    delta : float, default=0.05
        δ: allowed probability of a wrong graph, in (0, 1).
    selection : {"checkpoints", "argmin", "average"}, default="checkpoints"
        How one vector is made of the T candidates, one for each row learned from.

        - ``"argmin"``: the candidate of least risk on the M held-out rows, as the paper prints
          it. Time O(T p³ + M p²) by way of the held-out Gram matrix, not the O((T + M) p²) that
          the paper states. Guarantee: Theorem 1.
        - ``"checkpoints"``: the best on the held-out rows among averages of the first and of the
          last T, T/2, T/4, ... candidates. Time O((T + M) p² + p³ log T), memory O(p² log T).
          Guarantee: Theorem 1 with the same T and M, as the average of all is among them.
        - ``"average"``: the average of all candidates. Time O(T p²); no rows are held out.
          Guarantee: Theorem 1 with M = 0, as the risk is convex. It cannot forget its poor
          beginning, and took about eight times as many rows as the others where measured
          (docs/theory.md, section 7).
    horizon : int, optional
        Number of rows in all; the learning rate and the scaling depend on it, so it must be known
        before the first row. ``fit`` takes the number of rows it is given; ``partial_fit`` is
        available only where it is stated.
    n_holdout : int, optional
        M, the number of rows held out to choose among candidates: the *first* M of the stream.
        The default is a fifth of the rows. Must be left out for ``selection="average"``. All
        other rows are learned from, but for one if the mean is unknown:
        ``T = horizon - n_holdout - (0 if assume_centered else 1)``.
    assume_centered : bool, default=False
        Whether the columns are known to have mean zero. If not, row t is replaced by its
        difference from the mean of the rows before it, times ``sqrt((t - 1) / t)``: this makes
        m - 1 rows of mean zero, with the same covariance, independent if the given ones are
        independent Gaussian rows, in a single pass (docs/theory.md, section 5).

    Attributes
    ----------
    weights_ : ndarray of shape (n_features, n_features)
        Row i is the estimate of ``-theta_ij / theta_ii``; zero diagonal.
    adjacency_ : csr_array of bool, of shape (n_features, n_features)
        The graph: symmetric, zero diagonal.
    selected_step_ : ndarray of shape (n_features,)
        Last candidate that node i's weights average over, counted from 1; candidate t is formed
        from the t - 1 rows before. With ``"argmin"`` the chosen candidate, with ``"average"`` T.
    selected_span_ : ndarray of shape (n_features,)
        Number of candidates averaged, ending with ``selected_step_``: 1 with ``"argmin"``, T
        with ``"average"``.
    n_steps_, n_holdout_ : int
        T and M.
    guaranteed_rows_ : int
        Rows with which the probability of a wrong graph is proved to be at most ``delta``. It
        comes from a proof and is very large; docs/theory.md, section 7, has measured figures.
    n_samples_seen_ : int
        Rows taken so far. During ``partial_fit`` the attributes above appear when it reaches
        the horizon.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only if the columns have names.

    Notes
    -----
    Several threads can use one model: each call, and each question for a result, waits until no
    other is being answered. A copy goes its own way.

    Warns
    -----
    GuaranteeWarning
        If there are fewer rows than ``guaranteed_rows_``, or if an entry is so large that
        ``max_variance`` cannot be right.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import SparsitronGraph
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300_000, 3))
    >>> X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]  # the third column is on its own
    >>> graph = SparsitronGraph(l1_bound=0.8, min_edge_strength=0.8, max_precision=3.0).fit(X)
    >>> graph.adjacency_.toarray().astype(int)
    array([[0, 1, 0],
           [1, 0, 0],
           [0, 0, 0]])
    """

    def __init__(
        self,
        l1_bound: float = 2.0,
        min_edge_strength: float = 0.2,
        max_variance: float = 1.0,
        max_precision: float = 2.0,
        delta: float = 0.05,
        *,
        selection: str = "checkpoints",
        horizon: int | None = None,
        n_holdout: int | None = None,
        assume_centered: bool = False,
    ) -> None:
        self.l1_bound = l1_bound
        self.min_edge_strength = min_edge_strength
        self.max_variance = max_variance
        self.max_precision = max_precision
        self.delta = delta
        self.selection = selection
        self.horizon = horizon
        self.n_holdout = n_holdout
        self.assume_centered = assume_centered

    @property
    @locked
    def weights_(self) -> NDArray[np.float64]:
        """Row i is the estimate of ``-theta_ij / theta_ii``."""
        return self._found("weights_").choice.weights

    def _coded(
        self, rows: NDArray[np.floating], low: NDArray[Any], high: NDArray[Any]
    ) -> NDArray[np.floating]:
        _refuse_overflow(low, high, self._stream.plan)
        return rows

    def _joined(self, choice: ChosenVectors) -> NDArray[np.bool_]:
        return edges_from_weights(choice.weights, self.min_edge_strength)

    def _plan(self, horizon: int) -> Plan:
        usable = horizon - int(not self.assume_centered)
        n_holdout = self._holdout_rows(horizon, usable)
        n_steps = usable - n_holdout
        return Plan(
            n_features=self.n_features_in_,
            n_holdout=n_holdout,
            n_steps=n_steps,
            row_bound=row_bound(self.max_variance, self.delta, self.n_features_in_, n_steps),
            l1_bound=float(self.l1_bound),
            selection=self.selection,
            centre=not self.assume_centered,
        )

    def _check_parameters(self) -> None:
        one_of("selection", self.selection, SELECTIONS)
        if not isinstance(self.assume_centered, bool | np.bool_):
            raise ValueError(f"assume_centered must be True or False, got {self.assume_centered!r}")
        in_open_interval("min_edge_strength", self.min_edge_strength, _SMALL, 1)
        in_open_interval("delta", self.delta, _SMALL, 1)
        for name in ("l1_bound", "max_variance", "max_precision"):
            in_open_interval(name, getattr(self, name), _SMALL, _LARGE)
        if self.l1_bound < self.min_edge_strength * (1 - _ROUNDING):
            raise ValueError(
                f"l1_bound must be at least min_edge_strength = {self.min_edge_strength:g}, which "
                f"an edge adds to one of its ends, got {self.l1_bound:g}"
            )
        if self.max_precision * self.max_variance < 1 - _ROUNDING:
            raise ValueError(
                f"max_precision must be at least 1 / max_variance = {1 / self.max_variance:g}, as "
                f"no variance is below 1 / theta_ii, got {self.max_precision:g}"
            )

    def _rows_for_guarantee(self) -> int:
        problem = Problem(
            p=self.n_features_in_,
            kappa=self.min_edge_strength,
            lambda_max=self.l1_bound,
            nu_max=self.max_variance,
            theta_max=self.max_precision,
            degree=self.n_features_in_ - 1,  # this bound does not depend on it
            delta=self.delta,
        )
        proof = "average" if self.selection == "average" else "argmin"
        budget = sufficient_rows(problem, selection=proof)
        return budget.train + budget.holdout + int(not self.assume_centered)

    def _warn_where_unproved(self) -> None:
        plan, peak = self._stream.plan, self._stream.peak
        beyond = np.flatnonzero(peak > plan.row_bound)
        if beyond.size:
            labels = column_labels(self)
            columns = listed(f"{labels[j]!r} ({peak[j]:.3g})" for j in beyond)
            warn(
                GuaranteeWarning,
                f"max_variance={self.max_variance:g} is too small for X, or X is far from "
                f"Gaussian: with probability {1 - self.delta:g} no entry should be further than "
                f"{plan.row_bound:.3g} from its mean, got columns {columns}; the graph may be "
                "wrong",
            )
        super()._warn_where_unproved()
