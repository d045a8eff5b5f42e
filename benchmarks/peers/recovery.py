"""The probability that the graph is exactly right, against the number of rows.

Rows are on a grid of eight steps to the decade. The step where half of the graphs are right is
found by bisection; from there the curve is followed up to nine in ten and down to one in ten.
A method chooses by itself ("data"), or an oracle that knows the truth sets one number for each
data set ("oracle"): the best cut of its scores, or its best penalty.
"""

from time import process_time

import numpy as np

from benchmarks.peers.objective import (
    Answer,
    Record,
    chooses_it,
    ranks_it,
    reaches_it,
    rows_of,
    warm_up,
)
from benchmarks.peers.solvers import SOLVERS
from hedgerow.datasets import Model

DEGREES = {"random_regular": 3, "grid": 4, "brownian_path": 2, "hubs": 21}
EASY = ("random_regular", "grid")
SOME = ("random_regular", "brownian_path")
FAMILIES = {64: tuple(DEGREES), 128: SOME, 256: SOME}  # by number of columns
SEEDS, SEEDS_OF_SLOW = 10, 4
STEPS = 8  # to the decade
FIRST, LAST = 12, 35  # steps: 32 and about 24,000 rows
START = 21  # about 420 rows
LIMIT = 60.0  # seconds for a fit
PATIENCE = 12.0  # processor seconds for a curve, after which it stays as it is


def cells() -> list[tuple]:
    """Return the curves, slow methods last, and the smaller models first."""
    return [
        (p, family, tuning, method)
        for slow in (False, True)
        for p, families in FAMILIES.items()
        for family in families
        for tuning in ("data", "oracle")
        for method, solver in SOLVERS.items()
        if solver.slow is slow
        and p <= solver.columns
        and DEGREES[family] <= solver.degree
        and (tuning == "data" or solver.oracle)
    ]


def work(p: int, family: str, tuning: str, method: str) -> list[Record]:
    """Follow one curve."""
    warm_up(method)
    return Curve(p, family, tuning, method).follow()


class Curve:
    """The share of exact graphs of a method, at the numbers of rows that matter."""

    def __init__(self, p: int, family: str, tuning: str, method: str) -> None:
        self.p, self.family, self.tuning, self.method = p, family, tuning, method
        self.seeds = SEEDS_OF_SLOW if SOLVERS[method].slow else SEEDS
        self.end = process_time() + PATIENCE
        self.records: dict[int, Record] = {}

    def follow(self) -> list[Record]:
        """Return one record for each number of rows that was tried."""
        middle = self._middle()
        for step in range(middle, LAST + 1):
            if self._share(step) >= 0.9:
                break
        for step in range(middle - 1, FIRST - 1, -1):
            if self._share(step) <= 0.1:
                break
        return [self.records[step] for step in sorted(self.records)]

    def _middle(self) -> int:
        """Return the first step at which half of the graphs are right, or the last step."""
        low, high = FIRST - 1, START
        while high < LAST and self._share(high) < 0.5:
            low, high = high, min(high + 4, LAST)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._share(middle) >= 0.5 else (middle, high)
        return high

    def _share(self, step: int) -> float:
        if step not in self.records:
            self.records[step] = self._measure(rows_at(step))
        return self.records[step]["exact"] or 0.0

    def _measure(self, m: int) -> Record:
        cell = {"p": self.p, "family": self.family, "tuning": self.tuning, "method": self.method}
        answers: list[Answer] = []
        for seed in range(self.seeds):
            if process_time() > self.end:
                return {**cell, "m": m, "exact": None, "seeds": seed, "failure": "out of patience"}
            model, rows = rows_of(self.family, self.p, m, seed)
            answers.append(asked(self.method, self.tuning, rows, model))
        return {
            **cell,
            "m": m,
            "exact": sum(answer.right for answer in answers) / self.seeds,
            "seeds": self.seeds,
            "failure": next((answer.failure for answer in answers if answer.failure), ""),
        }


def asked(method: str, tuning: str, rows: np.ndarray, model: Model) -> Answer:
    """Ask a method, or an oracle for it."""
    solver = SOLVERS[method]
    if tuning == "data":
        return chooses_it(method, rows, model, solver.exact, LIMIT)
    if solver.oracle == "penalty":
        return reaches_it(method, rows, model, LIMIT)
    return ranks_it(method, rows, model, solver.exact, LIMIT)


def rows_at(step: int) -> int:
    return round(10 ** (step / STEPS))
