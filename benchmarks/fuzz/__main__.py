"""Command line of the fuzzer: run the checks for as long as asked."""

import argparse
import json
import secrets
import sys
import traceback
from pathlib import Path
from time import monotonic
from typing import Any

from benchmarks.fuzz.checks import CHECKS, run
from benchmarks.fuzz.strategies import Case


def main() -> int:
    """Run rounds of all checks until the time is over or one of them fails."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks.fuzz",
        description="Read random files until the time is over; stop at the first that fails.",
    )
    parser.add_argument("checks", nargs="*", help=f"of {', '.join(CHECKS)}; all if none is given")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to go on")
    parser.add_argument("--seed", type=int, help="of the first round; else a new one")
    parser.add_argument("--out", type=Path, default=Path("fuzz-failure"), help="folder for a file")
    options = parser.parse_args()
    unknown = sorted(set(options.checks) - set(CHECKS))
    if unknown:
        parser.error(f"checks must be among {', '.join(CHECKS)}, got {', '.join(unknown)}")
    first = secrets.randbelow(10**9) if options.seed is None else options.seed
    print(f"seed {first}", flush=True)
    return _rounds(options.checks or list(CHECKS), first, 60 * options.minutes, options.out)


def _rounds(names: list[str], first: int, seconds: float, out: Path) -> int:
    counts = dict.fromkeys(names, 0)
    end, number = monotonic() + seconds, first
    while True:
        for name in names:
            if monotonic() > end:
                _tell(counts, first, number)
                return 0
            try:
                counts[name] += run(name, number)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                traceback.print_exc()
                _tell(counts, first, number)
                _save(getattr(error, "case", None), out)
                print(f"to see it again: python -m benchmarks.fuzz {name} --seed {number}")
                return 1
        number += 1


def _tell(counts: dict[str, int], first: int, last: int) -> None:
    listed = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    print(f"{sum(counts.values()):,} examples ({listed}); seeds {first} to {last}", flush=True)


def _save(case: Any, out: Path) -> None:
    """Write the file that failed, and how it was read."""
    out.mkdir(parents=True, exist_ok=True)
    if isinstance(case, Case):
        (out / case.name).write_bytes(case.content)
        facts = {"options": case.options, "block": case.block, "at_once": case.at_once}
        (out / "options.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    else:
        (out / "table.txt").write_text(f"{case!r}\n", encoding="utf-8")
    print(f"the file that failed is in {out}")


if __name__ == "__main__":
    sys.exit(main())
