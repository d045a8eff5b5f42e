"""``hedgerow demo``: the pixels of handwritten digits, from rows to a drawing, in seconds."""

import sys
from collections.abc import Callable
from math import comb
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import click

from hedgerow.cli._errors import printing, refuse_closed_stdout
from hedgerow.cli._files import failures_of, refuse_unwritable
from hedgerow.cli._paths import Target
from hedgerow.cli._warnings import collected_warnings

if TYPE_CHECKING:
    from polars import DataFrame
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from hedgerow import HedgeGraph

SIDE = 8  # pixels
# Familywise. The digits' shapes also tie distant pixels together; the surest edges, which the page
# shows first, are local, and its slider brings in the others. Pixels are far from normal, so that
# a level like the last one ranks edges and is no probability to believe in.
LEVELS = (0.05, 1e-6, 1e-25)
ROWS_AT_ONCE = 100
STROKES = {(0, 1): "───", (1, 0): "│", (1, 1): "╲", (1, -1): "╱"}  # by the step between pixels
CROSSING = ("╲", "╱")


class Touching(NamedTuple):
    """How many of some pairs of pixels touch by a side, and how many at all."""

    pairs: int
    by_side: int
    at_all: int  # by a side or at a corner

    def shares(self) -> tuple[str, str]:
        """Return both as parts of all the pairs."""
        if not self.pairs:
            return "", ""
        return f"{self.by_side / self.pairs:.0%}", f"{self.at_all / self.pairs:.0%}"


EVERY_PAIR = Touching(comb(SIDE**2, 2), 2 * SIDE * (SIDE - 1), 2 * (SIDE - 1) * (2 * SIDE - 1))


@click.command()
@click.option("--stream", is_flag=True, help="Show the graph grow as rows arrive.")
@click.option(
    "--html",
    type=Target(),
    default="hedgerow-demo.html",
    show_default=True,
    help="Where to write the page with the drawing.",
)
def demo(stream: bool, html: Path) -> None:
    """Learn the pixels of handwritten digits and draw them: the image grid appears.

    Each of 64 pixels is a column, each of 1,797 images a row. Nothing says which pixels touch. The
    page opens in any browser, offline.
    """
    refuse_closed_stdout()
    refuse_unwritable([html])
    with printing():
        _show(html, stream=stream)


def _show(html: Path, *, stream: bool) -> None:
    from hedgerow.cli._compiling import compiling
    from hedgerow.cli._console import console_on
    from hedgerow.cli._summary import printable

    begun = monotonic()
    console = console_on(sys.stdout)
    images = _images()
    console.print(
        f"{len(images):,} images of handwritten digits: a row for each image, a column for each\n"
        f"of the {SIDE} × {SIDE} pixels, no word about which pixels touch.\n"
    )
    with collected_warnings() as warned:  # to be told on the page
        if stream:
            with compiling(_say_that_it_compiles, "fwer") as ready_to_test:
                model = _learn(images, console, warned, ready_to_test)
        else:
            # Once, on few columns: nothing that is compiled pays, not even its loading.
            model = _new_model(device="numpy").partial_fit(images)
        console.print(_by_level(model))
    surest, whole = _touching(model, LEVELS[-1]).shares()[1], EVERY_PAIR.shares()[1]
    console.print(
        f"\n{surest} of the surest edges join pixels that touch; {whole} of all pairs do."
    )
    if not stream:
        console.print(f"\nEdges at {LEVELS[-1]:g} between pixels that touch, in their places:\n")
        console.print(_drawing(model))
    _write_page(model, html, warned)
    name = printable(str(html))
    console.print(f"\nWrote {name} after {monotonic() - begun:.1f} s. Open it in a browser:")
    console.print(html.resolve().as_uri(), soft_wrap=True)


def _say_that_it_compiles() -> None:
    from hedgerow.cli._compiling import NOTE

    if sys.stderr.isatty():  # what is piped into a file or a page stays the same every time
        click.echo(f"{NOTE}\n", err=True)


def _images() -> "DataFrame":
    import polars as pl
    from sklearn.datasets import load_digits

    names = [f"r{row}c{column}" for row in range(SIDE) for column in range(SIDE)]
    return pl.DataFrame(load_digits().data, schema=names, orient="row")


def _new_model(device: str) -> "HedgeGraph":
    from hedgerow import HedgeGraph

    return HedgeGraph(error="fwer", level=LEVELS[-1], device=device)


def _learn(
    images: "DataFrame", console: "Console", warned: list[str], ready_to_test: Callable[[], None]
) -> "HedgeGraph":
    """Learn a few rows at a time and show the graph grow."""
    from rich.live import Live
    from rich.table import Table

    console.print(f"As rows arrive, at the error level {LEVELS[-1]:g}:\n")
    model, table = _new_model(device="cpu"), _table("rows")
    with Live(console=console, vertical_overflow="visible") as live:
        for start in range(0, len(images), ROWS_AT_ONCE):
            warned.clear()  # what was wrong with fewer rows
            model.partial_fit(images[start : start + ROWS_AT_ONCE])
            ready_to_test()
            _add(table, f"{model.n_samples_seen_:,}", _touching(model, LEVELS[-1]))
            beside = Table.grid(padding=(0, 4, 0, 0))
            beside.add_row(table, _drawing(model))
            live.update(beside)
    console.print()
    return model


def _touching(model: "HedgeGraph", level: float) -> Touching:
    edges = _edges(model, level)
    return Touching(
        len(edges),
        sum(abs(down) + abs(right) == 1 for _, (down, right) in edges),
        sum(max(abs(down), abs(right)) == 1 for _, (down, right) in edges),
    )


def _edges(model: "HedgeGraph", level: float) -> list[tuple[int, tuple[int, int]]]:
    """Return for each edge its first pixel and the step (down, right) to the second."""
    graph = model.graph_up_to(level)
    return [
        (first, (second // SIDE - first // SIDE, second % SIDE - first % SIDE))
        for first, second in zip(graph.source.tolist(), graph.target.tolist())
    ]


def _by_level(model: "HedgeGraph") -> "Table":
    table = _table("error level")
    for level in LEVELS:
        _add(table, f"{level:g}", _touching(model, level))
    _add(table, "all pairs of pixels", EVERY_PAIR)
    return table


def _table(first: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for heading in (first, "edges", "by a side", "touching"):
        table.add_column(heading, justify="right")
    return table


def _add(table: "Table", first: str, touching: Touching) -> None:
    table.add_row(first, f"{touching.pairs:,}", *touching.shares())


def _drawing(model: "HedgeGraph") -> "Text":
    """Draw the edges between touching pixels, each pixel where it is in the image."""
    from rich.text import Text

    canvas = [[" "] * (4 * SIDE - 3) for _ in range(2 * SIDE - 1)]
    for pixel in range(SIDE**2):
        canvas[2 * (pixel // SIDE)][4 * (pixel % SIDE)] = "o"
    for first, (down, right) in _edges(model, LEVELS[-1]):
        stroke = STROKES.get((down, right), "")
        line = canvas[2 * (first // SIDE) + down] if stroke else []
        start = 4 * (first % SIDE) + 2 * right - len(stroke) // 2
        crossed = stroke in CROSSING and line[start] in CROSSING
        line[start : start + len(stroke)] = "╳" if crossed else stroke
    return Text("\n".join("".join(line) for line in canvas))


def _write_page(model: "HedgeGraph", path: Path, warned: list[str]) -> None:
    from hedgerow.report import data_of, write

    title = f"Handwritten digits, {SIDE} × {SIDE} pixels"
    with failures_of(path):
        write(path, data_of(model, title=title, warnings=warned))
