"""When a row was made: numbers, dates and times in one order."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TIMES = "time|date|datetime|timestamp|epoch|ts|when|year|datum|zeit|uhrzeit|jahr|fecha|heure"
_COUNTED = "row|index|idx|id|step|number|no|nr|t|unnamed|case|record|obs|subject|participant|sample"
_NAMES, _COUNTERS, _IDS = (
    re.compile(f"(?:^|[^a-z])(?:{words})(?:[^a-z]|$)") for words in (_TIMES, _COUNTED, "id")
)
_SINCE_1970 = (1e8, 5e9)  # seconds in the years from 1973 to 2128
_FRACTIONS = (1.0, 1e3, 1e6, 1e9)  # of a second
_UNEVEN = 0.5  # by which share of their median steps differ at most
_LEAST = 8  # rows that must be seen
_EXACT = 2.0**53  # whole numbers beyond this are not all told apart
FORMS = "numbers, or dates and times such as 2024-05-31 or 2024-05-31T12:00:00Z"
# What people write besides; the order of day and month in 05/06/2024 is anybody's guess.
_CLOCK = r"(?:[T ,]+(?P<clock>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]{1,6})?)?))?"
_OTHERS = [
    re.compile(form + _CLOCK, re.ASCII)
    for form in (
        r"(?P<d>[0-9]{1,2})[.] ?(?P<m>[0-9]{1,2})[.] ?(?P<y>[0-9]{4})",
        r"(?P<y>[0-9]{4})[/.](?P<m>[0-9]{1,2})[/.](?P<d>[0-9]{1,2})",
        r"(?P<y>[0-9]{4})-(?P<m>[0-9]{2})",
        r"(?P<d>[0-9]{1,2})[- ](?P<m>[A-Za-z]{3,9})[- ,]+(?P<y>[0-9]{4})",
        r"(?P<m>[A-Za-z]{3,9}) (?P<d>[0-9]{1,2}),? (?P<y>[0-9]{4})",
    )
]
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_UNCLEAR = re.compile(
    r"[0-9]{1,2}/[0-9]{1,2}/([0-9]{4}|[0-9]{2})([ ,].*)?|[0-2]?[0-9]:[0-5][0-9](:[0-5][0-9])?"
)


def times_of(values: Sequence[Any]) -> NDArray[np.float64]:
    """Return times as numbers that have their order; NaN for what is none.

    Examples
    --------
    >>> times_of(["2024-01-01", "2024-01-01 00:01", "soon"]) - 1704067200
    array([ 0., 60., nan])
    """
    found = _of_plain(values)
    if found is None:
        found = np.array([_time_of(value) for value in values], dtype=np.float64)
    return found


def is_time(text: str) -> bool:
    """Tell whether a text is a date, with or without a time of day, or a time of day.

    >>> is_time("2024-01-01"), is_time("2024"), is_time("when")
    (True, False, False)
    >>> is_time("31.5.2024 12:00"), is_time("05/06/2024"), is_time("1.5")
    (True, True, False)
    """
    text = text.strip()
    if _UNCLEAR.fullmatch(text):
        return True
    return re.match(r"[0-9]+$", text) is None and _of_text(text) == _of_text(text)


def are_times(values: Sequence[Any]) -> bool:
    """Tell whether most cells that are not empty are dates, with or without a time of day.

    >>> are_times(["2024-01-01", "", "2024-01-02"]), are_times(["Ada", "2024-01-02", "Bob"])
    (True, False)
    """
    filled = [value for value in values if value is not None and value != ""]
    times = sum(
        is_time(value) if isinstance(value, str) else isinstance(value, date) for value in filled
    )
    return 2 * times > len(filled)


def count_on(name: str, values: Sequence[float]) -> bool:
    """Tell whether numbers count rows, or are times, as their name and their steps say.

    Steps are all the same. If the name is that of a time, they may differ by half, and seconds (or
    thousandths, ...) since 1970, and dates such as 20240531, need be in no order.

    Examples
    --------
    >>> rows = range(10)
    >>> count_on("row", rows), count_on("dose", rows), count_on("row", [1] * 10)
    (True, False, False)
    >>> count_on("timestamp", [1_700_000_000 - k**2 for k in rows])
    True
    """
    is_time_by_name = _NAMES.search(name.lower()) is not None
    if len(values) < _LEAST or not (is_time_by_name or _COUNTERS.search(name.lower())):
        return False
    numbers = np.array(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        return False
    steps = np.diff(numbers)
    step = float(np.median(steps))
    off = np.abs(steps - step).max() / abs(step) if step else np.inf
    if off <= 1e-6:
        return True
    low, high = _SINCE_1970
    since = any(((low * f <= numbers) & (numbers <= high * f)).all() for f in _FRACTIONS)
    dates = since or all(_is_compact(number) for number in values)
    return is_time_by_name and (dates or (off <= _UNEVEN and step > 0))


def name_rows(name: str, values: Sequence[float]) -> bool:
    """Tell whether whole numbers are names of rows: called so, and all different, or too long.

    >>> name_rows("patient_id", [71, 33, 18, 5, 64, 90, 12, 47]), name_rows("dose", range(8))
    (True, False)
    """
    if len(values) < _LEAST or _IDS.search(name.lower()) is None:
        return False
    differ = len(set(values)) == len(values) or min(map(abs, values)) > _EXACT
    return differ and all(value == value // 1 for value in values)


def _is_compact(number: float) -> bool:
    text = f"{number:.0f}"
    return len(text) == 8 and text[:2] in ("19", "20") and _of_text(text) == _of_text(text)


def _of_plain(values: Sequence[Any]) -> NDArray[np.float64] | None:
    """Return many plain times at once, None if one of them is not plain."""
    if not all(isinstance(value, str) and value[4:5] == "-" for value in values):
        return None
    texts = [value.removesuffix("Z") for value in values]
    if any("+" in text or "-" in text[10:] or "Z" in text for text in texts):
        return None  # a zone
    try:
        found = np.array(texts, dtype="datetime64[us]")
    except ValueError:
        return None
    return None if np.isnat(found).any() else found.astype(np.int64) / 1e6


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
    try:
        return nan if value is None else float(value)
    except TypeError:  # a list or an object of JSON
        return nan


def _of_text(text: str) -> float:
    try:
        return _seconds(datetime.fromisoformat(text))
    except ValueError:
        found = next((match for form in _OTHERS if (match := form.fullmatch(text))), None)
    return nan if found is None else _of_parts(**{"d": "1", **found.groupdict()})


def _of_parts(y: str, m: str, d: str, clock: str | None) -> float:
    try:
        month = int(m) if m.isdigit() else 1 + _MONTHS.index(m[:3].lower())
        moment = datetime(int(y), month, int(d))
        return _seconds(datetime.combine(moment, time.fromisoformat((clock or "0:00").zfill(5))))
    except ValueError:
        return nan


def _seconds(moment: datetime) -> float:
    # Times without a zone are taken as if of one, whichever: only their order matters.
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
