"""Habits from `sklearn.covariance`: the same methods, the same numbers for equal matrices."""

import numpy as np
import pytest
from sklearn.covariance import EmpiricalCovariance
from sklearn.exceptions import NotFittedError

from hedgerow import HedgeGraph


@pytest.fixture(scope="module")
def rows():
    return np.cumsum(np.random.default_rng(4).standard_normal((500, 5)), axis=1) + 10.0


@pytest.fixture(scope="module")
def model(rows):
    return HedgeGraph().fit(rows)


@pytest.fixture(scope="module")
def theirs(model, rows):
    """Return scikit-learn's estimator with our matrices."""
    other = EmpiricalCovariance().fit(rows)
    other.location_, other.covariance_ = model.location_, model.covariance_
    other.precision_ = model.precision_
    return other


def test_the_precision_is_theirs(model, theirs):
    assert np.array_equal(model.get_precision(), theirs.get_precision())


def test_distances_are_theirs(model, theirs, rows):
    few = rows[:7] * 1.5
    np.testing.assert_allclose(model.mahalanobis(few), theirs.mahalanobis(few), rtol=1e-9)


@pytest.mark.parametrize("norm", ["frobenius", "spectral"])
@pytest.mark.parametrize("scaling", [True, False])
@pytest.mark.parametrize("squared", [True, False])
def test_errors_are_theirs(model, theirs, norm, scaling, squared):
    other = np.eye(5)
    asked = {"norm": norm, "scaling": scaling, "squared": squared}
    ours = model.error_norm(other, **asked)
    assert ours == pytest.approx(theirs.error_norm(other, **asked), rel=1e-9)
    assert ours > 0
    assert model.error_norm(other) == pytest.approx(theirs.error_norm(other), rel=1e-9)


def test_what_cannot_be_compared_is_refused(model, rows):
    with pytest.raises(ValueError, match=r"norm must be .*'frobenius'.*got 'nuclear'"):
        model.error_norm(np.eye(5), norm="nuclear")
    with pytest.raises(ValueError, match=r"comp_cov must have shape \(5, 5\), got \(4, 4\)"):
        model.error_norm(np.eye(4))
    with pytest.raises(ValueError, match="X has 4 features"):
        model.mahalanobis(rows[:, :4])
    with pytest.raises(NotFittedError):
        HedgeGraph().mahalanobis(rows)
