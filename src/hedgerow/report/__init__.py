"""One self-contained HTML page from a graph: a drawing to explore, its edges, how it was made.

The page holds its data, style and script, opens from disk and asks the network for nothing.
``docs/report.md`` describes it; its script is built from ``frontend/`` and committed here.
"""

from hedgerow.report._comparison import write_comparison
from hedgerow.report._data import ReportData
from hedgerow.report._render import render, write
from hedgerow.report.of_model import data_of

__all__ = ["ReportData", "data_of", "render", "write", "write_comparison"]
