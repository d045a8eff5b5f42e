"""What kind of column each is: steps, yes or no, counts, a mass at one value, or continuous.

The first rows decide. What matters is how much of the normal variable behind a column is lost where
rows have equal values: nothing to speak of in a column of a hundred values, a third of its variance
in one of yes or no. Counts lose more, to the noise of counting, and are told from steps by their
distribution, from measurements in whole numbers by coming down to zero, and from scales that begin
at zero by having no end (`hedgerow.method.counting`).
"""

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.method.counting import (
    are_counts,
    counting_curve,
    expected_beyond,
    may_be_counts,
)
from hedgerow.method.marginals import Marginals
from hedgerow.method.ordered import Ordered
from hedgerow.method.steps import LEAST_STEP, Curves, cut_curves, straight

Array = NDArray[np.float64]
Kinds = NDArray[np.str_]

CONTINUOUS, STEPS, YES_NO, COUNTS, ZEROS = "continuous", "steps", "yes/no", "counts", "zeros"
KINDS = (CONTINUOUS, STEPS, YES_NO, COUNTS, ZEROS)
AS_IS, NORMAL = "as is", "normal"  # what users may say of a column, and of all of them
# Noise below this, in units of the variable behind, is none: what a neighbour then fails to explain
# is about half as much, and a standard error only from some hundred thousand rows on.
_NEGLIGIBLE = 5e-3
# Of what neighbours leave of a column: its noise is no more in steps that are fine. Where rows
# remember it does less harm than to learn from rows as they are, with their levels and memories.
_FINE = 0.05
_A_FEW = 16  # rows that tell which columns are no counts
_DOUBTFUL = 0.01  # a chance of ending so early, below which columns are a scale
_LOOSE = 0.1  # share of rows with values of their own in a column that is not all steps


def kinds_of(first: Ordered, as_is: NDArray[np.bool_]) -> Kinds:
    """Return the kind of each column; those taken ``as_is`` are continuous.

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> rng = np.random.default_rng(0)
    >>> z = rng.standard_normal((500, 4))
    >>> rows = [z[:, 0], z[:, 1] > 1, np.round(z[:, 2]), np.maximum(z[:, 3], 0)]
    >>> kinds_of(in_order(np.column_stack(rows)), np.zeros(4, bool)).tolist()
    ['continuous', 'yes/no', 'steps', 'zeros']
    """
    found = np.full(len(as_is), CONTINUOUS, dtype=f"<U{max(map(len, KINDS))}")
    repeated = first.different < first.there
    for j in np.flatnonzero(~as_is & (repeated | _whole(first))):
        found[j] = _kind(first.of_column(int(j)))
    found[_of_scales(first, found)] = STEPS
    return found


def are_fine(first: Ordered, steps: NDArray[np.bool_], left: Array) -> bool:
    """Return whether columns of steps are readings in fine units, and nearly continuous.

    ``left`` is the share of each column that its neighbours leave.

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> z = np.random.default_rng(0).standard_normal((500, 2))
    >>> steps, left = np.ones(2, dtype=bool), np.array([0.5, 0.9])
    >>> [are_fine(in_order(np.round(z * unit)), steps, left) for unit in (3.0, 2.0, 1.0)]
    [True, True, False]
    """
    return all(
        _noise(*_shares(first.of_column(int(j)))) <= _FINE * left[j] for j in np.flatnonzero(steps)
    )


def _of_scales(first: Ordered, kinds: Kinds) -> NDArray[np.intp]:
    """Return columns that look like counts, and are of a scale that ends, as answers from 0 to 3.

    More of those that end there are steps, or they all end where counts would not.
    """
    last = first.values[np.arange(len(kinds)), np.maximum(first.there - 1, 0)]
    counts = kinds == COUNTS
    ends, number = np.unique(last[counts], return_counts=True)
    steps = (kinds == STEPS) & (first.values[:, 0] == 0.0)
    result = []
    for end, many in zip(ends, number, strict=True):
        those = np.flatnonzero(counts & (last == end))
        scale = (last[steps] == end).sum() > many
        if not scale:
            missing = sum(expected_beyond(first.of_column(int(j))) for j in those)
            scale = missing > special.gammainccinv(many, _DOUBTFUL / len(ends))
        result += those.tolist() if scale else []
    return np.array(result, dtype=np.intp)


def like_counts(first: Ordered, kinds: Kinds, most: int) -> NDArray[np.intp]:
    """Return at most so many columns that are counts, or may be some that are never zero."""
    counts = np.flatnonzero(kinds == COUNTS)
    others = np.flatnonzero(_whole(first) & np.isin(kinds, (CONTINUOUS, STEPS)))
    some = _evenly(others, most - len(counts))
    more = [j for j in some if _may_be_noisy_counts(first.of_column(int(j)))]
    return np.sort(np.append(_evenly(counts, most), np.array(more, dtype=np.intp)))


def _evenly(columns: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    return columns[:: -(-len(columns) // most) or 1] if most > 0 else columns[:0]


def _may_be_noisy_counts(values: Array) -> bool:
    return len(values) > 1 and may_be_counts(values) and _is_noisy(values)


def _is_noisy(values: Array) -> bool:
    """Return whether the noise of counting is worth speaking of, in counts."""
    return bool(values.mean() > _NEGLIGIBLE * values.var())


def _whole(first: Ordered) -> NDArray[np.bool_]:
    """Return which columns may be whole numbers, by some rows."""
    some = first.rows[:_A_FEW]
    whole: NDArray[np.bool_] = (np.isnan(some) | (some == np.floor(some))).all(axis=0)
    return whole


def _kind(values: Array) -> str:
    known = len(np.unique(values))
    if known < 2:
        return CONTINUOUS
    if known == 2:
        return YES_NO
    share, tied = _shares(values)
    if are_counts(values) and _is_noisy(values):
        return COUNTS
    if not tied.any() or _noise(share, tied) <= _NEGLIGIBLE:
        return CONTINUOUS
    return ZEROS if share[~tied].sum() > _LOOSE else STEPS


def _shares(values: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return the share of cells that have each value, and which values are steps."""
    _, times = np.unique(values, return_counts=True)
    share = times / len(values)
    return share, (times > 1) & (share > LEAST_STEP)


def _noise(share: Array, tied: NDArray[np.bool_]) -> float:
    """Return the noise of `Curves`, given the shares of rows with each value in turn.

    With a and b the thresholds of a step, means of 1, z and z² within it are Φ(b) - Φ(a),
    φ(a) - φ(b) and Φ(b) - Φ(a) + a φ(a) - b φ(b).
    """
    above = np.cumsum(share)
    low, high, part = (above - share)[tied], np.minimum(above, 1.0)[tied], share[tied]
    score = special.ndtri((low + high) / 2)
    ends = special.ndtri(np.maximum(low, 0.0)), special.ndtri(high)
    density = [np.exp(-0.5 * end**2) / np.sqrt(2.0 * np.pi) for end in ends]
    times_end = [np.where(np.isfinite(e), e, 0.0) * d for e, d in zip(ends, density, strict=True)]
    of_z = density[0] - density[1]
    of_square = part + times_end[0] - times_end[1]
    mean = (score * part - of_z).sum()
    first = 1.0 + (score * of_z - of_square).sum()
    return float((1.0 + (score**2 * part - of_square).sum() - mean**2) / first**2 - 1.0)


def curves_of(kinds: Kinds, marginals: Marginals) -> Curves:
    """Return the curves of all columns, by their kinds."""
    powers, fourth, doubt = straight(len(kinds))
    cut = np.isin(kinds, (STEPS, YES_NO, ZEROS, COUNTS))
    if cut.any():
        of_steps = cut_curves(marginals)
        powers[:, cut], fourth[cut] = of_steps.powers[:, cut], of_steps.fourth[cut]
    for j in np.flatnonzero(kinds == COUNTS):
        of_counts = counting_curve(marginals, int(j))
        if of_counts is not None:
            powers[:, j], fourth[j], doubt[j] = (
                of_counts.powers[:, 0],
                of_counts.fourth[0],
                of_counts.doubt[0],
            )
    return Curves(powers, fourth, doubt)
