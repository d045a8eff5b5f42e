"""Which methods are compared, and how a name becomes an estimator."""

import json
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import rivals
from hedgerow.comparison._outcome import varying

Methods = str | Iterable[str] | Mapping[str, Mapping[str, Any]]


def chosen(methods: Methods | None) -> dict[str, dict[str, Any]]:
    """Return the parameters of each method, once all names are known to be right.

    Examples
    --------
    >>> chosen(["hedgerow"])
    {'hedgerow': {}}
    """
    if methods is None:
        methods = rivals.names()
    if isinstance(methods, str):
        methods = [methods]
    if not isinstance(methods, Mapping):
        methods = {name: {} for name in methods}
    for name, parameters in methods.items():
        if not _is_own(name) and name not in rivals.names():
            known = ", ".join(rivals.names())
            raise ValueError(f"methods must be among {known}, or a module:Class, got {name!r}")
        try:
            json.dumps(dict(parameters))
        except TypeError as error:
            raise ValueError(f"parameters of {name} must be plain values, {error}") from error
    if not methods:
        raise ValueError("methods must name at least one, got none")
    return {name: dict(parameters) for name, parameters in methods.items()}


def fitting(rows: NDArray[np.floating]) -> list[str]:
    """Return the names of the methods for these rows, which may have two values in every column.

    Examples
    --------
    >>> "rise" in fitting(np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]))
    True
    """
    rows = rows[:, varying(rows)]
    ends = (rows == rows.min(axis=0)) | (rows == rows.max(axis=0))
    return rivals.names("signs" if ends.all() else "numbers")


def build(name: str, parameters: Mapping[str, Any]) -> Any:
    """Return the estimator, not yet fitted."""
    if not _is_own(name):
        return rivals.make(name, **parameters)
    module, _, class_name = name.partition(":")
    return getattr(import_module(module), class_name)(**parameters)


def _is_own(name: str) -> bool:
    return ":" in name
