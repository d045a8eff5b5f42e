"""What it takes to start, beside importing NumPy: seconds of processor time of fresh processes."""

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource", reason="it says how long other processes took")


def seconds_of_children():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def least_seconds(*arguments, rounds=5):
    """Least time of the processor, which other work on the machine hardly changes."""
    times = []
    for _ in range(rounds):
        before = seconds_of_children()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        times.append(seconds_of_children() - before)
    return min(times)


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(["-c", "import hedgerow"], 0.7), (["-m", "hedgerow", "--help"], 1.0)],
    ids=["import", "help"],
)
def test_starting_takes_less_than_importing_numpy(arguments, most):
    assert least_seconds(*arguments) <= most * least_seconds("-c", "import numpy")
