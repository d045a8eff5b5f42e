"""Workers that are processes: more of them, fewer of them, and none any more."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import dask.array as da
import distributed
import pytest

from hedgerow import HedgeGraph
from hedgerow.progress import watching
from tests.cluster.conftest import differences, skewed

ROWS = skewed(700, 400)
PHASES = ("checking", "learning", "choosing neighbours", "asking Hedge")


@pytest.fixture(scope="module")
def alone():
    return HedgeGraph().fit(ROWS)


@pytest.fixture(scope="module")
def cluster():
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50
    )
    yield cluster
    # A worker that was killed does not say when it has ended, or is not known any more.
    with suppress(TimeoutError, KeyError):
        cluster.close()


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


def workers(cluster, client, number):
    cluster.scale(number)
    client.wait_for_workers(number)


def fitted():
    return HedgeGraph().fit(da.from_array(ROWS, chunks=(200, -1)))


@pytest.mark.parametrize("number", [1, 2, 4])
def test_any_number_of_workers_gives_the_bits_of_one_machine(alone, cluster, client, number):
    workers(cluster, client, number)
    assert differences(alone, fitted()) == []


def test_a_worker_killed_in_every_phase_costs_nothing_but_time(alone, cluster, client):
    workers(cluster, client, 4)
    killed = []

    def kill(phase, share):
        if phase in PHASES[len(killed) :]:
            pid = next(iter(client.run(os.getpid).values()))
            os.kill(pid, signal.SIGKILL)
            killed.append(phase)

    with watching(kill):
        graph = fitted()
    assert tuple(killed) == PHASES
    assert differences(alone, graph) == []


def test_a_worker_that_joins_late_is_welcome(alone, cluster, client):
    workers(cluster, client, 1)
    joined = []

    def join(phase, share):
        if phase == "learning" and not joined:
            joined.append(cluster.scale(2))

    with watching(join):
        assert differences(alone, fitted()) == []
    assert joined


def test_a_client_that_is_closed(client):
    client.close()
    with pytest.raises(ConnectionError, match="client of"):
        fitted()


def test_a_scheduler_that_is_gone_is_told_and_leaves_no_model():
    command = [sys.executable, "-c", _SCHEDULER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline().strip()
            with distributed.Client(address, timeout=20):

                def kill(phase, share):
                    os.kill(process.pid, signal.SIGKILL)

                graph = HedgeGraph()
                with watching(kill), pytest.raises(ConnectionError, match="does not answer"):
                    graph.fit(da.from_array(ROWS, chunks=(200, -1)))
                assert not hasattr(graph, "_stream")
        finally:
            process.kill()


_SCHEDULER = """
from distributed import LocalCluster
import time
if __name__ == "__main__":
    cluster = LocalCluster(
        n_workers=1, processes=False, protocol="tcp://", dashboard_address=":0", silence_logs=50
    )
    print(cluster.scheduler_address, flush=True)
    time.sleep(600)
"""
