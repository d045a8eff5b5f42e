"""Which engine computes, and what is said when it cannot."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numba.core import event

from hedgerow import HedgeGraph, engines

ROWS = np.random.default_rng(0).standard_normal((40, 3))
MANY = 10_000  # columns


def pretend(monkeypatch, *, gpu):
    """Put a stand-in for torch in place that finds a GPU, or none."""
    cuda = SimpleNamespace(is_available=lambda: gpu)
    monkeypatch.setattr(engines, "find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))


@pytest.fixture(params=["torch", "triton"])
def missing(request, monkeypatch):
    """The package that is not installed."""
    there = {"torch", "triton"} - {request.param}
    monkeypatch.setattr(engines, "find_spec", lambda name: object() if name in there else None)
    return request.param


def test_unknown_devices_are_refused_with_the_list_of_known_ones():
    known = "'cpu', 'cuda', 'auto', 'numpy', 'dask'"
    with pytest.raises(ValueError, match=f"device must be one of {known}, got 'tpu'"):
        HedgeGraph(device="tpu").fit(ROWS)


def test_cuda_without_a_package_says_how_to_install_it(missing):
    with pytest.raises(RuntimeError, match=rf"{missing} is not installed .*hedgerow\[gpu\]"):
        HedgeGraph(device="cuda").fit(ROWS)


def test_cuda_without_a_gpu_says_so(monkeypatch):
    pretend(monkeypatch, gpu=False)
    with pytest.raises(RuntimeError, match="torch finds no NVIDIA GPU"):
        HedgeGraph(device="cuda").fit(ROWS)


def test_auto_without_a_gpu_is_the_processor(monkeypatch, missing):
    assert engines.engine_for("auto", MANY) == engines.engine_for("cpu") == "numba_cpu"
    pretend(monkeypatch, gpu=False)
    assert engines.engine_for("auto", MANY) == "numba_cpu"
    assert HedgeGraph(device="auto").fit(ROWS).n_samples_seen_ == 40


def test_auto_takes_the_gpu_for_many_columns(monkeypatch):
    pretend(monkeypatch, gpu=True)
    assert engines.engine_for("cuda") == "torch_gpu"
    assert engines.engine_for("auto", MANY) == "torch_gpu"
    assert engines.engine_for("auto", 10) == "numba_cpu"


def test_a_gpu_does_not_forget(monkeypatch):
    pretend(monkeypatch, gpu=True)
    with pytest.raises(ValueError, match='half_life must be None with device="cuda", got 500'):
        HedgeGraph(device="cuda", half_life=500).fit(ROWS)
    assert engines.engine_for("auto", MANY, half_life=500) == "numba_cpu"


def test_the_processor_needs_no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # an import would fail
    assert HedgeGraph(device="cpu").fit(ROWS).n_samples_seen_ == 40


@pytest.mark.parametrize("device", ["auto", "numpy"])
def test_a_device_is_kept_with_the_model(tmp_path, device):
    model = HedgeGraph(device=device).fit(ROWS)
    model.save(tmp_path / "model")
    again = HedgeGraph.load(tmp_path / "model")
    assert again.device == device
    kept, expected = again.partial_fit(ROWS).parts()[1], model.partial_fit(ROWS).parts()[1]
    assert all(kept[name].tobytes() == expected[name].tobytes() for name in expected)


def test_numpy_is_the_readable_functions_and_compiles_nothing(tmp_path):
    assert engines.engine_for("numpy", MANY) == engines.engine_for_saved("numpy", {}) == "numpy_ref"
    compiled = []
    listener = type("Listener", (event.Listener,), {"on_start": compiled.append, "on_end": id})()
    event.register("numba:compile", listener)
    try:
        walk = np.cumsum(np.random.default_rng(0).standard_normal((400, 5)), axis=1)
        edges = HedgeGraph(error="fwer", device="numpy").fit(walk).edges_
    finally:
        event.unregister("numba:compile", listener)
    assert not compiled
    assert sorted((edge.source, edge.target) for edge in edges) == [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_numpy_asks_for_memory_before_it_is_taken():
    with pytest.raises(MemoryError, match='to learn and test with device="numpy"'):
        engines.load("numpy_ref").init(10**7)
