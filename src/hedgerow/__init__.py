"""Hedgerow: which variables are directly connected?

Public names are loaded on first use, so ``import hedgerow`` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hedgerow._version import __version__

if TYPE_CHECKING:  # what `__getattr__` finds, for type checkers and editors
    from hedgerow import datasets, io, live, metrics, plot, report, rivals, stream, theory
    from hedgerow.comparison import Comparison, compare
    from hedgerow.estimators import (
        Difference,
        HedgeGraph,
        IsingGraph,
        SparsitronGraph,
        SparsitronIsing,
        difference,
        difference_by,
    )

_WHERE = {
    "Comparison": "hedgerow.comparison",
    "Difference": "hedgerow.estimators",
    "HedgeGraph": "hedgerow.estimators",
    "IsingGraph": "hedgerow.estimators",
    "SparsitronGraph": "hedgerow.estimators",
    "SparsitronIsing": "hedgerow.estimators",
    "compare": "hedgerow.comparison",
    "difference": "hedgerow.estimators",
    "difference_by": "hedgerow.estimators",
}
_MODULES = ("datasets", "io", "live", "metrics", "plot", "report", "rivals", "stream", "theory")

__all__ = [
    "Comparison",
    "Difference",
    "HedgeGraph",
    "IsingGraph",
    "SparsitronGraph",
    "SparsitronIsing",
    "__version__",
    "compare",
    "datasets",
    "difference",
    "difference_by",
    "io",
    "live",
    "metrics",
    "plot",
    "report",
    "rivals",
    "stream",
    "theory",
]


def _load(name: str) -> Any:
    if name in _WHERE:
        value = getattr(import_module(_WHERE[name]), name)
    elif name in _MODULES:
        value = import_module(f"hedgerow.{name}")
    else:
        raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")
    globals()[name] = value
    return value


if not TYPE_CHECKING:  # to a checker, any name would exist
    __getattr__ = _load


def __dir__() -> list[str]:
    return sorted(__all__)
