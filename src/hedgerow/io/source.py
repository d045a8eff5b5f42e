"""What every kind of file looks like: columns with their flaws, and batches of rows."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

NUMBERS_AT_ONCE = 1_000_000  # in a batch of rows: 8 MB

# Why a column cannot be learned from.
NOT_NUMERIC = "not numeric"
CATEGORIES = "categories without order"
WITH_UNITS = "numbers with a sign or unit, as $5, 5 % or 5 kg: take it away"
EMPTY = "empty"
EMPTY_AT_FIRST = "empty in the first rows"
UNNAMED = "unnamed"
ROW_NAMES = "names of rows"
TIME = "time"
COUNTER = "counts rows, or time"
READABLE_FLAWS = (
    EMPTY,
    EMPTY_AT_FIRST,
    COUNTER,
    ROW_NAMES,
)  # who names such a column can have its numbers

Offset = dict[str, Any]  # a place in a source; whatever it needs, as long as JSON can hold it


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

    def within(self, name: str) -> "DataError":
        """Return the same error of a file with this name."""
        return DataError(f"{name}: {self._message}", self._option, self._effect)


class Column(NamedTuple):
    """A column of a file."""

    name: str
    flaw: str | None  # why it cannot be learned from
    words: tuple[str, ...] = ()  # that its cells are, in the order of the numbers they stand for


class BadRow(NamedTuple):
    """Why a row is none.

    ``column`` is named if it is only a cell that is no number; ``cells`` are all such cells of the
    row, as column and text.
    """

    reason: str
    column: str | None = None
    cells: tuple[tuple[str, str], ...] = ()


class Batch(NamedTuple):
    """Some rows of the chosen columns; NaN where a value is missing."""

    rows: NDArray[np.float64]
    numbers: NDArray[np.signedinteger]  # where each row is in the file, as people count
    done: int  # how much of the source has been read
    bad: Mapping[int, BadRow] = {}  # rows that are none, by their places in ``rows``
    beside: Sequence[Sequence[Any]] = ()  # what the columns of `Reader.beside` say


class Reader(Protocol):
    """A file, opened: what it has, and a way to its rows.

    ``beside`` may be set, before `batches` is called, to the places of columns that are wanted as
    they are: a time, or a name of each row.
    """

    columns: list[Column]
    total: int | None  # what `Batch.done` reaches in the end, if that is known
    place: str  # what `Batch.numbers` counts
    beside: list[int]

    def batches(self, chosen: list[int]) -> Iterator[Batch | None]:
        """Yield all rows, of the columns at the places ``chosen``; can be called once.

        None is for those who cannot wait: there are no more rows yet.
        """


def numbered(n_columns: int) -> list[str]:
    """Return names for columns of a file without names.

    >>> numbered(3)
    ['x0', 'x1', 'x2']
    """
    return [f"x{j}" for j in range(n_columns)]


def rows_at_once(n_columns: int) -> int:
    """Return how many rows make a batch."""
    return max(1, NUMBERS_AT_ONCE // max(1, n_columns))


def optional(package: str, extra: str | None = None) -> Any:
    """Import a package when it is first needed; one of an extra may not be there."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if extra is None:
            raise
        raise ModuleNotFoundError(
            f"this kind of file needs the package {package!r}; "
            f"install it with: pip install 'hedgerow[{extra}]'"
        ) from error


@contextmanager
def readable(problem: str) -> Iterator[None]:
    """Turn whatever packages raise at bad files into one kind of error; they do not tell which."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"{problem}, got {str(error).partition(chr(10))[0]}") from error
    except BaseException as error:
        # Compiled Rust code that gives up does not raise an ordinary exception.
        if type(error).__name__ != "PanicException":
            raise
        raise DataError(f"{problem}: it is damaged") from error
