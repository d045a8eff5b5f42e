"""What `hedgerow compare` tells people."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from hedgerow.cli._summary import printable
from hedgerow.comparison.result import COLUMNS, text_of

if TYPE_CHECKING:
    from rich.table import Table

    from hedgerow import Comparison

HEADINGS = {"stability": "stable", "f1": "F1", "fdp": "false"}
COLUMNS_AT_ONCE = 10  # of the matrix: they fit on a line of 80
STYLES = {"ok": "green", "not run": "dim"}


def show(
    result: "Comparison",
    source: str,
    left_out: Sequence[str],
    warned: Sequence[str],
    written: Sequence[str],
    seconds: float,
    stream: TextIO,
) -> None:
    """Print the table, the agreement of methods, what was left out, and warnings."""
    from rich.text import Text

    from hedgerow.cli._console import console_on

    console = console_on(stream, soft_wrap=True)
    size = f"{result.n_rows:,} rows, {len(result.names):,} columns"
    console.print(Text(f"{source}: {size}; {result.time_budget:g} s for each method\n"))
    console.print(_methods(result), soft_wrap=False)
    for outcome in result:
        if outcome.reason:
            text = f"{outcome.method} {outcome.status}: {printable(outcome.reason)}"
            console.print(Text(text, style=STYLES.get(outcome.status, "red")))
    if sum(outcome.ok for outcome in result) > 1:
        console.print(Text("\nAgreement", style="bold"))
        console.print(Text("edges that two methods share, in percent of those of either\n"))
        for block in _agreement(result):
            console.print(block, soft_wrap=False)
    console.print()
    for line in left_out:
        console.print(Text(line, style="dim"))
    for message in warned:
        console.print(Text(f"Warning: {printable(message)}", style="yellow"))
    for outcome in result:
        for message in outcome.warnings:
            text = f"Warning of {outcome.method}: {printable(message)}"
            console.print(Text(text, style="yellow"))
    for path in written:
        console.print(Text(f"Wrote {printable(path)}"))
    console.print(Text(f"Took {seconds:.1f} s", style="dim"))


def _methods(result: "Comparison") -> "Table":
    from rich.text import Text

    rows = result.rows()
    shown = [name for name in COLUMNS if name in rows[0]]
    table = _table([HEADINGS.get(name, name) for name in shown])
    table.columns[-1].justify = "left"
    for row in rows:
        status = Text(row["status"], style=STYLES.get(row["status"], "red"))
        table.add_row(*(text_of(row, name) for name in shown[:-1]), status)
    return table


def _agreement(result: "Comparison") -> Iterator["Table"]:
    """Yield the lower half of the matrix; its columns are numbered, as names would not fit."""
    matrix = result.agreement
    found = [k for k, outcome in enumerate(result.outcomes) if outcome.ok]
    for first in range(0, len(found) - 1, COLUMNS_AT_ONCE):
        beside = found[first : first + COLUMNS_AT_ONCE]
        table = _table(["", *(str(first + k + 1) for k in range(len(beside)))])
        for number, i in enumerate(found[first:], start=first + 1):
            cells = [f"{100 * matrix[i, j]:.0f}" for j in beside if j < i]
            table.add_row(f"{number} {result.outcomes[i].method}", *cells)
        yield table


def _table(headings: Sequence[str]) -> "Table":
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(headings[0], overflow="fold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    return table
