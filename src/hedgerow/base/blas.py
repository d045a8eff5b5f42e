"""Products of small matrices on one thread of BLAS: to wake others takes longer than they save."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_FEW = 1024  # columns; of the first rows, their products then take a hundredth of a second
FEW_TO_TEST = 128  # columns; all that is made of their pairs then takes some thousandths

_lock = Lock()
_inside = 0  # how many threads of Python are
_limits: Any = None


@contextmanager
def one_thread_if_few(n_columns: int, few: int = _FEW) -> Iterator[None]:
    """Let BLAS use one thread for what is done inside, if columns are few.

    BLAS has one setting for the whole process. Who comes first changes it, and who leaves last
    changes it back.
    """
    if n_columns > few:
        yield
        return
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _inside, _limits
    with _lock:
        if not _inside:
            _let_anyone_set()
            _limits = _libraries().limit(limits=1, user_api="blas")
        _inside += 1


def _leave() -> None:
    global _inside
    with _lock:
        _inside -= 1
        if not _inside:
            _let_anyone_set()
            _limits.restore_original_limits()
            _let_anyone_set()


def _let_anyone_set() -> None:
    """Let any thread change the setting, and not only the one that did last.

    threadpoolctl leaves out, since 3.8, what other threads than that ask for.
    """
    import threadpoolctl

    found = getattr(threadpoolctl, "OpenBLASController", None)
    clear = getattr(found, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
