"""docs/gpu.md, from what benchmarks.speed.gpu printed on a machine with a GPU.

    python -m benchmarks.speed.gpu_page lines.json [more.json ...]
    python -m benchmarks.speed.gpu_page --many lines.json [more.json ...]

Each file is the output of one run; together they are the table. With ``--many`` the runs are those
of `benchmarks.speed.gpu_many`.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks import document, kept
from benchmarks.document import table

Line = dict[str, Any]
HEADER = ("p | graph | error | time (s) | learning (s) | bytes floor (s) | flops floor (s) | "
          "fit (s) | memory (GiB) | edges | F1 | false edges")  # fmt: skip
COMMAND = "python -m benchmarks.speed.gpu"
MANY = ("p | graph | error | time (s) | learning (s) | memory (GiB) | edges | F1 | "
        "share of false edges | false edges")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("outputs", nargs="+", type=Path)
    parser.add_argument("--many", action="store_true")
    args = parser.parse_args()
    outputs = [path.read_text().splitlines() for path in args.outputs]
    runs = [json.loads(lines[0]) for lines in outputs]
    lines = [json.loads(line) for _, *rest in outputs for line in rest]
    command = f"{COMMAND}_many" if args.many else COMMAND
    made = kept.made(command, (run["commit"] for run in runs))._replace(
        date=max(run["date"] for run in runs), machine=runs[0]["machine"]
    )
    document.publish("gpu", made, many(lines) if args.many else blocks(runs, lines))


def many(lines: list[Line]) -> dict[str, str]:
    """Return the table of problems whose pairs cannot all be held; times are of the first seed."""
    lines = sorted(lines, key=lambda line: line["p"])
    problems = dict.fromkeys((line["p"], line["graph"], line["error"]) for line in lines)
    rows = []
    for problem in problems:
        seeds = [line for line in lines if (line["p"], line["graph"], line["error"]) == problem]
        p, graph, error, *times, memory, edges, worst, false = _row(seeds)
        share = max(line["fdp"] for line in seeds)
        rows.append([p, graph, error, *times[:2], memory, edges, worst, f"{share:.5f}", false])
    return {"many": table(MANY.split(" | "), rows)}


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
