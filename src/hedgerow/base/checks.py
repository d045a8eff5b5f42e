"""Checks of arguments. Every message gives the name, the rule and the value."""

from math import inf
from numbers import Integral, Real
from typing import Any

# The largest size of a number in a table. Sums of squared deviations of n rows reach n times its
# square: 1e290 n, which stays finite for 1e18 rows. So does the inverse of what they reach, which
# correlations are made with: it loses digits below 2.2e-308, from 4e17 rows on. Rows that are
# forgotten have weights up to 2**17, which leaves half-lives of 1e12 rows. Products of two
# standard deviations (1e290) are finite too. Single precision ends at 3.4e38, far below; engines
# turn to it only after columns have been divided by their spread.
LARGEST_NUMBER = 1e145


def in_open_interval(name: str, value: Any, low: float, high: float) -> float:
    """Return ``value`` as a float if ``low < value < high``."""
    if isinstance(value, bool) or not isinstance(value, Real) or not low < float(value) < high:
        raise ValueError(f"{name} must be a number in ({low:g}, {high:g}), got {value!r}")
    return float(value)


def positive(name: str, value: Any) -> float:
    """Return ``value`` as a float if it is a finite number above zero."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < inf:
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}")
    return float(value)


def between(name: str, value: Any, low: float, high: float) -> float:
    """Return ``value`` as a float if it is a number from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
        raise ValueError(f"{name} must be a number in [{low:g}, {high:g}], got {value!r}")
    return float(value)


def integer_at_least(name: str, value: Any, low: int) -> int:
    """Return ``value`` as an int if it is an integer of at least ``low``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        raise ValueError(f"{name} must be an integer >= {low}, got {value!r}")
    return int(value)


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of ``allowed``."""
    if value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} must be one of {choices}, got {value!r}")
    text: str = value
    return text
