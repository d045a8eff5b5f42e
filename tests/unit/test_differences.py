"""Differences between two groups of rows: what is tested, what is found, what is refused."""

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csc_array

import hedgerow
from hedgerow import HedgeGraph, IsingGraph, difference
from hedgerow.datasets import Model, make
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.method.differences import (
    Group,
    compare,
    compared,
    cost_of_choice,
    given_these,
    halves,
    interval_of_difference,
)
from hedgerow.method.inflation import no_inflation
from hedgerow.method.one_pair import Known

NAMES = list("abcdefgh")


def without(model, i, j):
    theta = model.precision.toarray()
    theta[i, j] = theta[j, i] = 0.0
    return Model("other", csc_array(theta))


def known(rows):
    return Known(np.corrcoef(rows.T), None, len(rows), no_inflation(rows.shape[1]))


@pytest.fixture(scope="module")
def two():
    """Two fitted models: the chain, and the chain without the edge from d to e."""
    chain = make("chain", 8, strength=0.4, seed=0)
    rows = chain.sample(600, seed=1), without(chain, 3, 4).sample(900, seed=2)
    return [HedgeGraph().fit(some, feature_names=NAMES) for some in rows]


def test_the_edge_that_is_missing_is_found(two):
    found = difference(*two)
    edge = next(iter(found.edges_))
    assert (edge.source, edge.target) == ("d", "e")
    assert found.p_value_ < 1e-6
    assert edge.difference == pytest.approx(edge.other_partial_corr - edge.partial_corr)
    assert edge.low < edge.difference < edge.high < 0
    assert "at a false discovery rate of 0.05" in found.summary()
    assert found.edges_.to_pandas().shape == (len(found.edges_), 10)


def test_turned_around_the_signs_change_and_nothing_else(two):
    one, other = difference(*two).edges_, difference(*two[::-1]).edges_
    np.testing.assert_allclose(one.difference, -other.difference)
    np.testing.assert_allclose(one.low, -other.high)
    np.testing.assert_allclose(one.q_value, other.q_value)


def test_models_from_files_give_the_same_without_rows(two, tmp_path):
    for k, model in enumerate(two):
        model.save(tmp_path / str(k))
    again = [HedgeGraph.load(tmp_path / str(k)) for k in range(2)]
    assert list(difference(*again).edges_) == list(difference(*two).edges_)


def test_columns_are_matched_by_name(two):
    chain = make("chain", 8, strength=0.4, seed=0)
    rows = without(chain, 3, 4).sample(900, seed=2)
    turned = HedgeGraph().fit(rows[:, ::-1], feature_names=NAMES[::-1])
    pairs = {(edge.source, edge.target) for edge in difference(two[0], turned).edges_}
    assert ("d", "e") in pairs


def test_units_and_shifts_make_no_difference(two):
    chain = make("chain", 8, strength=0.4, seed=0)
    rows = chain.sample(600, seed=1)
    other = HedgeGraph().fit(rows * 10.0 ** np.arange(8) - 5.0, feature_names=NAMES)
    found = difference(two[0], other)
    assert np.abs(found._found.z).max() < 1e-3
    assert len(found.edges_) == 0


def test_familywise_levels_are_no_smaller(two):
    fdr, fwer = (difference(*two, error=error)._found.q_value for error in ("fdr", "fwer"))
    assert (fwer >= fdr - 1e-15).all()


def test_what_one_group_chose_is_given_in_both():
    rng = np.random.default_rng(3)
    model = make("star", 5, seed=0)
    few, many = known(model.sample(30, rng)), known(model.sample(5000, rng))
    chosen = np.zeros((5, 5), dtype=bool)
    chosen[0, 1:] = chosen[1:, 0] = True
    leaves = given_these(few, chosen, np.zeros_like(chosen)).partial_corr[-1]
    theta = np.linalg.inv(few.corr[np.ix_([0, 3, 4], [0, 3, 4])])
    assert leaves == pytest.approx(-theta[1, 2] / np.sqrt(theta[1, 1] * theta[2, 2]), abs=0.02)
    assert compare(few, many, "fdr").groups[0].partial_corr[-1] == pytest.approx(leaves, abs=1e-9)


def test_where_rows_are_fewer_than_neighbours_nothing_differs():
    rng = np.random.default_rng(4)
    model = make("star", 12, seed=0)
    found = compare(known(model.sample(12, rng)), known(model.sample(20000, rng)), "fdr")
    assert np.isinf(found.groups[0].spread).any()
    assert np.isfinite(found.q_value).all()
    assert (found.p_value[np.isinf(found.groups[0].spread)] == 1.0).all()


def test_cost_of_a_choice_is_what_luck_explains():
    limit, true = 3.0, 3.0
    rng = np.random.default_rng(5)
    score = true + rng.standard_normal(400_000)
    chosen = score[score > limit]
    luck = np.square(chosen).mean() - true**2
    # One that was told costs one; one at the limit costs several.
    assert luck > 5.0
    assert cost_of_choice(chosen, limit).mean() == pytest.approx(luck, rel=0.25)
    assert cost_of_choice(np.array([12.0]), limit) == pytest.approx([1.0])


def test_priors_share_the_level_in_halves():
    priors = halves(np.arange(10) < 3)
    assert priors[:3].sum() == pytest.approx(5.0)
    assert priors.sum() == pytest.approx(10.0)
    assert (halves(np.zeros(4, dtype=bool)) == 1.0).all()


def test_intervals_of_differences_are_those_of_normal_errors_where_these_are_small():
    first, second = (Group(np.array([r]), np.array([0.01])) for r in (0.3, 0.1))
    low, high = interval_of_difference(first, second, 0.05)
    half = stats.norm.isf(0.025) * 0.01 * np.hypot(1 - 0.3**2, 1 - 0.1**2)
    assert [low[0], high[0]] == pytest.approx([-0.2 - half, -0.2 + half], abs=2e-4)


def test_any_difference_where_there_is_none_is_as_rare_as_promised():
    # 200 seeded pairs of groups; unseeded, this many would come less than once in 10,000 runs.
    model, rng = make("erdos_renyi", 10, seed=0), np.random.default_rng(6)
    sizes = rng.integers(60, 600, (200, 2))
    groups = [[known(model.sample(n, rng)) for n in pair] for pair in sizes]
    wrong = sum(compare(*pair, "fdr").any <= 0.05 for pair in groups)
    assert wrong <= stats.binom.isf(1e-4, 200, 0.05)


def test_bad_input_is_refused(two):
    other = HedgeGraph().fit(np.random.default_rng(7).standard_normal((50, 8)))
    with pytest.raises(
        ValueError, match=r"same columns, but the first alone has 'a', .* and the second"
    ):
        difference(two[0], other)
    with pytest.raises(TypeError, match="second must be a HedgeGraph, got IsingGraph"):
        difference(two[0], IsingGraph())
    with pytest.raises(ValueError, match="error must be one of"):
        difference(*two, error="none")
    with pytest.raises(ValueError, match=r"level must be a number in \(0, 1\), got 2"):
        difference(*two, level=2)
    assert hedgerow.difference is difference


@pytest.mark.filterwarnings("ignore::hedgerow.estimators.GuaranteeWarning")
def test_too_few_rows_and_columns_set_aside_are_told(two):
    rng = np.random.default_rng(8)
    few = HedgeGraph().partial_fit(rng.standard_normal((3, 8)), feature_names=NAMES)
    with pytest.raises(ValueError, match="at least 5 effective rows, got 3 in the second"):
        difference(two[0], few)
    rows = rng.standard_normal((300, 8))
    rows[:, 2] = 1.0
    with pytest.warns(DataWarning, match="constant"):
        constant = HedgeGraph().fit(rows, feature_names=NAMES)
    with pytest.warns(DataWarning, match="set aside are not compared: 'c'"):
        found = difference(two[0], constant)
    assert found.columns_ == ["a", "b", "d", "e", "f", "g", "h"]


def test_columns_of_other_kinds_are_told(two):
    chain = make("chain", 8, strength=0.4, seed=0)
    rows = chain.sample(400, seed=9)
    rows[:, 0] = np.digitize(rows[:, 0], [-1, 0, 1])
    steps = HedgeGraph().fit(rows, feature_names=NAMES)
    with pytest.warns(DataWarning, match="different kinds in the two models.*'a'"):
        difference(two[0], steps)


def test_steps_that_leave_nothing_for_sure_are_not_compared_and_that_is_told():
    # A walk from column to column: given its neighbours next to nothing is left of a column, and
    # 100 rows of steps do not tell it from nothing.
    rng = np.random.default_rng(6)
    walks = np.cumsum(rng.standard_normal((2, 100, 12)), axis=2) / np.sqrt(np.arange(1, 13))
    with pytest.warns(GuaranteeWarning, match="effective rows are few"):
        models = [HedgeGraph().fit(np.digitize(rows, [-1.2, -0.4, 0.4, 1.2])) for rows in walks]
    told = r"[0-9]+ of 66 pairs of columns are not compared, since rows of one group"
    with pytest.warns(DataWarning, match=told):
        found = difference(*models)
    aside = ~compared(found._found.groups)
    assert 0 < aside.sum() < 66
    assert (found._found.p_value[aside] == 1.0).all()
    assert not len(found.edges_)
