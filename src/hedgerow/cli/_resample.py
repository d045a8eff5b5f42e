"""``hedgerow learn --resample``: how often each edge is found again in halves of the rows."""

from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli._errors import Interrupted, Misuse

if TYPE_CHECKING:
    from hedgerow import HedgeGraph

resample_option = click.option(
    "--resample",
    is_flag=False,
    flag_value=100,
    type=click.IntRange(min=2),
    metavar="[N]",
    help="Find out how often each edge is found again in N (100) random halves of the rows, which "
    "are all held in memory for it. Ctrl-C keeps the graph, and what was done.",
)
seed_option = click.option(
    "--seed",
    type=int,
    help="Of the halves of --resample.  [default: 0]",
)


def refuse_resampling(
    resample: int | None, seed: int | None, cluster: str | None, options: dict[str, Any]
) -> None:
    """Refuse halves of what has none, and a seed of nothing."""
    if resample is None:
        if seed is not None:
            raise Misuse("--seed goes with --resample")
        return
    if seed is not None and seed < 0:
        raise Misuse(f"--seed must be at least 0, got {seed}")
    if options["model"] != "gaussian":
        raise Misuse("--resample is for --model gaussian")
    if options["by"] is not None:
        raise Misuse("--resample goes without --by")
    if cluster is not None:
        raise Misuse("--resample is for one machine, without --cluster")
    if options["device"] not in ("cpu", "numpy"):
        raise Misuse(f"--resample is for --device cpu or numpy, got {options['device']}")


def find_again(
    model: "HedgeGraph", rows: list[Any], times: int, seed: int | None, *, hidden: bool
) -> Interrupted | None:
    """Test halves of the rows; return what to say at the end if somebody has stopped it.

    ``rows`` come in pieces, each with the names of its columns, or None if it has them itself.
    """
    import numpy as np
    import polars

    from hedgerow.cli._progress import progress
    from hedgerow.progress import watching

    pieces, (names, *_) = zip(*rows)
    table = np.concatenate(pieces) if names else polars.concat(pieces)
    shown = 0
    try:
        with progress("Testing halves", times, hidden=hidden) as advance:

            def listen(stage: str, done: float) -> None:
                nonlocal shown
                if stage == "resampling":
                    halves = round(done * times)
                    advance(halves - shown, f"{halves} of {times}")
                    shown = halves

            with watching(listen):
                model.resample(table, times, seed or 0, feature_names=names)
    except KeyboardInterrupt:
        known = model.resamples()
        done = 0 if known is None else known.done
        return Interrupted(f" after {done} of {times} halves of the rows; the graph is whole")
    return None
