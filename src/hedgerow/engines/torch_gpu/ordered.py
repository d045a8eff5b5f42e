"""The first rows with their columns in order (`hedgerow.method.ordered`), sorted on the device."""

import numpy as np
import torch
from numpy.typing import NDArray

from hedgerow.engines.torch_gpu.strips import strips_of_columns, to_device, to_host
from hedgerow.method.ordered import Ordered

_PER_CELL = 64  # bytes: values and places, before and after, and what sorting takes


def in_order(rows: NDArray[np.floating]) -> Ordered:
    """Return rows with their columns in order."""
    first = np.asarray(rows, dtype=np.float64)
    n_rows, n_columns = first.shape
    order, values = np.empty((n_columns, n_rows), np.intp), np.empty((n_columns, n_rows))
    there, different = np.empty((2, n_columns), dtype=np.int64)
    for some in strips_of_columns(n_columns, _PER_CELL * n_rows):
        rising, place = torch.sort(to_device(first[:, some]).T.contiguous(), dim=1, stable=True)
        cells = n_rows - torch.isnan(rising).sum(1)
        steps = (rising[:, 1:] > rising[:, :-1]).sum(1)
        found = rising, place, cells, steps + (cells > 0)
        for new, target in zip(found, (values, order, there, different)):
            to_host(new, target[some])
    return Ordered(first, order, values, there, different)
