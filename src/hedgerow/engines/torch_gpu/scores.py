"""Correlations to normal scores, on whatever device the numbers are.

The t distribution's tail is turned into the normal's by Hill's expansion (Communications of the
ACM 13, 1970, algorithm 395). With 30 degrees of freedom or more, its error in z is below 3e-8 up to
z = 7, and below 0.4% of z as far out as a double reaches, where no decision depends on it. With
fewer, SciPy's distribution is asked.
"""

from statistics import NormalDist

import numpy as np
import torch
from scipy import special
from torch import Tensor

from hedgerow.method import scores

_MANY = 30  # degrees of freedom for which the expansion is good enough
_SMALLEST_LOG = -69.0  # keeps the score finite where a correlation is one
LARGEST_Z = -float(special.ndtri(np.finfo(np.float64).tiny))  # beyond, tails are too small


def z_score(correlation: Tensor, freedom: Tensor | float) -> Tensor:
    """Return the normal score with the tail probability that a partial correlation has."""
    correlation = correlation.double().clamp(-1.0, 1.0)
    freedom = torch.as_tensor(freedom, dtype=torch.float64, device=correlation.device)
    a = freedom.clamp(min=1) - 0.5
    b = 48.0 * a**2
    y = -a * torch.log1p(-(correlation**2)).clamp(min=_SMALLEST_LOG)
    z = ((-0.4 * y - 3.3) * y - 24.0) * y - 85.5
    z = (z / (0.8 * y**2 + 100.0 + b) + y + 3.0) / b + 1.0
    result = torch.sign(correlation) * (z * y.sqrt()).clamp(max=LARGEST_Z)
    few = (freedom < _MANY).expand_as(result)
    if few.any():
        some = (values[few].cpu().numpy() for values in (correlation, freedom.expand_as(result)))
        result[few] = torch.tensor(scores.z_score(*some), device=result.device)
    return result


def z_at(p_value: float) -> float:
    """Return the score whose two-sided p-value this is."""
    return -NormalDist().inv_cdf(min(p_value, 1.0) / 2)
