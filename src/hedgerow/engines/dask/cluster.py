"""Tasks on a cluster: named for the dashboard, counted for the bar, cancelled together."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from hedgerow.engines.numba_cpu.strips import with_threads
from hedgerow.progress import report

Future = Any


class Cluster:
    """A client, and the tasks that were given to it here.

    Tasks are pure functions of their arguments: what a lost worker had is computed again.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._mark = uuid4().hex[:12]
        self._tasks = 0

    @property
    def threads(self) -> int:
        """Number of threads of all workers."""
        return max(int(sum(self.client.nthreads().values())), 1)

    def task(self, name: str, function: Callable[..., Any], *arguments: Any) -> Future:
        """Return the promise of what a function returns for arguments, promises among them."""
        return self._submit(name, function, arguments)

    def _submit(
        self,
        name: str,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        workers: Sequence[str] = (),
    ) -> Future:
        self._tasks += 1
        key = f"{name}-{self._mark}{self._tasks:06x}"
        where = {"workers": list(workers), "allow_other_workers": True} if workers else {}
        return self.client.submit(function, *arguments, key=key, pure=False, **where)

    def beside(
        self,
        futures: Sequence[Future],
        name: str,
        function: Callable[..., Any],
        own: Sequence[Any],
        *shared: Any,
    ) -> list[Future]:
        """Return promises of a function of each of some kept promises, computed where that is.

        ``own`` has another argument for each; braces in the name become its number. If a worker is
        lost, its tasks go where their arguments are computed again.
        """
        self.wait(futures)
        homes = self.client.who_has(list(futures))
        return [
            self._submit(
                name.format(k + 1), function, (future, value, *shared), homes.get(future.key, ())
            )
            for k, (future, value) in enumerate(zip(futures, own))
        ]

    def owns(self, key: Any) -> bool:
        """Return whether a task was given here."""
        return self._mark in str(key)

    def given(self, name: str, value: Any) -> Future:
        """Return the promise of a value: sent once, however many tasks need it."""
        return self.task(name, _itself, value)

    def answer(self, future: Future) -> Any:
        """Return what a task returned."""
        return self.answers([future])[0]

    def answers(self, futures: Sequence[Future], stage: str | None = None) -> list[Any]:
        """Return what tasks returned; tell how many have, as a share of a ``stage``."""
        self.wait(futures, stage)
        return list(self.client.gather(list(futures)))

    def wait(self, futures: Sequence[Future], stage: str | None = None) -> None:
        """Wait until tasks have ended, and leave what they returned where it is."""
        for done, _ in enumerate(self.as_they_end(futures), 1):
            if stage is not None:
                report(stage, done / len(futures))

    def as_they_end(self, futures: Iterable[Future]) -> Iterator[Future]:
        """Yield tasks as they end; raise what one of them raised."""
        from distributed import as_completed

        for future in as_completed(list(futures)):
            if future.status != "finished":
                future.result()
            yield future


def alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns on all threads of a worker that has nothing else to do."""
    from distributed import get_worker

    with with_threads(get_worker().state.nthreads):
        return function(*arguments)


def _itself(value: Any) -> Any:
    return value


@contextmanager
def cluster_of(client: Any) -> Iterator[Cluster]:
    """Yield a cluster whose tasks are cancelled if something, or somebody, stops them.

    A scheduler or client that is gone is a ConnectionError.
    """
    from concurrent.futures import CancelledError

    from distributed.comm import CommClosedError

    where = getattr(client.scheduler, "address", "") if client.scheduler else ""
    cluster = Cluster(client)
    try:
        yield cluster
    except (CancelledError, CommClosedError) as error:
        raise ConnectionError(
            f"the scheduler{' at ' if where else ''}{where} does not answer any more, or has let "
            f"go of the tasks; nothing was learned. Fit again once it is there"
        ) from error
    except BaseException:
        _cancel(cluster)
        raise


def _cancel(cluster: Cluster) -> None:
    """Cancel all tasks that were given to a cluster here, and leave it to others."""
    from distributed import Future as Promise

    client = cluster.client
    own = [Promise(key, client) for key in list(client.futures) if cluster.owns(key)]
    if own and client.status == "running":
        client.cancel(own, force=True)
