"""What every kind of file looks like to `Table`: columns with their flaws, and batches of rows."""

import shlex
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

NUMBERS_AT_ONCE = 1_000_000  # in a batch of rows: 8 MB

# Why a column cannot be learned from.
NOT_NUMERIC = "not numeric"
COMMAS = "numbers with commas"
EMPTY = "empty"
UNNAMED = "unnamed"


class DataError(ValueError):
    """A file that cannot be learned from; the message says why and, where one helps, which option.

    Examples
    --------
    >>> error = DataError("only one column found", ("delimiter", ";"), "finds 3")
    >>> print(error)
    only one column found; delimiter=';' finds 3
    >>> print(error.for_terminal())
    only one column found; --delimiter ';' finds 3
    """

    def __init__(
        self, message: str, option: tuple[str, str] | None = None, effect: str = ""
    ) -> None:
        self._message, self._option, self._effect = message, option, effect
        advice = f"; {option[0]}={option[1]!r} {effect}" if option else ""
        super().__init__(message + advice)

    def for_terminal(self) -> str:
        """Return the message with the option as it is typed on the command line."""
        if self._option is None:
            return self._message
        name, value = self._option
        return f"{self._message}; --{name.replace('_', '-')} {shlex.quote(value)} {self._effect}"


class Column(NamedTuple):
    """A column of a file."""

    name: str
    flaw: str | None  # why it cannot be learned from


class Batch(NamedTuple):
    """Some rows of the chosen columns; NaN where a value is missing."""

    rows: NDArray[np.float64]
    numbers: NDArray[np.signedinteger]  # where each row is in the file
    done: int  # how much of the source has been read


class Source(Protocol):
    """A file, opened: what it has, and a way to its rows."""

    columns: list[Column]
    total: int | None  # what `Batch.done` reaches in the end, if that is known
    place: str  # what `Batch.numbers` counts

    def batches(self, chosen: list[int]) -> Iterator[Batch]:
        """Yield all rows, of the columns at the places ``chosen``; can be called once."""


def numbered(n_columns: int) -> list[str]:
    """Return names for columns of a file without names.

    >>> numbered(3)
    ['x0', 'x1', 'x2']
    """
    return [f"x{j}" for j in range(n_columns)]


def rows_at_once(n_columns: int) -> int:
    """Return how many rows make a batch."""
    return max(1, NUMBERS_AT_ONCE // max(1, n_columns))


def optional(package: str, extra: str) -> Any:
    """Import a package that only some files need."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"this kind of file needs the package {package!r}; "
            f"install it with: pip install 'hedgerow[{extra}]'"
        ) from error
