"""An `IsingGraph` in a file: its parameters, the values of columns, and a bit for each cell."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from hedgerow.base.locks import locked
from hedgerow.estimators._in_a_file import InAFile, Parts
from hedgerow.estimators._ising_rows import IsingRows
from hedgerow.estimators._saved import array_of, check_header, check_names, require


class KeptIsing(InAFile):
    """A learner with `IsingRows` that can be written to a file and go on from it."""

    _KIND = "IsingGraph"
    _stream: IsingRows

    def _check_parameters(self) -> None:
        raise NotImplementedError

    @locked
    def parts(self) -> Parts:
        """Return what `save` writes, a header that JSON can hold and arrays."""
        check_is_fitted(self)
        words = {str(j): list(words) for j, words in self._stream.words.items()}
        arrays = {"values": self._stream.values, "bits": self._stream.packed()}
        return self._header(words=words), arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the model whose `parts` these are; raise StorageError if there is none."""
        check_header(header, set(cls().get_params()), lambda **p: cls(**p)._check_parameters())
        require(set(arrays) == {"values", "bits"}, "it must have 'values' and 'bits'", set(arrays))
        values, bits = array_of(arrays, "values", "f", 2), array_of(arrays, "bits", "u", 2)
        n_columns = len(values)
        require(n_columns >= 2, "values must be of at least two columns", n_columns)
        shape = (len(bits), -(-n_columns // 8))
        require(len(bits) and bits.shape == shape, f"bits must be of shape {shape}", bits.shape)
        require(bits.dtype == np.uint8, "bits must be bytes", bits.dtype)
        check_names(header["feature_names"], n_columns)
        words = _words(header.get("words"), n_columns)
        _check_values(values, words, np.unpackbits(bits, axis=1))

        model = cls(**header["parameters"])
        model._take_columns(header, n_columns)
        model._stream = IsingRows.from_packed(bits, values, words)
        return model


def _words(found: Any, n_columns: int) -> dict[int, tuple[str, ...]]:
    require(isinstance(found, dict), "words must be an object", found)
    for column, words in found.items():
        is_column = column.isdecimal() and int(column) < n_columns
        are_words = isinstance(words, list) and all(isinstance(word, str) for word in words)
        require(is_column and are_words, "words must be lists of texts by column", found)
        require(len(set(words)) == len(words) <= 2, "a column must have up to two words", words)
    return {int(column): tuple(words) for column, words in found.items()}


def _check_values(
    values: NDArray[Any], words: dict[int, tuple[str, ...]], bits: NDArray[np.uint8]
) -> None:
    """Raise StorageError unless each column has a value, and another if its bits say so."""
    shape = (len(values), 2)
    require(values.shape == shape and values.dtype == np.float64, f"values must be {shape}", values)
    first, second = values.T
    require(np.isfinite(first).all(), "values must have a first one for each column")
    require(not np.isinf(second).any() and (first != second).all(), "values must differ")
    varies = np.any(bits[:, : len(values)], axis=0)
    require((varies == ~np.isnan(second)).all(), "values must be those that its bits tell of")
    require(not bits[:, len(values) :].any(), "bits must end with zeros")
    for j, some in words.items():
        codes = values[j][~np.isnan(values[j])]
        require(np.isin(codes, range(len(some))).all(), "values must be numbers of words", codes)
