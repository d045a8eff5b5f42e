"""Neighbours for which another variable could stand in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import datasets
from hedgerow.method.neighbours import refit, step_thresholds
from hedgerow.method.stand_ins import weaken


def partial_correlation(rows: np.ndarray, i: int, j: int, given: list[int]) -> float:
    """By least squares on the rows themselves."""
    basis = np.column_stack([np.ones(len(rows)), rows[:, given]])
    ends = rows[:, [i, j]]
    left = ends - basis @ np.linalg.lstsq(basis, ends, rcond=None)[0]
    return float(np.corrcoef(left.T)[0, 1])


def by_definition(rows: np.ndarray, chosen: np.ndarray, i: int, j: int) -> float:
    m, p = rows.shape
    rest = [int(k) for k in np.flatnonzero(chosen[i]) if k != j]
    own = partial_correlation(rows, i, j, rest)
    threshold, freedom = step_thresholds(p, m)[len(rest)], m - 3 - len(rest)
    weakest = own
    for k in np.flatnonzero(chosen[j] | chosen[:, i] | chosen[:, j]):
        if k in (i, j) or k in rest:
            continue
        r = partial_correlation(rows, i, k, rest)
        if abs(r) * np.sqrt(freedom / (1 - r**2)) <= threshold:
            continue
        remains = partial_correlation(rows, i, j, [*rest, int(k)])
        remains = remains if remains * own > 0 else 0.0
        weakest = min(weakest, remains, key=abs)
    return weakest


@settings(max_examples=15, deadline=None)
@given(
    family=st.sampled_from(["free_field", "cliques", "hubs", "brownian_path", "erdos_renyi"]),
    m=st.integers(30, 120),
    seed=st.integers(0, 2**32 - 1),
)
def test_it_is_what_the_definition_says(family, m, seed):
    rows = datasets.make(family, 16, seed=seed).sample(m, seed)
    corr = np.corrcoef(rows.T)
    fitted = refit(corr, m)
    careful = weaken(corr, m, fitted)
    chosen = fitted.coefficients.toarray() != 0
    for i, j in zip(*np.nonzero(chosen)):
        assert careful.partial[i, j] == pytest.approx(by_definition(rows, chosen, i, j), abs=1e-8)
    changed = careful.partial != fitted.partial
    assert not changed[~chosen].any()
    assert np.array_equal(careful.given - fitted.given, changed.astype(int))


def test_a_variable_chosen_in_place_of_the_neighbour_loses_its_relation():
    """0 - 1 - 2, where 1 and 2 are so much alike that chance decides which of them 0 chooses."""
    rng = np.random.default_rng()
    before, after = [], []
    while len(before) < 20:
        rows = rng.standard_normal((60, 1)) + rng.standard_normal((60, 3)) * [1, 0, 0.2]
        corr = np.corrcoef(rows.T)
        fitted = refit(corr, 60)
        if np.array_equal(fitted.coefficients[[0]].indices, [2]):
            before.append(fitted.partial[0, 2])
            after.append(weaken(corr, 60, fitted).partial[0, 2])
    assert np.mean(before) > 0.6
    assert np.mean(after) < 0.3


def test_without_another_candidate_nothing_changes():
    corr = np.eye(5)
    corr[0, 1] = corr[1, 0] = 0.6
    fitted = refit(corr, 100)
    assert np.array_equal(weaken(corr, 100, fitted).partial, fitted.partial)
