"""``hedgerow demo``: the pixels of a photograph, from rows to a drawing, in seconds."""

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

PATCHES = 1000
SIDE = 8  # pixels
LEVEL = 0.05  # familywise
AS_NORMAL = {"rows": "independent", "columns": "normal"}  # what used to be taken for granted
ROWS_AT_ONCE = 200
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
    """Learn the pixels of a photograph and draw them: the image grid appears.

    The photograph is cut into patches of 8 × 8 pixels. Each of 64 pixels is a column, each of a
    thousand patches a row. Nothing says which pixels touch. Brightness is far from normal, and
    patches differ in contrast: the graph is shown twice, without and with what is done about that.
    The page opens in any browser, offline.
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
    patches = _patches()
    console.print(
        f"{len(patches):,} patches of a photograph of a flower: a row for each patch, a column\n"
        f"for each of the {SIDE} × {SIDE} pixels, no word about which pixels touch.\n"
    )
    with collected_warnings() as warned:  # to be told in the end, and on the page
        if stream:
            with compiling(_say_that_it_compiles, "fwer") as ready_to_test:
                model = _learn(patches, console, warned, ready_to_test)
        else:
            # Once, on few columns: nothing that is compiled pays, not even its loading.
            model = _new_model(device="numpy").partial_fit(patches)
            model.graph_up_to(LEVEL)  # it is judged, and warns, when first asked for edges
    with collected_warnings():  # of what is there to be compared with only
        as_normal = _new_model(device=model.device, **AS_NORMAL).partial_fit(patches)
        console.print(_before_and_after(as_normal, model))
    doubts = [f"Warning: {doubt}" for doubt in warned]
    console.print("\n" + "\n".join(model.treatment_.sentences() + doubts), soft_wrap=True)
    if not stream:
        console.print("\nEdges between pixels that touch, in their places:\n")
        console.print(_drawing(model))
    _write_page(model, html, warned)
    name = printable(str(html))
    console.print(f"\nWrote {name} after {monotonic() - begun:.1f} s. Open it in a browser:")
    console.print(html.resolve().as_uri(), soft_wrap=True)


def _say_that_it_compiles() -> None:
    from hedgerow.cli._compiling import NOTE

    if sys.stderr.isatty():  # what is piped into a file or a page stays the same every time
        click.echo(f"{NOTE}\n", err=True)


def _patches() -> "DataFrame":
    """Return patches side by side, in random order: where a patch was is no time.

    They lie across the blocks of 8 × 8 pixels in which JPEG rounds, half of a block off. All that
    the photograph has would show the weaker connections of pixels that are two apart as well.
    """
    import numpy as np
    import polars as pl

    from hedgerow.cli._photograph import flower

    picture = flower()[SIDE // 2 :, SIDE // 2 :]
    down, across = (length // SIDE for length in picture.shape)
    cut = picture[: down * SIDE, : across * SIDE].reshape(down, SIDE, across, SIDE)
    rows = np.random.default_rng(0).permutation(cut.swapaxes(1, 2).reshape(-1, SIDE**2))[:PATCHES]
    names = [f"r{row}c{column}" for row in range(SIDE) for column in range(SIDE)]
    return pl.DataFrame(rows, schema=names, orient="row")


def _new_model(device: str, rows: str = "any", columns: str = "any") -> "HedgeGraph":
    from hedgerow import HedgeGraph

    return HedgeGraph(error="fwer", level=LEVEL, device=device, rows=rows, columns=columns)


def _learn(
    patches: "DataFrame", console: "Console", warned: list[str], ready_to_test: Callable[[], None]
) -> "HedgeGraph":
    """Learn a few rows at a time and show the graph grow."""
    from rich.live import Live
    from rich.table import Table

    console.print("As rows arrive:\n")
    model, table = _new_model(device="cpu"), _table("rows")
    with Live(console=console, vertical_overflow="visible") as live:
        for start in range(0, len(patches), ROWS_AT_ONCE):
            warned.clear()  # what was wrong with fewer rows
            model.partial_fit(patches[start : start + ROWS_AT_ONCE])
            ready_to_test()
            _add(table, f"{model.n_samples_seen_:,}", _touching(model))
            beside = Table.grid(padding=(0, 4, 0, 0))
            beside.add_row(table, _drawing(model))
            live.update(beside)
    console.print()
    return model


def _touching(model: "HedgeGraph") -> Touching:
    edges = _edges(model)
    return Touching(
        len(edges),
        sum(abs(down) + abs(right) == 1 for _, (down, right) in edges),
        sum(max(abs(down), abs(right)) == 1 for _, (down, right) in edges),
    )


def _edges(model: "HedgeGraph") -> list[tuple[int, tuple[int, int]]]:
    """Return for each edge its first pixel and the step (down, right) to the second."""
    graph = model.graph_up_to(LEVEL)
    return [
        (first, (second // SIDE - first // SIDE, second % SIDE - first % SIDE))
        for first, second in zip(graph.source.tolist(), graph.target.tolist())
    ]


def _before_and_after(as_normal: "HedgeGraph", model: "HedgeGraph") -> "Table":
    table = _table(f"familywise error {LEVEL:g}")
    _add(table, "before: taken to be normal", _touching(as_normal))
    _add(table, "after: as Hedgerow does it", _touching(model))
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
    for first, (down, right) in _edges(model):
        stroke = STROKES.get((down, right), "")
        line = canvas[2 * (first // SIDE) + down] if stroke else []
        start = 4 * (first % SIDE) + 2 * right - len(stroke) // 2
        crossed = stroke in CROSSING and line[start] in CROSSING
        line[start : start + len(stroke)] = "╳" if crossed else stroke
    return Text("\n".join("".join(line) for line in canvas))


def _write_page(model: "HedgeGraph", path: Path, warned: list[str]) -> None:
    from hedgerow.report import data_of, write

    title = f"Patches of a photograph, {SIDE} × {SIDE} pixels"
    with failures_of(path):
        write(path, data_of(model, title=title, warnings=warned))
