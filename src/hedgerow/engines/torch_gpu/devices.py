"""Which devices compute, and strips of nodes that go over all of them.

What a strip comes to does not depend on who does it, nor on how many others there are: devices of
one kind give the same result to the last bit, however many they are.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Protocol, TypeVar

import torch


class Worker(Protocol):
    """Who works on a device, with all that it takes."""

    @property
    def device(self) -> torch.device: ...


_Who = TypeVar("_Who", bound=Worker)
_Result = TypeVar("_Result")


def every() -> list[torch.device]:
    """Return all GPUs that torch finds, or the processor where it finds none."""
    if not torch.cuda.is_available():
        return [torch.device("cpu")]
    return [torch.device("cuda", number) for number in range(torch.cuda.device_count())]


def main() -> torch.device:
    """Return the device that rows are on."""
    return every()[0]


def with_room(needed: int) -> list[torch.device]:
    """Return the main device, and all others of its kind that have so many bytes free."""
    first, *others = every()
    return [first, *(d for d in others if _kind(d) == _kind(first) and free_bytes(d) >= needed)]


def _kind(device: torch.device) -> str:
    return str(torch.cuda.get_device_name(device) if device.type == "cuda" else device.type)


def free_bytes(device: torch.device) -> float:
    """Return how much memory a GPU has left; for the processor's, that is not known."""
    if device.type != "cuda":
        return math.inf
    free, _ = torch.cuda.mem_get_info(device)
    result: float = free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return result


def in_turn(
    workers: Sequence[_Who], work: Callable[[_Who, int], _Result], number: int
) -> Iterator[_Result]:
    """Yield what some jobs come to, in order; each worker does every so manyth of them.

    Each works in a thread of its own, while results are made use of. On a processor they work one
    after the other, as Triton's interpreter needs it.
    """
    n_workers = len(workers)
    if workers[0].device.type == "cpu":
        for job in range(number):
            yield work(workers[job % n_workers], job)
        return
    with ExitStack() as stack:
        pools = [stack.enter_context(ThreadPoolExecutor(1)) for _ in workers]
        waiting = [
            pools[job % n_workers].submit(_on_device, workers[job % n_workers], work, job)
            for job in range(number)
        ]
        try:
            for future in waiting:
                yield future.result()
        finally:
            for future in waiting:
                future.cancel()


def _on_device(worker: _Who, work: Callable[[_Who, int], _Result], job: int) -> _Result:
    with torch.cuda.device(worker.device):
        result = work(worker, job)
        torch.cuda.synchronize()  # others go on with it
        return result
