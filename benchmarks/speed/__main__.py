"""Command line of the speed benchmark."""

import argparse
from importlib import import_module

from benchmarks.speed import __doc__ as purpose

PARTS = {
    "targets": "learning and fitting beside np.cov of the same rows, on one core and on all",
    "treated": "fits as they come beside those of rows known to be independent and normal",
    "gaps": "fits of tables in which cells are missing beside those of whole ones",
    "growth": "time against the number of rows and of columns",
    "peers": "time and F1 beside pyhuge's neighbourhood selection with RIC",
    "memory": "peak memory, also for many columns",
    "many_rows": "beside tests of the inverse Gram matrix, with many rows for each column",
    "start": "importing, the command line, and compiling",
    "report": "fill docs/speed.md and draw its pictures",
    "lasso": "time and F1 beside GraphicalLassoCV; only if asked for, because it takes minutes",
}
ASKED_FOR = {"lasso"}


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.speed",
        description=purpose + "\n" + "\n".join(f"{n:<10} {does}" for n, does in PARTS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", help="as above; all but lasso if none is given")
    parser.add_argument("--rounds", type=int, default=15, help="of each measurement")
    options = parser.parse_args()
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"parts must be among {', '.join(PARTS)}, got {', '.join(unknown)}")
    for part in options.parts or [part for part in PARTS if part not in ASKED_FOR]:
        import_module(f"benchmarks.speed.{part}").run(options)


if __name__ == "__main__":
    main()
