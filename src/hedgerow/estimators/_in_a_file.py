"""A model in a file: written whole or not at all, and read only if it can be one."""

import os
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow import __version__
from hedgerow.base import storage
from hedgerow.base.locks import locked
from hedgerow.estimators._shared import Shared

Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]  # a header that JSON can hold, and arrays


class InAFile(Shared):
    """An estimator that can say its `parts`, and be made from them."""

    _KIND: ClassVar[str]
    n_features_in_: int
    feature_names_in_: Any

    def parts(self) -> Parts:
        """Return what `save` writes."""
        raise NotImplementedError

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the model whose `parts` these are; raise StorageError if there is none."""
        raise NotImplementedError

    @locked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file; it can be loaded and learned further.

        Parameters
        ----------
        path : str or path
            An existing file is replaced only once the new one is complete.
        """
        storage.write(path, self._KIND, *self.parts())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that `save` wrote.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        StorageError
            If the file is not whole, or not one that `save` can have written.
        """
        header, arrays = storage.read(path, cls._KIND)
        with storage.errors_of(path):
            return cls.from_parts(header, arrays)

    def _header(self, **more: Any) -> dict[str, Any]:
        """Return the version, the parameters and the names of columns, and more."""
        names = getattr(self, "feature_names_in_", None)
        return {
            "hedgerow": __version__,
            "parameters": self.get_params(),
            "feature_names": None if names is None else [str(name) for name in names],
        } | more

    def _take_columns(self, header: dict[str, Any], n_columns: int) -> None:
        """Take the number and the names of columns from a header."""
        self.n_features_in_ = n_columns
        if header["feature_names"] is not None:
            self.feature_names_in_ = np.array(header["feature_names"], dtype=object)
