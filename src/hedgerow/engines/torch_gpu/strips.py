"""Columns of the host that go through the device some at a time, each its own business."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hedgerow.engines.torch_gpu import devices

STRIP_BYTES = 4 << 30  # of the device, for what is worked on at a time


def strips_of_columns(n_columns: int, bytes_each: int) -> Iterator[slice]:
    """Yield which columns go together, if each takes so many bytes."""
    size = max(1, STRIP_BYTES // bytes_each)
    for first in range(0, n_columns, size):
        yield slice(first, min(first + size, n_columns))


def to_device(values: NDArray[Any]) -> Tensor:
    """Return values of the host on the device; on the processor they may be the same."""
    cells = np.ascontiguousarray(values)
    if not cells.flags.writeable:  # torch has no arrays that must not be written to
        cells = cells.copy()
    return torch.from_numpy(cells).to(devices.main())


def to_host(values: Tensor, target: NDArray[Any]) -> None:
    """Copy values of the device into an array of the host, whatever its strides."""
    torch.from_numpy(target).copy_(values)
