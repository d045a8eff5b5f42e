"""Command line of the benchmark of clusters."""

import argparse
from importlib import import_module

from benchmarks.cluster import __doc__ as purpose

PARTS = {
    "overhead": "one worker of two threads beside one process of two, on the same rows",
    "kills": "a worker killed in each phase, in twenty fits: is the graph the same?",
    "large": "more columns than one process of the same memory holds, on four workers",
    "exchange": "what workers of little memory send each other and write to disk, by stages",
    "model": "print time against workers, on paper, from what was measured",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.cluster",
        description=purpose + "\n".join(f"{n:<10} {does}" for n, does in PARTS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--columns", type=int, help="of the table, if not as documented")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--memory", help="of each worker, as in 4GiB")
    parser.add_argument("--threads", type=int, help="of each worker")
    options = parser.parse_args()
    import_module(f"benchmarks.cluster.{options.part}").run(options)


if __name__ == "__main__":
    main()
