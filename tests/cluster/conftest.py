"""A cluster in this process for what is computed, and one of real processes for what can break."""

import logging

import dask
import numpy as np
import pytest

from hedgerow.cli._cluster import environment_kept
from hedgerow.datasets import make

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="session", autouse=True)
def quiet():
    # Workers log what tests raise on purpose.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    method = {"distributed.worker.multiprocessing-method": "forkserver"}
    with dask.config.set(method, **{"distributed.comm.timeouts.connect": "5s"}):
        # Workers are processes all the same, and need not import what each of them imports.
        distributed.utils.get_mp_context().set_forkserver_preload(
            ["distributed", "hedgerow.estimators", "hedgerow.engines.dask"]
        )
        yield


@pytest.fixture(scope="module", autouse=True)
def environment():
    """What Dask sets for its workers, and leaves to the process that starts them, goes again."""
    with environment_kept():
        yield


@pytest.fixture(scope="module")
def threads():
    """A client of two workers that are threads of this process, and stay however slow it is."""
    patient = {"distributed.comm.timeouts.connect": "60s", "distributed.scheduler.worker-ttl": None}
    with (
        dask.config.set(patient),
        distributed.LocalCluster(
            n_workers=2, processes=False, threads_per_worker=2, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def skewed(n_rows, n_columns, seed=1):
    """Return rows of a tree; columns are skewed, and each resembles rows before in its own way."""
    rows = np.exp(0.3 * make("random_tree", n_columns, seed=0).sample(n_rows, seed=seed))
    rows[1:] += np.linspace(-0.2, 0.8, n_columns) * rows[:-1]
    return rows


def differences(one, other):
    """Return what two fitted models do not have in common, to the last bit."""
    names = []
    for a, b in ((one._graph(), other._graph()), (one._inflation(), other._inflation())):
        names += [n for n, x, y in zip(a._fields, a, b) if not np.array_equal(x, y)]
    names += [] if one.summary() == other.summary() else ["summary"]
    same_bounds = np.array_equal(one.fewest_neighbours_, other.fewest_neighbours_)
    names += [] if same_bounds else ["fewest_neighbours_"]
    names += [] if np.array_equal(one.location_, other.location_) else ["location_"]
    return names
