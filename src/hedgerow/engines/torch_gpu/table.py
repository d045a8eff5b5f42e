"""Rows on the device, as they came: the state of the GPU engine."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor

from hedgerow.engines.torch_gpu import devices
from hedgerow.engines.torch_gpu.kept import Kept
from hedgerow.engines.torch_gpu.learning import Weights
from hedgerow.engines.torch_gpu.memory import check_memory, moments_bytes
from hedgerow.method.engine import Array, Named
from hedgerow.method.forgetting import NEVER
from hedgerow.method.moments import Moments
from hedgerow.method.residuals import Residuals

Rows = NDArray[np.floating]


@dataclass
class Learned:
    """What was learned from the rows of a table, while no others have come."""

    weights: Weights | Kept | None = None  # until the evidence takes them: they are large
    residuals: Residuals | None = None


class Table(NamedTuple):
    """Whole batches, and after them the rows of an unfinished one, which are told anew."""

    batches: list[Tensor]
    unfinished: Tensor
    looks_back: bool  # whether sums over residuals are wanted
    learned: Learned

    def rows(self) -> Tensor:
        """Return all rows."""
        return torch.cat([*self.batches, self.unfinished])


def init(n_columns: int, half_life: float = NEVER) -> Table:
    """Return a table of no rows, on the GPU if there is one. None is ever forgotten."""
    if half_life != NEVER:
        raise NotImplementedError("this engine forgets no rows")
    nothing = torch.empty((0, n_columns), dtype=torch.float32, device=devices.main())
    return Table([], nothing, looks_back=False, learned=Learned())


def learn(state: Table, rows: Rows) -> Table:
    """Return the table with more rows. They are copied: their owner may change them."""
    batches = [*state.batches, _copied(state, rows)]
    return Table(batches, state.unfinished[:0], state.looks_back, Learned())


def look_back(state: Table, rows: Rows, coefficients: csr_array | None = None) -> Table:
    """Return the table of whose rows residuals will be wanted; ``rows`` are all there are.

    They will be those of the average weights, of all rows.
    """
    return state._replace(looks_back=True)


def count(state: Table, rows: Rows) -> Table:
    """Return the table with the rows of an unfinished batch."""
    if len(rows) == len(state.unfinished):
        return state
    return state._replace(unfinished=_copied(state, rows), learned=Learned())


def mean(state: Table) -> Array:
    """Return the mean of each column."""
    result: Array = state.rows().double().mean(0).cpu().numpy()
    return result


def moments(state: Table) -> Moments:
    """Return the moments of the rows; with as many numbers as there are pairs of columns."""
    rows = state.rows()
    n_rows, n_columns = rows.shape
    check_memory(moments_bytes(n_columns, n_rows), n_columns, n_rows, rows.device)
    centred = rows.double()
    mean = centred.mean(0)
    centred = centred - mean
    products = centred.T @ centred
    products = (products + products.T) / 2  # the same to the last bit on both sides
    weight = float(n_rows)
    return Moments(n_rows, mean.cpu().numpy(), products.cpu().numpy(), weight, weight)


def to_numpy(state: Table) -> Named:
    """Return the rows of whole batches."""
    table = torch.cat([*state.batches, state.unfinished[:0]]).cpu().numpy()
    return {"table": table, "learned_rows": np.array(len(table))}


def from_numpy(arrays: Named) -> Table:
    """Return the table that has been saved."""
    return learn(init(arrays["table"].shape[1]), arrays["table"])


def _copied(state: Table, rows: Rows) -> Tensor:
    return torch.tensor(rows, device=state.unfinished.device)
