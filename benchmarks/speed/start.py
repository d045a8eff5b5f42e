"""Importing, the command line, and compiling, in fresh processes."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

from benchmarks.speed import clock

FIT = "import numpy; from hedgerow import HedgeGraph; HedgeGraph().fit(numpy.random.rand(99, 9))"
AIMS = {"import hedgerow": 0.15, "hedgerow --help": 0.2}  # seconds


def run(options: argparse.Namespace) -> None:
    commands = {
        "python -c pass": ["-c", "pass"],
        "import numpy": ["-c", "import numpy"],
        "import hedgerow": ["-c", "import hedgerow"],
        "hedgerow --help": ["-m", "hedgerow", "--help"],
        "first fit, compiled before": ["-W", "ignore", "-c", FIT],
    }
    jobs = {name: _job(command) for name, command in commands.items()}
    figures = clock.least_times(jobs, options.rounds)
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        _job(commands["first fit, compiled before"], NUMBA_CACHE_DIR=folder)()
        figures["first fit, nothing compiled"] = time.perf_counter() - begun
    for name, seconds in figures.items():
        print(f"{name:<28} {seconds:8.3f} s")
    clock.keep("start", figures)


def _job(arguments: list[str], **environment: str):
    command = [sys.executable, *arguments]
    return lambda: subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, env=os.environ | environment
    )
