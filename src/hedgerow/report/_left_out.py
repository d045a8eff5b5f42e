"""What a page is told of columns and rows that were not learned from."""

from collections.abc import Mapping, Sequence
from typing import Any

_NAMES_SHOWN = 20


def left_out(columns: Mapping[str, Sequence[str]], rows: Mapping[str, int]) -> dict[str, Any]:
    """Return what was left out, by the reason; of many columns the first are named.

    Examples
    --------
    >>> left_out({"not numeric": ["who"]}, {})["columnsLeftOut"]
    [{'reason': 'not numeric', 'count': 1, 'names': ['who']}]
    """
    return {
        "columnsLeftOut": [
            {"reason": reason, "count": len(names), "names": list(names[:_NAMES_SHOWN])}
            for reason, names in columns.items()
            if names
        ],
        "rowsLeftOut": [
            {"reason": reason, "count": count} for reason, count in rows.items() if count
        ],
    }


def checked_columns(columns: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return reasons and names as text."""
    for reason, names in columns.items():
        if isinstance(names, str):
            raise ValueError(f"left_out must have a list of names for {reason!r}, got {names!r}")
    return {str(reason): [str(name) for name in names] for reason, names in columns.items()}
