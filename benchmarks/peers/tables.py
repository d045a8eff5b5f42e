"""The figures in docs/comparison.md, as blocks of Markdown."""

import os
import platform
from importlib.metadata import version

import polars as pl

from benchmarks.document import table
from benchmarks.peers import real, recovery, times
from benchmarks.peers.solvers import SOLVERS, label
from benchmarks.peers.summary import (
    OURS,
    frontier_means,
    margins,
    methods_in,
    on_the_frontier,
    rows_needed,
    slope,
)

PACKAGES = ("hedgerow", "numpy", "scipy", "scikit-learn", "pyhuge", "gglasso")
# Orders of time that the paper's Appendix A gives, or the reason why it gives none.
STATED = {
    "sparsitron": "m p²",
    "exhaustive": "p^(2d + 1) or p^(d + 1), here p⁷ or p⁴",
    "greedy_prune": "(d log 1/κ)³ m p²",
    "conditional_covariance": "p^(2 + η), here p⁴",
    "neighbourhoods": "p³ expected of a general solver",
    "glasso": "p³ expected of a general solver",
    "clime": "p³ expected of a general solver",
    "aclime": "p³ expected of a general solver",
    "quic": "competitive, no order given",
}
WORTH_TELLING = 0.02  # a difference of F1


STUDIES = ("frontier", "times", "real", "recovery")


def blocks_of(study: str, frame: pl.DataFrame) -> dict[str, str]:
    """Return the blocks that are made of a study's records, by name."""
    match study:
        case "frontier":
            return {
                "frontier": frontier(frame),
                **{f"lost-{own}": lost(frame, own) for own in OURS},
            }
        case "times":
            return {"times": growth(frame)}
        case "real":
            return {"sachs": sachs(frame), "real": stable(frame)}
    return {f"recovery-{tuning}": rows_to_recover(frame, tuning) for tuning in ("data", "oracle")}


def setting(studies: dict[str, pl.DataFrame]) -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    cells = ", ".join(f"{len(frame):,} of {name}" for name, frame in studies.items())
    return (
        f"Records: {cells}. Versions: {packages}, Python {platform.python_version()}; "
        f"{os.cpu_count()} cores, of which a method has one."
    )


def frontier(frame: pl.DataFrame) -> str:
    """Return F1, false edges and seconds of every method; those nobody beats in both in bold."""
    means = frontier_means(frame)
    sizes = sorted(means["m"].unique())
    rows = []
    for method in methods_in(frame):
        cells = [label(method)]
        for m in sizes:
            here = means.filter(pl.col("m") == m)
            best = on_the_frontier(here["seconds"].to_list(), here["f1"].to_list())
            at = here["method"].to_list().index(method) if method in here["method"] else None
            if at is None:
                cells += ["–", "–", "–"]
                continue
            score = f"{here['f1'][at]:.2f}"
            cells += [f"**{score}**" if best[at] else score, f"{here['fdp'][at]:.2f}"]
            cells.append(f"{here['seconds'][at]:.2g}")
        seeds = means.filter(pl.col("method") == method)["seeds"].min()
        rows.append([*cells, str(seeds)])
    header = ["method"]
    for m in sizes:
        header += [f"F1, m = {m}", "false", "seconds"]
    return table([*header, "seeds"], rows)


def lost(frame: pl.DataFrame, own: str) -> str:
    """Return where a rival's mean F1 is above one of ours, by family and rows, the best first."""
    better = margins(frame, own).filter(pl.col("margin") > WORTH_TELLING)
    rows = []
    for (family, m), group in sorted(better.group_by("family", "m"), key=lambda item: item[0]):
        theirs = [
            f"{label(method)} {margin:+.2f} ({false:.2f})"
            for method, margin, false in group.sort("margin", descending=True)
            .select("method", "margin", "fdp")
            .iter_rows()
        ]
        score = frame.filter(method=own, family=family, m=m)["f1"].mean()
        rows.append([family, str(m), f"{score:.2f}", ", ".join(theirs)])
    if not rows:
        return "In no cell."
    return table(["family", "rows", label(own), "F1 of rivals above it (their false edges)"], rows)


def rows_to_recover(frame: pl.DataFrame, tuning: str) -> str:
    """Return the first number of rows with which nine graphs in ten are exactly right."""
    frame = frame.filter(pl.col("tuning") == tuning)
    settings = [
        (p, family)
        for p, families in recovery.FAMILIES.items()
        for family in families
        if len(frame.filter(pl.col("p") == p, pl.col("family") == family))
    ]
    rows = []
    for method in methods_in(frame):
        cells = []
        for p, family in settings:
            curve = frame.filter(
                pl.col("method") == method, pl.col("p") == p, pl.col("family") == family
            )
            cells.append(rows_needed(curve) if len(curve) else "–")
        rows.append([_told(method) if tuning == "oracle" else label(method), *cells])
    return table(["rows", *(f"{family}, p = {p}" for p, family in settings)], rows)


def _told(method: str) -> str:
    what = {"cut": "best cut", "penalty": "best penalty"}[SOLVERS[method].oracle or "cut"]
    return f"{label(method).partition(',')[0]}, {what}"


def growth(frame: pl.DataFrame) -> str:
    """Return fitted exponents and some times."""
    rows = []
    for method in methods_in(frame):
        points = {axis: frame.filter(method=method, axis=axis) for axis in times.AXES}
        exponents = [slope(points[axis], axis) for axis in times.AXES]
        seconds = dict(points["p"].select("p", "seconds").iter_rows())
        rows.append(
            [
                label(method),
                *("–" if value is None else f"{value:.1f}" for value in exponents),
                *(_seconds(seconds.get(p)) for p in (64, 256, 1024)),
                STATED.get(method, ""),
            ]
        )
    header = ["method", "in p", "in m", "p = 64", "p = 256", "p = 1024", "Appendix A"]
    return table(header, rows)


def sachs(frame: pl.DataFrame) -> str:
    """Return how close the protein graphs are to the known network, by both readings."""
    here = frame.filter(table="sachs")
    rows = []
    for row in here.sort("f1_skeleton", descending=True, nulls_last=True).iter_rows(named=True):
        scores = ("f1_skeleton", "fdp_skeleton", "f1_moral", "fdp_moral")
        cells = [_share(row[score]) for score in scores]
        rows.append([label(row["method"]), _edges(row), *cells, _share(row["stability"])])
    header = ["method", "edges", "F1, skeleton", "false", "F1, moral graph", "false", "stability"]
    return table(header, rows)


def stable(frame: pl.DataFrame) -> str:
    """Return edges, stability and likelihood of unseen rows where no answer is known."""
    tables = [name for name in real.TABLES if name != "sachs" and name in frame["table"]]
    rows = []
    for method in methods_in(frame):
        cells = [label(method)]
        for name in tables:
            found = frame.filter(method=method, table=name)
            row = found.row(0, named=True) if len(found) else {"status": "–"}
            if row["status"] != "ok":
                cells += [row["status"], "–", "–", "–"]
                continue
            cells += [_edges(row), _share(row["stability"])]
            cells += ["–" if row["held_out"] != row["held_out"] else f"{row['held_out']:.3f}"]
            cells.append(_seconds(row["seconds"]))
        rows.append(cells)
    header = ["method"]
    for name in tables:
        header += [f"{name}: edges", "stability", "held out", "seconds"]
    return table(header, rows)


def _edges(row: dict) -> str:
    return f"{row['edges']:,}" if row["edges"] is not None else row["status"]


def _share(value: float | None) -> str:
    return "–" if value is None or value != value else f"{value:.2f}"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}" if value < 10 else f"{value:.0f}"
