"""``hedgerow diff``: which partial correlations differ between tables, or saved models."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli._differences import compare_all, refuse_other_formats, tell, write_all
from hedgerow.cli._errors import Misuse
from hedgerow.cli._files import (
    STDIN,
    STDOUT,
    failures_of,
    open_rows,
    refuse_clashes,
    refuse_unwritable,
)
from hedgerow.cli._given import given_option, given_told, know_columns, with_texts
from hedgerow.cli._known import assumed, known_options
from hedgerow.cli._left_out import announce
from hedgerow.cli._progress import rows_with_bar
from hedgerow.cli._reading import reading_options
from hedgerow.cli._results import error_level, refuse_two_on_stdout
from hedgerow.cli._warnings import collected_warnings

if TYPE_CHECKING:
    from hedgerow import HedgeGraph


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILES")
@click.option("--fdr", type=float, metavar="Q", help="Expected share of false differences.")
@click.option("--fwer", type=float, metavar="D", help="Chance of any false difference.")
@click.option(
    "--since",
    is_flag=True,
    help="Files are one model, or stream, as it grew: compare the rows of the first with those "
    "that came later.",
)
@given_option
@known_options
@reading_options
@click.option(
    "--out",
    multiple=True,
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write differences (.csv .tsv .parquet .json) to this file, or to stdout (-); repeat for "
    "several.",
)
@click.option("--quiet", is_flag=True, help="Print warnings and errors only.")
@click.option("--json", "as_json", is_flag=True, help="Print all differences as JSON.")
def diff(
    files: tuple[Path, ...],
    fdr: float | None,
    fwer: float | None,
    since: bool,
    out: tuple[Path, ...],
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Tell which partial correlations differ between the first of FILES and each other.

    A file is a table, as for hedgerow learn, or a model that hedgerow learn --save wrote, or the
    checkpoint of a stream, or the folder of its checkpoints; no rows are needed then. All must have
    the same columns. By default differences are reported at a false discovery rate of 0.05, for
    each pair of files.
    """
    error, level = error_level(fdr, fwer)
    if len(files) < 2:
        raise Misuse(f"diff needs two files at least, got {len(files)}")
    if STDIN in files:
        raise Misuse("diff reads files, got - among them")
    if len({path.resolve() for path in files}) < len(files):
        raise Misuse("files must differ, got one of them twice")
    refuse_other_formats(out)
    refuse_two_on_stdout(out, quiet=quiet, as_json=as_json)
    for file in files:
        refuse_clashes([path for path in out if path != STDOUT], file)
    refuse_unwritable(list(out))
    models, told = {}, []
    for file in files:
        with collected_warnings() as warned, failures_of(file):
            models[str(file)] = _learned(file, dict(options), hidden=quiet)
        told += [f"{file}: {warning}" for warning in warned]
    pairs, doubts = compare_all(models, error, float(level), since=since)
    if out:
        write_all(pairs, out)
    tell(models, pairs, [*told, *doubts], out, quiet=quiet, as_json=as_json)


def _learned(file: Path, options: dict[str, Any], *, hidden: bool) -> "HedgeGraph":
    """Return the model of a file, or of the rows in it."""
    from hedgerow import HedgeGraph
    from hedgerow.base.storage import holds, is_stored

    stored = file.is_file() and is_stored(file)
    if file.is_dir() or (stored and holds(file, "checkpoint")):
        from hedgerow.stream import load_checkpoint

        return load_checkpoint(file)
    if stored:
        return HedgeGraph.load(file)
    categories = given_told(options)
    model = HedgeGraph(**assumed(options))
    with open_rows(file, options) as table:
        announce(table.left_out)
        know_columns(model, table, categories)
        for rows in rows_with_bar(table, hidden=hidden):
            cells, names = with_texts(table, rows)
            model.partial_fit(cells, feature_names=names)
        model.adjacency_  # noqa: B018 - its warnings belong to this file
    return model
