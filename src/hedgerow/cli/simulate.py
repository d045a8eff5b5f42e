"""``hedgerow simulate``: rows from a known graph, and the graph, to files."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from hedgerow.base.atomic import atomic_path
from hedgerow.cli._errors import Misuse, refuse_closed_stdout
from hedgerow.cli._files import STDOUT, failures_of
from hedgerow.cli._progress import progress

if TYPE_CHECKING:
    import polars as pl
    from numpy.random import Generator

    from hedgerow.datasets import Model

NUMBERS_AT_ONCE = 2_000_000  # rows are drawn and written in pieces of about 16 MB
FORMATS = (".csv", ".parquet")


def _list_families(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from hedgerow.datasets import FAMILIES

    for name, family in FAMILIES.items():
        options = ", ".join(family.options)
        click.echo(f"{name:<16} {family.summary}{f' Options: {options}.' if options else ''}")
    ctx.exit()


@click.command()
@click.argument("family")
@click.option("-p", type=int, default=100, show_default=True, help="Number of variables.")
@click.option("-n", type=int, default=1000, show_default=True, help="Number of rows.")
@click.option(
    "--strength",
    type=float,
    help="Smallest absolute partial correlation of an edge.  [default: suits the family]",
)
@click.option(
    "--signs",
    default="attractive",
    show_default=True,
    help="attractive: all partial correlations are positive; mixed: random signs.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the family, such as degree=3; repeat for several.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Decides graph and rows.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, allow_dash=True),
    default="-",
    show_default=True,
    help="File for the rows, .csv, .parquet or - for stdout.",
)
@click.option(
    "--truth",
    type=click.Path(path_type=Path, allow_dash=True),
    help="File for the true edges (source, target, partial_corr), .csv, .parquet or - for stdout.",
)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_families,
    help="List the families and their options.",
)
def simulate(
    family: str,
    p: int,
    n: int,
    strength: float | None,
    signs: str,
    options: tuple[str, ...],
    seed: int,
    out: Path,
    truth: Path | None,
) -> None:
    """Draw rows from a known graph and write rows and true edges to files.

    FAMILY is the kind of graph; --list shows them all. A file appears only when it is complete.
    CSV, also on stdout, is written piece by piece; Parquet is put together in memory.
    """
    _check_files([out, truth] if truth else [out])
    model, rng = make_model(family, p, n, strength, signs, options, seed)
    if truth:
        _write([_true_edges(model)], truth)
    _write(_draw(model, n, rng), out)


def make_model(
    family: str,
    p: int,
    n: int,
    strength: float | None,
    signs: str,
    options: tuple[str, ...],
    seed: int,
) -> "tuple[Model, Generator]":
    """Return the model that the options ask for, and what its ``n`` rows are drawn with."""
    import numpy as np

    from hedgerow.base.checks import integer_at_least
    from hedgerow.datasets import make

    try:
        integer_at_least("n", n, 1)
        rng = np.random.default_rng(integer_at_least("seed", seed, 0))
        return make(family, p, strength=strength, signs=signs, seed=rng, **_parse(options)), rng
    except ValueError as error:
        raise Misuse(str(error)) from error
    except MemoryError as error:
        raise click.ClickException(f"not enough memory for {p} variables") from error


def _check_files(paths: list[Path]) -> None:
    for path in paths:
        if path != STDOUT and path.suffix not in FORMATS:
            raise Misuse(f"file name must end in {' or '.join(FORMATS)}, got {str(path)!r}")
    if STDOUT in paths:
        refuse_closed_stdout()
    if len({path.resolve() for path in paths}) < len(paths):
        raise Misuse(f"--out and --truth must differ, got {str(paths[0])!r} for both")


def _parse(options: tuple[str, ...]) -> dict[str, float]:
    """Numbers from ``name=value``; whole ones stay integers."""
    parsed: dict[str, float] = {}
    for option in options:
        name, _, text = option.partition("=")
        if name in click.get_current_context().params:
            raise Misuse(f"option must be one of the family, got {option!r}")
        try:
            parsed[name] = int(text) if text.lstrip("+-").isdigit() else float(text)
        except ValueError as error:
            raise Misuse(f"option must be NAME=NUMBER, got {option!r}") from error
    return parsed


def _draw(model: "Model", n: int, rng: "Generator") -> "Iterator[pl.DataFrame]":
    import polars as pl

    at_once = max(1, NUMBERS_AT_ONCE // model.size)
    with progress("Drawing rows", n) as advance:
        for start in range(0, n, at_once):
            rows = min(at_once, n - start)
            yield pl.DataFrame(model.sample(rows, rng), schema=model.names, orient="row")
            advance(rows)


def _true_edges(model: "Model") -> "pl.DataFrame":
    import polars as pl

    names = pl.Series(model.names)
    source, target = model.edges.T
    return pl.DataFrame(
        {"source": names[source], "target": names[target], "partial_corr": model.partial_corr}
    )


def _write(frames: "Iterable[pl.DataFrame]", path: Path) -> None:
    import polars as pl

    with failures_of(path):
        if path == STDOUT:
            _write_csv(frames, sys.stdout.buffer)
            return
        with atomic_path(path) as temporary:
            if path.suffix == ".parquet":
                pl.concat(frames).write_parquet(temporary)
            else:
                with temporary.open("wb") as stream:
                    _write_csv(frames, stream)


def _write_csv(frames: "Iterable[pl.DataFrame]", stream: BinaryIO) -> None:
    for number, frame in enumerate(frames):
        stream.write(frame.write_csv(include_header=number == 0).encode())
    stream.flush()
