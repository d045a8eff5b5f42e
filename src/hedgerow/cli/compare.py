"""``hedgerow compare``: several methods on one table."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from hedgerow.cli._errors import Interrupted, Misuse, printing
from hedgerow.cli._files import (
    STDIN,
    STDOUT,
    failures_of,
    open_rows,
    refuse_clashes,
    refuse_unwritable,
)
from hedgerow.cli._left_out import announce, columns_left_out, goes_to_stderr, rows_left_out
from hedgerow.cli._paths import Target
from hedgerow.cli._reading import MISSING, READING
from hedgerow.cli._results import refuse_two_on_stdout
from hedgerow.cli._warnings import collected_warnings, told_warnings
from hedgerow.cli.learn import learn
from hedgerow.cli.simulate import make_model, simulate, tell_sampling

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from hedgerow import Comparison

DRAWING = (
    "model",
    "p",
    "n",
    "strength",
    "signs",
    "field",
    "options",
)  # options of `hedgerow simulate`


class Data(NamedTuple):
    """What methods are compared on."""

    source: str
    rows: Any
    names: list[str]
    truth: "csr_array | None"
    left_out: dict[str, list[str]]  # columns, by the reason
    rows_left_out: dict[str, int]  # likewise


class Told(NamedTuple):
    """All that is told of a comparison."""

    result: "Comparison"
    data: Data
    warned: list[str]
    written: list[str]


def _list_methods(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from hedgerow import rivals

    width = max(map(len, rivals.names()))
    for name, entry in rivals.REGISTRY.items():
        absent = rivals.why_not(name)
        kind = "" if "numbers" in entry.data else ", for columns of two values"
        click.echo(f"{name:<{width}} {entry.summary}{kind}{f' ({absent})' if absent else ''}")
    ctx.exit()


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--family", metavar="FAMILY", help="Draw rows from a known graph instead, as simulate does."
)
@click.option(
    "--methods", metavar="A,B,C", help="Methods to run.  [default: all that fit the data]"
)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_methods,
    help="List the methods.",
)
@click.option(
    "--truth",
    type=click.Path(path_type=Path),
    help="True edges (source, target), .csv or .parquet: adds F1, share of false edges, exact.",
)
@click.option(
    "--budget",
    type=float,
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for each method.",
)
@click.option(
    "--resamples",
    type=int,
    default=3,
    show_default=True,
    help="Random splits of the rows into halves, for stability; as many as the budget allows.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Decides splits, and graph and rows."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write table, agreement and all graphs as JSON to this file (.json), or to stdout (-).",
)
@click.option(
    "--html",
    type=Target(),
    help="Write a page to explore the graphs in, with a switch between methods.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print table, agreement and all graphs as JSON."
)
@click.pass_context
def compare(
    ctx: click.Context,
    /,
    file: Path | None,
    family: str | None,
    methods: str | None,
    truth: Path | None,
    budget: float,
    resamples: int,
    seed: int,
    out: Path | None,
    html: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Run several methods on one table: edges, time, agreement, stability.

    FILE is a table as for hedgerow learn; - reads delimited text from stdin. Every method runs in a
    process of its own with a time budget; one that fails, or whose package is absent, is reported
    in its row. Ctrl-C ends the comparison and keeps what is done.
    """
    begun = monotonic()
    _refuse_confusion(ctx, file, family, truth)
    _check_out(out, as_json=as_json)
    targets = [path for path in (out, html) if path]
    refuse_clashes(targets, file or STDIN)
    refuse_unwritable(targets)
    settings = {
        "methods": None if methods is None else [name.strip() for name in methods.split(",")],
        "time_budget": budget,
        "resamples": resamples,
        "seed": seed,
    }
    _check(settings)
    with collected_warnings() as warned:
        drawing = {name: options.pop(name) for name in DRAWING}
        data = _drawn(family, seed, drawing) if family else _read(file or STDIN, truth, options)
        result = _run(data, settings)
        told = Told(result, data, warned, [str(path) for path in targets if path != STDOUT])
    _write(told, out, html)
    if as_json:
        with printing():
            click.echo(_json(told))
    else:
        _show(told, monotonic() - begun, stderr=out == STDOUT)
    _end(ctx, result)


def _borrowed(command: click.Command, names: tuple[str, ...], when: str) -> Iterator[click.Option]:
    """Yield options of another command, which mean the same here."""
    for option in command.params:
        if isinstance(option, click.Option) and option.name in names:
            option = copy(option)
            if option.name == "missing":  # the methods need complete rows
                option.type, option.default = click.Choice(MISSING[1:]), "drop"
                option.help = "Rows with empty cells, NA, or text: refuse them, or leave them out."
            option.help = f"{when}: {option.help}"
            yield option


compare.params += [
    *_borrowed(learn, READING, "With FILE"),
    *_borrowed(simulate, DRAWING, "With --family"),
]


def _refuse_confusion(
    ctx: click.Context, file: Path | None, family: str | None, truth: Path | None
) -> None:
    if (file is None) == (family is None):
        raise Misuse("one of FILE and --family is needed, and not both")
    if family and truth:
        raise Misuse("--truth goes with FILE; the truth of a --family is known")
    useless = READING if family else DRAWING
    for option in ctx.command.params:
        given = ctx.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if given and option.name in useless:
            raise Misuse(f"{option.opts[0]} goes with {'FILE' if family else '--family'}")


def _check_out(out: Path | None, *, as_json: bool) -> None:
    if out not in (None, STDOUT) and out.suffix != ".json":
        raise Misuse(f"--out must end in .json, got {str(out)!r}")
    refuse_two_on_stdout((out,) if out else (), quiet=False, as_json=as_json)


def _check(settings: dict[str, Any]) -> None:
    """Refuse bad settings before a file is read, which may take long."""
    from hedgerow.comparison import check

    try:
        check(**settings)
    except ValueError as error:
        raise Misuse(str(error)) from error


def _drawn(family: str, seed: int, drawing: dict[str, Any]) -> Data:
    model, rng = make_model(family, **drawing, seed=seed)
    with told_warnings():
        tell_sampling(model)
        rows = model.sample(drawing["n"], rng)
    return Data(f"{family}, seed {seed}", rows, model.names, model.adjacency, {}, {})


def _read(file: Path, truth: Path | None, options: dict[str, Any]) -> Data:
    import numpy as np

    from hedgerow.cli._progress import progress
    from hedgerow.cli._summary import printable
    from hedgerow.cli._truth import read_truth

    with failures_of(file, dash="stdin"), open_rows(file, options) as table:
        announce(table.left_out)
        batches, done = [], 0
        with progress("Reading", table.total) as advance:
            for rows in table:
                batches.append(rows)
                advance(table.done - done)
                done = table.done
        names, rows = table.names, np.concatenate(batches)
    graph = None
    if truth:
        with failures_of(truth):
            graph = read_truth(truth, names)
    dropped = {table.why_dropped: table.n_dropped} if table.n_dropped else {}
    source = "stdin" if file == STDIN else printable(str(file))
    return Data(source, rows, names, graph, table.left_out, dropped)


def _run(data: Data, settings: dict[str, Any]) -> "Comparison":
    import polars as pl

    from hedgerow import compare
    from hedgerow.comparison import fitting

    frame = pl.DataFrame(data.rows, schema=data.names, orient="row")
    methods = settings["methods"] or fitting(data.rows)
    with _bar(methods), failures_of(Path(data.source)):
        return compare(frame, truth=data.truth, **settings)


@contextmanager
def _bar(methods: list[str]) -> Iterator[None]:
    from hedgerow.cli._progress import progress
    from hedgerow.progress import watching

    shown: dict[str, int] = {}  # percent of each method
    with progress("Comparing", 100 * len(methods)) as advance:

        def listen(method: str, done: float) -> None:
            percent = int(100 * done)
            advance(percent - shown.get(method, 0), method)
            shown[method] = percent

        with watching(listen):
            yield


def _json(told: Told) -> str:
    """Return the comparison, and what is to be known of the table, for a program to read."""
    import json

    content = json.loads(told.result.to_json())
    about = {"source": told.data.source, "left_out": told.data.left_out}
    rows = {"rows_left_out": told.data.rows_left_out, "warnings": told.warned}
    return json.dumps(content | about | rows, indent=2)


def _write(told: Told, out: Path | None, html: Path | None) -> None:
    from hedgerow.base.atomic import atomic_path

    if out == STDOUT:
        with printing():
            click.echo(_json(told))
    elif out:
        with failures_of(out), atomic_path(out) as temporary:
            temporary.write_text(_json(told) + "\n", encoding="utf-8")
    if html:
        from hedgerow.report import write_comparison

        with failures_of(html):
            write_comparison(
                html,
                told.result,
                title=Path(told.data.source).name,
                warnings=told.warned,
                left_out=told.data.left_out,
                rows_left_out=told.data.rows_left_out,
            )


def _show(told: Told, seconds: float, *, stderr: bool) -> None:
    from hedgerow.cli._comparison import show

    stream = sys.stderr if stderr else sys.stdout
    data = told.data
    columns = {} if goes_to_stderr(stream) else data.left_out  # where they were announced
    left_out = [*columns_left_out(columns), *rows_left_out(data.rows_left_out)]
    with printing():
        show(told.result, data.source, left_out, told.warned, told.written, seconds, stream)


def _end(ctx: click.Context, result: "Comparison") -> None:
    found = sum(outcome.ok for outcome in result)
    if result.interrupted:
        raise Interrupted(f"; {found} of {len(result)} methods have a graph")
    if not found:
        raise click.ClickException("no method has a graph")
