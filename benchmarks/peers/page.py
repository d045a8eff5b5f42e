"""docs/comparison.md and its pictures, from whatever results there are."""

from pathlib import Path

from benchmarks import document
from benchmarks.peers import plots, tables

PAGE = Path(__file__).resolve().parents[2] / "docs" / "comparison.md"


def write() -> None:
    """Fill the tables and draw the pictures."""
    document.fill(PAGE, tables.blocks())
    plots.draw_all()
