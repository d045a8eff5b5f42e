"""``hedgerow learn``: from a file to a graph."""

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli._by import refuse_with_by, told_by_groups
from hedgerow.cli._cluster import (
    cluster_option,
    learn_there,
    refuse_on_cluster,
    refuse_without_cluster,
)
from hedgerow.cli._errors import Interrupted, Misuse
from hedgerow.cli._explain import explain_option, pairs_asked, refuse_unheard
from hedgerow.cli._files import (
    STDIN,
    STDOUT,
    failures_of,
    open_rows,
    refuse_clashes,
    refuse_unwritable,
)
from hedgerow.cli._given import given_option, given_told, know_columns, with_texts
from hedgerow.cli._known import assumed, difference_option, known_options, refuse_for_ising
from hedgerow.cli._left_out import announce
from hedgerow.cli._paths import Target
from hedgerow.cli._reading import reading_options
from hedgerow.cli._resample import find_again, refuse_resampling, resample_option, seed_option
from hedgerow.cli._results import (
    FORMATS,
    error_level,
    formats_of,
    refuse_two_on_stdout,
    tell,
    treated,
    write_all,
)
from hedgerow.cli._resumable import resumable
from hedgerow.cli._warnings import collected_warnings
from hedgerow.cli.simulate import MODELS

if TYPE_CHECKING:
    from hedgerow import HedgeGraph, IsingGraph
    from hedgerow.cli._summary import Summary
    from hedgerow.io import Table

# As in hedgerow.engines, which is slow to import; a test compares them.
DEVICES = ("cpu", "cuda", "auto", "numpy")
AGAINST = ("first", "rest")  # as in hedgerow.estimators


@click.command()
@click.argument(
    "files",
    metavar="FILE",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
)
@click.option("--fdr", type=float, metavar="Q", help="Expected share of false edges, at most.")
@click.option("--fwer", type=float, metavar="D", help="Chance of any false edge, at most.")
@click.option(
    "--balanced",
    is_flag=True,
    help="Keep no error rate: false and missed edges weigh the same.",
)
@click.option(
    "--device",
    type=click.Choice(DEVICES),
    default="cpu",
    show_default=True,
    help="What computes: the processor, an NVIDIA GPU, the GPU where there is one, or the "
    "processor with nothing compiled.",
)
@click.option(
    "--model",
    type=click.Choice(MODELS),
    default="gaussian",
    show_default=True,
    help="What edges are between: normal variables, which may lie behind columns, or columns of "
    "yes or no themselves.",
)
@click.option(
    "--by",
    metavar="NAME",
    help="Column that says which group a row is of: learn each by itself, and tell what differs "
    "between the first, by name, and each other. --out then writes differences.",
)
@click.option(
    "--against",
    type=click.Choice(AGAINST),
    help="Compare each group of --by with the first one (the default), or with the rest.",
)
@given_option
@cluster_option
@known_options
@difference_option
@reading_options
@click.option(
    "--out",
    multiple=True,
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write edges (.csv .tsv .parquet .json), the graph (.graphml .gexf .cyjs) or matrices "
    "(.npz) to this file, or edges to stdout (-); repeat for several.",
)
@click.option("--format", type=click.Choice(FORMATS), help="Format of --out, whatever its name.")
@click.option("--html", type=Target(), help="Write a page to explore the graph in.")
@click.option(
    "--save",
    type=Target(),
    help="Write the model, to learn more rows later; Ctrl-C saves the rows learned so far.",
)
@explain_option
@resample_option
@seed_option
@click.option("--quiet", is_flag=True, help="Print what was left out, warnings and errors only.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary and all edges as JSON.")
def learn(
    files: tuple[Path, ...],
    cluster: str | None,
    out: tuple[Path, ...],
    format: str | None,
    html: Path | None,
    save: Path | None,
    explain: tuple[str, ...],
    resample: int | None,
    seed: int | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn which columns of a table are directly connected.

    FILE is delimited text (.csv .tsv .tab .txt) or JSON lines (.ndjson .jsonl), also with .gz,
    Parquet (.parquet .pq), Arrow (.arrow .feather .ipc), .npy, AnnData (.h5ad), a spreadsheet
    (.xlsx .xls .ods), SPSS (.sav) or Stata (.dta); - reads text or JSON lines from stdin. Files are
    read in pieces and may be larger than memory. By default edges are reported at a false
    discovery rate of 0.05. Several files, in the order of their rows, are for --cluster.
    """
    begun = monotonic()
    refuse_without_cluster(files, cluster)
    if cluster:
        refuse_on_cluster(files, options, save, explain)
    file = files[0]
    error, level = error_level(*(options.pop(name) for name in ("fdr", "fwer", "balanced")))
    against = options.pop("against")
    if against and options["by"] is None:
        raise Misuse("--against goes with --by")
    if options["by"] is not None:
        refuse_with_by(level, out, save=save, format=format, **options)
    formats = formats_of(out, format)
    refuse_two_on_stdout(out, quiet=quiet, as_json=as_json)
    refuse_resampling(resample, seed, cluster, options)
    refuse_unheard(explain, options["model"], options["by"], quiet=quiet)
    targets = [*out, *(path for path in (html, save) if path)]
    for source in files:
        refuse_clashes(targets, source)
    refuse_unwritable(targets)

    from hedgerow import HedgeGraph

    categories = given_told(options)
    model = _new_model(error, level, options)
    if options["by"] is not None and isinstance(model, HedgeGraph):
        how = {"quiet": quiet, "as_json": as_json}
        against = against or AGAINST[0]
        told_by_groups(model, file, out, html, options, categories, against, **how)
        return
    stopped: Interrupted | None = None
    rows_seen: list[Any] | None = [] if resample else None
    files_written = [path for path in targets if path != STDOUT]
    with collected_warnings() as warned, resumable(model, files_written):
        with failures_of(file, dash="stdin"), open_rows(file, options) as table:
            announce(table.left_out)
            asked = pairs_asked(explain, [n for n in table.names if n not in table.held])
            if isinstance(model, HedgeGraph):
                know_columns(model, table, categories)
            if cluster and isinstance(model, HedgeGraph):
                learn_there(model, files, cluster, table, options, hidden=quiet)
            else:
                _learn_rows(model, table, save, rows_seen, hidden=quiet)
            _test_pairs(model, hidden=quiet)
            if resample and rows_seen and isinstance(model, HedgeGraph):
                stopped = find_again(model, rows_seen, resample, seed, hidden=quiet)
            summary = _results(model, table, file, warned)
            if isinstance(model, HedgeGraph):
                summary.explained = [model.explain(*pair) for pair in asked]
        write_all(model, formats, html, summary)
    summary.written = [str(path) for path in files_written]
    summary.seconds = monotonic() - begun
    tell(summary, quiet=quiet, as_json=as_json, aside=STDOUT in out, announced=True)
    if stopped:
        raise stopped


def _new_model(
    error: str, level: float | str, options: dict[str, Any]
) -> "HedgeGraph | IsingGraph":
    """Take the options of the model out; return one that has learned nothing yet."""
    from hedgerow import HedgeGraph, IsingGraph

    if options.pop("model") == "gaussian":
        device = available(options.pop("device"))
        return HedgeGraph(error=error, level=level, device=device, **assumed(options))
    refuse_for_ising(options)
    if options["missing"] == "use":  # the model takes complete rows only
        options["missing"] = "drop"
    return IsingGraph(error=error, level=level)


def available(device: str) -> str:
    """Return the device, or say what is missing for it."""
    from hedgerow.engines import engine_for

    try:
        engine_for(device)
    except RuntimeError as error:
        raise click.ClickException(str(error)) from error
    return device


def _learn_rows(
    model: "HedgeGraph | IsingGraph",
    table: "Table",
    save: Path | None,
    rows_seen: list[Any] | None,
    *,
    hidden: bool,
) -> None:
    """Learn from all rows, and keep them in ``rows_seen`` if it is there."""
    from hedgerow import HedgeGraph
    from hedgerow.cli._compiling import NOTE, compiling
    from hedgerow.cli._interrupt import finish_first
    from hedgerow.cli._progress import progress
    from hedgerow.method.promises import promise_of

    begun, done, learned = monotonic(), 0, False
    # What tests an Ising model is compiled when it is needed.
    promise = promise_of(model.error, model.level) if isinstance(model, HedgeGraph) else None
    try:
        with (
            progress("Learning", table.total, hidden=hidden) as advance,
            compiling(lambda: advance(0, NOTE), promise) as ready,
        ):
            for rows in table:
                with finish_first():
                    cells, names = with_texts(table, rows)
                    model.partial_fit(cells, feature_names=names)
                    learned = True
                if rows_seen is not None:
                    rows_seen.append((cells, names))
                rate = model.n_samples_seen_ / (monotonic() - begun)
                note = f"{model.n_samples_seen_:,} rows, {rate:,.0f} rows/s"
                advance(table.done - done, note)
                done = table.done
            ready()
    except KeyboardInterrupt as error:
        if not save or not learned:
            raise
        _keep(model, save)
        raise Interrupted(f" after {model.n_samples_seen_:,} rows, saved in {save}") from error
    _keep(model, save)


def _test_pairs(model: "HedgeGraph | IsingGraph", *, hidden: bool) -> None:
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


def _keep(model: "HedgeGraph | IsingGraph", save: Path | None) -> None:
    if save:
        with failures_of(save):
            model.save(save)


def _results(
    model: "HedgeGraph | IsingGraph", table: "Table", file: Path, warned: list[str]
) -> "Summary":
    from hedgerow import HedgeGraph, __version__
    from hedgerow.cli._summary import Summary, printable
    from hedgerow.method.promises import promise_of

    differences = table.differences
    about = treated(
        model,
        differences.apart if differences else None,
        differences.left_out() if differences else {},
        table.words,
    )
    about["treatment"]["sentences"] += _other_model(model)
    if isinstance(model, HedgeGraph):
        about["treatment"]["sentences"] += model.resamples_in_words()
        resamples = model.resamples()
        if resamples is not None:
            about["resamples"] = resamples.to_dict()
    return Summary(
        source="stdin" if file == STDIN else printable(str(file)),
        rows=model.n_samples_seen_,
        rows_dropped=table.n_dropped,
        why_dropped=table.why_dropped,
        columns=model.n_features_in_,
        left_out=table.left_out,
        error=promise_of(model.error, model.level),
        level=model.level_,
        edges=list(model.edges_),
        why_no_edges=model.why_no_edges(),
        warnings=warned,
        version=__version__,
        **about,
    )


def _other_model(model: "HedgeGraph | IsingGraph") -> list[str]:
    """Say that there is a model for tables of yes or no, where all columns are."""
    from hedgerow import HedgeGraph
    from hedgerow.method.kinds import YES_NO

    if not isinstance(model, HedgeGraph) or not (model.column_kinds_ == YES_NO).all():
        return []
    return [
        "All columns are yes or no: --model ising has edges between the columns themselves, for "
        "votes or symptoms that act on each other, and odds ratios."
    ]
