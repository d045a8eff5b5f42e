"""Compile what tests and drawings need, in a process beside the one that learns.

Numba compiles one function at a time in a process, and keeps what it compiled in files that other
processes find. `hedgerow.cli._compiling` starts this module, and asks Hedge in its own process.
"""

import sys
from typing import Any

import numpy as np

from hedgerow.drawing.layout import layout
from hedgerow.engines import load
from hedgerow.engines.numba_cpu import ahead
from hedgerow.method.inflation import Inflation


def compile_asking() -> None:
    """Compile what asks Hedge."""
    ahead.ask(_evidence())


def compile_judging(error: str) -> None:
    """Compile all other tests, and what draws."""
    ahead.judge(_evidence(), error)
    layout(3, np.array([0, 1]), np.array([1, 2]), np.array([0.5, 0.5]))


def _evidence() -> Any:
    """Return what a small table says. The readable engine learns it, which needs no compiling."""
    rows = np.cumsum(np.random.default_rng(0).standard_normal((60, 4)), axis=1)
    reference, engine = load("numpy_ref"), load("numba_cpu")
    learned = reference.learn(reference.init(rows.shape[1]), rows[:56])
    state = engine.from_numpy(reference.to_numpy(learned))
    inflation = Inflation(np.full(4, 1.5), np.ones((4, 1)), 2.0)
    return engine.evidence(state, rows[:0], inflation)


if __name__ == "__main__":
    compile_judging(sys.argv[1])
