"""Rows of unlike size: found, divided, and what it costs; normal rows stay as they are."""

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.method.row_sizes import LARGEST_FACTOR, divided, first_sizes, no_sizes, row_factors


def correlated(rng, n_rows, n_columns):
    return rng.standard_normal((n_rows, n_columns)) + 0.7 * rng.standard_normal((n_rows, 1))


def student(rng, n_rows, n_columns):
    sizes = np.sqrt(3 / rng.chisquare(3, (n_rows, 1)))
    return correlated(rng, n_rows, n_columns) * sizes, sizes


def test_sizes_are_found_up_to_what_chance_leaves():
    rng = np.random.default_rng()
    rows, sizes = student(rng, 500, 40)
    treated, known = first_sizes(rows)
    found = [np.linalg.norm(each - known.centre, axis=1) for each in (rows, treated)]
    # Each is known with a relative error of 1 / sqrt(2k) = .11; four of them, in most rows.
    ratio = found[0] / found[1] / sizes[:, 0]
    assert np.mean(np.abs(np.log(ratio / np.median(ratio))) < 0.45) > 0.95


@pytest.mark.parametrize("n_columns", [4, 20, 200])
def test_normal_rows_stay_as_they_are(n_columns):
    rng = np.random.default_rng()
    untouched = 0
    for _ in range(20):
        rows = correlated(rng, 400, n_columns)
        treated, sizes = first_sizes(rows)
        untouched += treated is rows and not sizes.divides
    assert untouched >= 15  # all but one in some hundred each


def test_units_do_not_matter():
    rng = np.random.default_rng()
    rows, _ = student(rng, 300, 12)
    units = 10.0 ** rng.integers(-100, 100, 12)
    treated, sizes = first_sizes(rows)
    other, in_units = first_sizes(rows * units)
    np.testing.assert_allclose(other / units, treated, rtol=1e-9, atol=1e-12)
    assert in_units.trust == pytest.approx(sizes.trust, rel=1e-9)


def test_later_rows_are_measured_by_what_the_first_left():
    rng = np.random.default_rng()
    rows, _ = student(rng, 1000, 30)
    _, sizes = first_sizes(rows[:500])
    later = rows[500:]
    factors = row_factors(later, sizes)
    votes = later - sizes.centre
    length = np.einsum("ti,ij,tj->t", votes, sizes.shape @ sizes.shape.T, votes)
    expected = np.exp(-sizes.trust / 2 * (np.log(length) - sizes.typical))
    np.testing.assert_allclose(factors, np.minimum(expected, LARGEST_FACTOR), rtol=1e-9)
    whole = divided(later, factors, sizes)
    np.testing.assert_allclose(whole - sizes.centre, factors[:, None] * votes, rtol=1e-9, atol=1e-9)
    at_centre = row_factors(sizes.centre[None], sizes)
    assert at_centre.tolist() == [LARGEST_FACTOR]


def test_the_cost_is_that_of_tylers_estimate():
    """Correlations of divided rows have the variance that the cost and their products tell."""
    rng = np.random.default_rng()
    n_rows, n_columns, repeats = 600, 8, 400
    mixing = np.linalg.cholesky(np.full((n_columns, n_columns), 0.7) + 0.3 * np.eye(n_columns)).T
    found, told = [], []
    for _ in range(repeats):
        rows = rng.standard_normal((n_rows, n_columns)) @ mixing
        rows *= np.sqrt(3 / rng.chisquare(3, (n_rows, 1)))
        treated, sizes = first_sizes(rows)
        assert sizes.divides
        unit = (treated - treated.mean(axis=0)) @ np.linalg.inv(mixing)
        unit /= unit.std(axis=0)
        found.append((unit.T @ unit / n_rows)[np.triu_indices(n_columns, 1)])
        squares = np.square(unit)
        beside = (squares * (squares.sum(axis=1, keepdims=True) - squares)).mean()
        told.append(sizes.cost * beside / (n_columns - 1))
    variance = n_rows * np.square(found).mean()
    # 11,200 squares: an error of 1.3 percent, and somewhat more as those of a table are related.
    assert variance == pytest.approx(np.mean(told), rel=0.1)
    assert np.mean(told) > 1.15  # products alone would say .77


def test_few_columns_or_rows_are_not_divided():
    rng = np.random.default_rng()
    rows, _ = student(rng, 500, 3)
    assert not first_sizes(rows)[1].divides
    assert not first_sizes(student(rng, 7, 30)[0])[1].divides
    constant = np.ones((100, 30))
    constant[:, :3] = rows[:100]
    assert not first_sizes(constant)[1].divides
    assert no_sizes(5).cost == 1.0


def test_wrong_rows_make_no_edges_and_hide_none():
    rng = np.random.default_rng()
    rows = rng.standard_normal((900, 24))
    rows[:, 1::2] += rows[:, ::2]
    wrong = rng.random(900) < 0.03
    rows[wrong] += 20 * rng.standard_normal((wrong.sum(), 24))
    graph = HedgeGraph(error="fwer", level=1e-4).fit(rows)
    pairs = set(zip(graph.edges_["source"].tolist(), graph.edges_["target"].tolist()))
    assert pairs == {(j, j + 1) for j in range(0, 24, 2)}
    assert graph.treatment_.divided
    assert "Rows differ in size, and were divided by it" in graph.summary()


def test_who_knows_that_columns_are_normal_has_rows_as_they_are():
    rows, _ = student(np.random.default_rng(), 600, 10)
    graph = HedgeGraph(columns="normal").fit(rows)
    assert not graph.treatment_.divided


@pytest.mark.parametrize("shape", [(80, 60), (60, 200), (100, 64)])
def test_normal_rows_that_are_few_for_their_columns_are_not_divided(shape):
    divides = [
        first_sizes(np.random.default_rng().standard_normal(shape))[1].divides for _ in range(20)
    ]
    assert sum(divides) <= 5


def test_votes_that_determine_each_other_have_a_size():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((10, 5)) * np.exp(rng.standard_normal((10, 1)))
    rows[:, 1] = rows[:, 0]
    rows[:, 4] = rows[:, 2] - rows[:, 3]
    found, sizes = first_sizes(rows)
    assert np.isfinite(found).all()
    assert np.isfinite(sizes.shape).all()
