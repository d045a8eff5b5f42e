"""Tables and pictures of the comparison on Ising models, in docs/comparison.md."""

import polars as pl

from benchmarks import document, kept
from benchmarks.ising import quality, recovery, times
from benchmarks.ising.models import OURS, SLOW, TOLD, label
from benchmarks.peers import store
from benchmarks.pictures import plt, save

COMMAND = "python -m benchmarks.ising run, report"


def write() -> None:
    """Draw, and fill the page, from the results that there are; the rest stays as it is."""
    before = kept.read("comparison")
    for name, table in TABLES.items():
        frame, block = store.read(f"ising-{name}"), f"ising-{name}"
        if not len(frame):
            continue
        new, commits = kept.parts_of(table(frame))[0], set(frame["commit"])
        whole = joined(before[block].table, new) if block in before else new
        if whole != new:
            commits |= set(before[block].made.commits)
        kept.keep("comparison", kept.made(COMMAND, commits), {block: str(whole)})
    document.fill_all()
    frame = store.read("ising-quality")
    if len(frame) and set(quality.methods()) <= {*frame["method"], *SLOW}:
        draw(frame, "f1", "F1", "ising_f1")
        draw(frame, "false", "share of false edges", "ising_false")
    frame = store.read("ising-times")
    if len(frame):
        draw_times(frame)
    draw_recovery(kept.read("comparison")["ising-recovery"].table)


def joined(old: kept.Table, new: kept.Table) -> kept.Table:
    """Return a table in the order of the methods, with old rows and cells where there are no new.

    >>> old = kept.Table(["method", "a"], [["RISE", "1"], ["Bethe", "2"]])
    >>> joined(old, kept.Table(["method", "a"], [["RISE", "3"], ["Bethe", "–"]])).rows
    [['RISE', '3'], ['Bethe', '2']]
    """
    order = [label(method) for method in quality.methods()] + [label("ising_exhaustive")]
    known = {row[0]: row for row in old.rows} if old.header == new.header else {}
    rows = {
        row[0]: [n if n != "–" else o for n, o in zip(row, known.get(row[0], row))]
        for row in new.rows
    }
    done = {_method_of(row, order) for row in rows}
    left = {row: cells for row, cells in known.items() if _method_of(row, order) not in done}
    everything = left | rows
    places = sorted(everything, key=lambda row: order.index(_method_of(row, order)))
    return kept.Table(new.header, [everything[row] for row in places])


def _method_of(row: str, order: list[str]) -> str:
    """Return the method that a row is about: the longest name that it begins with."""
    return max((name for name in order if row.startswith(name)), key=len)


def quality_table(frame: pl.DataFrame) -> str:
    """Means over cases, for each number of rows."""
    means = _means(frame)
    rows = []
    for method in [m for m in quality.methods() if m in set(frame["method"])]:
        cells = [label(method)]
        for m in quality.ROWS:
            [here] = means.filter(method=method, m=m).to_dicts()
            cells += [f"{here['f1']:.2f}", f"{here['false']:.2f}", f"{here['seconds']:.2g}"]
        seeds = frame.filter(method=method)["seed"].n_unique()
        rows.append([*cells, str(seeds)])
    header = ["method"]
    for m in quality.ROWS:
        header += [f"F1, m = {m:,}", "false", "seconds"]
    return document.table([*header, "seeds"], rows)


def _means(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.group_by("method", "m").agg(
        pl.col("f1", "false").mean(), pl.col("seconds").median()
    )


def recovery_table(frame: pl.DataFrame) -> str:
    """Rows that exact graphs take; a row for each method."""
    cases = list(recovery.CASES)
    rows = []
    for method in [m for m in recovery.methods() if m in set(frame["method"])]:
        told = ", told η" if method in TOLD else ", FWER 0.05" if method in OURS else ""
        cells = [label(method) + told]
        for name, p in cases:
            found = frame.filter(case=name, p=p, method=method)["rows"].to_list()
            most = f"> {recovery.rows_at(recovery.LAST[p]):,}"
            cells.append("–" if not found else most if found[0] is None else f"{found[0]:,}")
        rows.append(cells)
    return document.table(["method", *(f"{name}, p = {p}" for name, p in cases)], rows)


def times_table(frame: pl.DataFrame) -> str:
    """Seconds of every table; a row for each method."""
    tables = [*times.AXES["p"], *times.AXES["m"][1:]]
    rows = []
    for method in [m for m in quality.methods() if m in set(frame["method"])]:
        cells = [label(method)]
        for p, m in tables:
            found = frame.filter(method=method, p=p, m=m)["seconds"].to_list()
            cells.append(f"{found[0]:.2g}" if found else "–")
        rows.append(cells)
    return document.table(["method", *(f"p = {p}, m = {m:,}" for p, m in tables)], rows)


TABLES = {"quality": quality_table, "recovery": recovery_table, "times": times_table}


def draw(frame: pl.DataFrame, what: str, name: str, file: str) -> None:
    """F1 or another share against rows: a panel for each case."""
    figure, panels = plt.subplots(2, 4, figsize=(11, 6), sharey=True, layout="constrained")
    colours = plt.get_cmap("tab20").colors
    for panel, case in zip(panels.flat, quality.CASES):
        for method, colour in zip(quality.methods(), colours):
            curve = frame.filter(case=case, method=method).group_by("m").agg(pl.col(what).mean())
            curve = curve.sort("m")
            style = {"color": colour, "marker": "o", "markersize": 3, "linewidth": 1.2}
            panel.plot(curve["m"], curve[what], label=label(method), **style)
        panel.set_xscale("log")
        panel.set_xticks(quality.ROWS, [f"{m:,}" for m in quality.ROWS])
        panel.minorticks_off()
        panel.set_title(case, loc="left", fontsize=9)
        panel.set_xlabel("rows")
        panel.grid(color="#eeeeee")
    for panel in panels.flat[len(quality.CASES) :]:
        panel.set_visible(False)
    for panel in panels[:, 0]:
        panel.set_ylabel(name)
    handles = panels[0][0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=4, fontsize=8)
    save(figure, file)


def draw_times(frame: pl.DataFrame) -> None:
    """Seconds against columns, and against rows."""
    figure, panels = plt.subplots(1, 2, figsize=(9, 4.2), sharey=True, layout="constrained")
    colours = plt.get_cmap("tab20").colors
    for panel, (axis, tables) in zip(panels, times.AXES.items()):
        for method, colour in zip(quality.methods(), colours):
            curve = frame.filter(axis=axis, method=method).sort(axis)
            style = {"color": colour, "marker": "o", "markersize": 3, "linewidth": 1.2}
            panel.plot(curve[axis], curve["seconds"], label=label(method), **style)
        panel.set(xscale="log", yscale="log")
        p, m = tables[0]
        other = f"{m:,} rows" if axis == "p" else f"{p} columns"
        panel.set_xlabel(f"{'columns' if axis == 'p' else 'rows'} ({other})")
        panel.grid(color="#eeeeee")
    panels[0].set_ylabel("seconds")
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8
    )
    save(figure, "ising_times")


def draw_recovery(table: kept.Table) -> None:
    """Rows that exact graphs take; a hollow mark where the most that were tried are not enough."""
    figure, panel = plt.subplots(figsize=(9, 4.6), layout="constrained")
    colours = plt.get_cmap("tab20").colors
    shift = 0.6 / len(table.rows)
    for k, ((name, *cells), colour) in enumerate(zip(table.rows, colours)):
        found = [(c + k * shift, cell) for c, cell in enumerate(cells) if cell != "–"]
        panel.plot([], [], "o", color=colour, label=name)
        for place, cell in found:
            rows, filled = int(cell.strip("> ").replace(",", "")), not cell.startswith(">")
            panel.plot(place, rows, "o", color=colour, fillstyle="full" if filled else "none")
    panel.set_yscale("log")
    panel.set_xticks([c + 0.3 for c in range(len(table.header) - 1)])
    titles = [title.replace(", p", ",\np") for title in table.header[1:]]
    panel.set_xticklabels(titles, fontsize=8)
    panel.set_ylabel("rows")
    panel.grid(color="#eeeeee", axis="y")
    figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    save(figure, "ising_recovery")
