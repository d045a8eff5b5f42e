"""Options by which users say what they know of rows and columns."""

from collections.abc import Callable
from typing import Any

import click

from hedgerow.cli._errors import Misuse

_OPTIONS = {
    "independent_rows": click.option(
        "--independent-rows",
        is_flag=True,
        help="Rows have nothing to do with those before them: look for no memory and no season.",
    ),
    "normal_columns": click.option(
        "--normal-columns",
        is_flag=True,
        help="Columns are normal, together as well: take all of them as they are.",
    ),
    "as_is": click.option(
        "--as-is",
        multiple=True,
        metavar="NAMES",
        help="Columns to take as they are, not by their ranks: names, or patterns with *.",
    ),
}
KNOWN = tuple(_OPTIONS)
difference_option = click.option(
    "--difference",
    is_flag=False,
    flag_value=1,
    type=click.IntRange(min=1),
    metavar="[N]",
    help="Learn from each row minus the one N before it (1), never across a gap in --time.",
)


def known_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what is known of rows and columns."""
    for option in reversed(_OPTIONS.values()):
        command = option(command)
    return command


def assumed(options: dict[str, Any]) -> dict[str, Any]:
    """Take these options out; return the parameters of a model that they mean.

    Columns are named as they were typed: which ones these are is known once there are rows.

    Examples
    --------
    >>> assumed({"independent_rows": True, "normal_columns": False, "as_is": ("a,b",), "drop": ()})
    {'rows': 'independent', 'columns': ['a,b']}
    """
    independent, normal, as_is = (options.pop(name) for name in KNOWN)
    if normal and as_is:
        raise Misuse("--normal-columns and --as-is exclude each other")
    return {
        "rows": "independent" if independent else "any",
        "columns": "normal" if normal else list(as_is) or "any",
    }
