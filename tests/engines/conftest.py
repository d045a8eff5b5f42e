"""Every numerical test in this folder runs on every engine that this machine can run."""

import numpy as np
import pytest

from hedgerow import engines
from hedgerow.hedge import batch_ends

ENGINES = ["numpy_ref", "numba_cpu"]


@pytest.fixture(params=ENGINES)
def engine(request):
    return engines.load(request.param)


@pytest.fixture(params=[name for name in ENGINES if name != "numpy_ref"])
def fast_engine(request):
    """Engines that are compared with the reference."""
    return engines.load(request.param)


@pytest.fixture(scope="session")
def evidence_of():
    """Return what an engine makes of some rows."""

    def evidence_of(engine, rows):
        stop = max(batch_ends(0, len(rows)), default=0)
        state = engine.learn(engine.init(rows.shape[1]), rows[:stop])
        return engine.evidence(engine.count(state, rows[stop:]), rows[stop:])

    return evidence_of


@pytest.fixture(scope="session")
def evidence_with(evidence_of):
    """Return the same with weights that are given: Hedge's could be anything."""

    def evidence_with(engine, rows, weights):
        evidence = evidence_of(engine, rows)
        return evidence._replace(weights=_FORMS[engine.__name__.rpartition(".")[2]](weights))

    return evidence_with


def _for_numba(weights):
    from hedgerow.engines.numba_cpu._evidence import given

    return given(weights)


_FORMS = {"numpy_ref": np.asarray, "numba_cpu": _for_numba}
