"""Options that say how a table is read; all commands that read one have them."""

from collections.abc import Callable
from typing import Any

import click

# As in hedgerow.io, which is slow to import; a test compares them.
MISSING = ("use", "error", "drop")
_OPTIONS = {
    "columns": click.option(
        "--columns",
        multiple=True,
        metavar="NAMES",
        help="Columns to use: names, or patterns with *.",
    ),
    "drop": click.option("--drop", multiple=True, metavar="NAMES", help="Columns to leave out."),
    "time": click.option(
        "--time", metavar="NAME", help="Column that says when a row was made: not a variable."
    ),
    "id": click.option(
        "--id", metavar="NAME", help="Column that says what a row is called: not a variable."
    ),
    "delimiter": click.option(
        "--delimiter", metavar="C", help="What separates cells of text: , ; | tab ..."
    ),
    "header": click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line of text has the names of the columns.",
    ),
    "decimal": click.option(
        "--decimal", metavar="C", help="What comes before the fraction of a number: . or ,"
    ),
    "na": click.option(
        "--na",
        multiple=True,
        metavar="MARKS",
        help="What else stands for a missing value, as in -99,-999,NULL.",
    ),
    "order": click.option(
        "--order",
        multiple=True,
        metavar="WORDS",
        help="Words from the lowest to the highest, as in never,sometimes,always: columns of such "
        "words are steps.",
    ),
    "missing": click.option(
        "--missing",
        type=click.Choice(MISSING),
        default="use",
        show_default=True,
        help="Rows with empty cells, NA, or text for a number: learn from their other cells, "
        "refuse them, or leave them out.",
    ),
    "transpose": click.option(
        "--transpose", is_flag=True, help="Rows are variables, columns are samples."
    ),
    "sheet": click.option(
        "--sheet", metavar="NAME", help="Sheet of a spreadsheet; else the first."
    ),
    "layer": click.option("--layer", metavar="NAME", help="Layer of AnnData, in place of X."),
    "obs": click.option(
        "--obs", multiple=True, metavar="NAMES", help="Columns of AnnData's obs to use too."
    ),
    "labels": click.option(
        "--labels", is_flag=True, help="Call variables of SPSS and Stata by their labels."
    ),
}
READING = tuple(_OPTIONS)
OF_TABLES_ONLY = ("transpose",)  # a stream cannot be turned


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say how a table is read."""
    for option in reversed(_OPTIONS.values()):
        command = option(command)
    return command
