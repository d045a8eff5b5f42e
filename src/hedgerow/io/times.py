"""When a row was made: numbers, dates and times in one order."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORMS = "numbers, or dates and times such as 2024-05-31 or 2024-05-31T12:00:00Z"


def times_of(values: Sequence[Any]) -> NDArray[np.float64]:
    """Return times as numbers that have their order; NaN for what is none.

    Examples
    --------
    >>> times_of(["2024-01-01", "2024-01-01 00:01", "soon"]) - 1704067200
    array([ 0., 60., nan])
    """
    return np.array([_time_of(value) for value in values], dtype=np.float64)


def is_time(text: str) -> bool:
    """Tell whether a text is a date, with or without a time of day.

    >>> is_time("2024-01-01"), is_time("2024"), is_time("when")
    (True, False, False)
    """
    text = text.strip()
    return "-" in text[1:] and _of_text(text) == _of_text(text)


def _time_of(value: Any) -> float:
    if isinstance(value, str):
        value = value.strip()
        try:
            return float(value)
        except ValueError:
            return _of_text(value)
    if isinstance(value, datetime):
        return _seconds(value)
    if isinstance(value, date):
        return _seconds(datetime.combine(value, time()))
    return nan if value is None else float(value)


def _of_text(text: str) -> float:
    try:
        return _seconds(datetime.fromisoformat(text))
    except ValueError:
        return nan


def _seconds(moment: datetime) -> float:
    # Times without a zone are taken as if of one, whichever: only their order matters.
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
