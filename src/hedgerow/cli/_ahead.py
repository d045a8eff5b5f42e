"""Compile what tests and drawings need, in a process beside the one that learns.

Numba compiles one function at a time in a process, and keeps what it compiled in files that other
processes find. `hedgerow.cli._compiling` starts this module.
"""

import sys

import numpy as np

from hedgerow.engines import load
from hedgerow.report import ReportData, render


def compile_tests(error: str) -> None:
    """Test and draw a small table. The readable engine learns it, which needs no compiling."""
    rows = np.cumsum(np.random.default_rng(0).standard_normal((60, 4)), axis=1)
    reference, engine = load("numpy_ref"), load("numba_cpu")
    learned = reference.learn(reference.init(rows.shape[1]), rows)
    evidence = engine.evidence(engine.from_numpy(reference.to_numpy(learned)), rows[:0])
    engine.repeats(evidence, 1.0)
    engine.find_edges(evidence, error, 0.5)
    strength = [0.5, 0.5]
    drawn = ReportData(
        names=["a", "b", "c"],
        source=[0, 1],
        target=[1, 2],
        partial_corr=strength,
        z=strength,
        p_value=strength,
        q_value=strength,
        level=0.5,
        max_level=0.5,
        rows=len(rows),
        version="",
    )
    render(drawn)


if __name__ == "__main__":
    compile_tests(sys.argv[1])
