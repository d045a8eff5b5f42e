"""Fast copies of the learner's functions: arrays in, arrays out, same signatures.

An engine is loaded by its name, when it is first needed: importing this package compiles nothing.
"""

import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from hedgerow.base.checks import one_of
from hedgerow.method.engine import Engine, Named, Repeats
from hedgerow.method.forgetting import NEVER

__all__ = [
    "CLUSTER",
    "DEVICES",
    "ON_ONE_MACHINE",
    "Engine",
    "Named",
    "Repeats",
    "engine_for",
    "engine_for_saved",
    "fills_gaps",
    "load",
    "on_cluster",
]

_WHERE = {
    "numpy_ref": "hedgerow.method.numpy_ref",
    "numba_cpu": "hedgerow.engines.numba_cpu",
    "torch_gpu": "hedgerow.engines.torch_gpu",
    "dask": "hedgerow.engines.dask",
}
CLUSTER = "dask"
ON_ONE_MACHINE = ("cpu", "cuda", "auto", "numpy")
DEVICES = (*ON_ONE_MACHINE, CLUSTER)
_ON_CPU, _ON_GPU, _READABLE = "numba_cpu", "torch_gpu", "numpy_ref"
# With fewer columns a processor is done before torch is loaded (docs/gpu.md).
_WORTH_A_GPU = 4000


def engine_for(
    device: str, n_columns: int = 0, half_life: float = NEVER, *, gaps: bool = False
) -> str:
    """Return the name of the engine for a device; an error says why there is none.

    Where there are ``gaps``, cells that are missing, a GPU will not do.

    Examples
    --------
    >>> engine_for("cpu")
    'numba_cpu'
    """
    one_of("device", device, DEVICES)
    if device == "numpy":
        return _READABLE
    if device == CLUSTER:
        if find_spec("distributed") is None:
            raise RuntimeError(
                "device='dask' is not available: distributed is not installed "
                "(pip install 'hedgerow[dask]'); device='cpu' is"
            )
        if half_life != NEVER:
            raise ValueError(f"half_life must be None on a cluster, got {half_life:g}")
        return CLUSTER
    if device == "cuda":
        missing = _why_no_gpu()
        if missing:
            raise RuntimeError(f'device="cuda" is not available: {missing}; device="cpu" is')
        if half_life != NEVER:
            raise ValueError(f'half_life must be None with device="cuda", got {half_life:g}')
        return _ON_GPU
    worth = device == "auto" and n_columns >= _WORTH_A_GPU and half_life == NEVER and not gaps
    return _ON_GPU if worth and not _why_no_gpu() else _ON_CPU


def on_cluster(device: str, X: Any) -> bool:
    """Return whether rows are a cluster's; raise if they are, and the device is not."""
    # Of the type: a column can have any name. What could have a graph may have none.
    theirs = hasattr(type(X), "partitions")
    if not theirs and hasattr(type(X), "__dask_graph__"):
        theirs = X.__dask_graph__() is not None
    if theirs and device not in (CLUSTER, "cpu", "auto"):
        raise ValueError(f"device must be 'dask' for rows on a cluster, got {device!r}")
    return theirs or device == CLUSTER


def engine_for_saved(device: str, arrays: Named) -> str:
    """Return the name of an engine that continues from what an engine's `to_numpy` returned.

    Running sums can be continued on a processor only. Rows can be everywhere.
    """
    if device == "numpy":
        return _READABLE
    if "table" not in arrays or device == "cpu":
        return _ON_CPU
    missing = _why_no_gpu()
    if missing:
        warnings.warn(f"the model came from a GPU and moves to the CPU: {missing}", stacklevel=3)
        return _ON_CPU
    return _ON_GPU


def fills_gaps(name: str) -> bool:
    """Return whether the engine of this name can learn from rows with missing cells."""
    return name != _ON_GPU


@cache
def load(name: str) -> Engine:
    """Return the engine of this name."""
    return cast(Engine, import_module(_WHERE[name]))


def _why_no_gpu() -> str | None:
    """Return what is missing for computing on a GPU."""
    for package in ("torch", "triton"):
        if find_spec(package) is None:
            return f"{package} is not installed (pip install 'hedgerow[gpu]')"
    import torch

    if not torch.cuda.is_available():
        return "torch finds no NVIDIA GPU (see the output of nvidia-smi)"
    return None
