"""GraphicalLassoCV beside ours: it takes so long that its figures are kept with the code."""

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks import kept
from benchmarks.speed import clock
from benchmarks.speed.peers import beside

KEPT = Path(__file__).with_name("lasso.json")
LIMIT = 300  # seconds for a graph


def run(options: argparse.Namespace) -> None:
    figures = {
        "setting": clock.setting(),
        "made": kept.made("python -m benchmarks.speed lasso"),
        "figures": beside("glassocv", ["erdos_renyi"], LIMIT),
    }
    KEPT.write_text(json.dumps(figures, indent=1) + "\n")


def read() -> dict[str, Any]:
    """Return the figures kept, and how they were measured."""
    return json.loads(KEPT.read_text())
