"""What the page is told of a run, part by part, as JSON-able values."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from hedgerow.report import ReportData
from hedgerow.report.of_model import of_graph
from hedgerow.stream import Look, Status


class Noted(NamedTuple):
    """A change, and when it was told, in seconds since the epoch."""

    change: Any
    time: float


def status_of(status: Status) -> dict[str, Any]:
    """Return how far the run is."""
    saved = status.checkpoint
    return {
        "phase": status.phase,
        "rows": status.rows,
        "badRows": status.bad_rows,
        "rowsPerSecond": round(status.rows_per_second, 1),
        "checkpoint": saved and {"row": saved.row, "time": saved.time},
    }


def ending_of(error: BaseException) -> dict[str, Any]:
    """Return what is different in the status of a run that did not end by itself."""
    if not isinstance(error, Exception):  # Ctrl-C, or the program was told to exit
        return {"phase": "stopped"}
    return {"phase": "failed", "problem": " ".join(str(error).split()) or type(error).__name__}


def changes_of(changes: Sequence[Noted]) -> list[dict[str, Any]]:
    """Return the change log, the newest first."""
    return [
        {
            "row": change.row,
            "time": time,
            "kind": change.kind,
            "source": str(change.source),
            "target": str(change.target),
            "partialCorr": round(change.partial_corr, 4),
        }
        for change, time in reversed(changes)
    ]


def data_of(look: Look, title: str) -> ReportData:
    """Return what the report's page shows of a look."""
    return of_graph(
        look.graph,
        look.level,
        look.ends,
        names=look.names,
        error=look.error,
        rows=look.rows,
        warnings=look.warnings,
        said=look.said,
        title=title,
        n_columns=len(look.names) + len(look.left_out),
        left_out={"not numeric, or not wanted": look.left_out} if look.left_out else {},
    )
