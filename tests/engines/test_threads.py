"""Jobs side by side: results in order, whoever did them, and an end when one fails."""

import os
import threading
import time
from functools import partial

import pytest

from hedgerow.engines.numba_cpu._threads import blocks, team, thread_count


@pytest.fixture(params=["1", "2", "5"])
def threads(request, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", request.param)
    return int(request.param)


@pytest.mark.parametrize("told", [None, "", "0", "many"])
def test_without_a_number_there_is_a_thread_for_each_core(monkeypatch, told):
    monkeypatch.delenv("OMP_NUM_THREADS")
    if told is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", told)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 3, 7}, raising=False)
    assert thread_count() == 3


@pytest.mark.parametrize("n_jobs", [0, 1, 2, 40])
def test_results_come_in_the_order_of_the_jobs(threads, n_jobs):
    with team() as run:
        for _ in range(3):
            assert run(partial(pow, k, 2) for k in range(n_jobs)) == [k**2 for k in range(n_jobs)]


def test_all_threads_work_at_the_same_time(threads):
    everyone = threading.Barrier(threads, timeout=30)
    with team() as run:
        run(everyone.wait for _ in range(threads))  # a missing thread would break the barrier
    assert not everyone.broken


def test_little_work_is_done_by_the_caller(threads):
    with team(1000) as run:
        assert set(run([threading.get_ident] * 40)) == {threading.get_ident()}


def test_a_job_that_fails_ends_the_run(threads):
    def job(k):
        if k == 7:
            raise RuntimeError("job 7 failed")

    with pytest.raises(RuntimeError, match="job 7 failed"), team() as run:
        run(partial(job, k) for k in range(100))


def test_jobs_that_wait_are_dropped_when_the_listener_objects(threads):
    begun, told = [], threading.Event()

    def job(k):
        begun.append(k)
        if threading.current_thread() is not threading.main_thread():
            told.wait(timeout=30)
            time.sleep(0.01)  # a thousand would take seconds

    def object_to(share):
        told.set()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), team() as run:
        run([partial(job, k) for k in range(1000)], object_to)
    assert 0 < len(begun) < 1000


@pytest.mark.parametrize(("n", "size"), [(0, 3), (1, 3), (9, 3), (10, 3)])
def test_blocks_cover_every_number_once(n, size):
    covered = [k for start, end in blocks(n, size) for k in range(start, end)]
    assert covered == list(range(n))
    assert all(end - start <= size for start, end in blocks(n, size))
