"""The models, their rows, and what methods are told of them."""

import warnings
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hedgerow import rivals
from hedgerow.datasets import IsingModel, make_ising


class Case(NamedTuple):
    """A family with its strength and signs."""

    family: str
    strength: float
    signs: str = "attractive"
    field: float = 0.0
    options: tuple[tuple[str, float], ...] = ()

    def model(self, p: int) -> IsingModel:
        return make_ising(
            self.family,
            p,
            strength=self.strength,
            signs=self.signs,
            field=self.field,
            seed=0,
            **dict(self.options),
        )


LABELS = {
    "ising": "IsingGraph",
    "ising_balanced": "IsingGraph balanced",
    "hedgerow": "HedgeGraph (latent normals)",
    "hedgerow_balanced": "HedgeGraph balanced (latent normals)",
    "hedgerow_signs": "HedgeGraph on ±1",
    "sparsitron_ising": "SparsitronIsing",
    "logistic_ebic": "logistic lasso, EBIC (eLasso)",
    "logistic_cv": "logistic lasso, folds",
    "logistic": "logistic lasso, theory (RPLE)",
    "rise": "RISE",
    "logrise": "logRISE",
    "mean_field": "mean field",
    "bethe": "Bethe",
    "ising_exhaustive": "exhaustive",
}
OURS = ("ising", "hedgerow", "hedgerow_signs")
SLOW = ("logistic_cv",)  # one data set of each case
TOLD = ("sparsitron_ising", "logistic", "rise", "logrise", "mean_field", "bethe")


def label(method: str) -> str:
    return LABELS.get(method, method)


@lru_cache(maxsize=16)
def rows_of(case: Case, p: int, most: int, seed: int) -> np.ndarray:
    """Return the first ``most`` rows of a data set; fewer are its first ones."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no rows that may not follow their model
        return case.model(p).sample(most, seed=1000 + seed).astype(np.int8)


def fitted(method: str, rows: np.ndarray, told: IsingModel | None = None) -> Any:
    """Return a method that has learned from rows, told the constants of the model or nothing.

    Where constants are told a graph without any false edge is asked for, and our own methods are
    asked to keep the familywise error rate.
    """
    parameters: dict[str, Any] = {}
    if told is not None and method in OURS:
        parameters["error"] = "fwer"
    if told is not None and method in TOLD:
        if "min_coupling" in rivals.make(method).get_params():
            parameters["min_coupling"] = told.min_coupling
        if method == "sparsitron_ising":
            parameters["width"] = told.width
    if told is not None and method == "ising_exhaustive":
        parameters["max_degree"] = int(told.adjacency.sum(axis=0).max())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rivals.make(method, **parameters).fit(rows)
