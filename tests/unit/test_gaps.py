"""Missing cells: filled in as normal variables say, more likely from round to round, and told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csr_array

from hedgerow import HedgeGraph
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.method import gap_model, numpy_ref
from hedgerow.method.gaps import Expected, fill
from hedgerow.method.marginals import first_scores
from hedgerow.method.ordered import in_order
from hedgerow.method.telling import clear_sum, nothing_told, standard_sums, with_cells

seeds = st.integers(0, 2**32 - 1)
PATH = {(j, j + 1) for j in range(5)}


def walk(rng, n_rows, n_columns=6):
    return rng.standard_normal((n_rows, n_columns)).cumsum(axis=1)


def joined(model):
    return {(int(edge.source), int(edge.target)) for edge in model.edges_}


def model_of(covariance, centre):
    scale = np.sqrt(np.diag(covariance))
    precision = csr_array(np.linalg.inv(covariance / scale / scale[:, None]))
    return Expected(centre, scale, precision.indptr, precision.indices, precision.data)


@given(seeds)
def test_gaps_are_filled_with_conditional_means(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 7))
    root, centre = rng.standard_normal((p, p + 2)), rng.standard_normal(p)
    covariance = root @ root.T
    row = rng.multivariate_normal(centre, covariance)
    gone = rng.random(p) < 0.5
    left, weight = np.zeros((p, p)), float(rng.uniform(0.1, 3))
    rows = np.where(gone, np.nan, row)[None]
    filled = fill(rows, model_of(covariance, centre), np.array([weight]), left)[0]
    here = ~gone
    slope = np.linalg.lstsq(
        covariance[np.ix_(here, here)], covariance[np.ix_(here, gone)], rcond=None
    )[0].T
    exact = 1e-9 * np.linalg.cond(covariance)
    assert np.array_equal(filled[here], row[here])
    expected = centre[gone] + slope @ (row - centre)[here]
    assert np.allclose(filled[gone], expected, rtol=exact, atol=exact)
    unknown = covariance[np.ix_(gone, gone)] - slope @ covariance[np.ix_(here, gone)]
    assert np.allclose(left[np.ix_(gone, gone)], weight * unknown, rtol=exact, atol=exact)
    assert not left[here].any()


def likelihood(rows, expected):
    """Return the log-likelihood of the cells that are there."""
    precision = expected.matrix() / expected.scale / expected.scale[:, None]
    covariance, total = np.linalg.inv(precision), 0.0
    for row in rows:
        here = ~np.isnan(row)
        if here.any():
            some = covariance[np.ix_(here, here)]
            total += stats.multivariate_normal.logpdf(row[here], expected.centre[here], some)
    return total


def test_no_round_makes_the_cells_that_are_there_less_likely(monkeypatch):
    rng = np.random.default_rng(3)
    rows = walk(rng, 300, 5)
    rows[rng.random(rows.shape) < 0.3] = np.nan
    graph = csr_array(np.abs(np.subtract.outer(np.arange(5), np.arange(5))) == 1)
    monkeypatch.setattr(gap_model, "_STILL", 0.0)
    found = []
    for rounds in range(1, 9):
        monkeypatch.setattr(gap_model, "_MOST_ROUNDS", rounds)
        filled = gap_model.first_fill(rows, np.ones(300), lambda *_: graph, numpy_ref.sweeps)
        found.append(likelihood(rows, filled.expected))
    # The first is that of correlations of pairs, which are no maximum of anything.
    assert (np.diff(found[1:]) >= -1e-6 * abs(found[-1])).all()
    assert found[-1] > found[0]


def test_relations_that_come_and_go_do_not_keep_the_first_rows_from_standing_still():
    rng = np.random.default_rng(3)
    rows = walk(rng, 300, 5)
    rows[rng.random(rows.shape) < 0.3] = np.nan
    apart = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    asked = []

    def choose(*_):
        asked.append(csr_array(apart <= 1 + len(asked) % 2))
        return asked[-1]

    filled = []

    def kept(*some):
        filled.append(fill(*some))
        return filled[-1]

    gap_model.first_fill(rows, np.ones(300), choose, numpy_ref.sweeps, kept)
    assert len(asked) == gap_model._ROUNDS_OF_CHANGE < len(filled) < gap_model._MOST_ROUNDS


def test_more_columns_than_rows_with_gaps_keep_what_is_known():
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((60, 90))
    rows[:, 1] += 3 * rows[:, 0]
    gone = rng.random(rows.shape) < 0.3
    there = gap_model._pairwise(np.where(gone, 0.0, rows), ~gone, np.ones(60))
    both = ~gone[:, 0] & ~gone[:, 1]
    spread = [np.sqrt(np.square(rows[~gone[:, j], j]).mean()) for j in (0, 1)]
    known = rows[both, 0] @ rows[both, 1] / both.sum()
    assert there[0, 1] == pytest.approx(60 * known)
    assert np.sqrt(there[0, 0] / 60) == pytest.approx(spread[0])


@settings(max_examples=30)
@given(seeds, st.lists(st.integers(1, 99), max_size=4))
def test_what_missing_cells_tell_is_the_same_however_rows_are_cut(seed, cuts):
    values = np.random.default_rng(seed).standard_normal((100, 3))
    whole, known, done = with_cells(nothing_told(3), values, 0), nothing_told(3), 0
    for part in np.split(values, sorted(set(cuts))):
        known, done = with_cells(known, part, done), done + len(part)
    for a, b in zip(whole, known):
        assert np.array_equal(a, b)
    assert np.allclose(whole.sums + whole.unfinished, values.sum(axis=0))
    assert (np.abs(standard_sums(whole)) <= np.sqrt(7) + 1e-9).all()  # as many stretches


def test_sums_of_nothing_tell_nothing():
    assert not standard_sums(nothing_told(4)).any()
    assert clear_sum(4000) > clear_sum(4)


@pytest.mark.parametrize(("sign", "how"), [(1, "high"), (-1, "low")])
def test_missing_cells_that_are_high_or_low_are_told(sign, how):
    rng = np.random.default_rng(0)
    rows = walk(rng, 1500)
    rows[(sign * rows[:, 2] > 1) & (rng.random(1500) < 0.5), 2] = np.nan
    with pytest.warns(GuaranteeWarning, match=rf"not like the others.*: 2 \({how}\)\. It does"):
        model = HedgeGraph().fit(rows)
    assert list(model.treatment_.telling) == [(2, how)]
    assert any("not like the others" in doubt for doubt in model.treatment_.doubts())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("share", [0.1, 0.3])
def test_cells_missing_by_chance_tell_nothing_and_hide_nothing(share):
    rng = np.random.default_rng(1)
    rows = walk(rng, 1500)
    gone = rng.random(rows.shape) < share
    gone[gone.all(axis=1), 0] = False
    rows[gone] = np.nan
    model = HedgeGraph(error="fwer").fit(rows)
    assert joined(model) == PATH
    assert np.array_equal(model.treatment_.missing, gone.sum(axis=0))
    assert f"{gone.sum():,} cells are missing" in model.summary()


def test_pairs_that_are_never_there_together_have_no_edge():
    rows = walk(np.random.default_rng(2), 1500)
    rows[::2, 0] = rows[1::2, 1] = np.nan
    with pytest.warns(GuaranteeWarning, match="hardly ever there in the same row: 0 and 1"):
        model = HedgeGraph().fit(rows)
    assert model.treatment_.apart == [(0, 1)]
    assert (0, 1) not in joined(model)
    assert not model.adjacency_[0, 1]
    assert (3, 4) in joined(model)


@pytest.mark.parametrize("share", [0.7, 0.95, 1.0])
def test_columns_that_are_rarely_there_are_set_aside(share):
    rng = np.random.default_rng(4)
    rows = walk(rng, 1500)
    without = HedgeGraph().fit(np.delete(rows, 2, axis=1))
    rows[rng.random(1500) < share, 2] = np.nan
    with pytest.warns(DataWarning, match="more than two thirds of the rows, .* are isolated.*: 2;"):
        model = HedgeGraph().fit(rows)
    place = {0: 0, 1: 1, 2: 3, 3: 4, 4: 5}
    assert joined(model) == {(place[a], place[b]) for a, b in joined(without)}
    assert np.isfinite(model.precision_).all()


@pytest.mark.parametrize("n_rows", [300, 511])
@pytest.mark.parametrize("there", [3, 5, 50])
def test_in_short_tables_too_cells_of_columns_that_are_rarely_there_do_nothing(n_rows, there):
    rows = walk(np.random.default_rng(), n_rows)
    models = []
    for number in (there, 0):
        rows[number:, 2] = np.nan
        with pytest.warns(DataWarning, match="are isolated nodes.*: 2; if they"):
            models.append(HedgeGraph().fit(rows))
    some, nothing = models
    assert some.n_samples_effective_ == nothing.n_samples_effective_
    np.testing.assert_array_equal(some.edges_.z, nothing.edges_.z)


@pytest.mark.parametrize("early", [0, 1, 3, 100])
def test_columns_that_begin_late_are_set_aside_and_others_lose_nothing(early, tmp_path):
    rows = walk(np.random.default_rng(6), 1500)
    without = HedgeGraph().fit(np.delete(rows, 2, axis=1))
    rows[early:512, 2] = np.nan
    with pytest.warns(DataWarning, match="or of the first 512, are isolated nodes.*: 2; if they"):
        model = HedgeGraph().fit(rows)
    place = {0: 0, 1: 1, 2: 3, 3: 4, 4: 5}
    assert joined(model) == {(place[a], place[b]) for a, b in joined(without)}
    assert model.n_samples_effective_ == pytest.approx(without.n_samples_effective_, rel=0.05)
    part = HedgeGraph().partial_fit(rows[:700])
    part.save(tmp_path / "model.hedgerow")
    part = HedgeGraph.load(tmp_path / "model.hedgerow").partial_fit(rows[700:])
    np.testing.assert_array_equal(part.edges_.z, model.edges_.z)


def test_a_column_that_begins_late_counts_once_the_rows_before_are_forgotten():
    rows = walk(np.random.default_rng(7), 6000)
    rows[:512, 2] = np.nan
    model = HedgeGraph(half_life=600).fit(rows)
    assert {(1, 2), (2, 3)} <= joined(model)


def test_a_column_of_one_value_and_gaps_is_constant():
    rng = np.random.default_rng(5)
    rows = walk(rng, 700)
    rows[:, 0] = np.where(rng.random(700) < 0.3, np.nan, 3.0)
    with pytest.warns(DataWarning, match="constant columns are isolated nodes: 0"):
        model = HedgeGraph(error="fwer").fit(rows)
    assert joined(model) == PATH - {(0, 1)}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("now", [True, False])
def test_what_gaps_say_is_forgotten_like_everything_else(now):
    """Gaps of the last 5,000 rows count, gaps of the 5,000 before do not."""
    rng = np.random.default_rng(8)
    rows = walk(rng, 10_000)
    some = rows[5000:] if now else rows[:5000]
    some[::2, 0] = some[1::2, 1] = np.nan  # never together
    some[(some[:, 2] > 1) & (rng.random(5000) < 0.5), 2] = np.nan  # which tells
    some[rng.random(5000) < 0.9, 4] = np.nan  # rarely there
    some[rng.random(5000) < 0.9, 5] = np.nan
    model = HedgeGraph(half_life=350).fit(rows)
    told = model.treatment_
    assert (told.missing > 0).tolist() == [True, True, True, False, True, True]
    assert ((2, "high") in told.telling) == now
    assert ((0, 1) in told.apart) == now
    assert model._stream.rare().tolist() == [False] * 4 + [now, now]
    assert any("hardly ever" in doubt for doubt in told.doubts()) == now
    assert np.allclose(told.share_missing[:2], 0.5 * now, atol=0.01)


def test_very_many_gaps_are_doubted():
    rng = np.random.default_rng(6)
    rows = walk(rng, 1500)
    rows[rng.random(rows.shape) < 0.5] = np.nan
    rows = rows[~np.isnan(rows).all(axis=1)]
    with pytest.warns(GuaranteeWarning, match="a typical column misses 50% of its cells"):
        HedgeGraph().fit(rows)


def test_rows_without_any_cell_are_left_out():
    rng = np.random.default_rng(7)
    rows = walk(rng, 700)
    empty = rng.random(700) < 0.2
    rows[empty] = np.nan
    with pytest.warns(DataWarning, match=f"{empty.sum()} of 700 rows have no cell, and are left"):
        model = HedgeGraph().fit(rows)
    assert model.n_samples_seen_ == (~empty).sum()
    assert np.array_equal(model.edges_.z, HedgeGraph().fit(rows[~empty]).edges_.z)
    with pytest.raises(ValueError, match="must have rows with cells, got 5 rows without any"):
        HedgeGraph().fit(np.full((5, 3), np.nan))


def test_where_gaps_cannot_be_filled_in_an_error_says_what_can(monkeypatch):
    rows = walk(np.random.default_rng(8), 100)
    rows[3, 1] = np.nan
    known = HedgeGraph(rows="independent", columns="normal")
    with pytest.raises(ValueError, match=r"1 \(1\); rows='any' or columns='any' lets cells be"):
        known.fit(rows)
    assert HedgeGraph().__sklearn_tags__().input_tags.allow_nan
    assert not known.__sklearn_tags__().input_tags.allow_nan
    fitted = HedgeGraph().fit(rows)
    for ask in (fitted.score, fitted.mahalanobis):
        with pytest.raises(ValueError, match=r"got 1 NaN \(missing\) and 0 inf .* 1 \(1\)$"):
            ask(rows)
    rows[4, 2] = np.inf
    with pytest.raises(ValueError, match=r"got 1 inf values in columns: 2 \(1\)"):
        HedgeGraph().fit(rows)


def test_a_gpu_refuses_gaps_before_it_learns_and_auto_takes_the_processor(monkeypatch):
    from hedgerow import engines

    monkeypatch.setattr(engines, "_why_no_gpu", lambda: None)
    monkeypatch.setattr(engines, "_WORTH_A_GPU", 2)
    rows = walk(np.random.default_rng(9), 100)
    rows[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"no missing cells on a GPU \(device='cuda'\), got 1 in"):
        HedgeGraph(device="cuda").fit(rows)
    assert HedgeGraph(device="auto").fit(rows)._stream.engine_name == "numba_cpu"
    assert engines.engine_for("auto", 100) == "torch_gpu"


def lost_where_another_is_large(rng, n_rows):
    """Three variables of a path; the one in the middle is lost where the first is large."""
    rows = rng.standard_normal((n_rows, 3))
    rows[:, 1] = 0.95 * rows[:, 0] + np.sqrt(1 - 0.95**2) * rows[:, 1]
    rows[:, 2] = 0.95 * rows[:, 1] + np.sqrt(1 - 0.95**2) * rows[:, 2]
    seen = rows.copy()
    seen[rng.random(n_rows) < 0.6 * stats.norm.cdf(2.0 * rows[:, 0]), 1] = np.nan
    return rows, seen


def test_scores_are_those_of_ranks_among_all_cells():
    rows, seen = lost_where_another_is_large(np.random.default_rng(8), 2000)
    there = ~np.isnan(seen[:, 1])
    scores = first_scores(in_order(seen), np.zeros(3, dtype=bool))
    graph = csr_array(np.abs(np.subtract.outer(np.arange(3), np.arange(3))) == 1)

    def mean_error(ranked):
        who = lambda *_: graph, numpy_ref.sweeps
        filled = gap_model.first_fill(scores, np.ones(2000), *who, ranked=np.full(3, ranked))
        return (filled.rows - rows)[there, 1].mean()

    # The mean of 2000 scores is that of their ranks, whose values differ from it by 1 / sqrt(2000).
    assert abs(mean_error(ranked=True)) < 4 / np.sqrt(2000)
    assert mean_error(ranked=False) > 8 / np.sqrt(2000)


@pytest.mark.parametrize("device", ["numpy", "cpu"])
def test_cells_that_another_column_takes_away_make_no_edge(device):
    for seed in range(2):
        _, seen = lost_where_another_is_large(np.random.default_rng([9, seed]), 1000)
        with pytest.warns(GuaranteeWarning, match="1 .high"):
            model = HedgeGraph(error="fwer", device=device).fit(seen)
        assert joined(model) == {(0, 1), (1, 2)}


def remembering(rng, n_rows, n_columns, echo):
    steps = rng.standard_normal((n_rows, n_columns))
    rows = steps.copy()
    for t in range(1, n_rows):
        rows[t] = echo * rows[t - 1] + np.sqrt(1 - echo**2) * steps[t]
    return rows


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize(("echo", "expected"), [(0.0, 1.0), (0.5, 5 / 3), (0.8, 41 / 9)])
def test_how_many_rows_say_as_much_as_one(echo, expected, missing):
    rng = np.random.default_rng()
    rows = remembering(rng, 512, 60, echo)
    rows[rng.random(rows.shape) < missing] = np.nan
    rows[:, 7] = np.nan
    rows[:, 8] = 3.0
    assert gap_model.rows_per_one(rows) == pytest.approx(expected, rel=0.2)


def test_gaps_of_rows_that_remember_make_no_edges():
    rng = np.random.default_rng()
    found = 0
    for _ in range(4):
        rows = remembering(rng, 1500, 24, 0.8)
        rows[:, ::3][rng.random((1500, 8)) < 0.5] = np.nan
        found += len(HedgeGraph(error="fwer").fit(rows).edges_)
    assert found <= 3  # at level 0.05, the chance of four in four tables is below 1e-4


def test_each_pair_counts_as_many_rows_as_both_its_cells_are_there_in():
    rng = np.random.default_rng()
    rows = rng.standard_normal((1000, 24))
    rows[:, ::3][rng.random((1000, 8)) < 0.4] = np.nan
    inflation = HedgeGraph().fit(rows)._stream.inflation()
    some = np.arange(24) % 3 == 0
    missing, complete = (float(np.median(inflation.tails[x])) for x in (some, ~some))
    assert complete**2 * inflation.common == pytest.approx(1.0, rel=0.2)
    assert missing**2 * inflation.common == pytest.approx(0.6**-2, rel=0.2)


def test_few_columns_with_many_gaps_make_no_edges():
    rng = np.random.default_rng()
    found = 0
    for _ in range(5):
        rows = rng.standard_normal((3000, 24))
        rows[:, ::3][rng.random((3000, 8)) < 0.4] = np.nan
        found += len(HedgeGraph(error="fwer").fit(rows).edges_)
    assert found <= 3  # of a mean of 0.25 at most: more than three by a chance of 1e-4


@pytest.mark.parametrize(("echo", "missing", "told"), [(0.8, 0.45, True), (0.8, 0.1, False)])
def test_many_gaps_in_rows_that_remember_are_told(echo, missing, told):
    rng = np.random.default_rng()
    rows = remembering(rng, 1500, 24, echo)
    rows[:, ::3][rng.random((1500, 8)) < missing] = np.nan
    doubts = " ".join(HedgeGraph().fit(rows).treatment_.doubts())
    assert ("8 of 24 columns miss more than 25% of their cells" in doubts) == told
