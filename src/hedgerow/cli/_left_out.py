"""What was not learned from, in words: nothing is left out unsaid, or said twice in one place."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

import click

SHOWN = 10  # names on a line


def columns_left_out(left_out: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a line for each reason why columns were left out.

    Examples
    --------
    >>> list(columns_left_out({"not numeric": ["who", "when"]}))
    ["Left out 2 columns (not numeric): 'who', 'when'"]
    """
    for reason, names in left_out.items():
        shown = ", ".join(map(repr, names[:SHOWN])) + ", ..." * (len(names) > SHOWN)
        yield f"Left out {count(len(names), 'column')} ({reason}): {shown}"


def announce(left_out: Mapping[str, Sequence[str]]) -> None:
    """Say on stderr which columns are left out, before the work begins."""
    for line in columns_left_out(left_out):
        click.echo(line, err=True)


def goes_to_stderr(stream: TextIO) -> bool:
    """Tell whether what is printed to ``stream`` stands beside what was said on stderr.

    Examples
    --------
    >>> goes_to_stderr(sys.stderr)
    True
    """
    if stream is sys.stderr:
        return True
    try:
        return os.path.sameopenfile(stream.fileno(), sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):  # one of them is no file, or closed
        return False


def rows_left_out(left_out: Mapping[str, int]) -> Iterator[str]:
    """Yield a line for each reason why rows were left out.

    Examples
    --------
    >>> list(rows_left_out({"with missing values": 1}))
    ['Left out 1 row with missing values']
    """
    for reason, number in left_out.items():
        yield f"Left out {count(number, 'row')} {reason}"


def count(number: int, thing: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> count(1000, "row")
    '1,000 rows'
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"
