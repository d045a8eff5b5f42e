"""Time of one core against the number of rows and of columns, and the exponents that fit."""

import argparse
import warnings

import numpy as np

from benchmarks.speed import clock
from hedgerow import HedgeGraph

ROWS, COLUMNS_FIXED = (2_000, 4_000, 8_000, 16_000, 32_000), 500
COLUMNS, ROWS_FIXED = (250, 500, 1_000, 2_000), 4_000
AIMS = {"rows": 1.0, "columns": 2.0}  # exponents, at most


def run(options: argparse.Namespace) -> None:
    warnings.simplefilter("ignore")
    axes = {
        "rows": [(COLUMNS_FIXED, m) for m in ROWS],
        "columns": [(p, ROWS_FIXED) for p in COLUMNS],
    }
    figures = {}
    for axis, sizes in axes.items():
        jobs = {}
        for p, m in sizes:
            rows, _ = clock.sample(p, m)
            jobs[f"cov {p} {m}"] = lambda rows=rows: np.cov(rows, rowvar=False)
            jobs[f"learning {p} {m}"] = lambda rows=rows: HedgeGraph().partial_fit(rows)
            jobs[f"fit {p} {m}"] = lambda rows=rows: HedgeGraph().fit(rows)
        times = clock.least_times_on_one_core(jobs, max(options.rounds // 2, 1))
        along = [m if axis == "rows" else p for p, m in sizes]
        series = {
            kind: [times[f"{kind} {p} {m}"] for p, m in sizes]
            for kind in ("cov", "learning", "fit")
        }
        slopes = {kind: float(slope(along, values)) for kind, values in series.items()}
        figures[axis] = {"along": along, "times": series, "slopes": slopes}
        for kind, exponent in slopes.items():
            cells = "  ".join(f"{n:,}: {t:.4f}" for n, t in zip(along, series[kind]))
            print(f"{kind:<9} {cells}   time ~ {axis}^{exponent:.2f}", flush=True)
    clock.keep("growth", figures)


def slope(sizes: list[int], times: list[float]) -> float:
    """Return the exponent of the power law through the points, by least squares on logarithms."""
    return np.polyfit(np.log(sizes), np.log(times), 1)[0]
