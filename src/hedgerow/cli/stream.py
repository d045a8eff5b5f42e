"""``hedgerow stream``: from rows that keep coming to a graph."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import click

from hedgerow.cli._errors import Misuse, refuse_closed_stdin
from hedgerow.cli._files import STDIN, STDOUT, failures_of, refuse_clashes, refuse_unwritable
from hedgerow.cli._given import given_told
from hedgerow.cli._interrupt import stop_politely
from hedgerow.cli._known import KNOWN, assumed
from hedgerow.cli._paths import Target
from hedgerow.cli._reading import OF_TABLES_ONLY, READING
from hedgerow.cli._results import (
    error_level,
    formats_of,
    refuse_two_on_stdout,
    tell,
    treated,
    write_all,
)
from hedgerow.cli._warnings import told_warnings
from hedgerow.cli.learn import available, learn

if TYPE_CHECKING:
    from hedgerow import HedgeGraph
    from hedgerow.cli._summary import Summary
    from hedgerow.live import LivePage
    from hedgerow.stream import Source, Status, Watcher

# As in hedgerow.stream, which is slow to import; a test compares them.
BAD_ROWS = ("fail", "skip", "log")
# Options of `hedgerow learn` that this command has too.
RESULTS = ("fdr", "fwer", "device", "out", "format", "html", "quiet", "as_json")


@click.command()
@click.argument("source")
@click.option("--follow", is_flag=True, help="Wait for more rows, or files, until stopped.")
@click.option(
    "--checkpoint",
    type=Target(file_okay=False),
    metavar="DIR",
    help="Save state there, and go on from what is there.",
)
@click.option(
    "--every",
    metavar="ROWS|TIME",
    help="How often to save: a number of rows, or a time such as 30s, 5m, 1h.  [default: 30s]",
)
@click.option(
    "--half-life",
    type=float,
    metavar="ROWS",
    help="Forget: a row counts half as much after so many others.",
)
@click.option(
    "--events",
    type=Target(dir_okay=False),
    metavar="FILE",
    help="Write edges that appear and vanish to this file, as JSON lines.",
)
@click.option(
    "--bad-rows",
    type=click.Choice(BAD_ROWS),
    default="fail",
    show_default=True,
    help="Rows that cannot be read: save and stop, leave them out, or also say which.",
)
@click.option(
    "--live",
    is_flag=False,
    flag_value=0,
    type=click.IntRange(0, 65535),
    metavar="[PORT]",
    help="Show the graph as it grows on a page at this port of 127.0.0.1.",
)
def stream(
    source: str,
    checkpoint: Path | None,
    events: Path | None,
    live: int | None,
    out: tuple[Path, ...],
    format: str | None,
    html: Path | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn from rows that keep coming, and survive restarts.

    SOURCE is a file, a folder of files that are read in the order of their names, - for stdin, or
    a Redis stream, redis://HOST:PORT/0?stream=NAME. Rows are CSV or JSON lines; columns go by
    name. The same command once more goes on after the last checkpoint. Ctrl-C and SIGTERM save
    and end the run.
    """
    begun = monotonic()
    formats = formats_of(out, format)
    refuse_two_on_stdout(out, quiet=quiet, as_json=as_json)
    targets = [*out, *(path for path in (html, events) if path)]
    refuse_clashes(targets, Path(source))
    refuse_unwritable(targets)
    name = _shown(source)
    settings = _settings(checkpoint, options.pop("every"), options.pop("bad_rows"))
    categories = given_told(options)
    model, difference = _model(options, categories), options.pop("difference")
    if options["given"] and difference is not None:
        raise Misuse("--given and --difference do not go together")

    from hedgerow.cli._compiling import NOTE, compiling
    from hedgerow.cli._status_line import StatusLine
    from hedgerow.progress import watching
    from hedgerow.stream import FINISHED, run

    with told_warnings(), _bad_rows_told(), _page(live, name) as page:
        line = StatusLine(hidden=quiet)
        watchers: list[Watcher] = [line, page] if page else [line]
        with (
            failures_of(Path(name)),
            line,
            watching(line.listen),
            compiling(lambda: line.say(NOTE)),
            stop_politely() as stop,
        ):
            opened = _open(source, options)
            model = run(
                opened,
                model,
                difference=difference,
                **settings,
                events=events,
                changes=page is not None,
                watchers=watchers,
                stop=stop,
            )
        status = line.status
        if status is None or status.look is None:
            click.echo("Stopped before any row was learned from.", err=True)
            return
        summary = _summary_of(model, name, opened, status, difference)
        write_all(model, formats, html, summary)
        summary.written = [str(path) for path in targets if path != STDOUT]
        summary.seconds = monotonic() - begun
        aside = STDOUT in out
        # Whoever goes on from a checkpoint is not told at the start.
        tell(summary, quiet=quiet, as_json=as_json, aside=aside, announced=checkpoint is None)
        if checkpoint and (status.checkpoint is None or status.checkpoint.row < status.rows):
            raise click.ClickException(f"{checkpoint}: the last rows are in no checkpoint")
        if page and status.phase == FINISHED:
            _stay(page)


_SHARED = {*READING, *RESULTS, *KNOWN, "difference", "given"} - {*OF_TABLES_ONLY}
stream.params += [option for option in learn.params if option.name in _SHARED]


def _shown(source: str) -> str:
    """Return the source as it may be shown, without a password.

    >>> _shown("redis://me:secret@localhost:6379/0?stream=readings")
    'redis:readings'
    """
    scheme, is_address, rest = source.partition("://")
    if is_address:
        return f"{scheme}:{''.join(parse_qs(rest.partition('?')[2]).get('stream', []))}"
    return "stdin" if source == str(STDIN) else source


def _settings(checkpoint: Path | None, every: str | None, bad_rows: str) -> dict[str, Any]:
    from hedgerow.stream import Pace

    if every is None:
        return {"checkpoint": checkpoint, "bad_rows": bad_rows}
    if checkpoint is None:
        raise Misuse("--every goes with --checkpoint")
    try:
        Pace(every)
    except ValueError as error:
        raise Misuse(f"--{error}") from error
    return {"checkpoint": checkpoint, "every": every, "bad_rows": bad_rows}


def _model(options: dict[str, Any], categories: set[str]) -> "HedgeGraph":
    error, level = error_level(options.pop("fdr"), options.pop("fwer"))
    half_life, known = options.pop("half_life"), assumed(options)

    from hedgerow import HedgeGraph
    from hedgerow.base.checks import between
    from hedgerow.method.forgetting import LONGEST_HALF_LIFE, SHORTEST_HALF_LIFE

    try:
        if half_life is not None:
            between("--half-life", half_life, SHORTEST_HALF_LIFE, LONGEST_HALF_LIFE)
    except ValueError as error_of_user:
        raise Misuse(str(error_of_user)) from error_of_user
    device = available(options.pop("device"))
    given = {name: "categories" if name in categories else None for name in options["given"]}
    known |= {"half_life": half_life, "given": given or None}
    return HedgeGraph(error=error, level=level, device=device, **known)


def _open(source: str, options: dict[str, Any]) -> "Source":
    from hedgerow.io import DataError
    from hedgerow.stream import open_source

    if source == str(STDIN):
        refuse_closed_stdin()
    try:
        return open_source(source, **options)
    except DataError:
        raise
    except ValueError as error:  # of an option or of the source's name
        raise Misuse(str(error)) from error


@contextmanager
def _page(port: int | None, title: str) -> Iterator["LivePage | None"]:
    """Serve a page that watches, if one is wanted."""
    if port is None:
        yield None
        return
    try:
        from hedgerow.live import serve

        page = serve(title=title, port=port)
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"--live needs the package {error.name!r}; "
            "install it with: pip install 'hedgerow[live]'"
        ) from error
    except OSError as error:
        raise click.ClickException(f"--live: {error.strerror}") from error
    with page:
        click.echo(f"Watch at {page.url}", err=True)
        yield page


def _stay(page: "LivePage") -> None:
    click.echo(f"The page stays at {page.url} until Ctrl-C.", err=True)
    with stop_politely() as stop:
        while not stop():
            sleep(0.1)


def _summary_of(
    model: "HedgeGraph", name: str, source: "Source", status: "Status", difference: int | None
) -> "Summary":
    from hedgerow import __version__
    from hedgerow.cli._summary import Summary, printable

    others = source.schema.left_out if source.schema else []
    return Summary(
        source=printable(name),
        rows=model.n_samples_seen_,
        rows_dropped=status.bad_rows,
        why_dropped="that could not be used",
        columns=model.n_features_in_,
        left_out={"not numeric, or not wanted": others} if others else {},
        error=model.error,
        level=model.level_,
        edges=list(model.edges_),
        warnings=list(status.look.warnings) if status.look else [],
        version=__version__,
        **treated(
            model, difference, status.rows_without, source.schema.words if source.schema else {}
        ),
    )


@contextmanager
def _bad_rows_told() -> Iterator[None]:
    """Print what the library logs about rows that were left out."""
    handler = logging.Handler()
    handler.emit = lambda record: click.echo(record.getMessage(), err=True)  # type: ignore[method-assign]
    logger = logging.getLogger("hedgerow.stream")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
