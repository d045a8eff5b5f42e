"""One self-contained HTML page from a graph: a drawing to explore, its edges, how it was made.

The page holds its data, style and script, opens from disk and asks the network for nothing.
``docs/report.md`` describes it; its script is built from ``frontend/`` and committed here.
"""

from hedgerow.report._comparison import write_comparison
from hedgerow.report._data import ReportData
from hedgerow.report._groups import write_groups
from hedgerow.report._pairs import PairTold
from hedgerow.report._render import render, write
from hedgerow.report.of_model import data_of

__all__ = [
    "PairTold",
    "ReportData",
    "data_of",
    "render",
    "write",
    "write_comparison",
    "write_groups",
]
