"""Compiling, which a machine does once: told if it lasts, and shared by two processes."""

import json
import os
import subprocess
import sys
from threading import Event

import pytest
from numba.core import event

from hedgerow.cli import _compiling
from hedgerow.cli._compiling import compiling

LISTENING = """
import json, sys, warnings
from numba.core import event

class Names(event.Listener):
    found = []
    def on_start(self, happening):
        self.found.append(happening.data["dispatcher"].py_func.__name__)
    def on_end(self, happening):
        pass

event.register("numba:compile", Names())
"""
TELLING = """
json.dump(Names.found, sys.stdout)
"""
FIRST_FIT = """
import numpy as np
from hedgerow import HedgeGraph, report
warnings.simplefilter("ignore")
model = HedgeGraph(error="fwer").fit(np.random.default_rng(0).standard_normal((99, 9)))
report.render(report.data_of(model))
"""
LEARNING = {"prepare_rows", "learn_nodes", "add_gram"}
ASKING = {"residual_covariances", "witness_scores"}
PRODUCTS = {"add_products", "dot_products"}  # of learning and of asking
JUDGING = {"select_nodes", "weaken", "listed", "partial_correlations", "estimates"}


@pytest.fixture
def elsewhere(tmp_path):
    """Return an environment in which nothing has been compiled."""
    return {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}


def compiled_by(text, elsewhere):
    """Return the names of functions that a process compiles, from its beginning to its end."""
    command = [sys.executable, "-c", LISTENING + text + TELLING]
    done = subprocess.run(command, env=elsewhere, check=True, capture_output=True, text=True)
    return set(json.loads(done.stdout))


def test_two_processes_compile_all_that_tests_need_and_little_twice(elsewhere):
    beside = compiled_by(
        "from hedgerow.cli import _ahead; _ahead.compile_judging('fwer')", elsewhere
    )
    assert beside >= JUDGING | {"lower_stress"}
    assert not beside & (LEARNING | ASKING | PRODUCTS)
    here = compiled_by("from hedgerow.cli import _ahead; _ahead.compile_asking()", elsewhere)
    assert here >= ASKING | PRODUCTS
    assert not here & JUDGING
    fit = compiled_by(FIRST_FIT, elsewhere)
    assert fit >= LEARNING, "the guard of this test does not see what is compiled"
    assert not fit & (JUDGING | ASKING | {"lower_stress"})


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
