"""Columns that repeat others, found without looking at all pairs."""

import torch
from torch import Tensor

_CLOSE = 1e-4  # fingerprints of copies differ by less: seven times what rounding may do
_WINDOW = 32  # neighbours in the order of fingerprints that are compared
_CHUNK = 65536


def originals(columns: Tensor, copy: float) -> Tensor:
    """Return for every column the first one whose correlation with it exceeds ``copy``.

    ``columns`` is of shape (p, m), each with mean square one. Two random projections of a column
    are its fingerprints; columns that have them in common, up to sign, are compared in full.
    """
    p, m = columns.shape
    generator = torch.Generator().manual_seed(0)
    projection = torch.randn((m, 2), generator=generator).to(columns.device, columns.dtype)
    first, second = (columns @ projection / m**0.5).abs().T
    order = torch.argsort(first)
    near = _following(first[order]) < _CLOSE
    near &= _following(second[order]).abs() < _CLOSE
    place, offset = torch.nonzero(near).T
    a, b = order[place], order[place + offset + 1]
    same = _correlation(columns, a, b).abs() > copy
    return _earliest(p, a[same], b[same])


def _following(values: Tensor) -> Tensor:
    """Return by how much each of the next values exceeds every value; infinity past the end."""
    padded = torch.nn.functional.pad(values, (0, _WINDOW), value=torch.inf)
    return padded.unfold(0, _WINDOW + 1, 1)[:, 1:] - values[:, None]


def _correlation(columns: Tensor, a: Tensor, b: Tensor) -> Tensor:
    parts = [
        (columns[i].double() * columns[j].double()).mean(1)
        for i, j in zip(a.split(_CHUNK), b.split(_CHUNK))
    ]
    return torch.cat(parts) if parts else columns.new_empty(0, dtype=torch.float64)


def _earliest(p: int, a: Tensor, b: Tensor) -> Tensor:
    """Return the smallest number among all that each is linked to, directly or not."""
    label = torch.arange(p, device=a.device)
    while True:
        least = torch.minimum(label[a], label[b])
        new = label.scatter_reduce(0, a, least, "amin").scatter_reduce(0, b, least, "amin")
        if torch.equal(new, label):
            return label
        label = new
