"""What differs between groups of rows, the first and each other: told and written."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from hedgerow.cli._errors import Misuse, printing
from hedgerow.cli._files import STDOUT, failures_of
from hedgerow.cli._warnings import collected_warnings

if TYPE_CHECKING:
    from hedgerow import Difference, HedgeGraph

FORMATS = (".csv", ".tsv", ".parquet", ".json")


class Pair(NamedTuple):
    """Two groups by name, and what differs between them."""

    first: str
    second: str
    found: "Difference"


def compare_all(
    models: "dict[str, HedgeGraph]", error: str, level: float, *, since: bool = False
) -> tuple[list[Pair], list[str]]:
    """Return what differs between the first group and each other, and warnings.

    With ``since``, groups go on from the first.
    """
    from hedgerow import difference

    (first, model), *others = models.items()
    return compare_each(
        [
            (first, name, partial(difference, model, other, error, level, since=since))
            for name, other in others
        ]
    )


def compare_each(
    asked: "Sequence[tuple[str, str, Callable[[], Difference]]]",
) -> tuple[list[Pair], list[str]]:
    """Return what differs between groups by name, as it is found, and warnings."""
    pairs, told = [], []
    for first, second, found in asked:
        with collected_warnings() as warned:
            try:
                pairs.append(Pair(first, second, found()))
            except ValueError as failure:
                raise click.ClickException(f"{first} and {second}: {failure}") from failure
        told += [f"{first} and {second}: {warning}" for warning in warned]
    return pairs, told


def refuse_other_formats(out: Sequence[Path]) -> None:
    """Refuse files whose names do not say how a table of differences is written."""
    for path in out:
        if path != STDOUT and path.suffix.lower() not in FORMATS:
            raise Misuse(f"--out: file name must end in {', '.join(FORMATS)}, got {str(path)!r}")


def write_all(
    models: "dict[str, HedgeGraph]",
    pairs: Sequence[Pair],
    out: Sequence[Path],
    html: Path | None,
    warned: Sequence[str],
    *,
    title: str,
) -> None:
    """Write one table of all differences to each file, and the page of all groups."""
    if out:
        _write_tables(pairs, out)
    if html:
        from hedgerow.report import write_groups

        with failures_of(html):
            write_groups(html, models, pairs, title=title, warnings=warned)


def _write_tables(pairs: Sequence[Pair], out: Sequence[Path]) -> None:
    import sys

    import polars

    from hedgerow.base.atomic import atomic_path

    frames = [
        pair.found.edges_.to_polars().select(
            polars.lit(pair.first).alias("first"), polars.lit(pair.second).alias("second"), "*"
        )
        for pair in pairs
    ]
    frame = polars.concat(frames, how="vertical_relaxed")
    for path in out:
        with failures_of(path):
            if path == STDOUT:
                sys.stdout.write(frame.write_csv())
                continue
            with atomic_path(path) as temporary:
                kind = path.suffix.lower()
                if kind == ".parquet":
                    frame.write_parquet(temporary)
                elif kind == ".json":
                    temporary.write_text(json.dumps(frame.to_dicts(), indent=2))
                else:
                    frame.write_csv(temporary, separator="\t" if kind == ".tsv" else ",")


def tell(
    models: "dict[str, HedgeGraph]",
    pairs: Sequence[Pair],
    warned: Sequence[str],
    out: Sequence[Path],
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    """Print what differs, for people or for a program."""
    with printing():
        if as_json:
            click.echo(json.dumps(_content(models, pairs, warned), indent=2))
            return
        if not quiet:
            for name, model in models.items():
                rows, edges = model.n_samples_seen_, len(model.edges_)
                said = "1 edge" if edges == 1 else f"{edges:,} edges"
                click.echo(f"{name}: {rows:,} rows, {said}", err=STDOUT in out)
                held = model.treatment_.given
                if held is not None:
                    click.echo(f"  {held.sentence()}", err=STDOUT in out)
            for pair in pairs:
                click.echo(f"\n{pair.first} → {pair.second}", err=STDOUT in out)
                click.echo(pair.found.summary(), err=STDOUT in out)
                if len(pair.found.edges_):
                    click.echo(str(pair.found.edges_), err=STDOUT in out)
        for message in warned:
            click.echo(f"Warning: {message}", err=True)
        if not quiet:
            for path in out:
                if path != STDOUT:
                    click.echo(f"Wrote {path}", err=STDOUT in out)


def _content(
    models: "dict[str, HedgeGraph]", pairs: Sequence[Pair], warned: Sequence[str]
) -> dict[str, Any]:
    return {
        "groups": [
            {
                "name": name,
                "rows": model.n_samples_seen_,
                "edges": len(model.edges_),
                "given": [] if held is None else [str(column) for column in held.columns],
            }
            for name, model in models.items()
            for held in [model.treatment_.given]
        ],
        "differences": [
            {
                "first": pair.first,
                "second": pair.second,
                "error": pair.found.error,
                "level": pair.found.level,
                "p_value": pair.found.p_value_,
                "edges": [edge._asdict() for edge in pair.found.edges_],
            }
            for pair in pairs
        ],
        "warnings": list(warned),
    }
