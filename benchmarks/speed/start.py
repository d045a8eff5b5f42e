"""Importing, the command line, and compiling, in fresh processes."""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

from benchmarks.speed import clock

ROWS = "import numpy; from hedgerow import HedgeGraph; rows = numpy.random.rand(99, 9); "
FIT = ["-W", "ignore", "-c", f"{ROWS} HedgeGraph().fit(rows)"]
READABLE_FIT = ["-W", "ignore", "-c", f"{ROWS} HedgeGraph(device='numpy').fit(rows)"]
AIMS = {"import hedgerow": 0.15, "hedgerow --help": 0.2}  # seconds


def run(options: argparse.Namespace) -> None:
    commands = {
        "python -c pass": ["-c", "pass"],
        "import numpy": ["-c", "import numpy"],
        "import hedgerow": ["-c", "import hedgerow"],
        "hedgerow --help": ["-m", "hedgerow", "--help"],
        "first fit, compiled before": FIT,
    }
    jobs = {name: _job(command) for name, command in commands.items()}
    figures = clock.least_times(jobs, options.rounds)
    figures |= _without_compiled("first fit", FIT)
    figures |= _without_compiled('first fit, device="numpy"', READABLE_FIT)
    with tempfile.TemporaryDirectory() as folder:
        demo = ["-m", "hedgerow", "demo", "--html", f"{folder}/page.html"]
        figures |= _without_compiled("hedgerow demo", demo)
        figures |= _without_compiled("hedgerow demo --stream", [*demo, "--stream"])
    for name, seconds in figures.items():
        print(f"{name:<44} {seconds:8.3f} s")
    clock.keep("start", figures)


def _without_compiled(name: str, command: list[str]) -> dict[str, float]:
    """Return how long a command takes that finds nothing compiled, and how long all processors."""
    with tempfile.TemporaryDirectory() as folder:
        begun, busy = time.perf_counter(), _processor_time()
        _job(command, NUMBA_CACHE_DIR=folder)()
        return {
            f"{name}, nothing compiled": time.perf_counter() - begun,
            f"{name}, processor time": _processor_time() - busy,
        }


def _processor_time() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _job(arguments: list[str], **environment: str):
    command = [sys.executable, *arguments]
    return lambda: subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, env=os.environ | environment
    )
