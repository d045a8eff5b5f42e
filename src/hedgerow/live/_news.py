"""What the page is told of a run, part by part, as JSON-able values."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from hedgerow._version import __version__
from hedgerow.report import ReportData
from hedgerow.stream import Look, Status

_MAX_LEVEL = 0.2  # edges up to this level go with the page, for its slider


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
    max_level = max(_MAX_LEVEL, look.level)
    graph = look.graph.up_to(max_level)
    return ReportData(
        names=look.names,
        source=graph.source,
        target=graph.target,
        partial_corr=graph.partial_corr,
        z=graph.z,
        p_value=graph.p_value,
        q_value=graph.q_value,
        level=look.level,
        max_level=max_level,
        error=look.error,
        rows=look.rows,
        version=__version__,
        warnings=look.warnings,
        title=title,
    )
