"""How many rows: what no method can do without, what is proved enough, and orders of growth.

Section numbers refer to docs/planning.md, where each explicit constant is derived.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from hedgerow.base.checks import in_open_interval, integer_at_least, one_of

_ROUNDING = 1e-9  # slack for relations that hold exactly only in real numbers
_SMALL, _LARGE = 1e-12, 1e12  # keeps every power below inside double precision


@dataclass(frozen=True)
class Problem:
    """A learning problem, as far as the bounds can tell: a class of models and a promise.

    Attributes
    ----------
    p : int
        Number of variables, at least 2.
    kappa : float
        Every edge has an absolute partial correlation of at least this.
    lambda_max : float
        Bound on ``sum_j |theta_ij| / theta_ii`` for every node i.
    nu_max, theta_max : float
        Bounds on the marginal variances and on the diagonal of the precision matrix.
    degree : int
        Bound on the number of neighbours of a node.
    delta : float
        Allowed probability of returning a wrong graph.
    row_norm : float, optional
        Bound on the l1 norm of a row of the precision matrix. Without it the bounds use
        ``(1 + lambda_max) * theta_max``, which always holds.

    Examples
    --------
    >>> Problem(p=100, kappa=0.2, lambda_max=2.0, nu_max=1.0, theta_max=1.0, degree=4).row_bound
    3.0
    """

    p: int
    kappa: float
    lambda_max: float
    nu_max: float
    theta_max: float
    degree: int
    delta: float = 0.05
    row_norm: float | None = None

    def __post_init__(self) -> None:
        integer_at_least("p", self.p, 2)
        integer_at_least("degree", self.degree, 1)
        in_open_interval("kappa", self.kappa, _SMALL, 1)
        in_open_interval("delta", self.delta, _SMALL, 1)
        for name in ("lambda_max", "nu_max", "theta_max"):
            in_open_interval(name, getattr(self, name), _SMALL, _LARGE)
        in_open_interval("row_norm", self.row_bound, _SMALL, 2 * _LARGE**2)
        self._check_relations()

    def _check_relations(self) -> None:
        """Refuse classes that contain no model: the user has mistaken one of the constants."""
        if self.degree > self.p - 1:
            raise ValueError(f"degree must be at most p - 1 = {self.p - 1}, got {self.degree}")
        if self.lambda_max < self.kappa * (1 - _ROUNDING):
            raise ValueError(
                f"lambda_max must be at least kappa = {self.kappa:g}, which an edge adds to one "
                f"of its ends, got {self.lambda_max:g}"
            )
        product = self.nu_max * self.theta_max
        if product < 1 - _ROUNDING:
            raise ValueError(
                "nu_max * theta_max must be at least 1, as no variance is below 1 / theta_ii, "
                f"got {product:g}"
            )
        if self.row_bound < self.theta_max * (1 - _ROUNDING):
            raise ValueError(
                f"row_norm must be at least theta_max = {self.theta_max:g}, which is part of a "
                f"row, got {self.row_bound:g}"
            )

    @property
    def row_bound(self) -> float:
        """Bound on the l1 norm of a precision row, given or implied."""
        return (1 + self.lambda_max) * self.theta_max if self.row_norm is None else self.row_norm

    @property
    def risk(self) -> float:
        """Excess risk below which every weight is within kappa / 3 of the truth."""
        return self.kappa**2 / (9 * self.theta_max)


class RowBudget(NamedTuple):
    """Rows that are proved enough for the paper's Algorithm 2.

    Attributes
    ----------
    train : int
        T, the rows that update the weights.
    holdout : int
        M, the rows that choose among the T candidates.
    clip : float
        B, the normalisation that keeps the T rows in range with high probability.
    risk : float
        Excess risk that every node's estimate then attains.
    """

    train: int
    holdout: int
    clip: float
    risk: float


class Bound(NamedTuple):
    """One line of the plan.

    Attributes
    ----------
    name : str
    rows : int
        The figure; for an order, its value with constant 1.
    kind : str
        "necessary": no method does with fewer. "sufficient": the named method needs no more.
    is_order : bool
        Whether only the order of growth is known: ``rows`` then compares, and promises nothing.
    formula, note, reference : str
    """

    name: str
    rows: int
    kind: str
    is_order: bool
    formula: str
    note: str
    reference: str


def hedge_regret(rounds: int, experts: int) -> float:
    """Bound the regret of Hedge at the paper's learning rate, for losses in [0, 1] (section 3).

    Parameters
    ----------
    rounds, experts : int
        Number of loss vectors and their length; ``beta = 1 / (1 + sqrt(log(experts) / rounds))``.

    Returns
    -------
    float
        ``9/8 sqrt(rounds log(experts)) + log(experts) / 2``.

    Examples
    --------
    >>> round(hedge_regret(rounds=10_000, experts=199), 1)
    261.5
    """
    log_experts = math.log(experts)
    return 9 / 8 * math.sqrt(rounds * log_experts) + log_experts / 2


def sufficient_rows(
    problem: Problem, *, selection: str = "argmin", concentration: str = "bernstein"
) -> RowBudget:
    """Return the smallest T, and the M, that the proof of Theorem 1 shows to be enough.

    Parameters
    ----------
    problem : Problem
    selection : {"argmin", "average"}
        How one vector is made of the T candidates: the best on held-out rows, or their average,
        which needs no held-out rows.
    concentration : {"bernstein", "paper"}
        Deviation of the martingale in the proof: from Bernstein's inequality with the moments
        worked out (section 4), or the paper's ``2**10 sqrt(T log(1/delta))``, which also holds
        but asks for about a million times as many rows.

    Returns
    -------
    RowBudget

    Examples
    --------
    >>> problem = Problem(p=8, kappa=0.4, lambda_max=0.8, nu_max=1.5, theta_max=1.0, degree=2)
    >>> budget = sufficient_rows(problem, selection="average")
    >>> budget.train > 10**8, budget.holdout
    (True, 0)
    """
    one_of("selection", selection, ("argmin", "average"))
    one_of("concentration", concentration, ("bernstein", "paper"))
    holds_out = selection == "argmin"
    target = problem.risk / 2 if holds_out else problem.risk
    # Half of delta is the normalisation's; the martingale shares the rest with the held-out rows.
    failure = problem.delta / (4 if holds_out else 2) / problem.p
    deviation = _bernstein_deviation if concentration == "bernstein" else _paper_deviation
    gain = 2 * problem.lambda_max * (problem.lambda_max + 1) * problem.nu_max
    experts = 2 * problem.p - 1

    def enough(rounds: int) -> bool:
        b_squared = _clip_squared(problem, rounds)
        error = hedge_regret(rounds, experts) + deviation(rounds, b_squared, failure)
        return gain * b_squared * error / rounds <= target

    train = smallest(enough)
    return RowBudget(
        train=train,
        holdout=_holdout_rows(problem, train) if holds_out else 0,
        clip=math.sqrt(_clip_squared(problem, train)),
        risk=problem.risk,
    )


def _clip_squared(problem: Problem, rounds: int) -> float:
    return 2 * math.log(2 * problem.p * rounds / problem.delta)


def _bernstein_deviation(rounds: int, b_squared: float, failure: float) -> float:
    """Solve ``a**2 = 2 L (v + K a)`` with v = 3 T / B^4, K = 2 / B^2, L = log(1/failure)."""
    log_failure = math.log(1 / failure)
    linear = 2 * log_failure
    return (linear + math.sqrt(linear**2 + 6 * rounds * log_failure)) / b_squared


def _paper_deviation(rounds: int, b_squared: float, failure: float) -> float:
    """The paper's lemma: a one-sided failure probability of half its delta."""
    return 2**10 * math.sqrt(rounds * math.log(1 / (2 * failure)))


def _holdout_rows(problem: Problem, candidates: int) -> int:
    """Rows on which all candidates' losses, in raw units, are within risk / 4 of their means."""
    spread = (problem.lambda_max + 1) ** 2 * problem.nu_max
    tolerance = problem.risk / 4
    log_failure = math.log(8 * problem.p * candidates / problem.delta)
    return math.ceil((6 * spread**2 + 4 * spread * tolerance) * log_failure / tolerance**2)


def smallest(enough: Callable[[int], bool]) -> int:
    """Smallest integer from 2 up at which ``enough``, false then true for ever, is true."""
    high = 2
    while not enough(high):
        high *= 2
    low = max(high // 2, 1)
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def plan(problem: Problem) -> list[Bound]:
    """Put the known bounds on the number of rows side by side.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    list of Bound
        The explicit figures, least first, then the orders of growth.

    Examples
    --------
    >>> problem = Problem(100, 0.2, lambda_max=2, nu_max=1, theta_max=1, degree=4, delta=0.1)
    >>> {bound.name: bound.rows for bound in plan(problem)}["Theorem 1"]
    3296180
    """
    necessary = one_edge(
        problem.p,
        problem.delta,
        learned_per_row=-math.log1p(-(problem.kappa**2)) / 2,
        formula="log(½ C(p,2)^(1-δ)) / -½log(1-κ²)",
        reference="docs/planning.md, section 6",
    )
    return [necessary, *_sparsitron(problem), *(order.at(problem) for order in _ORDERS)]


def one_edge(
    p: int, delta: float, *, learned_per_row: float, formula: str, reference: str
) -> Bound:
    """Rows without which no method finds the one edge among all pairs, by Fano's inequality."""
    needed = (1 - delta) * math.log(p * (p - 1) // 2) - math.log(2)
    return Bound(
        name="Any method, one edge",
        rows=max(0, math.ceil(needed / learned_per_row)),
        kind="necessary",
        is_order=False,
        formula=formula,
        note="Fano's inequality for the task of finding the one edge among all pairs.",
        reference=reference,
    )


def _sparsitron(problem: Problem) -> list[Bound]:
    def bound(name: str, budget: RowBudget, formula: str, note: str) -> Bound:
        return Bound(
            name=name,
            rows=budget.train + budget.holdout,
            kind="sufficient",
            is_order=False,
            formula=formula,
            note=note,
            reference="docs/planning.md, sections 2 to 5",
        )

    average = sufficient_rows(problem, selection="average")
    argmin = sufficient_rows(problem)
    paper = sufficient_rows(problem, concentration="paper")
    return [
        bound(
            "Sparsitron, average",
            average,
            "T with 2λ(λ+1)ν B² (R + D) / T ≤ ε",
            "The average of the T candidates; no rows held out.",
        ),
        bound(
            "Sparsitron, argmin",
            argmin,
            f"T + M = {argmin.train:.3g} + {argmin.holdout:.3g}",
            "T as for the average, with ε/2 in place of ε; M rows choose among the T candidates.",
        ),
        bound(
            "Sparsitron, paper's constant",
            paper,
            f"T + M = {paper.train:.3g} + {paper.holdout:.3g}",
            "As argmin, with D = 2¹⁰ √(T log(2p/δ)) as in the paper's proof.",
        ),
    ]


class _Order(NamedTuple):
    """An order of growth from the literature; the figure is its value with constant 1."""

    name: str
    rows: Callable[[Problem], float]
    formula: str
    note: str
    reference: str
    kind: str = "sufficient"

    def at(self, problem: Problem) -> Bound:
        return Bound(
            name=self.name,
            rows=math.ceil(self.rows(problem)),
            kind=self.kind,
            is_order=True,
            formula=self.formula,
            note=self.note,
            reference=self.reference,
        )


_KELNER = "Kelner, Koehler, Meka, Moitra 2019"

_ORDERS = (
    _Order(
        "Any method, at least",
        lambda q: math.log(q.p) * max(q.kappa**-2, q.degree / math.log1p(q.kappa * q.degree)),
        "log p · max(1/κ², d / log(1+κd))",
        "Eq. (1) of the paper; the second part counts the possible dense neighbourhoods.",
        "Wang, Wainwright, Ramchandran 2010",
        kind="necessary",
    ),
    _Order(
        "Theorem 1",
        lambda q: (
            (q.lambda_max**2 * q.nu_max * q.theta_max / q.kappa**2) ** 2
            * math.log(q.p / q.delta) ** 3
        ),
        "λ⁴ν²θ² / κ⁴ · log³(p/δ)",
        "The paper's Sparsitron.",
        "Chaturvedi, Scarlett 2020",
    ),
    _Order(
        "ACLIME",
        lambda q: (q.row_bound / q.kappa**2) ** 2 * math.log(q.p / q.delta),
        "λ̃² / κ⁴ · log(p/δ)",
        "Linear programs; λ̃ bounds the l1 norm of a row of the precision matrix.",
        "Cai, Liu, Zhou 2016",
    ),
    _Order(
        "HybridMB",
        lambda q: (q.row_bound / q.kappa**2) ** 2 * math.log(q.p / q.delta),
        "λ̃² / κ⁴ · log(p/δ)",
        "The same order as ACLIME.",
        _KELNER,
    ),
    _Order(
        "GreedyPrune",
        lambda q: q.row_bound**4 / q.kappa**6 * math.log(q.p / q.delta),
        "λ̃⁴ / κ⁶ · log(p/δ)",
        "Greedy forward selection, then pruning.",
        _KELNER,
    ),
    _Order(
        "Greedy (attractive models)",
        lambda q: q.degree / q.kappa**2 * math.log(1 / q.kappa) * math.log(q.p),
        "d / κ² · log(1/κ) · log p",
        "Only for attractive models: no off-diagonal precision is positive.",
        _KELNER,
    ),
    _Order(
        "Exhaustive (p^O(d) time)",
        lambda q: q.degree * math.log(q.p) / q.kappa**2,
        "d log p / κ²",
        "No further assumption, but time p^O(d).",
        "Misra, Vuffray, Lokhov 2017",
    ),
    _Order(
        "Graphical lasso (incoherent)",
        lambda q: (q.degree**2 + q.kappa**-2) * math.log(q.p),
        "(d² + κ⁻²) log p",
        "Only under an incoherence condition on the covariance.",
        "Ravikumar, Wainwright, Raskutti, Yu 2011",
    ),
)
