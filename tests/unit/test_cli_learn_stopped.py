"""``hedgerow learn`` when it is stopped: Ctrl-C, and a reader that leaves."""

import signal
import subprocess
import sys
import time
from contextlib import suppress
from threading import Thread

import pytest

from hedgerow import HedgeGraph
from hedgerow.cli._interrupt import finish_first

LEARN_SLOWLY = """
import signal
import sys
from pathlib import Path
from hedgerow import HedgeGraph, engines
from hedgerow.cli import cli
from hedgerow.io import raw as _bytes

signal.signal(signal.SIGINT, signal.default_int_handler)  # also if started in the background
_bytes.BLOCK = 1 << 16
learn = HedgeGraph.partial_fit

def learn_and_say_so(self, rows, **names):
    learn(self, rows, **names)
    Path(sys.argv[1]).touch()

HedgeGraph.partial_fit = learn_and_say_so
cli(sys.argv[2:])
"""


def feed(process):
    """Write rows until the process has gone."""
    with suppress(BrokenPipeError):
        process.stdin.write(b"a,b,c\n")
        while process.poll() is None:
            process.stdin.write(b"1,2.5,3\n2,1,4\n3,1,1\n" * 1000)


@pytest.mark.parametrize("save", [True, False])
def test_ctrl_c_keeps_what_was_learned(tmp_path, save):
    folder, begun = tmp_path / "results", tmp_path / "begun"
    folder.mkdir()
    path = folder / "model.hedgerow"
    command = [sys.executable, "-c", LEARN_SLOWLY, begun, "learn", "-", "--out", folder / "a.csv"]
    command += ["--save", path] * save
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        feeder = Thread(target=feed, args=(process,))
        feeder.start()
        while not begun.exists():
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.stdout.read(), process.stderr.read().decode()
        assert process.wait() == 130
        feeder.join()
        with suppress(BrokenPipeError):
            process.stdin.close()
    assert stdout == b""
    if save:
        learned = HedgeGraph.load(path)
        assert stderr == f"Interrupted after {learned.n_samples_seen_:,} rows, saved in {path}.\n"
        assert learned.feature_names_in_.tolist() == ["a", "b", "c"]
        assert list(folder.iterdir()) == [path]
    else:
        assert stderr == "Interrupted.\n"
        assert list(folder.iterdir()) == []


def test_ctrl_c_during_the_first_rows_keeps_them(tmp_path):
    path = tmp_path / "model.hedgerow"
    interrupted = LEARN_SLOWLY.replace(
        "Path(sys.argv[1]).touch()", "import signal; signal.raise_signal(signal.SIGINT)"
    )
    command = [sys.executable, "-c", interrupted, "", "learn", "-", "--save", path]
    rows = b"a,b,c\n" + b"1,2.5,3\n2,1,4\n3,1,1\n" * 10
    done = subprocess.run(command, input=rows, capture_output=True)
    assert done.stderr.decode() == f"Interrupted after 30 rows, saved in {path}.\n"
    assert done.returncode == 130
    assert HedgeGraph.load(path).n_samples_seen_ == 30


def step_with_ctrl_c(times, steps):
    with finish_first():
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        steps.append(times)


@pytest.fixture
def heeds_ctrl_c():
    """A process started in the background may have been told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_ctrl_c_waits_for_the_step_and_a_second_one_does_not():
    steps = []
    for times in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            step_with_ctrl_c(times, steps)
    assert steps == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_reader_that_leaves_early_is_no_error_message(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n" + "1,2\n3,5\n4,4\n" * 20)
    command = [sys.executable, "-m", "hedgerow", "learn", str(table), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
