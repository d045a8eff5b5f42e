"""``--cluster``: rows that are read, and learned from, by the workers of a cluster."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hedgerow.base.words import listed
from hedgerow.cli._errors import Misuse
from hedgerow.cli._files import STDIN

if TYPE_CHECKING:
    from hedgerow import HedgeGraph
    from hedgerow.io import Table

_LOCAL = re.compile(r"local:([1-9]\d*)")
_STAGES = ("checking", "learning", "choosing neighbours", "asking Hedge")
_CONNECT = 10  # seconds
_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
# Dask would look a hundred times a second at what each thread of a worker does, and fifty times at
# whether its own processes are in time. Its workers would give memory back whenever an array ends,
# and take it again page by page for the next; these keep some, for arrays up to glibc's limit.
# It would also write to disk what exceeds 0.6 of a worker's memory. What is worked on takes 0.25 at
# most (`engines.dask.room`), and a worker ends at 0.95: so there is room for 0.7 beside it.
WORKERS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.worker.memory.target": 0.7,
    "distributed.worker.memory.spill": 0.8,
    "distributed.worker.memory.pause": 0.9,
    f"{_ENVIRONMENT}.MALLOC_TRIM_THRESHOLD_": 64 << 20,
    f"{_ENVIRONMENT}.MALLOC_MMAP_THRESHOLD_": 32 << 20,
}

cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Let a cluster of Dask learn: the address of its scheduler, or local:4 for four workers "
    "on this machine.",
)


def refuse_without_cluster(files: tuple[Path, ...], cluster: str | None) -> None:
    """Refuse several files where one process reads them."""
    if len(files) > 1 and cluster is None:
        named = listed(map(str, files))
        raise Misuse(f"one file at a time, got {named}; several are read with --cluster alone")


def refuse_on_cluster(
    files: tuple[Path, ...], options: dict[str, Any], save: Path | None, explain: tuple[str, ...]
) -> None:
    """Refuse what a cluster cannot do."""
    given = [
        name for name in ("time", "transpose", "difference", "by", "given") if options.get(name)
    ]
    given += ["explain"] if explain else []
    given += ["save"] if save else []
    given += ["device"] if options["device"] != "cpu" else []
    given += ["model"] if options["model"] != "gaussian" else []
    if given:
        raise Misuse(f"--{given[0]} is for one machine, without --cluster")
    if options["missing"] == "drop":
        raise Misuse("--missing drop is for one machine; a cluster takes complete rows only")
    if STDIN in files:
        raise Misuse("a cluster reads files that all its workers can see, got -")


def learn_there(
    model: "HedgeGraph",
    files: tuple[Path, ...],
    address: str,
    table: "Table",
    options: dict[str, Any],
    *,
    hidden: bool,
) -> None:
    """Let a cluster fit the model to the rows of files, in the order in which they are named."""
    from hedgerow.cli._progress import progress
    from hedgerow.engines import CLUSTER
    from hedgerow.io.partitions import partitions_of
    from hedgerow.progress import watching

    source = partitions_of(files, table.names, **options)
    model.set_params(device=CLUSTER)
    shown: dict[str, int] = {}  # percent of each stage
    with progress("Learning", 100 * len(_STAGES), hidden=hidden) as advance:

        def listen(stage: str, done: float) -> None:
            percent = int(100 * done)
            advance(percent - shown.get(stage, 0), stage)
            shown[stage] = percent

        with client_of(address), watching(listen), _told():
            model.fit(source)


@contextmanager
def _told() -> Iterator[None]:
    """Tell what went wrong there in one line; which file it was, the line says."""
    try:
        yield
    except (ValueError, TypeError, MemoryError, OSError) as error:
        raise click.ClickException(str(error)) from error


@contextmanager
def environment_kept() -> Iterator[None]:
    """Take back what Dask sets in the environment of this process for the workers it starts."""
    before = dict(os.environ)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


@contextmanager
def client_of(address: str) -> Iterator[None]:
    """Open a client of a cluster that is there, or of one that ends with it."""
    try:
        from dask import config
        from distributed import Client, LocalCluster
    except ModuleNotFoundError as error:
        raise click.ClickException(
            "--cluster needs distributed (pip install 'hedgerow[dask]')"
        ) from error
    local = _LOCAL.fullmatch(address)
    if local:
        with config.set(WORKERS):
            with environment_kept():
                cluster = LocalCluster(
                    n_workers=int(local[1]), dashboard_address=":0", silence_logs=50
                )
            try:
                with Client(cluster):
                    yield
            finally:
                with suppress(TimeoutError):  # a lost worker does not say when it has ended
                    cluster.close()
        return
    try:
        client = Client(address, timeout=_CONNECT)
    except (OSError, ValueError, TimeoutError) as error:
        raise click.ClickException(
            f"--cluster {address}: no scheduler answers there; local:4 starts one on this machine"
        ) from error
    with client:
        yield
