"""Groups of pairs, by how much more related Hedge finds them than the refit does.

That surplus is made uncorrelated with z, so that for a pair without an edge it says nothing about
how small the p-value will be (docs/theory.md, section 11).
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Scores below this are taken to be those of pairs without an edge.
CENTRE = 1.5
# Where groups of pairs end, from the most promising down; in standard errors.
GROUP_ENDS = np.concatenate([2.0 ** np.arange(5, 0.5, -0.5), [1.0, 0.75, 0.5, 0.25, 0.0]])
# Of fewer pairs no share of nulls is estimated.
FEWEST_PAIRS = 20


def central_sums(z: Array, witness: Array) -> tuple[float, float]:
    """Return the sums of witness times z and of z squared over central pairs."""
    centre = np.abs(z) < CENTRE
    return float(witness[centre] @ z[centre]), float(z[centre] @ z[centre])


def shared_part(together: float, alone: float) -> float:
    """Return the coefficient of the witness on z, from sums of products of central pairs."""
    return together / max(alone, 1e-12)


def surplus_groups(z: Array, witness: Array, shared: float) -> NDArray[np.intp]:
    """Return the group of each pair, numbered from the most promising."""
    surplus = np.sign(z) * (witness - shared * z)
    return np.searchsorted(-GROUP_ENDS, -surplus)


def smallest_group(n_columns: int) -> int:
    """Return how many pairs a group must have for its share of nulls to be estimated."""
    return max(FEWEST_PAIRS, n_columns // 2)


def merged_labels(size: NDArray[np.integer], smallest: int) -> NDArray[np.intp]:
    """Return the new number of each group after joining small ones to their next."""
    new = np.empty(len(size), dtype=np.intp)
    label, count = 0, 0
    for old, members in enumerate(size):
        new[old] = label
        count += members
        if count >= smallest and size[old + 1 :].sum() >= smallest:
            label, count = label + 1, 0
    return new
