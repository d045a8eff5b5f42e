"""Every numerical test in this folder runs on every engine that this machine can run."""

import pytest

from hedgerow import engines

ENGINES = ["numpy_ref", "numba_cpu"]


@pytest.fixture(params=ENGINES)
def engine(request):
    return engines.load(request.param)


@pytest.fixture(params=[name for name in ENGINES if name != "numpy_ref"])
def fast_engine(request):
    """Engines that are compared with the reference."""
    return engines.load(request.param)
