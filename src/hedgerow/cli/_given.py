"""Columns that are held fixed: the option, and rows with them beside."""

from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli._errors import Misuse

if TYPE_CHECKING:
    from polars import DataFrame

    from hedgerow import HedgeGraph
    from hedgerow.io import Table

_CATEGORIES = "=categories"
given_option = click.option(
    "--given",
    multiple=True,
    metavar="NAMES",
    help="Columns to hold fixed, as in age,sex,batch: text is taken for categories, and numbers "
    f"are with NAME{_CATEGORIES}.",
)


def given_told(options: dict[str, Any]) -> set[str]:
    """Leave the names in the options; return those that were said to be categories.

    Examples
    --------
    >>> options = {"given": ("age,batch=categories", "sex")}
    >>> given_told(options), options
    ({'batch'}, {'given': ['age', 'batch', 'sex']})
    """
    from hedgerow.io.choose import words_of

    names: dict[str, bool] = {}
    for text in options["given"]:
        for word in words_of(text):
            name = word.removesuffix(_CATEGORIES)
            if not name or ("=" in name and name == word):
                raise Misuse(f"--given must be NAMES, or NAME{_CATEGORIES}, got {word!r}")
            names[name] = name != word
    options["given"] = list(names)
    return {name for name, told in names.items() if told}


def know_columns(model: "HedgeGraph", table: "Table", categories: set[str]) -> None:
    """Tell a model which columns of a table are held fixed, and what is known of the others."""
    from hedgerow.io import DataError
    from hedgerow.io.choose import columns_by_name

    unknown = sorted(categories - set(table.held))
    if unknown:
        raise DataError(f"a category that is given goes by its whole name, got {unknown[0]!r}")
    held = table.held | dict.fromkeys(categories, "categories")
    others = [name for name in table.names if name not in held]
    columns = columns_by_name(model.columns, others, table.words)
    model.set_params(columns=columns, given=held or None)


def with_texts(table: "Table", rows: Any) -> tuple[Any, list[str] | None]:
    """Return rows of a table with texts that are given, and the names of columns without any."""
    return (framed(table, rows), None) if table.texts else (rows, table.names)


def framed(table: "Table", rows: Any) -> "DataFrame":
    """Return rows of a table, and texts that are given, as a data frame."""
    import polars

    frame = polars.DataFrame(rows, schema=table.names, orient="row")
    texts = [polars.Series(name, cells, polars.String) for name, cells in table.texts.items()]
    return frame.with_columns(texts)
