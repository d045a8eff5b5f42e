"""Scores of pairs made as much less sure as their factors say (`hedgerow.method.inflation`)."""

from functools import partial
from math import sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hedgerow.engines.numba_cpu._products import IN_ORDER, single_product
from hedgerow.engines.numba_cpu._threads import Run, blocks
from hedgerow.method.inflation import Inflation

_NODES = 16  # at a time


def calm(
    inflation: Inflation,
    scores: NDArray[np.float32],
    run: Run,
    *,
    below: bool,
    strip: tuple[int, int] | None = None,
) -> None:
    """Divide the scores above the diagonal, and those ``below``, by the roots of the factors.

    Those of a ``strip`` of nodes with later ones, or all.
    """
    if inflation.matters:
        first, last = strip or (0, len(scores))
        echoes = inflation.echoes.astype(np.float32)
        run(
            partial(_calm, *some, inflation.tails, echoes, inflation.typical, below, scores)
            for some in blocks(last, _NODES, first)
        )


@njit(**IN_ORDER)
def _calm(first, last, tails, echoes, typical, below, scores):
    for i in range(first, last):
        for j in range(i + 1, tails.size):
            echo = 1.0 + single_product(echoes[i], echoes[j])
            factor = max(tails[i] * tails[j], 1.0) * max(echo, 1.0)
            share = np.float32(sqrt(typical / factor))
            scores[i, j] *= share
            if below:
                scores[j, i] *= share
