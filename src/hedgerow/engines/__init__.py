"""Fast copies of the learner's functions: arrays in, arrays out, same signatures.

An engine is loaded by its name, when it is first needed: importing this package compiles nothing.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from hedgerow._validate import one_of
from hedgerow.engines._interface import Engine, Repeats

__all__ = ["DEVICES", "Engine", "Repeats", "engine_for", "load"]

DEVICES = ("cpu", "cuda", "auto")
_ON_CPU = "numba_cpu"


def engine_for(device: str) -> str:
    """Return the name of the engine for a device; an error says why there is none.

    Examples
    --------
    >>> engine_for("cpu")
    'numba_cpu'
    """
    one_of("device", device, DEVICES)
    if device == "cuda":
        raise RuntimeError(f'device="cuda" is not available: {_why_no_gpu()}; device="cpu" is')
    return _ON_CPU


@cache
def load(name: str) -> Engine:
    """Return the engine of this name."""
    return cast(Engine, import_module(f"hedgerow.engines.{name}"))


def _why_no_gpu() -> str:
    """Return what stands between `HedgeGraph` and a GPU."""
    if find_spec("torch") is None:
        return "torch is not installed (pip install 'hedgerow[gpu]')"
    import torch

    if not torch.cuda.is_available():
        return "torch finds no NVIDIA GPU (see the output of nvidia-smi)"
    return "the GPU takes whole tables only, by edges_of_rows (docs/gpu.md)"
