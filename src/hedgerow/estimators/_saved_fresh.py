"""What a file must hold of what is new in rows, and of who has learned it.

The same rule as in `_saved`: what no learner could have left behind is refused.
"""

import numpy as np

from hedgerow.engines import Named
from hedgerow.estimators._fresh_rows import FORECAST, PREFIX, learned_arrays
from hedgerow.estimators._saved import (
    SLACK,
    all_within,
    check_learner,
    doubles_of,
    names_of_learner,
    require,
)
from hedgerow.estimators._saved_treatment import LEVEL, RESIDUALS, check_residuals
from hedgerow.method.forecasts import MOST_GROWTH, Forecast, growth
from hedgerow.method.residuals import LAGS


def names_of_fresh(arrays: Named) -> set[str]:
    """Return the names of arrays that there must be, if there are any of what is new in rows."""
    if not any(name.startswith(PREFIX) for name in arrays):
        return set()
    own = learned_arrays(arrays)
    learned = names_of_learner(own) | (set() if "table" in own else RESIDUALS)
    return {*FORECAST, *(f"{PREFIX}{name}" for name in learned)}


def check_fresh(arrays: Named, half_life: float, largest: float) -> None:
    """Raise StorageError unless the arrays, which `names_of_fresh` has, are those of `FreshRows`.

    ``largest`` is the size of the largest numbers that rows can have had.
    """
    if FORECAST[0] not in arrays:
        return
    require(set(arrays) >= LEVEL, "what is new in rows must have a level that they lost")
    own, n_columns = learned_arrays(arrays), len(arrays["as_is"])
    coefficients = doubles_of(arrays, FORECAST[0], (None,))
    left = doubles_of(arrays, FORECAST[1], ())
    few = 1 <= len(coefficients) <= LAGS and all_within(coefficients, MOST_GROWTH)
    require(few, f"{FORECAST[0]} must be from 1 to {LAGS} numbers", coefficients)
    require(0 < left <= 1, f"{FORECAST[1]} must be in (0, 1]", left)
    past = doubles_of(arrays, FORECAST[2], (len(coefficients), n_columns))
    require(all_within(past, largest * (1 + SLACK)), f"{FORECAST[2]} must have learned numbers")
    for name in ("learned_rows", "pending"):
        mine, theirs = np.asarray(own[name]), np.asarray(arrays[name])
        same = mine.shape == theirs.shape and mine.dtype == theirs.dtype
        same = same and (name == "pending" or bool(mine == theirs))
        require(same, f"{PREFIX}{name} must be of as many rows as {name}", mine.shape)
    forecast = Forecast(coefficients, float(left), past)
    grows = growth(forecast)
    require(grows <= MOST_GROWTH, f"{PREFIX}rows must be up to {MOST_GROWTH:g} times rows", grows)
    check_learner(own, half_life, largest * grows)
    if "table" not in own:
        check_residuals(own, n_columns, half_life)
