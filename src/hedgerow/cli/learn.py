"""``hedgerow learn``: from a file to a graph."""

import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli._errors import Interrupted, Misuse
from hedgerow.cli._files import (
    STDOUT,
    failures_of,
    open_rows,
    refuse_clashes,
    refuse_unwritable,
)
from hedgerow.cli._warnings import collected_warnings

if TYPE_CHECKING:
    from hedgerow import HedgeGraph
    from hedgerow.cli._summary import Summary
    from hedgerow.io import Table

# As in hedgerow.io and hedgerow.engines, which are slow to import; a test compares them.
DEVICES = ("cpu", "cuda", "auto")
FORMATS = ("csv", "tsv", "parquet", "json", "graphml", "gexf", "cytoscape", "node-link", "npz")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--fdr", type=float, metavar="Q", help="Expected share of false edges, at most.")
@click.option("--fwer", type=float, metavar="D", help="Chance of any false edge, at most.")
@click.option(
    "--device",
    type=click.Choice(DEVICES),
    default="cpu",
    show_default=True,
    help="What computes: the processor, an NVIDIA GPU, or the GPU where there is one.",
)
@click.option(
    "--columns", multiple=True, metavar="NAMES", help="Columns to use: names, or patterns with *."
)
@click.option("--drop", multiple=True, metavar="NAMES", help="Columns to leave out.")
@click.option("--delimiter", metavar="C", help="What separates cells of text: , ; | tab ...")
@click.option(
    "--header/--no-header",
    default=None,
    help="Whether the first line of text has the names of the columns.",
)
@click.option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="Rows with empty cells, NA or NaN: refuse the file, or leave the rows out.",
)
@click.option(
    "--out",
    multiple=True,
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write edges (.csv .tsv .parquet .json), the graph (.graphml .gexf .cyjs) or matrices "
    "(.npz) to this file, or edges to stdout (-); repeat for several.",
)
@click.option("--format", type=click.Choice(FORMATS), help="Format of --out, whatever its name.")
@click.option(
    "--html", type=click.Path(path_type=Path), help="Write a page to explore the graph in."
)
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    help="Write the model, to learn more rows later; Ctrl-C saves the rows learned so far.",
)
@click.option("--quiet", is_flag=True, help="Print warnings and errors only.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary and all edges as JSON.")
def learn(
    file: Path,
    out: tuple[Path, ...],
    format: str | None,
    html: Path | None,
    save: Path | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn which columns of a table are directly connected.

    FILE is delimited text (.csv .tsv .tab .txt) or JSON lines (.ndjson .jsonl), also with .gz,
    Parquet (.parquet .pq), Arrow (.arrow .feather .ipc), .npy or AnnData (.h5ad); - reads
    delimited text from stdin. Files are read in pieces and may be larger than memory. By default
    edges are reported at a false discovery rate of 0.05.
    """
    begun = monotonic()
    error, level = _error_level(options.pop("fdr"), options.pop("fwer"))
    formats = _formats(out, format)
    if as_json and (quiet or STDOUT in out):
        raise Misuse("--json prints to stdout, and goes with neither --quiet nor --out -")
    targets = [*out, *(path for path in (html, save) if path)]
    refuse_clashes(targets, file)
    refuse_unwritable(targets)

    from hedgerow import HedgeGraph

    model = HedgeGraph(error=error, level=level, device=_available(options.pop("device")))
    with collected_warnings() as warned:
        with failures_of(file, dash="stdin"), open_rows(file, options) as table:
            _learn_rows(model, table, save, hidden=quiet)
            _test_pairs(model, hidden=quiet)
            summary = _results(model, table, file, warned)
        for path in out:
            with failures_of(path):
                _write(model, path, formats[path])
        if html:
            with failures_of(html):
                _write_page(model, html, summary)
    summary.written = [str(path) for path in targets if path != STDOUT]
    summary.seconds = monotonic() - begun
    _tell(summary, quiet=quiet, as_json=as_json, aside=STDOUT in out)


def _error_level(fdr: float | None, fwer: float | None) -> tuple[str, float]:
    if fdr is not None and fwer is not None:
        raise Misuse("--fdr and --fwer exclude each other")
    error, level = ("fwer", fwer) if fwer is not None else ("fdr", 0.05 if fdr is None else fdr)
    if not 0 < level < 1:
        raise Misuse(f"--{error} must be a number in (0, 1), got {level:g}")
    return error, level


def _formats(out: tuple[Path, ...], format: str | None) -> dict[Path, str]:
    if format and len(out) != 1:
        raise Misuse(f"--format needs one --out, got {len(out)}")
    if not out:
        return {}
    from hedgerow.io import format_of

    try:
        return {path: format or ("csv" if path == STDOUT else format_of(path)) for path in out}
    except ValueError as error:
        raise Misuse(f"--out: {error}") from error


def _available(device: str) -> str:
    from hedgerow.engines import engine_for

    try:
        engine_for(device)
    except RuntimeError as error:
        raise click.ClickException(str(error)) from error
    return device


def _learn_rows(model: "HedgeGraph", table: "Table", save: Path | None, *, hidden: bool) -> None:
    from hedgerow.cli._interrupt import finish_first
    from hedgerow.cli._progress import progress

    begun, done = monotonic(), 0
    try:
        with progress("Learning", table.total, hidden=hidden) as advance:
            for rows in table:
                with finish_first():
                    model.partial_fit(rows)
                rate = model.n_samples_seen_ / (monotonic() - begun)
                note = f"{model.n_samples_seen_:,} rows, {rate:,.0f} rows/s"
                advance(table.done - done, note)
                done = table.done
    except KeyboardInterrupt as error:
        if not save or not done:
            raise
        _keep(model, table, save)
        raise Interrupted(f" after {model.n_samples_seen_:,} rows, saved in {save}") from error
    _keep(model, table, save)


def _test_pairs(model: "HedgeGraph", *, hidden: bool) -> None:
    from hedgerow.cli._progress import progress
    from hedgerow.progress import watching

    shown: dict[str, int] = {}  # percent of each stage
    with progress("Testing pairs", 200, hidden=hidden) as advance:

        def listen(stage: str, done: float) -> None:
            percent = int(100 * done)
            advance(percent - shown.get(stage, 0), stage)
            shown[stage] = percent

        with watching(listen):
            model.adjacency_  # noqa: B018 - results are kept


def _keep(model: "HedgeGraph", table: "Table", save: Path | None) -> None:
    import numpy as np

    # Batches are arrays, as frames of thousands of columns are slow; the names come last.
    model.feature_names_in_ = np.array(table.names, dtype=object)
    if save:
        with failures_of(save):
            model.save(save)


def _results(model: "HedgeGraph", table: "Table", file: Path, warned: list[str]) -> "Summary":
    from hedgerow._version import __version__
    from hedgerow.cli._summary import Summary, printable

    return Summary(
        source="stdin" if file == STDOUT else printable(str(file)),
        rows=model.n_samples_seen_,
        rows_dropped=table.n_dropped,
        columns=len(table.names),
        left_out=table.left_out,
        error=model.error,
        level=model.level,
        edges=list(model.edges_),
        warnings=warned,
        version=__version__,
    )


def _write(model: "HedgeGraph", path: Path, format: str) -> None:
    from hedgerow.io import FORMATS, write

    if path == STDOUT:
        FORMATS[format].write(model, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        write(path, model, format)


def _write_page(model: "HedgeGraph", path: Path, summary: "Summary") -> None:
    from hedgerow.report import data_of, write

    n_columns = summary.columns + sum(map(len, summary.left_out.values()))
    title = Path(summary.source).name
    write(path, data_of(model, title=title, n_columns=n_columns, warnings=summary.warnings))


def _tell(summary: "Summary", *, quiet: bool, as_json: bool, aside: bool) -> None:
    from hedgerow.cli import _summary

    if as_json:
        click.echo(summary.to_json())
    elif quiet:
        _summary.warn(summary.warnings)
    else:
        _summary.show(summary, stderr=aside)
