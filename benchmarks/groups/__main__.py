"""Command line of the studies of intervals and differences."""

import argparse
import os
import warnings
from importlib import import_module

from benchmarks.groups import __doc__ as purpose

STUDIES = ("coverage", "differences", "fused", "given", "persons", "resampling", "steps")


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.groups",
        description=purpose,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--sets", type=int, default=6, help="data sets of each kind (default: 6)")
    options = parser.parse_args()
    # Before NumPy is loaded: seconds are those of one thread.
    os.environ |= {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    warnings.simplefilter("ignore")
    import_module(f"benchmarks.groups.{options.study}").run(options.sets)


if __name__ == "__main__":
    main()
