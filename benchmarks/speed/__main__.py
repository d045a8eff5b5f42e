"""Command line of the speed benchmark."""

import argparse
from importlib import import_module

from benchmarks.speed import __doc__ as purpose

PARTS = {
    "targets": "learning and fitting beside np.cov of the same rows, on one core and on all",
    "growth": "time against the number of rows and of columns",
    "peers": "time and F1 beside other methods",
    "memory": "peak memory, also for many columns",
    "start": "importing, the command line, and compiling",
    "report": "fill docs/speed.md and draw its pictures",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.speed",
        description=purpose,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all if none is given")
    parser.add_argument("--rounds", type=int, default=15, help="of each measurement")
    parser.add_argument("--limit", type=float, default=600, help="seconds that a peer may take")
    options = parser.parse_args()
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"parts must be among {', '.join(PARTS)}, got {', '.join(unknown)}")
    for part in options.parts or PARTS:
        import_module(f"benchmarks.speed.{part}").run(options)


if __name__ == "__main__":
    main()
