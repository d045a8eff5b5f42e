"""How many rows an Ising model takes: what no method can do without, and what is proved enough.

Section numbers refer to docs/planning.md, where each explicit constant is derived.
"""

import math
from dataclasses import dataclass

from hedgerow.base.checks import in_open_interval, integer_at_least, one_of
from hedgerow.paper.bounds import Bound, RowBudget, hedge_regret, one_edge, smallest

_ROUNDING = 1e-9  # slack for relations that hold exactly only in real numbers
_SMALL, _WIDEST = 1e-6, 30.0  # e^12λ stays far inside double precision


@dataclass(frozen=True)
class IsingProblem:
    """A class of Ising models, as far as the bounds can tell, and a promise.

    Attributes
    ----------
    p : int
        Number of variables, at least 2.
    min_coupling : float
        η: every edge has an absolute coupling of at least this.
    width : float
        λ: bound on ``sum_j |J_ij| + |h_i|`` for every node i, at most 30.
    delta : float
        Allowed probability of returning a wrong graph.

    Examples
    --------
    >>> round(IsingProblem(p=20, min_coupling=0.5, width=1.0).risk, 6)
    0.000476
    """

    p: int
    min_coupling: float
    width: float
    delta: float = 0.05

    def __post_init__(self) -> None:
        integer_at_least("p", self.p, 2)
        in_open_interval("min_coupling", self.min_coupling, _SMALL, _WIDEST)
        in_open_interval("width", self.width, _SMALL, _WIDEST)
        in_open_interval("delta", self.delta, 1e-12, 1)
        if self.width < self.min_coupling * (1 - _ROUNDING):
            raise ValueError(
                f"width must be at least min_coupling = {self.min_coupling:g}, which an edge adds "
                f"to both of its ends, got {self.width:g}"
            )

    @property
    def risk(self) -> float:
        """Excess risk below which every coupling is within η/2 of the truth (section 8)."""
        return _least_chance(self.width) * _least_step(self.width, self.min_coupling) ** 2


def _least_chance(width: float) -> float:
    """Smallest probability of either value of a variable, given all others: σ(-2λ)."""
    return 1.0 / (1.0 + math.exp(2.0 * width))


def _least_step(width: float, min_coupling: float) -> float:
    """σ(2λ) - σ(2λ - η): what a weight that is off by η changes at least."""
    falling = math.exp(-2.0 * width)
    return (
        falling
        * math.expm1(min_coupling)
        / ((1.0 + falling) * (1.0 + math.exp(min_coupling - 2.0 * width)))
    )


def sufficient_ising_rows(problem: IsingProblem, *, selection: str = "argmin") -> RowBudget:
    """Return the smallest T, and the M, with which every coupling is proved to be close enough.

    Parameters
    ----------
    problem : IsingProblem
    selection : {"argmin", "checkpoints", "average"}
        How one vector is made of the T candidates. The average of all needs no held-out rows.

    Returns
    -------
    RowBudget
        Its ``clip`` is 1: rows are not normalised.

    Examples
    --------
    >>> problem = IsingProblem(p=8, min_coupling=0.4, width=0.8)
    >>> budget = sufficient_ising_rows(problem, selection="average")
    >>> budget.train > 10**7, budget.holdout
    (True, 0)
    """
    one_of("selection", selection, ("argmin", "checkpoints", "average"))
    holds_out = selection != "average"
    target = problem.risk / 2 if holds_out else problem.risk
    failure = problem.delta / (2 if holds_out else 1) / problem.p
    # The mean risk of candidates is at most λ (R + D) / T, that of their average twice as much.
    gain = problem.width * (1 if selection == "argmin" else 2)
    experts, log_failure = 2 * problem.p + 1, math.log(1 / failure)

    def enough(rounds: int) -> bool:
        error = hedge_regret(rounds, experts) + math.sqrt(2 * rounds * log_failure)
        return gain * error / rounds <= target

    train = smallest(enough)
    holdout = 0
    if holds_out:
        tolerance = problem.risk / 4
        holdout = math.ceil(math.log(4 * problem.p * train / problem.delta) / (2 * tolerance**2))
    return RowBudget(train=train, holdout=holdout, clip=1.0, risk=problem.risk)


def plan_ising(problem: IsingProblem) -> list[Bound]:
    """Put the known bounds on the number of rows of an Ising model side by side.

    Parameters
    ----------
    problem : IsingProblem

    Returns
    -------
    list of Bound
        The explicit figures, least first, then the orders of growth.

    Examples
    --------
    >>> [bound.rows for bound in plan_ising(IsingProblem(100, min_coupling=0.2, width=0.8))][0]
    377
    """
    eta = problem.min_coupling
    necessary = one_edge(
        problem.p,
        problem.delta,
        learned_per_row=eta * math.tanh(eta) - math.log(math.cosh(eta)),
        formula="log(½ C(p,2)^(1-δ)) / (η tanh η - log cosh η)",
        reference="docs/planning.md, sections 6 and 8",
    )
    return [necessary, *_proved(problem), _klivans_meka(problem)]


def _proved(problem: IsingProblem) -> list[Bound]:
    notes = {
        "average": "The average of the T candidates; no rows held out.",
        "argmin": "As published: M rows choose among the T candidates.",
        "checkpoints": "M rows choose among averages of the first and of the last candidates.",
    }
    budgets = {name: sufficient_ising_rows(problem, selection=name) for name in notes}
    return [
        Bound(
            name=f"Sparsitron, {name}",
            rows=budget.train + budget.holdout,
            kind="sufficient",
            is_order=False,
            formula=(
                f"T + M = {budget.train:.3g} + {budget.holdout:.3g}"
                if budget.holdout
                else "T with 2λ (R + D) / T ≤ ε"
            ),
            note=notes[name],
            reference="docs/planning.md, section 8",
        )
        for name, budget in budgets.items()
    ]


def _klivans_meka(problem: IsingProblem) -> Bound:
    q = problem
    rows = (
        q.width**2
        * math.exp(12 * q.width)
        / q.min_coupling**4
        * math.log(q.p / (q.delta * q.min_coupling))
    )
    return Bound(
        name="Klivans, Meka",
        rows=math.ceil(rows),
        kind="sufficient",
        is_order=True,
        formula="λ² e^(12λ) / η⁴ · log(p/(δη))",
        note="The Sparsitron; the source writes e^O(λ), section 8 of planning finds 12.",
        reference="Klivans, Meka 2017",
    )
