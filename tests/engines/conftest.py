"""Every numerical test in this folder runs on every engine that this machine can run.

The engine for GPUs needs torch, which is large and not among the test packages: `make test-gpu`
installs it. Without a GPU, its kernels run in Triton's interpreter, a thousand times slower; so
there they are tried on fewer and smaller examples.
"""

import os
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings

from hedgerow import engines
from hedgerow.method import edges
from hedgerow.method.forgetting import NEVER
from hedgerow.method.hedge import batch_ends
from hedgerow.method.inflation import no_inflation

TORCH = all(find_spec(package) for package in ("torch", "triton"))
GPU = False
if TORCH:
    import torch

    GPU = torch.cuda.is_available()
    if not GPU:
        os.environ["TRITON_INTERPRET"] = "1"  # read when Triton is imported

ON_GPU = pytest.param(
    "torch_gpu",
    marks=pytest.mark.skipif(not TORCH, reason="torch is not installed: make test-gpu tests this"),
)
SUMMING = ["numpy_ref", "numba_cpu"]


class Trials(NamedTuple):
    """How thoroughly an engine is tried."""

    examples: int
    most_rows: int
    half_lives: tuple[float, ...]
    precision: float  # relative, of numbers computed from the rows

    def of(self, check, **strategies):
        """Check a property on examples."""
        settings(max_examples=self.examples, deadline=None)(given(**strategies)(check))()


THOROUGH = Trials(20, 1200, (NEVER, 16.0, 20.5, 100.0, 3000.0), 1e-8)
WITH_TORCH = Trials(20 if GPU else 3, 1200 if GPU else 100, (NEVER,), 1e-4)


@pytest.fixture(params=[*SUMMING, ON_GPU])
def engine(request):
    return _loaded(request)


@pytest.fixture(params=["numba_cpu", ON_GPU])
def fast_engine(request):
    """Engines that are compared with the reference."""
    return _loaded(request)


@pytest.fixture(params=SUMMING)
def summing_engine(request):
    """Engines that keep running sums, and no rows."""
    return engines.load(request.param)


@pytest.fixture
def trials(request):
    """How the engine of the test is tried."""
    name = next(name for name in ("fast_engine", "engine") if name in request.fixturenames)
    return WITH_TORCH if _name(request.getfixturevalue(name)) == "torch_gpu" else THOROUGH


@pytest.fixture
def large_blocks(monkeypatch):
    """An interpreter is slow by the step, whatever the size of the step."""
    if GPU:
        return
    from hedgerow.engines.torch_gpu import learning, tiles

    for name in ("BLOCK_NODES", "_WIDTH", "_STEEPEST_WIDTH", "_COLUMNS", "_NODES"):
        monkeypatch.setattr(learning, name, 128)
    monkeypatch.setattr(learning, "_FAST_BYTES", 1 << 30)
    monkeypatch.setattr(tiles, "_BLOCK", 128)


@pytest.fixture
def by_surplus_alone(monkeypatch):
    """Let the readable code weigh pairs as the GPU does: their company does not count."""
    monkeypatch.setattr(edges, "company_of", lambda *_: None)


@pytest.fixture(scope="session")
def evidence_of():
    """Return what an engine makes of some rows."""

    def evidence_of(engine, rows):
        stop = max(batch_ends(0, len(rows)), default=0)
        state = engine.learn(engine.init(rows.shape[1]), rows[:stop])
        inflation = no_inflation(rows.shape[1])
        return engine.evidence(engine.count(state, rows[stop:]), rows[stop:], inflation)

    return evidence_of


@pytest.fixture(scope="session")
def evidence_with(evidence_of):
    """Return the same with weights that are given: Hedge's could be anything."""

    def evidence_with(engine, rows, weights):
        evidence = evidence_of(engine, rows)
        return evidence._replace(weights=_FORMS[_name(engine)](evidence, weights))

    return evidence_with


def _loaded(request):
    if request.param == "torch_gpu":
        request.getfixturevalue("large_blocks")
        request.getfixturevalue("by_surplus_alone")
    return engines.load(request.param)


def _for_numba(evidence, weights):
    from hedgerow.engines.numba_cpu._evidence import given

    return given(weights)


def _for_torch(evidence, weights):
    values = torch.zeros_like(evidence.weights.values)
    values[: len(weights), : len(weights)] = torch.tensor(weights * evidence.weights.unit)
    return evidence.weights._replace(values=values)


def _name(engine):
    return engine.__name__.rpartition(".")[2]


_FORMS = {
    "numpy_ref": lambda evidence, weights: np.asarray(weights),
    "numba_cpu": _for_numba,
    "torch_gpu": _for_torch,
}
