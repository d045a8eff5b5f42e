"""The smallest error level at which two scores make an edge of a pair.

The refit's p-value is corrected for many tests, and Hedge must agree at the same level, or the
refit must be so clear that the largest error it can plausibly have does not matter. How large that
is depends on the numbers of rows and columns (docs/theory.md, section 12).
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.multiplicity import CORRECTIONS
from hedgerow.method.neighbours import detection_limit
from hedgerow.method.promises import BALANCED
from hedgerow.method.scores import two_sided

Array = NDArray[np.float64]

MIN_ROWS = 5  # no pair is tested with fewer
# Measured (docs/theory.md, section 12): with a plausible bias above this, the error rate slips.
BIAS_OF_FEW_ROWS = 1.5
# One standard error: too much for a single statistic where no false edge is allowed, and for the
# promise where columns are strongly related.
BIAS_TO_DOUBT = 1.0
# A node with more than so many times the neighbours of another is a hub beside it.
AS_MANY = 2
STRONGLY_RELATED = 0.5  # share unexplained below which columns are: neighbours tell most of them


def smallest_levels(
    z: Array,
    witness: Array,
    priors: Array,
    of_agreement: Array,
    margins: tuple[float, float],
    error: str,
    n_tests: int | None = None,
    *,
    each_agrees: NDArray[np.bool_] | None = None,
) -> Array:
    """Return the smallest level at which each pair is an edge, given the priors of the pairs.

    ``of_agreement`` are those by which p-values of agreement are divided. With ``n_tests``, the
    pairs are the strongest of so many. A pair of ``each_agrees`` is also one if Hedge agrees as if
    there were no other, and the refit is clear of the typical bias.
    """
    adjust = CORRECTIONS[error]
    levels = adjust(np.minimum(two_sided(z) / priors, 1.0), n_tests)
    if error == BALANCED:
        return levels
    agreed = two_sided(agreement_scores(z, witness, margins))
    together = adjust(np.minimum(agreed / of_agreement, 1.0), n_tests)
    levels = np.maximum(levels, together)
    if each_agrees is None:
        return levels
    left = np.maximum(np.abs(z) - np.where(each_agrees, margins[0], 0.0), 0.0)
    alone = np.maximum(adjust(np.minimum(two_sided(left) / priors, 1.0), n_tests), agreed)
    return np.where(each_agrees, np.minimum(levels, alone), levels)


def agreement_scores(z: Array, witness: Array, margins: tuple[float, float]) -> Array:
    """Return by how much Hedge's score, or else the refit's, is clear of chance and margins."""
    off_witness, off_z = margins
    return np.maximum(np.maximum(np.sign(z) * witness - off_witness, np.abs(z) - off_z), 0.0)


def plausible_bias(n_columns: int, n_rows: float) -> float:
    """Return the largest error of z from one common neighbour that both nodes' choices missed."""
    return detection_limit(n_columns) ** 2 / float(np.sqrt(n_rows))


def most_bias(unexplained: float) -> float:
    """Return the plausible bias from which on rows are few for columns that leave this share."""
    return BIAS_TO_DOUBT if unexplained < STRONGLY_RELATED else BIAS_OF_FEW_ROWS


def rows_are_few(n_columns: int, n_rows: float, unexplained: float = 1.0) -> bool:
    """Return whether the rows are too few for the promised error rate to have been measured."""
    return plausible_bias(n_columns, n_rows) > most_bias(unexplained)


def asks_both(n_columns: int, n_rows: float, error: str) -> bool:
    """Return whether rows are so few that the statistic given both nodes' neighbours counts too."""
    few = error == "fwer" and plausible_bias(n_columns, n_rows) > BIAS_TO_DOUBT
    return error != BALANCED and (few or rows_are_few(n_columns, n_rows))


def stays_asked(
    first: NDArray[np.integer], second: NDArray[np.integer], error: str
) -> NDArray[np.bool_]:
    """Return of which pairs the statistic given both nodes' neighbours counts, where it is asked.

    The nodes of a pair have ``first`` and ``second`` chosen neighbours. A node that has more than
    twice as many as the other is a hub beside it: given its many neighbours nothing is left of the
    edge. Where not a single false edge is allowed, no pair is spared.

    Examples
    --------
    >>> stays_asked(np.array([1, 1, 2]), np.array([2, 3, 1]), "fdr")
    array([ True, False,  True])
    """
    alike = np.maximum(first, second) <= AS_MANY * np.minimum(first, second)
    result: NDArray[np.bool_] = alike | (error == "fwer")
    return result


def agreement_margins(
    n_columns: int, n_rows: float, error: str, hidden: float = 1.0
) -> tuple[float, float]:
    """Return by how much Hedge's score, or else the refit's, must be clear of chance.

    ``hidden`` is the noise of the column that is most easily missed, over that of a typical one.
    No pair is ever clear by infinity: where nothing depends on agreement, none need be listed.
    """
    if error == BALANCED:
        return np.inf, np.inf
    bias = plausible_bias(n_columns, n_rows)
    shortage = max(1.0, bias / BIAS_OF_FEW_ROWS)
    return shortage**4 * hidden * bias / 8, shortage * hidden * bias
