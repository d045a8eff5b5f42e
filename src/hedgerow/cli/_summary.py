"""What `hedgerow learn` tells: the figures people want, for the eye or for a program."""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from math import exp
from typing import Any

import click

from hedgerow.base.table import BoundedEdge, OddsEdge, ResampledEdge
from hedgerow.cli._left_out import columns_left_out, count, goes_to_stderr, rows_left_out
from hedgerow.method.promises import in_words

SHOWN = 10
LONGEST_NAME = 28  # two of them and the numbers fit on a line of 80

_NARROWEST_TABLE = 72  # letters: 13 for each name, and the numbers


@dataclass
class Summary:
    """All that is known once a graph has been learned."""

    source: str
    rows: int
    rows_dropped: int
    columns: int
    left_out: dict[str, list[str]]
    error: str
    level: float
    edges: list[Any]  # of `BoundedEdge` or `OddsEdge`
    warnings: list[str]
    version: str
    treatment: dict[str, Any]  # what was done to rows and columns, and in ``sentences``
    written: list[str] = field(default_factory=list)
    seconds: float = 0.0
    why_dropped: str = "with missing values"
    difference: int | None = None  # rows from a row to the one that was subtracted
    rows_without_difference: dict[str, int] = field(default_factory=dict)
    explained: list[Any] = field(default_factory=list)  # of `Explanation`
    resamples: dict[str, int] | None = None  # halves of the rows that were tested
    why_no_edges: str = ""  # why a balanced graph is refused any

    @property
    def rows_left_out(self) -> dict[str, int]:
        """Return how many rows were left out, by the reason."""
        dropped = {self.why_dropped: self.rows_dropped} if self.rows_dropped else {}
        return dropped | self.rows_without_difference

    @property
    def most_connected(self) -> list[tuple[str, int]]:
        """Return variables and their numbers of neighbours, the largest first."""
        ends = Counter(name for edge in self.edges for name in edge[:2])
        return ends.most_common(SHOWN)

    @property
    def strongest(self) -> list[Any]:
        """Return the edges with the largest partial correlations, or log odds ratios."""
        return sorted(self.edges, key=lambda edge: -abs(edge[2]))[:SHOWN]

    def to_json(self) -> str:
        """Return everything, all edges included, for a program to read."""
        content: dict[str, Any] = asdict(self)
        content["edges"] = [edge._asdict() for edge in self.edges]
        content["explained"] = [each.to_dict() for each in self.explained]
        content["most_connected"] = [
            {"name": name, "neighbours": count} for name, count in self.most_connected
        ]
        return json.dumps(content, indent=2)


def show(summary: Summary, *, stderr: bool = False, announced: bool = False) -> None:
    """Print the summary for people, without columns left out where they were ``announced``."""
    from rich.text import Text

    from hedgerow.cli._console import console_on

    stream = sys.stderr if stderr else sys.stdout
    console = console_on(stream, soft_wrap=True)
    for style, line in _head(summary):
        console.print(Text(line, style=style))
    if summary.edges:
        console.print(Text("\nStrongest edges", style="bold"))
        # A narrower table would have room for numbers only; lines go on in the next one.
        console.width = max(console.width, _NARROWEST_TABLE)
        console.print(_edge_table(summary.strongest), soft_wrap=False)
        most = ", ".join(f"{_short(name)} ({count})" for name, count in summary.most_connected)
        console.print(Text.assemble(("\nMost connected  ", "bold"), most))
    for explanation in summary.explained:
        first, *more = map(printable, str(explanation).splitlines())
        console.print(Text.assemble(("\n" + first, "bold"), *(f"\n{line}" for line in more)))
    columns = {} if announced and goes_to_stderr(stream) else summary.left_out
    for style, line in _tail(summary, columns):
        console.print(Text(line, style=style))


def warn(summary: Summary) -> None:
    """Print alone rows that were left out, and warnings: columns were told before the work."""
    for line in rows_left_out(summary.rows_left_out):
        click.echo(line, err=True)
    for message in summary.warnings:
        click.echo(f"Warning: {message}", err=True)


def printable(text: str) -> str:
    """Return text that cannot move the cursor, change colours or start a new line.

    >>> printable("a\\nb\\x1b[1m")
    'a\\\\nb\\\\x1b[1m'
    """
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )


def _head(summary: Summary) -> Iterable[tuple[str, str]]:
    pairs = summary.columns * (summary.columns - 1) // 2
    yield "", f"{summary.source}: {summary.rows:,} rows, {summary.columns:,} columns"
    yield (
        "bold",
        f"{count(len(summary.edges), 'edge')} among {count(pairs, 'pair')}, "
        + in_words(summary.error, summary.level, len(summary.edges), summary.why_no_edges),
    )
    for sentence in summary.treatment["sentences"]:
        yield "", sentence


def _tail(summary: Summary, columns: dict[str, list[str]]) -> Iterable[tuple[str, str]]:
    yield "", ""
    for line in (*columns_left_out(columns), *rows_left_out(summary.rows_left_out)):
        yield "dim", line
    for message in summary.warnings:
        yield "yellow", f"Warning: {message}"
    for path in summary.written:
        yield "", f"Wrote {printable(path)}"
    yield "dim", f"Took {summary.seconds:.1f} s"


def _edge_table(edges: list[BoundedEdge] | list[ResampledEdge] | list[OddsEdge]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("source")
    table.add_column("target")
    odds = isinstance(edges[0], OddsEdge)
    titles = ("coupling", "odds ratio") if odds else ("partial corr.", "interval")
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("q", justify="right", no_wrap=True)
    if isinstance(edges[0], ResampledEdge):
        table.add_column("returns", justify="right", no_wrap=True)
    for edge in edges:
        names = (Text(_short(name), no_wrap=True, overflow="ellipsis") for name in edge[:2])
        more = (
            f"{exp(edge.log_odds_ratio):.3g}"
            if isinstance(edge, OddsEdge)
            else f"{edge.low:+.2f} to {edge.high:+.2f}"
        )
        returns = [f"{edge.returns:.0%}"] if isinstance(edge, ResampledEdge) else []
        table.add_row(*names, f"{edge[2]:+.3f}", more, f"{edge.q_value:.2g}", *returns)
    return table


def _short(name: str) -> str:
    name = printable(name)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
