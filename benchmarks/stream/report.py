"""docs/streams.md: its figures, as blocks of Markdown, and the picture of memory."""

import argparse
from typing import Any

from benchmarks import kept
from benchmarks.document import fill_all, table
from benchmarks.pictures import plt, save
from benchmarks.stream import store

ALONE = "learning"


def run(options: argparse.Namespace) -> None:
    figures = store.read()
    for part, made in figures["made"].items():
        blocks = {part: BLOCKS[part](figures[part])}
        if part == "throughput":
            blocks["setting"] = figures["setting"]
        kept.keep("streams", kept.Made(*made), blocks)
    fill_all()
    if "memory" in figures:
        _draw(figures["memory"])


def _throughput(figures: dict[str, Any]) -> str:
    rows = [
        [
            f"{size['columns']:,}",
            "the learning pass alone" if kind == ALONE else kind,
            f"{rate:,.0f}",
            f"{rate * size['columns'] / 1e6:.1f}",
            f"{rate / size['rows_per_second'][ALONE]:.2f}",
        ]
        for size in figures["sizes"]
        for kind, rate in size["rows_per_second"].items()
    ]
    return table(["columns", "from", "rows/s", "million numbers/s", "share of learning"], rows)


def _pauses(figures: list[dict[str, Any]]) -> str:
    rows = [
        [
            f"{f['columns']:,}",
            f"{f['bytes'] / 2**20:.1f}",
            f"{f['median']:.3f}",
            f"{f['longest']:.3f}",
        ]
        for f in figures
    ]
    return table(["columns", "MiB", "median, s", "longest, s"], rows)


def _memory(figures: dict[str, Any]) -> str:
    late = [
        size for row, size in zip(figures["along"], figures["bytes"]) if row > figures["rows"] // 10
    ]
    return (
        f"Over {figures['rows']:,} rows of {figures['columns']} columns, in "
        f"{figures['seconds']:.0f} s, resident memory after the first tenth stayed between "
        f"{min(late) / 2**20:.0f} and {max(late) / 2**20:.0f} MiB."
    )


def _faults(figures: dict[str, Any]) -> str:
    rows = [[kind, f"{count:,}"] for kind, count in figures["kinds"].items() if count]
    worlds = ", ".join(f"{count:,} to {name}" for name, count in figures["worlds"].items())
    return (
        f"Done: {figures['faults']:,} faults in {figures['sequences']} sequences ({worlds}), in "
        f"{figures['seconds'] / 60:.0f} minutes, with seed {figures['seed']}. Differences: "
        f"{len(figures['differences'])}.\n\n" + table(["fault", "times"], rows)
    )


BLOCKS = {
    "throughput": _throughput,
    "pauses": _pauses,
    "memory": _memory,
    "faults": _faults,
}


def _draw(figures: dict[str, Any]) -> None:
    figure, axes = plt.subplots(figsize=(6, 2.4), layout="constrained")
    axes.plot(
        [row / 1e6 for row in figures["along"]],
        [size / 2**20 for size in figures["bytes"]],
        color="#0072b2",
        linewidth=1,
    )
    axes.set(xlabel="million rows", ylabel="resident memory, MiB", ylim=(0, None), xlim=(0, None))
    save(figure, "stream_memory")
