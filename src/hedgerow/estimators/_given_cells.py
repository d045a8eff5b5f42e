"""Given columns, taken out of a table before the others are read."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import LARGEST_NUMBER
from hedgerow.base.words import listed
from hedgerow.estimators._given import CATEGORIES, NUMBERS, Cells
from hedgerow.estimators._hedge_stream import HedgeStream
from hedgerow.estimators._warnings import DataWarning, warn
from hedgerow.estimators.input import read_rows


class Read(NamedTuple):
    """Rows of the columns of a graph, and the cells of given columns beside them."""

    rows: NDArray[np.floating]
    cells: Cells | None


class _Apart(NamedTuple):
    X: Any  # without given columns
    names: list[Hashable] | None  # of the other columns, if told
    places: list[int]
    cells: list[NDArray[Any]]
    missing: NDArray[np.bool_]


class HoldsFixed:
    """An estimator that takes given columns out of what it reads."""

    given: Collection[Hashable] | None
    n_features_in_: int
    _stream: HedgeStream
    _given_places: list[int]
    _given_labels: list[Hashable]
    _column_numbers: list[int]

    def _read(self, X: Any, names: Iterable[Hashable] | None, *, reset: bool, **rules: Any) -> Read:
        """Return the rows of ``X``, and given columns; rows in which one is missing are left out.

        They are numbers, or texts and what else may be a level of a category.
        """
        if not self.given:
            if reset:
                self.__dict__.pop("_column_numbers", None)
            return Read(read_rows(self, X, reset=reset, names=names, **rules), None)
        known = None if reset else (self._given_labels, self._given_places)
        apart = _apart(X, self.given, None if names is None else list(names), known)
        if reset:
            self._given_places, self._given_labels = apart.places, list(self.given)
        rows = read_rows(self, apart.X, reset=reset, names=apart.names, **rules)
        cells = apart.cells
        if reset:
            self._column_numbers = column_numbers(rows.shape[1], apart.places)
        if apart.missing.any():
            warn(
                DataWarning,
                f"{apart.missing.sum()} of {len(rows)} rows have no value in a given column, and "
                f"are left out",
            )
            rows, cells = rows[~apart.missing], [column[~apart.missing] for column in cells]
        held = None if reset else self._stream.held
        ways = self._ways(cells) if held is None else held.ways
        _refuse_other_ways(self._given_labels, ways, cells)
        return Read(rows, cells)

    def _ways(self, cells: Cells) -> list[str]:
        """Return how each given column is taken: by its numbers, or as a category."""
        told = self.given if isinstance(self.given, Mapping) else {}
        return [
            told.get(label) or (CATEGORIES if column.dtype == object else NUMBERS)
            for label, column in zip(self._given_labels, cells)
        ]

    def _same_given(self) -> bool:
        """Return whether the columns that are given are those of the first row."""
        held = self._stream.held
        if held is None or not self.given:
            return held is None and not self.given
        told = self.given if isinstance(self.given, Mapping) else {}
        same = all((told.get(label) or way) == way for label, way in zip(held.labels, held.ways))
        return same and list(self.given) == held.labels


def column_numbers(n_columns: int, given_places: Collection[int]) -> list[int]:
    """Return the numbers, in the table, of columns that are not given.

    >>> column_numbers(3, [1, 4])
    [0, 2, 3]
    """
    taken = set(given_places)
    return [j for j in range(n_columns + len(taken)) if j not in taken]


def _refuse_other_ways(labels: list[Hashable], ways: list[str], cells: Cells) -> None:
    """Raise if a column that is taken by its numbers has others cells than these."""
    for label, way, column in zip(labels, ways, cells):
        if way != NUMBERS:
            continue
        if column.dtype == object:
            text = next((v for v in column.tolist() if not isinstance(v, float)), None)
            if text is not None:
                raise ValueError(f"given column {label!r} must have numbers, got {text!r}")
        elif len(column) and not np.abs(column).max() <= LARGEST_NUMBER:
            raise ValueError(
                f"given column {label!r} must have numbers of size up to {LARGEST_NUMBER:g}, got "
                f"{column[np.abs(column).argmax()]:g}"
            )


def _apart(
    X: Any,
    given: Collection[Hashable],
    names: list[Hashable] | None,
    known: tuple[list[Hashable], list[int]] | None,
) -> _Apart:
    """Return a table without given columns, and these.

    ``known`` are their names and places in the rows before, for an array without names.
    """
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError("X must be a table in memory, got a lazy one; collect() reads it")
    is_frame = isinstance(frame, nw.DataFrame)
    if not is_frame and not isinstance(X, np.ndarray):
        X = np.array(X, dtype=object)  # or numbers beside text would be text
    if not is_frame and X.ndim != 2:
        raise ValueError(f"X must be a table of rows and columns, got {X.ndim} dimensions")
    own = list(frame.columns) if is_frame else list(range(X.shape[1]))
    if names is not None and len(names) != len(own):
        raise ValueError(
            f"feature_names must be one for each of {len(own)} columns, got {len(names)}"
        )
    places = _places(given, names or own, known if names is None and not is_frame else None)
    if len(own) - len(places) < 2:
        raise ValueError(
            f"given must leave at least two columns, got {len(places)} of {len(own)} columns"
        )
    others = [j for j in range(len(own)) if j not in set(places)]
    columns = [frame[own[j]] if is_frame else X[:, j] for j in places]
    cells, missing = zip(*(_cells(column) for column in columns))
    rest = frame.select([own[j] for j in others]).to_native() if is_frame else X[:, others]
    return _Apart(
        _as_numbers(rest) if not is_frame else rest,
        None if names is None else [names[j] for j in others],
        places,
        list(cells),
        np.logical_or.reduce(missing),
    )


def _places(
    given: Collection[Hashable],
    names: list[Hashable],
    known: tuple[list[Hashable], list[int]] | None,
) -> list[int]:
    if known is not None and list(given) == known[0]:
        return known[1]
    place = {name: j for j, name in enumerate(names)}
    unknown = [repr(name) for name in given if name not in place]
    if unknown:
        raise ValueError(f"given must name columns of X, got {listed(unknown)}")
    return [place[name] for name in given]


def _as_numbers(rest: NDArray[Any]) -> NDArray[Any]:
    """Return an array of objects as numbers, if that is all that it has."""
    if rest.dtype != object or any(isinstance(v, str | bytes) for v in rest.flat):
        return rest
    return rest.astype(np.float64)


def _cells(column: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return a column as numbers, or as objects if it has others, and which cells are missing."""
    # A masked array has None where it has no value.
    values = column.to_list() if isinstance(column, nw.Series) else column.tolist()
    missing = np.array([v is None or v != v for v in values], dtype=np.bool_)
    if any(isinstance(v, str | bytes) for v in values):
        values = [v if isinstance(v, str) or v is None else _text(v) for v in values]
        cells = np.empty(len(values), dtype=object)
        cells[:] = values
        return cells, missing
    try:
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64), missing
    except (TypeError, ValueError) as error:
        raise ValueError(f"given columns must have numbers or text, got {values[0]!r}") from error


def _text(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else str(value)
