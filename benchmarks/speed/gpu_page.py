"""docs/gpu.md, from what benchmarks.speed.gpu printed on a machine with a GPU.

    python -m benchmarks.speed.gpu_page lines.json [more.json ...]
    python -m benchmarks.speed.gpu_page --many lines.json [more.json ...]
    python -m benchmarks.speed.gpu_page --file lines.json [more.json ...]

Each file is the output of one run; together they are the table. With ``--many`` the runs are those
of `benchmarks.speed.gpu_many`, and problems that they do not have stay as they were measured
before; with ``--file`` those of `benchmarks.speed.gpu_file`. The picture is drawn again.
"""

import argparse
import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import document, kept
from benchmarks.document import table
from benchmarks.speed.gpu_picture import draw

NAMES = ("blocks", "chains", "trees", "scale-free", "independent")
Line = dict[str, Any]
HEADER = ("p | graph | error | time (s) | learning (s) | bytes floor (s) | flops floor (s) | "
          "fit (s) | memory (GiB) | edges | F1 | false edges")  # fmt: skip
COMMAND = "python -m benchmarks.speed.gpu"
FILE = ("p | graph | time (s) | memory of the host (GiB) | edges | F1 | "
        "share of false edges | false edges")  # fmt: skip
MANY = ("p | graph | error | time (s) | learning (s) | memory (GiB) | edges | F1 | "
        "share of false edges | false edges")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("outputs", nargs="+", type=Path)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--many", action="store_true")
    what.add_argument("--file", action="store_true")
    args = parser.parse_args()
    outputs = [path.read_text().splitlines() for path in args.outputs]
    runs = [json.loads(lines[0]) for lines in outputs]
    lines = [json.loads(line) for _, *rest in outputs for line in rest]
    commits, days = [run["commit"] for run in runs], [run["date"] for run in runs]
    command, found = COMMAND, blocks
    if args.many:
        before = kept.read("gpu")["many"]
        command, found = f"{COMMAND}_many", partial(many, before=before.table)
        commits, days = [*before.made.commits, *commits], [before.made.date, *days]
    if args.file:
        command, found = f"{COMMAND}_file", file
    made = kept.made(command, commits)._replace(date=max(days), machine=runs[0]["machine"])
    document.publish("gpu", made, found(runs, lines))
    draw(kept.read("gpu"))


def many(runs: list[Line], lines: list[Line], before: kept.Table) -> dict[str, str]:
    """Return the table of problems whose pairs cannot all be held; times are of the first seed."""
    rows = {tuple(row[:3]): row for row in before.rows}
    for problem in dict.fromkeys((line["p"], line["graph"], line["error"]) for line in lines):
        seeds = [line for line in lines if (line["p"], line["graph"], line["error"]) == problem]
        p, graph, error, *times, memory, edges, worst, false = _row(seeds)
        share = f"{max(line['fdp'] for line in seeds):.5f}"
        rows[p, graph, error] = [p, graph, error, *times[:2], memory, edges, worst, share, false]
    ordered = sorted(rows.values(), key=_size_and_graph)
    return {"many": table(MANY.split(" | "), ordered)}


def file(runs: list[Line], lines: list[Line]) -> dict[str, str]:
    """Return the table of what it takes from file to file."""
    rows = []
    for line in lines:
        p, graph, _, seconds, *_, edges, f1, false = _row([line | {"gib": line["host_gib"]}])
        memory, share = f"{line['host_gib']:.0f}", f"{line['fdp']:.5f}"
        rows.append([p, graph, seconds, memory, edges, f1, share, false])
    return {"file": table(FILE.split(" | "), rows)}


def _size_and_graph(row: list[str]) -> tuple[int, int]:
    """Return the place of a problem: by columns, then in the order in which docs name graphs."""
    return int(row[0].replace(",", "")), NAMES.index(row[1])


def blocks(runs: list[Line], lines: list[Line]) -> dict[str, str]:
    """Return the table of times and errors, and what the text says beside it."""
    problems = list(dict.fromkeys((line["p"], line["graph"], line["error"]) for line in lines))
    rows = [
        _row([line for line in lines if (line["p"], line["graph"], line["error"]) == problem])
        for problem in problems
    ]
    sizes = list(dict.fromkeys(line["p"] for line in lines))
    largest = {
        what: [max(line.get(what, 0) for line in lines if line["p"] == p) for p in sizes]
        for what in ("transfer", "fit_gib")
    }
    notes = [
        ["copy, TB/s", _range([run["copy"] / 1e12 for run in runs], ".1f")],
        ["product, TFLOP/s", _range([run["product"] / 1e12 for run in runs], ".0f")],
        ["transfer, s", _listed(f"{value:.2f}" for value in largest["transfer"])],
        ["taken by fit, GiB", _listed(f"{value:.1f}" for value in largest["fit_gib"])],
    ]
    return {
        "measured": table(HEADER.split(" | "), rows),
        "beside": table(["what", "measured"], notes),
    }


def _row(seeds: list[Line]) -> list[str]:
    first = seeds[0]
    times = ("seconds", "learning", "bytes_floor_s", "flops_floor_s", "fit")
    worst = min(line["f1"] for line in seeds)
    return [
        f"{first['p']:,}",
        first["graph"],
        first["error"],
        *(f"{first[name]:.2f}" if name in first else "" for name in times),
        f"{first['gib']:.1f}",
        f"{first['edges']:,}",
        "–" if not first["edges"] else f"{worst:.4f}".lstrip("0") if worst < 1 else "1",
        ", ".join(str(line["false"]) for line in seeds),
    ]


def _range(values: list[float], form: str) -> str:
    least, most = (format(value, form) for value in (sorted(values)[0], sorted(values)[-1]))
    return least if least == most else f"{least} to {most}"


def _listed(texts: Iterable[str]) -> str:
    *most, last = texts
    return f"{', '.join(most)} and {last}" if most else last


if __name__ == "__main__":
    main()
