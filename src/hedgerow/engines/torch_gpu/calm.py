"""Factors that make the scores of pairs less sure (`hedgerow.method.inflation`), on the device."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from hedgerow.engines.torch_gpu.layout import Settings, whole
from hedgerow.method.inflation import Inflation

_DEPTH = 16  # products are made of a whole number of so many lags
_CHUNK_BYTES = 1 << 30


class Calm(NamedTuple):
    """Factors of columns, as `Inflation` has them; ones and zeros fill whole tiles."""

    tails: Tensor  # (width,), float32
    echoes: Tensor  # (width, k), float32
    fast: Tensor  # the same, as they are multiplied for all pairs
    typical: float  # median factor of pairs

    @property
    def largest(self) -> float:
        """What no share of a score exceeds: factors are at least one."""
        return float(self.typical**0.5)


def calm_of(inflation: Inflation, settings: Settings, device: torch.device) -> Calm | None:
    """Return the factors of all columns on the device; None if none of them matters."""
    if not inflation.matters:
        return None
    p, n_lags = inflation.echoes.shape
    tails = np.ones(whole(p), dtype=np.float32)
    tails[:p] = inflation.tails
    echoes = np.zeros((whole(p), max(whole(n_lags, _DEPTH), _DEPTH)), dtype=np.float32)
    echoes[:p, :n_lags] = inflation.echoes
    on_device = torch.tensor(echoes, device=device)
    return Calm(
        torch.tensor(tails, device=device),
        on_device,
        on_device.to(settings.dtype),
        inflation.typical,
    )


def shares(calm: Calm, i: Tensor, j: Tensor) -> Tensor:
    """Return what to multiply the scores of listed pairs with (`inflation.calming`)."""
    chunk = max(1, _CHUNK_BYTES // (32 * calm.echoes.shape[1]))
    parts = [_shares(calm, a, b) for a, b in zip(i.split(chunk), j.split(chunk))]
    return torch.cat(parts) if parts else torch.ones(0, dtype=torch.float64, device=i.device)


def _shares(calm: Calm, i: Tensor, j: Tensor) -> Tensor:
    of_tails = (calm.tails[i].double() * calm.tails[j].double()).clamp(min=1.0)
    echo = (calm.echoes[i].double() * calm.echoes[j].double()).sum(1)
    return (calm.typical / (of_tails * (1.0 + echo).clamp(min=1.0))).sqrt()
