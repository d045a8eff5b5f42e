"""Compiling, which a machine does once: told if it lasts, and shared by two processes."""

import json
import os
import subprocess
import sys
from threading import Event

import numpy as np
import pytest
from numba.core import event

from hedgerow.cli import _compiling
from hedgerow.cli._compiling import compiling

LISTENING = """
import hashlib, json, sys, warnings
from numba.core import event

class Names(event.Listener):
    found, bits = [], None
    def on_start(self, happening):
        self.found.append(happening.data["dispatcher"].py_func.__name__)
    def on_end(self, happening):
        pass

event.register("numba:compile", Names())
"""
TELLING = """
json.dump([Names.found, Names.bits], sys.stdout)
"""
FIRST_FIT = """
import numpy as np
from hedgerow import HedgeGraph, report
warnings.simplefilter("ignore")
model = HedgeGraph(error="fwer").fit(np.random.default_rng(0).standard_normal((99, 9)))
report.render(report.data_of(model))

from hedgerow.engines import numba_cpu as engine
rows = np.random.default_rng(int(sys.argv[1])).standard_normal((1024, 70)).cumsum(axis=1)
kept = engine.to_numpy(engine.learn(engine.init(70, 100.0), rows))
learned = b"".join(kept[name].tobytes() for name in sorted(kept))
Names.bits = hashlib.sha256(learned).hexdigest()
"""
LEARNING = {"prepare_rows", "learn_nodes", "add_gram"}
ASKING = {"residual_covariances", "witness_scores"}
PRODUCTS = {"add_products", "dot_products"}  # of learning and of asking
JUDGING = {"select_nodes", "weaken", "listed", "partial_correlations", "estimates"}


@pytest.fixture
def elsewhere(tmp_path):
    """Return an environment in which nothing has been compiled."""
    return {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}


def ran(text, elsewhere, *arguments):
    """Return the names of functions that a process compiles, and the bits of what it learns."""
    command = [sys.executable, "-c", LISTENING + text + TELLING, *arguments]
    done = subprocess.run(command, env=elsewhere, check=True, capture_output=True, text=True)
    names, bits = json.loads(done.stdout)
    return set(names), bits


def test_two_processes_compile_all_that_tests_need_once_and_the_next_has_the_same_bits(elsewhere):
    """A stream that goes on in another process must not notice that code was kept."""
    beside, _ = ran("from hedgerow.cli import _ahead; _ahead.compile_judging('fwer')", elsewhere)
    assert beside >= JUDGING | {"lower_stress"}
    assert not beside & (LEARNING | ASKING | PRODUCTS)
    here, _ = ran("from hedgerow.cli import _ahead; _ahead.compile_asking()", elsewhere)
    assert here >= ASKING | PRODUCTS
    assert not here & JUDGING
    seed = str(np.random.default_rng().integers(2**32))
    fit, bits = ran(FIRST_FIT, elsewhere, seed)
    assert fit >= LEARNING, "the guard of this test does not see what is compiled"
    assert not fit & (JUDGING | ASKING | {"lower_stress"})
    assert ran(FIRST_FIT, elsewhere, seed) == (set(), bits)


def test_what_lasts_is_told_once():
    told = Event()
    with compiling(told.set, patience=0.0):
        with event.trigger_event("numba:compile", data={}):
            assert told.wait(60), "nothing was said"
        told.clear()
        with event.trigger_event("numba:compile", data={}):
            pass
    assert not told.is_set(), "said twice"


def test_what_is_short_is_not_told():
    told = Event()
    with compiling(told.set, patience=3600.0), event.trigger_event("numba:compile", data={}):
        pass
    with compiling(told.set, patience=0.0):
        pass
    assert not told.is_set()


def test_the_other_process_begins_with_the_first_function_and_ends_with_the_block(monkeypatch):
    started = []

    def start(command, **pipes):
        assert command[-2:] == ["hedgerow.cli._ahead", "fdr"]
        started.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
        return started[0]

    monkeypatch.setattr(_compiling, "Popen", start)
    monkeypatch.setattr(_compiling.os, "cpu_count", lambda: 2)
    with compiling(lambda: None, "fdr", patience=3600.0):
        assert not started
        for _ in range(2):
            with event.trigger_event("numba:compile", data={}):
                pass
        assert len(started) == 1
        assert started[0].poll() is None
    assert started[0].poll() is not None


def test_one_core_does_everything_itself(monkeypatch):
    monkeypatch.setattr(_compiling, "Popen", None)
    monkeypatch.setattr(_compiling.os, "cpu_count", lambda: 1)
    with (
        compiling(lambda: None, "fdr", patience=3600.0) as ready,
        event.trigger_event("numba:compile", data={}),
    ):
        ready()
