"""Command line of the quality benchmark."""

import argparse
from functools import partial
from importlib import import_module

from benchmarks.quality import __doc__ as purpose
from benchmarks.quality.cases import CASES
from benchmarks.quality.cut import KINDS as CUT
from benchmarks.quality.cut_methods import METHODS as FOR_CUT
from benchmarks.quality.elsewhere import COMPARED
from benchmarks.quality.kinds import KINDS
from benchmarks.quality.methods import METHODS
from benchmarks.quality.recovery import GRAPHS, RECOVERS, SEEDS
from benchmarks.quality.treated import TREATED

PARTS = (
    "run",
    "recovery",
    "elsewhere",
    "kinds",
    "cut",
)  # commands whose figures are shown


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.quality",
        description=purpose,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True)

    study = commands.add_parser("run", help="error rates and edges found, of all methods")
    study.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    study.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    study.set_defaults(do=run_study)

    rows = commands.add_parser("recovery", help="rows that exact recovery takes")
    rows.add_argument("--columns", nargs="+", type=int, choices=SEEDS, default=list(SEEDS))
    rows.add_argument("--graphs", nargs="+", choices=GRAPHS, default=list(GRAPHS))
    rows.set_defaults(do=run_recovery)

    others = commands.add_parser("elsewhere", help="graphs that the tests were not made on")
    others.set_defaults(do=run_elsewhere)

    kinds = commands.add_parser("kinds", help="rows that are not independent and normal")
    kinds.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND")
    kinds.add_argument("--methods", nargs="+", choices=TREATED, default=list(TREATED))
    kinds.set_defaults(do=run_kinds)

    cut = commands.add_parser("cut", help="tables with steps and gaps")
    cut.add_argument("--kinds", nargs="+", choices=CUT, default=list(CUT), metavar="KIND")
    cut.add_argument("--methods", nargs="+", choices=FOR_CUT, default=list(FOR_CUT))
    cut.set_defaults(do=run_cut)

    for command, methods in (
        (study, METHODS),
        (rows, RECOVERS),
        (others, COMPARED),
        (kinds, TREATED),
        (cut, FOR_CUT),
    ):
        command.add_argument(
            "--again",
            nargs="+",
            choices=methods,
            default=[],
            metavar="METHOD",
            help="methods whose earlier results are thrown away",
        )
        command.add_argument("--processes", type=int, default=2)

    figures = commands.add_parser("report", help="print the tables, fill docs/quality.md, draw")
    figures.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    figures.set_defaults(do=report)

    parts = commands.add_parser("ablation", help="what each part of the tests is worth")
    parts.add_argument("--seeds", type=int, default=10)
    parts.add_argument("--processes", type=int, default=2)
    parts.set_defaults(do=run_ablation)

    for name, what in (
        ("hubs", "columns with many neighbours"),
        ("structure", "what the rest of the graph could add to the priors of pairs"),
        ("balanced", "what the estimates of balanced graphs are worth"),
        ("gaps", "gaps that are not alike in all columns"),
        ("examples", "tables that people use as examples"),
        ("shared", "what most columns share and none of them is"),
    ):
        more = commands.add_parser(name, help=what)
        more.add_argument("--seeds", type=int, default=10)
        more.add_argument("--processes", type=int, default=2)
        more.set_defaults(do=partial(run_one, name))

    options = parser.parse_args()
    options.do(options)


def run_study(options: argparse.Namespace) -> None:
    from benchmarks.quality import study

    study.run(options.cases, options.methods, options.again, options.processes)


def run_recovery(options: argparse.Namespace) -> None:
    from benchmarks.quality import recovery

    recovery.run(options.columns, options.graphs, options.again, options.processes)


def run_elsewhere(options: argparse.Namespace) -> None:
    from benchmarks.quality import elsewhere

    elsewhere.run(options.again, options.processes)


def run_kinds(options: argparse.Namespace) -> None:
    from benchmarks.quality import kinds_study

    kinds_study.run(options.kinds, options.methods, options.again, options.processes)


def run_cut(options: argparse.Namespace) -> None:
    from benchmarks.quality import cut_study

    cut_study.run(options.kinds, options.methods, options.again, options.processes)


def run_ablation(options: argparse.Namespace) -> None:
    from benchmarks.quality import ablation

    ablation.run(options.seeds, options.processes)


def run_one(name: str, options: argparse.Namespace) -> None:
    import_module(f"benchmarks.quality.{name}").run(options.seeds, options.processes)


def report(options: argparse.Namespace) -> None:
    from benchmarks import document, kept
    from benchmarks.quality import (
        cut_study,
        cut_tables,
        elsewhere,
        kinds_study,
        kinds_tables,
        plots,
        store,
        summary,
        tables,
    )

    parts = {
        "run": (lambda: tables.blocks(summary.load()), store.STUDY),
        "recovery": (lambda: {"recovery": tables.rows_to_recover()}, store.RECOVERY),
        "elsewhere": (lambda: {"elsewhere": elsewhere.block()}, elsewhere.RESULTS),
        "kinds": (kinds_tables.blocks, kinds_study.RESULTS),
        "cut": (cut_tables.blocks, cut_study.RESULTS),
    }
    in_part = {"kinds": KINDS, "cut": CUT}
    record = kept.read("quality")
    for command in options.parts:
        make, path = parts[command]
        blocks = make()
        for name, block in blocks.items():
            print(f"\n{name}\n{block}")
        commits = store.commits(path)
        measured = {each.get("kind") for each in store.read(path)}
        if not measured >= set(in_part.get(command, ())):  # other lines are those of the record
            commits |= {commit for name in blocks for commit in record[name].made.commits}
        kept.keep("quality", kept.made(f"python -m benchmarks.quality {command}", commits), blocks)
    document.fill_all()
    if "run" in options.parts:
        plots.draw_all(summary.load())


if __name__ == "__main__":
    main()
