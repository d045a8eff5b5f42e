"""Command line of the benchmark of streams; `changes` and `faults` beside it have their own."""

import argparse
from importlib import import_module

PARTS = {
    "throughput": "rows per second from memory, CSV and Redis, beside the learning pass alone",
    "pauses": "how long a checkpoint keeps the stream waiting",
    "memory": "resident memory over ten million rows, also drawn",
    "report": "fill docs/streams.md and draw its picture",
}


def main() -> None:
    listed = "\n".join(f"  {name:<12}{purpose}" for name, purpose in PARTS.items())
    parser = argparse.ArgumentParser(
        "python -m benchmarks.stream",
        description=f"Throughput and memory of streams.\n\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all if none is given")
    parser.add_argument("--rounds", type=int, default=5, help="of each measurement")
    parser.add_argument("--rows", type=int, default=10**7, help="of the part memory")
    options = parser.parse_args()
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"parts must be among {', '.join(PARTS)}, got {', '.join(unknown)}")
    for part in options.parts or PARTS:
        import_module(f"benchmarks.stream.{part}").run(options)


if __name__ == "__main__":
    main()
