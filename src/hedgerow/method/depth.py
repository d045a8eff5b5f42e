"""Depth: how much more is counted in some rows than in others, which all counts share.

Reads of a sample, insects of a trap that hung for longer, calls of a day: where rows are counted to
different depths, all columns rise and fall together, and relations between them are made of it.

Let counts be Poisson with means d·λ, the depth d of a row independent of what λ says of its columns
and with mean one. Divided by their means, two counts then have covariance v + (1 + v) c, with v the
variance of d and c that of the λ: whatever the counts' size, as their noise is independent. Most
pairs of many columns are not related, so v is seen in most of them. Where columns are few, or each
is strongly related to all others, the same can be what the columns are: it is told, not taken out.
"""

import numpy as np

from hedgerow.method.kinds import Kinds, like_counts
from hedgerow.method.ordered import Ordered

# Most pairs of fewer columns can be related without any depth: of 18 families of graphs, ten were
# told with 12 columns, and with 64 the three in which all columns are strongly related.
_LEAST_COLUMNS = 30
_ENOUGH = 256  # columns, evenly taken, if there are more
_CLEAR = 1.0  # standard errors above zero, of three quarters of all pairs; by chance it is -0.67


def depth_spread(first: Ordered, kinds: Kinds) -> float:
    """Return the standard deviation of depth over its mean; zero if it may well have none.

    Examples
    --------
    >>> from hedgerow.method.ordered import in_order
    >>> rng = np.random.default_rng(0)
    >>> depth = rng.gamma(4.0, 0.25, size=(500, 1))
    >>> kinds = np.full(40, "counts")
    >>> round(depth_spread(in_order(rng.poisson(5 * depth, size=(500, 40))), kinds), 1)
    0.5
    >>> depth_spread(in_order(rng.poisson(5, size=(500, 40))), kinds)
    0.0
    """
    columns = like_counts(first, kinds, _ENOUGH)
    if len(columns) < _LEAST_COLUMNS:
        return 0.0
    rows = first.rows[:, columns]
    there = ~np.isnan(rows)
    away = np.where(there, rows / np.nanmean(rows, axis=0) - 1.0, 0.0)
    together = np.maximum((there.T.astype(float) @ there), 1.0)
    shared = away.T @ away / together
    noise = np.square(away).T @ np.square(away) / together - np.square(shared)
    pairs = np.triu_indices(len(shared), 1)
    score = shared[pairs] / np.sqrt(np.maximum(noise / together, 1e-300)[pairs])
    if np.quantile(score, 0.25) < _CLEAR:
        return 0.0
    return float(np.sqrt(np.median(shared[pairs])))
