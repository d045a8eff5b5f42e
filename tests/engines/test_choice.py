"""Which engine computes, and what is said when it cannot."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from hedgerow import HedgeGraph, engines

ROWS = np.random.default_rng(0).standard_normal((40, 3))


@pytest.fixture
def no_torch(monkeypatch):
    monkeypatch.setattr(engines, "find_spec", lambda name: None)


@pytest.fixture(params=[False, True])
def torch_with_gpu(request, monkeypatch):
    """A stand-in for torch that finds a GPU, or none."""
    cuda = SimpleNamespace(is_available=lambda: request.param)
    monkeypatch.setattr(engines, "find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    return request.param


def test_unknown_devices_are_refused_with_the_list_of_known_ones():
    with pytest.raises(ValueError, match="device must be one of 'cpu', 'cuda', 'auto', got 'tpu'"):
        HedgeGraph(device="tpu").fit(ROWS)


def test_cuda_without_torch_says_how_to_install_it(no_torch):
    with pytest.raises(RuntimeError, match=r"torch is not installed .*hedgerow\[gpu\]"):
        HedgeGraph(device="cuda").fit(ROWS)


def test_auto_without_torch_is_the_processor(no_torch):
    assert engines.engine_for("auto") == engines.engine_for("cpu") == "numba_cpu"
    assert HedgeGraph(device="auto").fit(ROWS).n_samples_seen_ == 40


def test_what_stands_between_us_and_a_gpu_is_told(torch_with_gpu):
    assert engines.engine_for("auto") == "numba_cpu"
    reason = "whole tables only" if torch_with_gpu else "torch finds no NVIDIA GPU"
    with pytest.raises(RuntimeError, match=reason):
        engines.engine_for("cuda")


def test_the_processor_needs_no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # an import would fail
    assert HedgeGraph(device="cpu").fit(ROWS).n_samples_seen_ == 40


def test_a_device_is_kept_with_the_model(tmp_path):
    HedgeGraph(device="auto").fit(ROWS).save(tmp_path / "model")
    assert HedgeGraph.load(tmp_path / "model").device == "auto"
