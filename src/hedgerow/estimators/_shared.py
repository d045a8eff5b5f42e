"""Estimators that threads share: parameters are set in turn, and a copy goes its own way."""

from copy import deepcopy
from typing import Any, Self

from sklearn.base import BaseEstimator

from hedgerow.base.locks import locked, without_lock


class Shared(BaseEstimator):  # type: ignore[misc]
    """An estimator with a lock of its own, whose ``_stream`` is what it learned."""

    @locked
    def set_params(self, /, **params: Any) -> Self:
        """Set parameters, once no other thread is using the model.

        Parameters
        ----------
        **params : parameters of the estimator
        """
        super().set_params(**params)
        return self

    @locked
    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or a pickle gets: all that was learned, in memory of its own."""
        state = without_lock(super().__getstate__())
        if "_stream" in state:
            state["_stream"] = deepcopy(state["_stream"])
        return state
