"""``hedgerow learn --by``: a graph for each group of rows, and what differs between them."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.cli._differences import compare_each, refuse_other_formats, tell, write_all
from hedgerow.cli._errors import Misuse
from hedgerow.cli._files import failures_of, open_rows
from hedgerow.cli._given import framed, know_columns
from hedgerow.cli._left_out import announce
from hedgerow.cli._progress import rows_with_bar
from hedgerow.cli._warnings import collected_warnings
from hedgerow.method.promises import BALANCED

if TYPE_CHECKING:
    from hedgerow import HedgeGraph
    from hedgerow.estimators.grouping import Groups
    from hedgerow.io import Table


def refuse_with_by(level: float | str, out: tuple[Path, ...], **options: Any) -> None:
    """Refuse what has no meaning where groups are compared."""
    for name in ("html", "save", "format", "difference"):
        if options[name] is not None:
            raise Misuse(f"--by goes without --{name}")
    if options["model"] != "gaussian":
        raise Misuse(f"--by goes with --model gaussian, got {options['model']}")
    if level == BALANCED:
        raise Misuse("--by needs an error rate, --fdr or --fwer, and goes without --balanced")
    refuse_other_formats(out)


def told_by_groups(
    model: "HedgeGraph",
    file: Path,
    out: tuple[Path, ...],
    options: dict[str, Any],
    categories: set[str],
    against: str,
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    """Learn each group of rows by itself as ``model`` would, and tell what differs."""
    with (
        collected_warnings() as warned,
        failures_of(file, dash="stdin"),
        open_rows(file, options) as table,
    ):
        announce(table.left_out)
        know_columns(model, table, categories)
        groups = _learn(model, table, options["by"], against, hidden=quiet)
        compared = groups.pairs()
    models = groups.models
    for name, group in models.items():
        with collected_warnings() as of_group:
            group.adjacency_  # noqa: B018 - results are kept, and its warnings belong to it
        warned += [f"{name}: {warning}" for warning in of_group]
    level = float(model.level)
    pairs, doubts = compare_each(
        [
            (pair.first, pair.second, partial(groups.difference, pair, model.error, level))
            for pair in compared
        ]
    )
    if out:
        write_all(pairs, out)
    tell(models, pairs, [*warned, *doubts], out, quiet=quiet, as_json=as_json)


def _learn(model: "HedgeGraph", table: "Table", by: str, against: str, *, hidden: bool) -> "Groups":
    """Return a model for each group of a table's rows, and perhaps for the rest of each."""
    import polars

    from hedgerow.estimators.grouping import Groups

    groups = Groups(model, by, against)
    for rows in rows_with_bar(table, hidden=hidden):
        of_rows = polars.Series(by, table.groups, polars.String)
        groups.partial_fit(framed(table, rows).with_columns(of_rows))
    return groups
