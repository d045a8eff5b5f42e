"""Command line of the comparison on Ising models."""

import argparse
import os
from importlib import import_module

from benchmarks.ising import __doc__ as purpose

STUDIES = ("quality", "recovery", "times")


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.ising",
        description=purpose,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run", help="do what is missing of the studies")
    run.add_argument("studies", nargs="*", choices=[[], *STUDIES], default=[])
    run.add_argument("--methods", help="only these, with commas between them")
    run.set_defaults(do=run_studies)
    commands.add_parser("report", help="draw, and fill docs/comparison.md").set_defaults(do=report)
    options = parser.parse_args()
    options.do(options)


def run_studies(options: argparse.Namespace) -> None:
    # Before NumPy is loaded: seconds are those of one thread.
    os.environ |= {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    from benchmarks.peers import store

    wanted = options.methods and options.methods.split(",")
    for name in options.studies or STUDIES:
        study = import_module(f"benchmarks.ising.{name}")
        cells = [cell for cell in study.cells() if not wanted or cell[-1] in wanted]
        store.run(f"ising-{name}", cells, study.work)


def report(options: argparse.Namespace) -> None:
    from benchmarks.ising import page

    page.write()


if __name__ == "__main__":
    main()
