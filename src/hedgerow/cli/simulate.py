"""``hedgerow simulate``: rows from a known graph, and the graph, to files."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from hedgerow.base.atomic import atomic_path
from hedgerow.cli._errors import Misuse, refuse_closed_stdout
from hedgerow.cli._files import STDOUT, failures_of
from hedgerow.cli._progress import progress

if TYPE_CHECKING:
    import polars as pl
    from numpy.random import Generator

    from hedgerow.datasets import IsingModel, Model

    Drawn = Model | IsingModel

NUMBERS_AT_ONCE = 2_000_000  # rows are drawn and written in pieces of at most about 16 MB
FORMATS = (".csv", ".parquet")
MODELS = ("gaussian", "ising")


def _list_families(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from hedgerow.datasets import FAMILIES, ISING_FAMILIES

    for title, families in (("gaussian", FAMILIES), ("ising", ISING_FAMILIES)):
        click.echo(f"--model {title}:")
        for name, family in families.items():
            options = ", ".join(family.options)
            click.echo(f"  {name:<16} {family.summary}{f' Options: {options}.' if options else ''}")
    ctx.exit()


@click.command()
@click.argument("family")
@click.option(
    "--model",
    type=click.Choice(MODELS),
    default=MODELS[0],
    show_default=True,
    help="gaussian: normal variables; ising: variables of -1 and 1 that act on each other.",
)
@click.option("-p", type=int, default=100, show_default=True, help="Number of variables.")
@click.option("-n", type=int, default=1000, show_default=True, help="Number of rows.")
@click.option(
    "--strength",
    type=float,
    help="Smallest absolute partial correlation of an edge; of an Ising model, the absolute "
    "coupling of all.  [default: suits the family]",
)
@click.option(
    "--signs",
    default="attractive",
    show_default=True,
    help="attractive: all partial correlations, or couplings, are positive; mixed: random signs; "
    "frustrated, of an Ising model only: signs that no state can satisfy.",
)
@click.option(
    "--field", type=float, help="Field of every variable of an Ising model.  [default: 0]"
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
    help="File for the true edges (source, target, and partial_corr or coupling), .csv, .parquet "
    "or - for stdout.",
)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_families,
    help="List the families and their options.",
)
def simulate(family: str, n: int, seed: int, out: Path, truth: Path | None, **drawing: Any) -> None:
    """Draw rows from a known graph and write rows and true edges to files.

    FAMILY is the kind of graph; --list shows them all. A file appears only when it is complete.
    CSV, also on stdout, is written piece by piece; Parquet is put together in memory. Rows of an
    Ising model are drawn exactly where that can be done, and it is said where it cannot.
    """
    _check_files([out, truth] if truth else [out])
    model, rng = make_model(family, n=n, seed=seed, **drawing)
    if truth:
        _write([_true_edges(model)], truth)
    with telling_sampling(model):
        _write(_draw(model, n, rng), out)


def make_model(
    family: str,
    *,
    model: str,
    p: int,
    n: int,
    strength: float | None,
    signs: str,
    field: float | None,
    options: tuple[str, ...],
    seed: int,
) -> "tuple[Drawn, Generator]":
    """Return the model that the options ask for, and what its ``n`` rows are drawn with."""
    import numpy as np

    from hedgerow.base.checks import integer_at_least
    from hedgerow.datasets import make, make_ising

    wanted: dict[str, Any] = {"strength": strength, "signs": signs, **_parse(options)}
    try:
        integer_at_least("n", n, 1)
        rng = np.random.default_rng(integer_at_least("seed", seed, 0))
        if model == "ising":
            return make_ising(family, p, field=field or 0.0, seed=rng, **wanted), rng
        if field is not None:
            raise ValueError("--field goes with --model ising")
        return make(family, p, seed=rng, **wanted), rng
    except ValueError as error:
        raise Misuse(str(error)) from error
    except MemoryError as error:
        raise click.ClickException(f"not enough memory for {p} variables") from error


@contextmanager
def telling_sampling(model: "Drawn") -> Iterator[None]:
    """Say on stderr, once, how rows are drawn that do not follow their model exactly."""
    import warnings

    from hedgerow.datasets import IsingModel, SamplingWarning

    if isinstance(model, IsingModel) and not model.sampling.exact:
        plan = model.sampling
        click.echo(
            f"Rows are drawn by Gibbs sampling, each after {plan.sweeps} sweeps of its own; the "
            f"autocorrelation time was {plan.autocorrelation:.3g} sweeps.",
            err=True,
        )
        if not plan.measured:
            click.echo("Warning: that is too long to be measured, and rows may be wrong", err=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        yield


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


def _draw(model: "Drawn", n: int, rng: "Generator") -> "Iterator[pl.DataFrame]":
    import polars as pl

    from hedgerow.datasets import IsingModel

    if isinstance(model, IsingModel):
        dtype, work = "int8", model.size * max(1, model.sampling.sweeps)
    else:
        dtype, work = "float64", model.size
    at_once = max(1, NUMBERS_AT_ONCE // work)
    with progress("Drawing rows", n) as advance:
        for start in range(0, n, at_once):
            rows = min(at_once, n - start)
            drawn = model.sample(rows, rng).astype(dtype)
            yield pl.DataFrame(drawn, schema=model.names, orient="row")
            advance(rows)


def _true_edges(model: "Drawn") -> "pl.DataFrame":
    import polars as pl

    from hedgerow.datasets import IsingModel

    names = pl.Series(model.names)
    source, target = model.edges.T
    if isinstance(model, IsingModel):
        size = {"coupling": model.edge_couplings}
    else:
        size = {"partial_corr": model.partial_corr}
    return pl.DataFrame({"source": names[source], "target": names[target], **size})


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
