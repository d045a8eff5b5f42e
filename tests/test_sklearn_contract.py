"""Every estimator passes scikit-learn's own checks."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from hedgerow import HedgeGraph, IsingGraph, SparsitronGraph, SparsitronIsing


class AnyNumbers(SparsitronIsing):
    """Takes the checks' numbers, which are not of two values, by a rule that looks at cells."""

    def _coded(self, rows, low, high):
        return two_values(rows)


def two_values(rows):
    """Make two values of any numbers, by a rule that looks at cells."""
    return np.where(np.sin(1e3 * rows) > 0, 1.0, -1.0)


class AnyNumbersGraph(IsingGraph):
    """Takes the checks' numbers in the same way."""

    def _read(self, X, known, **rules):
        rows, words = super()._read(X, known, **rules)
        return two_values(rows), words


ESTIMATORS = [
    HedgeGraph(),
    HedgeGraph(error="fwer", level=0.1, half_life=50),
    HedgeGraph(level="balanced"),
    SparsitronGraph(),
    SparsitronGraph(selection="argmin", assume_centered=True),
    SparsitronGraph(selection="average"),
    AnyNumbers(),
    AnyNumbers(selection="argmin"),
    AnyNumbersGraph(),
    AnyNumbersGraph(error="fwer", level=0.1),
]


@parametrize_with_checks(ESTIMATORS)
@pytest.mark.filterwarnings("ignore")  # the checks' random data keep none of the promises
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_parameters_survive_a_clone(estimator):
    assert clone(estimator).get_params() == estimator.get_params()
