"""``hedgerow learn --by``: a graph for each group of rows, and what differs between them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.cli._differences import compare_all, refuse_other_formats, tell, write_all
from hedgerow.cli._errors import Misuse
from hedgerow.cli._files import failures_of, open_rows
from hedgerow.cli._left_out import announce
from hedgerow.cli._progress import rows_with_bar
from hedgerow.cli._warnings import collected_warnings
from hedgerow.method.promises import BALANCED

if TYPE_CHECKING:
    from hedgerow import HedgeGraph
    from hedgerow.io import Table

MOST_GROUPS = 20  # a column with more values says something else


def refuse_with_by(level: float | str, out: tuple[Path, ...], **options: Any) -> None:
    """Refuse what has no meaning where groups are compared."""
    for name in ("save", "format", "difference"):
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
    html: Path | None,
    options: dict[str, Any],
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    """Learn each group of rows by itself as ``model`` would, and tell what differs."""
    from hedgerow.io.choose import columns_by_name

    with (
        collected_warnings() as warned,
        failures_of(file, dash="stdin"),
        open_rows(file, options) as table,
    ):
        announce(table.left_out)
        model.set_params(columns=columns_by_name(model.columns, table.names, table.words))
        models = _learn(model, table, options["by"], hidden=quiet)
    for name, group in models.items():
        with collected_warnings() as of_group:
            group.adjacency_  # noqa: B018 - results are kept, and its warnings belong to it
        warned += [f"{name}: {warning}" for warning in of_group]
    pairs, doubts = compare_all(models, model.error, float(model.level))
    told = [*warned, *doubts]
    write_all(models, pairs, out, html, told, title=f"{file.name} by {options['by']}")
    tell(models, pairs, told, (*out, *([html] if html else [])), quiet=quiet, as_json=as_json)


def _learn(
    model: "HedgeGraph", table: "Table", by: str, *, hidden: bool
) -> "dict[str, HedgeGraph]":
    """Return a model for each group of a table's rows, in the order of their names."""
    import numpy as np
    from sklearn.base import clone

    from hedgerow.io import DataError
    from hedgerow.method.levels import MIN_ROWS

    models: dict[str, HedgeGraph] = {}
    for rows in rows_with_bar(table, hidden=hidden):
        groups = np.array(table.groups)
        for name in dict.fromkeys(table.groups):
            if name not in models:
                models[name] = clone(model)
            models[name].partial_fit(rows[groups == name], feature_names=table.names)
        if len(models) > MOST_GROUPS:
            raise DataError(
                f"column {by!r} must have at most {MOST_GROUPS} groups, got more: "
                f"{', '.join(list(models)[:3])}, ..."
            )
    if len(models) < 2:
        raise DataError(f"column {by!r} must have at least two groups, got {', '.join(models)}")
    few = {name: model.n_samples_seen_ for name, model in models.items()}
    few = {name: rows for name, rows in few.items() if rows < MIN_ROWS}
    if few:
        told = ", ".join(f"{rows} in {name!r}" for name, rows in few.items())
        raise DataError(f"each group must have at least {MIN_ROWS} rows, got {told}")
    return dict(sorted(models.items(), key=lambda item: _in_order(item[0])))


def _in_order(name: str) -> tuple[float, str]:
    """Return what sorts groups: numbers by their size, before other names.

    >>> sorted(["b", "10", "9"], key=_in_order)
    ['9', '10', 'b']
    """
    try:
        return float(name), name
    except ValueError:
        return float("inf"), name
