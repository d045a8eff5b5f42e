"""Rows of columns that have two values each: which values, and one bit for each cell."""

from collections.abc import Iterable, Mapping
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from hedgerow.base.words import listed

Rows = NDArray[np.floating] | NDArray[np.integer] | NDArray[np.bool_]
Words = dict[int, tuple[str, ...]]  # of columns of words, in the order in which they came


_CELLS_AT_A_TIME = 2**20


class IsingRows:
    """All rows so far. Taking the same rows in other pieces leads to the same state."""

    def __init__(self, n_columns: int) -> None:
        self.words: Words = {}
        self.values = np.full((n_columns, 2), np.nan)  # in the order in which they came
        self.rows = 0
        self.results: dict[Any, Any] = {}  # what came of these rows; forgotten when more come
        self._packed: list[NDArray[np.uint8]] = []

    def take(self, rows: Rows, words: Words, labels: NDArray[Any]) -> None:
        """Add rows, or raise ValueError and leave everything as it was."""
        values, packed = self.values, []
        size = max(1, _CELLS_AT_A_TIME // len(values))
        for start in range(0, len(rows), size):
            bits, values = coded(rows[start : start + size], values, words, labels)
            packed.append(np.packbits(bits, axis=1))
        self.values, self.words = values, words
        self._packed += packed
        self.rows += len(rows)
        self.results = {}

    def coded(self, rows: Rows, words: Words, labels: NDArray[Any]) -> NDArray[np.uint8]:
        """Return other rows as `bits` does those taken."""
        bits, _ = coded(rows, self.values, words, labels)
        return bits.view(np.uint8) ^ self.turned()

    def bits(self) -> NDArray[np.uint8]:
        """Return all rows; one stands for the larger value of a column, or the later word."""
        packed = self.packed()
        bits = np.unpackbits(packed, axis=1, count=len(self.values))
        bits ^= self.turned()
        return bits

    def packed(self) -> NDArray[np.uint8]:
        """Return all rows as they are kept: eight cells in a byte."""
        if len(self._packed) > 1:
            self._packed = [np.concatenate(self._packed)]
        return self._packed[0]

    def turned(self) -> NDArray[np.bool_]:
        """Return for which columns the larger of the two values came first."""
        result = self.values[:, 0] > self.values[:, 1]
        for j, words in self.words.items():
            result[j] = len(words) == 2 and words[0] > words[1]
        return result

    def named_values(self) -> NDArray[Any]:
        """Return the smaller and the larger value of each column; a constant's own one twice."""
        whole = np.where(np.isnan(self.values), self.values[:, :1], self.values)
        turned = self.turned()
        whole[turned] = whole[turned, ::-1]
        if not self.words:
            return whole
        result = whole.astype(object)
        for j, words in self.words.items():
            result[j] = [words[int(code)] for code in whole[j]]
        return result

    @classmethod
    def from_packed(
        cls, packed: NDArray[np.uint8], values: NDArray[np.float64], words: Words
    ) -> "IsingRows":
        """Return rows that were kept elsewhere."""
        result = cls(len(values))
        result.values, result.words = values, words
        result.rows, result._packed = len(packed), [packed]
        return result


def coded(
    rows: Rows, values: NDArray[np.float64], words: Words, labels: NDArray[Any]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which cells have the second of their column's values, and what values these are.

    ``values`` are those known before, NaN where there are none. A third one is a ValueError.
    """
    known, other = values.T
    first = np.where(np.isnan(known), rows[0], known)
    differs = rows != first
    seen = rows[differs.argmax(axis=0), np.arange(len(first))]
    second = np.where(np.isnan(other) & differs.any(axis=0), seen, other)
    third = differs & (rows != second)
    if third.any():
        columns = []
        for j in np.flatnonzero(third.any(axis=0)).tolist():
            odd = (first[j], second[j], rows[third[:, j].argmax(), j])
            named = ", ".join(repr(_named(value, words.get(j))) for value in odd)
            columns.append(f"{labels[j]!r} ({named})")
        raise ValueError(
            f"X must have two values in each column, got more in columns: {listed(columns)}; "
            f"HedgeGraph takes columns of any kind"
        )
    return differs, np.column_stack([first, second])


def numbers_for_words(X: Any, known: Mapping[int, tuple[str, ...]]) -> tuple[Any, Words]:
    """Return a table with numbers in place of words, and the words of each column.

    Missing cells stay missing. Tables without words are left as they are.

    Examples
    --------
    >>> numbers_for_words(np.array([["yes", 1], ["no", 0]], dtype=object), {})
    (array([[0., 1.],
           [1., 0.]]), {0: ('yes', 'no')})
    """
    words: Words = dict(known)
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        coded = []
        for j, name in enumerate(frame.columns):
            if frame[name].dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object):
                cells = frame[name].to_list()
                if _has_words(cells):
                    codes = _codes(cells, words, j)
                    coded.append(nw.new_series(name, codes, nw.Float64, native_namespace=_space(X)))
        return (frame.with_columns(*coded).to_native() if coded else X), words
    array = X if isinstance(X, np.ndarray) else None
    if isinstance(X, list | tuple):
        array = np.array(X, dtype=object)
    if array is None or array.ndim != 2 or array.dtype.kind not in "USO":
        return X, words
    columns = [column.tolist() for column in array.T]
    if not any(map(_has_words, columns)):
        return X, words
    numbers = [_codes(c, words, j) if _has_words(c) else c for j, c in enumerate(columns)]
    return np.array(numbers, dtype=np.float64).T, words


def _space(X: Any) -> Any:
    return nw.get_native_namespace(nw.from_native(X))


def _has_words(cells: Iterable[Any]) -> bool:
    return any(isinstance(cell, str | bytes) for cell in cells)


def _codes(cells: Iterable[Any], words: Words, column: int) -> list[float]:
    """Return the number of each word; new ones are added to those of the column."""
    number = {word: float(k) for k, word in enumerate(words.get(column, ()))}
    result = []
    for cell in cells:
        if cell is None or cell != cell:
            result.append(np.nan)
        else:
            result.append(number.setdefault(str(cell), float(len(number))))
    words[column] = tuple(number)
    return result


def _named(value: float, words: tuple[str, ...] | None) -> Any:
    if words is None or np.isnan(value):
        return float(value)
    return words[int(value)]
