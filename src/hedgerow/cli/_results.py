"""What `hedgerow learn` and `hedgerow stream` do with what was learned: write it and tell it."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli._errors import Misuse, printing, refuse_closed_stdout
from hedgerow.cli._files import STDOUT, failures_of
from hedgerow.method.promises import BALANCED

if TYPE_CHECKING:
    from hedgerow import HedgeGraph, IsingGraph
    from hedgerow.cli._summary import Summary

# As in hedgerow.io, which is slow to import; a test compares them.
FORMATS = ("csv", "tsv", "parquet", "json", "graphml", "gexf", "cytoscape", "node-link", "npz")


def error_level(
    fdr: float | None, fwer: float | None, balanced: bool = False
) -> tuple[str, float | str]:
    """Return the kind of error and its level, by the option that was given."""
    given = {"--fdr": fdr is not None, "--fwer": fwer is not None, "--balanced": balanced}
    if sum(given.values()) > 1:
        names = " and ".join(name for name, is_given in given.items() if is_given)
        raise Misuse(f"{names} exclude each other")
    if balanced:
        return "fdr", BALANCED
    error, level = ("fwer", fwer) if fwer is not None else ("fdr", 0.05 if fdr is None else fdr)
    if not 0 < level < 1:
        raise Misuse(f"--{error} must be a number in (0, 1), got {level:g}")
    return error, level


def formats_of(out: tuple[Path, ...], format: str | None) -> dict[Path, str]:
    """Return the format of each file."""
    if format and len(out) != 1:
        raise Misuse(f"--format needs one --out, got {len(out)}")
    if not out:
        return {}
    from hedgerow.io import format_of

    try:
        return {path: format or ("csv" if path == STDOUT else format_of(path)) for path in out}
    except ValueError as error:
        raise Misuse(f"--out: {error}") from error


def refuse_two_on_stdout(out: tuple[Path, ...], *, quiet: bool, as_json: bool) -> None:
    """Refuse options that would mix two results, or none and one, on stdout."""
    if as_json and (quiet or STDOUT in out):
        raise Misuse("--json prints to stdout, and goes with neither --quiet nor --out -")
    if not quiet or STDOUT in out:
        refuse_closed_stdout()


def write_all(
    model: "HedgeGraph | IsingGraph",
    formats: dict[Path, str],
    html: Path | None,
    summary: "Summary",
) -> None:
    """Write what was learned to files, or to stdout, and as a page to explore it in."""
    for path, format in formats.items():
        with failures_of(path):
            _write_graph(model, path, format)
    if html:
        with failures_of(html):
            _write_page(model, html, summary)


def tell(summary: "Summary", *, quiet: bool, as_json: bool, aside: bool, announced: bool) -> None:
    """Print what was learned, in the way that was asked for.

    Rows that were left out are told also if ``quiet``, and columns that were ``announced`` on
    stderr are not told there again.
    """
    from hedgerow.cli import _summary

    with printing():
        if as_json:
            click.echo(summary.to_json())
        elif quiet:
            _summary.warn(summary)
        else:
            _summary.show(summary, stderr=aside, announced=announced)


def treated(
    model: "HedgeGraph | IsingGraph",
    difference: int | None,
    without: Mapping[str, int],
    words: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """Return what a summary has to say about what was done to rows and columns."""
    from hedgerow import IsingGraph
    from hedgerow.io import differences
    from hedgerow.io.words import in_words

    told: dict[str, Any]
    if isinstance(model, IsingGraph):
        told = {"sentences": model.said()}
    else:
        told = model.treatment_.to_dict(model.feature_names_in_)
        told["sentences"] += model.hubs_in_words()
    if difference is not None:
        told["sentences"] = [differences.in_words(difference), *told["sentences"]]
    told["sentences"] = [*in_words(words), *told["sentences"]]
    told["words"] = {name: list(some) for name, some in words.items()}
    return {
        "treatment": told,
        "difference": difference,
        "rows_without_difference": dict(without),
    }


def _write_graph(model: "HedgeGraph | IsingGraph", path: Path, format: str) -> None:
    from hedgerow.io import FORMATS, write

    if path == STDOUT:
        FORMATS[format].write(model, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        write(path, model, format)


def _write_page(model: "HedgeGraph | IsingGraph", path: Path, summary: "Summary") -> None:
    from hedgerow.report import data_of, write

    data = data_of(
        model,
        title=Path(summary.source).name,
        n_columns=summary.columns + sum(map(len, summary.left_out.values())),
        warnings=summary.warnings,
        left_out=summary.left_out,
        rows_left_out=summary.rows_left_out,
        said=summary.treatment["sentences"],
    )
    write(path, data)
