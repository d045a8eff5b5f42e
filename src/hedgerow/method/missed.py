"""What neighbours that were not found can do to the interval of an edge.

An interval is for the partial correlation given all other variables, and the estimate is given
those that were found. With few rows, or where steps hide much, neighbours are missed: what is left
of the relation by way of them is then in the estimate, and no standard error knows of it.

Two answers (docs/theory.md, section 25). The *seen*: the estimate is made once more, given so many
variables that one of each node's is expected to be there by chance, and the interval reaches over
both. The *possible*: both choices missed one common neighbour that was as strong as can be missed,
whatever the rows show. The second is larger, and asked for where the first is not enough.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.method.edges import debiased
from hedgerow.method.intervals import standard_errors
from hedgerow.method.looseness import looseness
from hedgerow.method.neighbours import detection_limit, regression, step_thresholds
from hedgerow.method.one_pair import Known

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

BY_CHANCE = 1.0  # variables that a node without neighbours is expected to be given


def given_more(
    known: Known, per_clear: float, source: Indices, target: Indices
) -> tuple[Array, Array]:
    """Return partial correlations given all variables that may be neighbours, and their errors.

    Parameters
    ----------
    known : what partial correlations come from
    per_clear : how many rows say as much as one without the noise of steps
    source, target : the two ends of each pair

    Returns
    -------
    partial_corr, spread : the latter on Fisher's scale, infinite where nothing is left of a column

    Examples
    --------
    >>> from hedgerow.method.inflation import no_inflation
    >>> from hedgerow.method.one_pair import of_pair
    >>> corr = np.array([[1.0, 0.6, 0.36], [0.6, 1.0, 0.6], [0.36, 0.6, 1.0]])  # 0 - 1 - 2
    >>> few = Known(corr, None, 12, no_inflation(3))  # too few for 1 to be given to 0 and 2 ...
    >>> of_pair(few, 0, 2).partial_corr
    0.36
    >>> given_more(few, 1.0, np.array([0]), np.array([2]))[0].round(2)  # ... but it may be
    array([0.])
    """
    p, n_rows = len(known.corr), known.effective_rows / per_clear
    thresholds = step_thresholds(p, n_rows, BY_CHANCE)
    dense, sizes = np.zeros((p, p)), np.zeros(p, dtype=np.intp)
    for node in np.union1d(source, target):
        chosen, coefficients = regression(known.corr, int(node), n_rows, thresholds, known.hubs)
        dense[node, chosen], sizes[node] = coefficients, len(chosen)
    weights = csr_array(dense)
    loose = 1.0 if known.latent is None else looseness(known.latent, weights, source, target)
    used = np.maximum(sizes[source], sizes[target])
    spread = standard_errors(known.n_rows, known.inflation, source, target, used, loose)
    return -debiased(known.corr, weights)[source, target], spread


def given_one_more(low: Array, high: Array, spread: Array, n_columns: int) -> tuple[Array, Array]:
    """Return the ends of intervals that allow for one common neighbour of both ends, missed twice.

    Without it, r is (ρ + ab) / sqrt((1 - a²)(1 - b²)) if a and b are the partial correlations of
    the two with the neighbour; both are as large as is missed.

    Examples
    --------
    >>> ends = given_one_more(np.array([0.2]), np.array([0.6]), np.array([0.1]), n_columns=32)
    >>> np.round(ends, 2).ravel().tolist()
    [0.09, 0.64]
    """
    missed = np.square(np.tanh(detection_limit(n_columns) * spread))
    return low - missed * (1.0 + low), high + missed * (1.0 - high)
