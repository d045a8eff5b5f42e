"""Hedge's weights where there are too many pairs to hold: those that matter, and what is left.

A node's weights sum to one at most, so only few can be large. Those above a bound are kept, and the
pairs that have one are tested singly. Without the others a pair's witness changes by less than half
of what the scores of all pairs are rounded by anyway, if the two columns are as noisy.
"""

import hashlib
import time
from typing import NamedTuple

import torch
from torch import Tensor

from hedgerow.base.parts import Parts, parts_of
from hedgerow.engines.torch_gpu import learning
from hedgerow.engines.torch_gpu.devices import in_turn, with_room
from hedgerow.engines.torch_gpu.layout import Settings, padded
from hedgerow.progress import report

_ENTRIES = 1 << 29  # weights that are looked at together
_LONG = 60.0  # seconds of learning from which strips that are done are kept on disk, if asked for


class Kept(NamedTuple):
    """The weights that matter, by pair, and what all of them leave of the columns."""

    pair: Tensor  # i * p + j in order, for the weight of node i on column j
    value: Tensor
    remains: Tensor  # (p, m), float32

    def at(self, i: Tensor, j: Tensor) -> Tensor:
        """Return the weights of nodes i on columns j; zero if they do not matter."""
        wanted = i * len(self.remains) + j
        if not len(self.pair):
            return torch.zeros(len(wanted), dtype=torch.float64, device=wanted.device)
        place = torch.searchsorted(self.pair, wanted).clamp(max=len(self.pair) - 1)
        return torch.where(self.pair[place] == wanted, self.value[place].double(), 0.0)

    def left(self, columns: Tensor, fast_columns: Tensor) -> Tensor:
        """Return what predictions leave of the columns: those that were learned from."""
        return self.remains

    def pairs(self) -> Tensor:
        """Return the pairs i < j, as i * p + j, of which either weight matters."""
        p = len(self.remains)
        i, j = self.pair // p, self.pair % p
        return torch.unique(torch.minimum(i, j) * p + torch.maximum(i, j))


def bound_on_others(n_rows: int, settings: Settings) -> float:
    """Return the size below which weights do not matter."""
    bound: float = settings.rounding / (4 * n_rows**0.5)
    return bound


class _Worker(NamedTuple):
    """Who learns strips of nodes on a device."""

    device: torch.device
    rows: Tensor
    columns: Tensor  # as `layout.padded` has them
    work: Tensor  # room for the weights of a strip


def learn_kept(rows: Tensor, columns: Tensor, batches: list[int], settings: Settings) -> Kept:
    """Learn from rows that come from `learning.standardise`; no array has all pairs.

    ``columns`` are those of the table, of shape (p, m), each with mean 0 and mean square 1.
    """
    strips = learning.strips_of(rows.shape[1])
    done = parts_of(_key(rows, settings))

    def learned(worker: _Worker, strip: int) -> tuple[Kept, float]:
        begun, nodes = time.monotonic(), strips[strip]
        own = _found(done, nodes, columns.device)
        if own is not None:
            return own, 0.0
        average = worker.work[: nodes.stop - nodes.start].zero_()
        learning.learn_strip(worker.rows, average, nodes.start, len(columns), batches, settings)
        own = _that_matter(average, nodes, columns, worker.columns, settings)
        own = Kept(*(each.to(columns.device) for each in own))
        return own, time.monotonic() - begun

    workers = _workers(rows, padded(columns, settings.dtype), strips[0].stop)
    pairs, values, remains = [], [], torch.empty_like(columns)
    for strip, (own, seconds) in enumerate(in_turn(workers, learned, len(strips))):
        nodes = strips[strip]
        if done is not None and seconds * len(strips) > _LONG:
            done.keep(_name(nodes), {k: each.cpu().numpy() for k, each in own._asdict().items()})
        pairs.append(own.pair)
        values.append(own.value)
        remains[nodes] = own.remains
        report("learning", nodes.stop / strips[-1].stop)
    return Kept(torch.cat(pairs), torch.cat(values), remains)


def _workers(rows: Tensor, columns: Tensor, n_nodes: int) -> list[_Worker]:
    """Return who learns: on each device that has room, with a copy of what is not there."""
    result, size = [], n_nodes * rows.shape[1]
    needed = rows.nbytes + columns.nbytes + size * (4 + rows.element_size())  # pulls, and weights
    for device in with_room(needed):
        work = torch.empty((n_nodes, rows.shape[1]), dtype=rows.dtype, device=device)
        result.append(_Worker(device, rows.to(device), columns.to(device), work))
    return result


def _that_matter(
    average: Tensor, nodes: slice, columns: Tensor, fast: Tensor, settings: Settings
) -> Kept:
    """Return what is kept of the average weights of some nodes."""
    p, m = columns.shape
    weights = learning.Weights(average, settings.weight_unit)
    least = bound_on_others(m, settings) * settings.weight_unit
    pairs, values = [], []
    some = max(1, _ENTRIES // average.shape[1])
    for first in range(0, len(average), some):
        i, j = torch.nonzero(average[first : first + some].abs() > least, as_tuple=True)
        pairs.append((nodes.start + first + i) * p + j)
        values.append(weights.at(first + i, j).float())
    left = weights.left(columns[nodes].to(average.device), fast)
    return Kept(torch.cat(pairs), torch.cat(values), left)


def _found(done: Parts | None, nodes: slice, device: torch.device) -> Kept | None:
    arrays = done.found(_name(nodes)) if done is not None else None
    if arrays is None:
        return None
    return Kept(**{name: torch.tensor(each, device=device) for name, each in arrays.items()})


def _name(nodes: slice) -> str:
    return f"nodes-{nodes.start}-{nodes.stop}"


def _key(rows: Tensor, settings: Settings) -> str:
    """Return what tells one computation from another: a hash of all bits of the rows."""
    bits = rows.view(torch.int16 if rows.element_size() == 2 else torch.int32)
    odd = 2 * torch.arange(len(rows), dtype=torch.int64, device=rows.device) + 1
    sums = torch.zeros(rows.shape[1], dtype=torch.int64, device=rows.device)
    for row, factor in zip(bits, odd * 0x9E3779B97F4A7C1):  # sums may overflow, always alike
        sums += row.long() * factor
    digest = hashlib.sha256(sums.cpu().numpy().tobytes())
    digest.update(repr((tuple(rows.shape), settings)).encode())
    return digest.hexdigest()


def kept_part(weights: Kept, columns: Tensor, kept: Tensor, original: Tensor, sign: Tensor) -> Kept:
    """Return what matters to some of the columns; weight on a repeated one goes to its original.

    A node's weight on its own copy goes, and what it had explained comes back.
    """
    p = len(weights.remains)
    place = torch.full((p,), -1, device=kept.device)
    place[kept] = torch.arange(len(kept), device=kept.device)
    i, j = weights.pair // p, weights.pair % p
    value, to = weights.value.double() * sign[j], original[j]
    own = to == i
    gone = torch.zeros(p, dtype=torch.float64, device=kept.device)
    gone.scatter_add_(0, i[own], value[own])
    remains = weights.remains[kept] + (gone[:, None] * columns)[kept].float()
    there = (place[i] >= 0) & (place[to] >= 0) & (to != i)
    pair = place[i[there]] * len(kept) + place[to[there]]
    unique, which = torch.unique(pair, return_inverse=True)
    total = torch.zeros(len(unique), dtype=torch.float64, device=kept.device)
    total.scatter_add_(0, which, value[there])
    return Kept(unique, total.float(), remains)
