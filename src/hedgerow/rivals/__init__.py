"""Other methods that learn Gaussian graphical models or Ising models, behind one small interface.

Each is an estimator with ``fit(X)``, ``adjacency_`` and ``score_matrix_``, and each is told nothing
about the data unless you say so: the defaults need no tuning. `names` lists them, `make` makes one
by name; classes are loaded when first used.
"""

from importlib import import_module
from typing import Any

from hedgerow.rivals._registry import REGISTRY, Entry, load_class, make, names, why_not

_WHERE = {"OutOfTime": "_clock", "Rival": "_base"}
_CLASSES = {entry.class_name: entry for entry in REGISTRY.values()}

__all__ = ["REGISTRY", "Entry", "OutOfTime", "Rival", "make", "names", "why_not"]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        value = getattr(import_module(f"hedgerow.rivals.{_WHERE[name]}"), name)
    elif name in _CLASSES:
        value = load_class(_CLASSES[name])
    else:
        raise AttributeError(f"module 'hedgerow.rivals' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_CLASSES])
