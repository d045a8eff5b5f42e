"""Every estimator passes scikit-learn's own checks."""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from hedgerow import HedgeGraph, SparsitronGraph

ESTIMATORS = [
    HedgeGraph(),
    HedgeGraph(error="fwer", level=0.1, half_life=50),
    HedgeGraph(level="balanced"),
    SparsitronGraph(),
    SparsitronGraph(selection="argmin", assume_centered=True),
    SparsitronGraph(selection="average"),
]


@parametrize_with_checks(ESTIMATORS)
@pytest.mark.filterwarnings("ignore")  # the checks' random data keep none of the promises
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_parameters_survive_a_clone(estimator):
    assert clone(estimator).get_params() == estimator.get_params()
