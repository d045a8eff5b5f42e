"""One lock for each model, so that several threads can use it at once.

It is re-entrant, because what is asked of a model asks the model for more. It is made when it is
first needed, as scikit-learn wants nothing but parameters to be set by ``__init__``, and never
goes with a copy.
"""

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar

_NAME = "_lock"
_Model = TypeVar("_Model")
_R = TypeVar("_R")
_P = ParamSpec("_P")


def lock_of(model: Any) -> Any:
    """Return the lock of a model, to hold for several calls; in ``with``."""
    return vars(model).setdefault(_NAME, RLock())  # one step: two threads get the same


def locked(
    method: Callable[Concatenate[_Model, _P], _R],
) -> Callable[Concatenate[_Model, _P], _R]:
    """Make a method, or the function of a property, hold its model's lock.

    Examples
    --------
    >>> class Counter:
    ...     n = 0
    ...     @locked
    ...     def add(self):
    ...         self.n = self.n + 1
    ...         return self.n
    >>> Counter().add()
    1
    """

    @wraps(method)
    def holding(model: _Model, /, *args: _P.args, **options: _P.kwargs) -> _R:
        with lock_of(model):
            return method(model, *args, **options)

    return holding


def without_lock(state: Any) -> dict[str, Any]:
    """Return the attributes of a model that a copy of it gets."""
    return {name: value for name, value in (state or {}).items() if name != _NAME}
