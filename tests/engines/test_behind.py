"""Compiled tests of what lies behind columns: what the readable functions do, up to rounding.

A regression on columns that leave a share v of each other loses at most the digits of 1 / v. With
the noise of steps in every column, what is used leaves more than two standard errors, and chains of
these strengths leave more than a hundredth; each number is a sum of fewer than a thousand products,
of powers of such quotients up to the fourth at worst. `CLOSE` is what that makes of one rounding.
"""

import numpy as np
import pytest
from scipy.sparse import csr_array

from hedgerow import HedgeGraph
from hedgerow.engines.numba_cpu import behind as compiled
from hedgerow.engines.numba_cpu._threads import with_threads
from hedgerow.method import behind as readable
from hedgerow.method import latent_edges
from hedgerow.method.inflation import no_inflation
from hedgerow.method.latent import LARGEST, latent_of
from hedgerow.method.latent_edges import judge_latent
from hedgerow.method.moments import correlation
from hedgerow.method.steps import curves_of_steps

CLOSE = 1e3 * 1e4 * np.finfo(np.float64).eps
N_ROWS = 600


def table(seed):
    """Rows of a chain: columns of steps, of yes or no, counts, and some as they are."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((N_ROWS, 40))
    for j in range(1, 40):
        rows[:, j] += rng.uniform(0.4, 1.2) * rows[:, j - 1]
    rows /= rows.std(axis=0)
    for j in range(0, 40, 4):
        rows[:, j] = np.digitize(rows[:, j], np.sort(rng.normal(0, 1, 4)))
        rows[:, j + 1] = rows[:, j + 1] > rng.normal(0, 0.5)
        rows[:, j + 2] = rng.poisson(np.exp(rows[:, j + 2]))
    return rows


@pytest.fixture(scope="module", params=range(3))
def latent(request):
    """What lies behind columns of a table of several kinds."""
    stream = HedgeGraph().fit(table(request.param))._stream
    moments, curves = stream.known()
    assert 0 < (curves.noise > 0).sum() < 40, "there should be columns of both kinds"
    assert curves.doubt.any()
    return latent_of(correlation(moments), curves)


@pytest.mark.parametrize(("error", "counts"), [("fdr", True), ("balanced", False)])
def test_company_counts_in_tables_with_steps_if_a_rate_is_promised(
    latent, error, counts, monkeypatch
):
    weights, inflation = np.zeros_like(latent.corr), no_inflation(len(latent.corr))
    asked = latent, float(N_ROWS), weights, error, inflation
    found = judge_latent(*asked)[0].q_value
    monkeypatch.setattr(latent_edges, "company_of", lambda *_: None)
    assert np.array_equal(found, judge_latent(*asked)[0].q_value) != counts


def test_series_are_the_same_up_to_correlations_near_one():
    rng = np.random.default_rng(0)
    low, high, score = np.tile([[0.0, 0.5], [0.5, 1.0], [-1.0, 1.0]], 9)
    curves = curves_of_steps(low, high, score, np.repeat(np.arange(9), 2), 9)
    rho = rng.uniform(-LARGEST, LARGEST, (9, 9))
    rho[0] = np.linspace(-LARGEST, LARGEST, 9)
    score, square, cube = curves.powers
    for first, second in ((score, score), (square, square), (cube, score)):
        both = zip(
            compiled.series(rho, first, second), readable.series(rho, first, second), strict=True
        )
        for mine, wanted in both:
            # Both cut off what is left of the series; its terms are added in another order.
            size = np.abs(first).max() * np.abs(second).max() * first.shape[1] ** 2
            assert np.abs(mine - wanted).max() < size * np.finfo(np.float64).eps


@pytest.mark.parametrize("hubs", [[], [7, 0, 21]])
def test_neighbours_and_tests_are_the_same(latent, hubs):
    hubs = np.array(hubs, dtype=np.intp)
    mine, wanted = (who.refit(latent, N_ROWS, hubs) for who in (compiled, readable))
    assert wanted.fitted.sizes.max() > 2
    for name in ("sizes", "given"):
        assert np.array_equal(getattr(mine.fitted, name), getattr(wanted.fitted, name)), name
    for name in ("indices", "indptr"):
        ours, theirs = (getattr(each.fitted.coefficients, name) for each in (mine, wanted))
        assert np.array_equal(ours, theirs)
    np.testing.assert_allclose(
        mine.fitted.coefficients.data, wanted.fitted.coefficients.data, rtol=CLOSE, atol=CLOSE
    )
    for name in ("residual", "partial"):
        ours, theirs = (getattr(each.fitted, name) for each in (mine, wanted))
        np.testing.assert_allclose(ours, theirs, rtol=CLOSE, atol=CLOSE, err_msg=name)
    for name in ("factor", "tight", "skew"):
        ours, theirs = (getattr(each, name) for each in (mine, wanted))
        np.testing.assert_allclose(ours, theirs, rtol=CLOSE, atol=CLOSE, err_msg=name)


def test_stand_ins_are_the_same(latent):
    fitted = readable.refit(latent, N_ROWS).fitted
    mine, wanted = (who.weaken(latent, N_ROWS, fitted) for who in (compiled, readable))
    assert (wanted.given != fitted.given).any(), "nothing stands in for anything"
    assert np.array_equal(mine.given, wanted.given)
    np.testing.assert_allclose(mine.partial, wanted.partial, rtol=CLOSE, atol=CLOSE)


def test_results_given_both_nodes_neighbours_are_the_same(latent):
    fitted = readable.refit(latent, N_ROWS).fitted
    asked = latent, N_ROWS, fitted, *np.triu_indices(40, 1)
    mine, wanted = (who.given_both(*asked) for who in (compiled, readable))
    assert np.array_equal(mine[1], wanted[1])
    # More than either node has, and fewer than both have, where one is chosen twice.
    assert (wanted[1] > fitted.sizes.max()).any()
    np.testing.assert_allclose(mine[0], wanted[0], rtol=CLOSE, atol=CLOSE)


def test_nothing_is_found_given_neighbours_that_determine_each_other(latent):
    corr = latent.corr.copy()
    corr[2, 3] = corr[3, 2] = 1.0
    same = latent._replace(corr=corr)
    fitted = readable.refit(latent, N_ROWS).fitted
    chosen = np.zeros((40, 40))
    chosen[0, 2] = chosen[1, 3] = 0.5
    fitted = fitted._replace(coefficients=csr_array(chosen))
    for who in (compiled, readable):
        partial, size = who.given_both(same, N_ROWS, fitted, np.array([0, 0]), np.array([1, 4]))
        assert size.tolist() == [2, 1]
        assert partial[0] == 0.0 != partial[1]


def test_looseness_is_the_same(latent):
    coefficients = readable.refit(latent, N_ROWS).fitted.coefficients
    pairs = np.triu_indices(40, 1)
    mine, wanted = (who.looseness(latent, coefficients, *pairs) for who in (compiled, readable))
    assert np.isfinite(wanted).all()
    np.testing.assert_allclose(mine, wanted, rtol=CLOSE)


def test_nothing_is_left_of_a_copy(latent):
    """Infinite looseness, and no division by what is not there."""
    two = [latent.corr, latent.scores]
    corr, scores = (np.where(np.eye(40, k=1) + np.eye(40, k=-1), 1.0, each) for each in two)
    same = latent._replace(corr=corr, scores=scores)
    one = readable.refit(latent, N_ROWS).fitted.coefficients * 0.0
    one[0, 1] = 1.0
    ends = np.array([0, 1]), np.array([2, 3])
    mine, wanted = (who.looseness(same, one.tocsr(), *ends) for who in (compiled, readable))
    assert np.isinf(wanted[0])
    np.testing.assert_allclose(mine, wanted, rtol=CLOSE)


def test_threads_do_not_change_a_bit(latent):
    with with_threads(1):
        alone = compiled.refit(latent, N_ROWS)
    with with_threads(3):
        together = compiled.refit(latent, N_ROWS)
    assert np.array_equal(alone.fitted.partial, together.fitted.partial)
    assert np.array_equal(alone.factor, together.factor)


@pytest.mark.parametrize("error", ["fdr", "fwer"])
def test_graphs_of_halves_are_those_of_the_readable_functions(error, monkeypatch):
    rows = table(7)
    model = HedgeGraph(error=error).fit(rows)
    mine = model.resample(rows, times=4).resamples().q_value
    monkeypatch.setattr("hedgerow.engines.numba_cpu.behind", readable)
    other = HedgeGraph(error=error).fit(rows)
    assert [edge[:2] for edge in other.edges_] == [edge[:2] for edge in model.edges_]
    wanted = other.resample(rows, times=4).resamples().q_value
    assert len(wanted) > 10
    # An error of z makes one of |z| times it in the logarithm of a p-value; no z is beyond 38.
    np.testing.assert_allclose(mine, wanted, rtol=38**2 * CLOSE)
