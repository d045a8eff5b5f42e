"""Going through all sets of variables, with the covariance given each."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.rivals._subsets import advance, begin, count


def schur(covariance, members):
    """Covariance given some variables, from its definition."""
    across = covariance[:, members]
    return covariance - across @ np.linalg.solve(covariance[np.ix_(members, members)], across.T)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 7), st.integers(0, 3), st.integers(0, 2**31))
def test_all_stems_come_once_in_order_with_their_covariance(n, size, seed):
    size = min(size, n - 1)
    rows = np.random.default_rng(seed).standard_normal((40, 8))
    covariance = rows.T @ rows
    stem = np.arange(size)
    stack = begin(covariance, stem)
    stems = [tuple(stem)]
    more = True
    while more:
        expected = schur(covariance, stem)
        scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
        assert np.abs((stack[size] - expected) / scale).max() < 1e-12
        more = advance(stack, stem, n)
        stems += [tuple(stem)] if more else []
    assert stems == list(combinations(range(n - 1), size))
    assert len(stems) == count(n, size)


def test_a_variable_that_others_determine_adds_nothing():
    rows = np.random.default_rng(0).standard_normal((50, 3))
    rows[:, 1] = rows[:, 0]
    corr = np.corrcoef(rows.T)
    assert np.allclose(begin(corr, np.array([0, 1]))[2], begin(corr, np.array([0]))[1], atol=1e-7)
