"""Forward selection against plain regressions, and at its limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.method.neighbours import MOST_NEIGHBOURS, refit, select


def correlation_of(rows):
    return np.corrcoef(rows.T)


def chosen_by_regression(rows, node, thresholds):
    """The same greedy rule, each step by least squares on the rows."""
    n_rows, n_columns = rows.shape
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    chosen = []
    for step, threshold in enumerate(thresholds):
        others = [j for j in range(n_columns) if j != node and j not in chosen]
        statistics = []
        for j in others:
            design = rows[:, [*chosen, j]]
            solution, *_ = np.linalg.lstsq(design, rows[:, node])
            residual = rows[:, node] - design @ solution
            variance = residual @ residual / (n_rows - 3 - step)
            error = np.sqrt(variance * np.linalg.inv(design.T @ design)[-1, -1])
            statistics.append(abs(solution[-1]) / error)
        if not others or max(statistics) <= threshold:
            break
        chosen.append(others[int(np.argmax(statistics))])
    return sorted(chosen)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.integers(30, 120))
def test_selection_is_stepwise_regression(seed, n_columns, n_rows):
    rng = np.random.default_rng(seed)
    mixing = np.eye(n_columns) + 0.5 * rng.standard_normal((n_columns, n_columns))
    rows = rng.standard_normal((n_rows, n_columns)) @ mixing
    thresholds = np.full(n_columns - 1, 2.0)
    for node in range(n_columns):
        expected = chosen_by_regression(rows, node, thresholds)
        choice = select(correlation_of(rows), node, n_rows, thresholds)
        assert choice.chosen.tolist() == expected


def test_refit_is_least_squares():
    rng = np.random.default_rng()
    rows = np.cumsum(rng.standard_normal((500, 10)), axis=1)
    corr = correlation_of(rows)
    fitted = refit(corr, 500)
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    for node in range(10):
        weights = fitted.coefficients.toarray()[node]
        chosen = np.flatnonzero(weights)
        solution, *_ = np.linalg.lstsq(scaled[:, chosen], scaled[:, node])
        np.testing.assert_allclose(weights[chosen], solution, atol=1e-9)
        residual = scaled[:, node] - scaled[:, chosen] @ solution
        assert fitted.residual[node] == pytest.approx(residual.var(), abs=1e-9)
        assert fitted.sizes[node] == len(chosen)


def test_a_hub_may_have_many_neighbours_but_not_without_end():
    p = 200
    rng = np.random.default_rng()
    rows = rng.standard_normal((5000, p))
    rows[:, 0] = rows[:, 1:].sum(axis=1) / np.sqrt(p - 1) + 0.01 * rows[:, 0]
    assert refit(correlation_of(rows), 5000).sizes[0] == MOST_NEIGHBOURS


@pytest.mark.parametrize("n_rows", [5, 7, 8, 20])
def test_few_rows_choose_few_neighbours(n_rows):
    rng = np.random.default_rng()
    rows = rng.standard_normal((n_rows, 40)) + 3 * rng.standard_normal((n_rows, 1))
    fitted = refit(correlation_of(rows), n_rows)
    assert fitted.sizes.max() <= n_rows // 4
    assert np.isfinite(fitted.coefficients.data).all()


def test_collinear_columns_are_not_chosen_twice():
    rng = np.random.default_rng()
    base = rng.standard_normal((300, 3))
    rows = np.column_stack([base, base[:, 0] + base[:, 1], rng.standard_normal((300, 2))])
    fitted = refit(correlation_of(rows), 300)
    assert np.isfinite(fitted.coefficients.data).all()
    assert fitted.sizes.max() <= 3
    assert (fitted.residual >= 0).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 8))
def test_partial_correlations_are_given_the_other_neighbours(seed, n_columns):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((300, n_columns)) @ rng.standard_normal((n_columns, n_columns))
    corr = correlation_of(rows)
    fitted = refit(corr, 300)
    weights = fitted.coefficients.toarray()
    for i in range(n_columns):
        for j in range(n_columns):
            if i == j:
                assert fitted.partial[i, j] == 0
                continue
            given_others = [k for k in np.flatnonzero(weights[i]) if k != j]
            inverse = np.linalg.inv(corr[np.ix_([i, j, *given_others], [i, j, *given_others])])
            expected = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
            assert fitted.partial[i, j] == pytest.approx(expected, abs=1e-6)
