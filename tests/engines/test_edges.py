"""Engines find the edges that the readable code finds, with the same numbers."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba import njit

from hedgerow import HedgeGraph
from hedgerow.datasets import FAMILIES, make
from hedgerow.engines.numba_cpu import _counts, _pairs, _scores, _threads
from hedgerow.engines.numba_cpu._company import Degrees, degrees_of, parts_of
from hedgerow.engines.numba_cpu._select import JOINED, no_neighbours, select_nodes
from hedgerow.engines.shared import listing
from hedgerow.estimators import _hedge
from hedgerow.method.company import (
    LAST_BIN,
    company_of,
    degree_groups,
    ends_of_bins,
    explained_groups,
)
from hedgerow.method.edges import given_ends, judge_pairs
from hedgerow.method.groups import GROUP_ENDS, surplus_groups
from hedgerow.method.levels import agreement_scores
from hedgerow.method.multiplicity import CORRECTIONS
from hedgerow.method.neighbours import NO_HUBS, refit, step_thresholds
from hedgerow.method.scores import two_sided, z_score
from tests.engines import distances
from tests.engines.distances import SINGLE, beyond_rounding

PROMISES = ["fdr", "fwer", "balanced"]


@st.composite
def samples(draw, max_size=40, max_rows=600):
    """Rows of a known family; weights that are anything, as Hedge's could be."""
    family = draw(st.sampled_from(sorted(set(FAMILIES) - {"near_copies"})))
    seed = draw(st.integers(0, 2**32 - 1))
    model = make(family, draw(st.integers(25, max_size)), seed=seed)
    rows = model.sample(draw(st.integers(12, max_rows)), seed=seed + 1)
    strength = draw(st.floats(0.0, 0.2))
    return rows, distances.any_weights(np.random.default_rng(seed), model.size, strength)


def test_edges_and_their_numbers_are_those_of_the_readable_code(fast_engine, evidence_with, trials):
    def check(sample, error, loosest):
        rows, weights = sample
        assume(not distances.in_doubt(rows, weights, error, trials.precision))
        evidence = evidence_with(fast_engine, rows, weights)
        found = fast_engine.find_edges(evidence, error, loosest)
        assert not beyond_rounding(
            distances.of_edges(found, rows, weights, error, loosest, trials.precision)
        )

    trials.of(
        check,
        sample=samples(max_rows=min(trials.most_rows, 600)),
        error=st.sampled_from(PROMISES),
        loosest=st.floats(0.05, 0.99),
    )


def test_unexplained_shares_are_those_of_the_readable_code(fast_engine, evidence_with, trials):
    def check(sample):
        rows, weights = sample
        found = fast_engine.find_edges(evidence_with(fast_engine, rows, weights), "fdr", 0.5)
        assert not beyond_rounding(distances.of_unexplained(found, rows, trials.precision))

    trials.of(check, sample=samples(max_size=80, max_rows=min(trials.most_rows, 600)))


def test_hubs_are_given_to_all_as_in_the_readable_code(fast_engine, evidence_with, trials):
    def check(sample, hubs):
        (rows, weights), hubs = sample, np.array(hubs, dtype=np.intp)
        known = rows, weights, "balanced"
        assume(not distances.in_doubt(*known, trials.precision, hubs))
        evidence = evidence_with(fast_engine, rows, weights)
        found = fast_engine.find_edges(evidence, "balanced", 0.5, hubs)
        assert not beyond_rounding(distances.of_edges(found, *known, 0.5, trials.precision, hubs))
        fitted = refit(np.corrcoef(rows.T), len(rows), hubs)
        expected = np.bincount(fitted.coefficients.indices, minlength=rows.shape[1])
        assert np.array_equal(found.chosen_by, expected)
        assert (found.chosen_by[hubs] == rows.shape[1] - 1).all()

    trials.of(
        check,
        sample=samples(max_rows=min(trials.most_rows, 600)),
        hubs=st.lists(st.integers(0, 24), min_size=1, max_size=2, unique=True),
    )


@pytest.mark.parametrize("error", PROMISES)
@pytest.mark.parametrize("n_rows", [5, 6, 9, 40])
def test_two_columns_and_few_rows(engine, evidence_with, trials, n_rows, error):
    rows = np.random.default_rng().standard_normal((n_rows, 2))
    rows[:, 1] += 3 * rows[:, 0]
    found = engine.find_edges(evidence_with(engine, rows, np.zeros((2, 2))), error, 0.99)
    assert np.array_equal(found.source, np.zeros(len(found.source)))
    r = np.corrcoef(rows.T)[0, 1]
    if len(found.source):
        expected = z_score(np.array([r]), n_rows - 2)
        np.testing.assert_allclose(found.z, expected, rtol=trials.precision)


def test_copies_are_traced_to_the_first_of_their_kind(engine, evidence_of, trials):
    def check(seed, n_columns):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((60, n_columns))
        origin = np.arange(n_columns)
        for column in range(1, n_columns):
            if rng.random() < 0.4:
                source = rng.integers(column)
                rows[:, column] = rng.choice([-2.0, 3.0]) * rows[:, source] + 1.0
                origin[column] = origin[source]
        repeats = engine.repeats(evidence_of(engine, rows), 1 - 1e-10)
        assert repeats.varies.all()
        assert np.array_equal(repeats.original, origin)
        corr = np.corrcoef(rows.T)
        assert np.array_equal(repeats.sign, np.sign(corr[np.arange(n_columns), origin]))

    trials.of(check, seed=st.integers(0, 2**32 - 1), n_columns=st.integers(2, 30))


@pytest.mark.parametrize("error", ["fdr", "fwer"])
def test_few_rows_spare_the_hubs_that_the_readable_code_spares(fast_engine, evidence_with, error):
    rng = np.random.default_rng(3)  # none of its scores is next to the border of a group
    rows = rng.standard_normal((36, 40))
    rows[:, 1:] += 2 * rows[:, :1]
    weights = np.zeros((40, 40))
    slow = judge_pairs(np.corrcoef(rows, rowvar=False), 36, weights, error)
    found = fast_engine.find_edges(evidence_with(fast_engine, rows, weights), error, 0.5)
    expected = np.ones((40, 40))
    expected[np.triu_indices(40, 1)] = slow.q_value
    assert len(found.source) == np.sum(expected <= 0.5)
    np.testing.assert_allclose(found.q_value, expected[found.source, found.target], rtol=1e-3)


@pytest.mark.parametrize(("error", "level"), [("fdr", 0.05), ("fwer", 0.05), ("fdr", "balanced")])
def test_no_number_of_threads_changes_a_bit_of_the_edges(monkeypatch, error, level):
    rows = make("grid", 144, seed=0).sample(901)
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        assert _threads.thread_count() == int(threads)
        results.append(HedgeGraph(error, level).fit(rows).edges_up_to(0.5).to_dict())
    assert len(results[0]["z"]) > 100
    for other in results[1:]:
        assert all(np.array_equal(results[0][name], other[name]) for name in other)


@pytest.mark.parametrize(
    ("family", "level"),
    [*((family, 0.05) for family in sorted(FAMILIES)), ("grid", "balanced"), ("ar1", "balanced")],
)
def test_whole_fits_agree_between_engines(monkeypatch, fast_engine, trials, family, level):
    """From rows to edges: rounding may move single pairs across a border, not the result.

    One that changes its group changes the weights of all, so the rows are always the same.
    """
    rng = np.random.default_rng(0)
    rows = make(family, 64, seed=1).sample(min(trials.most_rows, 500), rng)
    found = {}
    for name in ("numpy_ref", fast_engine.__name__.rpartition(".")[2]):
        monkeypatch.setattr(_hedge, "engine_for", lambda *_, name=name, **__: name)
        table = HedgeGraph(level=level).fit(rows).edges_up_to(0.5)
        found[name] = {(edge.source, edge.target): edge.q_value for edge in table}
    slow, fast = found.values()
    both = slow.keys() & fast.keys()
    # In single precision, pairs of a walk do change groups. Groups have 32 pairs and more: one of
    # them changes the weights of all by a few percent.
    moved = 0.1 if trials.precision > SINGLE else 0.0
    alone = [q for pair, q in (slow | fast).items() if pair not in both]
    assert sum(q < 0.5 * (1 - moved) for q in alone) <= 0.03 * len(slow)
    near = [abs(slow[pair] - fast[pair]) < 1e-3 + moved * slow[pair] for pair in both]
    assert sum(near) >= 0.9 * len(both)


@njit
def score(r, freedom, curve):
    return _scores.score(r, freedom, curve)


@given(st.integers(5, 5000), st.integers(0, 20), st.floats(-1, 1))
@settings(deadline=None)
def test_scores_are_normal_scores_of_the_t_distribution(n_rows, used, r):
    curve = _scores.score_polynomials(n_rows, used)[used]
    freedom = max(n_rows - 2 - used, 1)
    exact = float(z_score(np.array([r]), freedom)[0])
    fast = score(r, float(freedom), curve)
    tolerance = 1e-7 if freedom >= 100 else 2e-6 if freedom >= 3 else 1e-3
    assert abs(fast - exact) < tolerance or min(abs(fast), abs(exact)) > 37


@pytest.mark.parametrize(("error", "adjust"), CORRECTIONS.items())
@given(seed=st.integers(0, 2**32 - 1), loosest=st.floats(0.05, 0.95), n_edges=st.integers(0, 400))
@settings(max_examples=50, deadline=None)
def test_no_pair_beyond_the_cut_could_have_been_of_interest(error, adjust, seed, loosest, n_edges):
    rng = np.random.default_rng(seed)
    z = np.abs(rng.standard_normal(2000))
    z[:n_edges] += rng.uniform(0, 6)
    bins = np.minimum((z * listing.PER_BIN).astype(int), listing.BINS - 1)
    counts = np.bincount(bins, minlength=listing.BINS)[None]
    p_values = two_sided(z)
    alike = np.ones((1, 1))
    cut = listing.largest_of_interest(counts, alike, alike, error, loosest)
    adjusted = adjust(p_values)
    assert (adjusted[p_values > cut] > loosest).all()
    listed = p_values <= cut
    again = adjust(p_values[listed], len(p_values))
    wanted = adjusted[listed] <= loosest
    np.testing.assert_array_equal(again <= loosest, wanted)
    np.testing.assert_allclose(again[wanted], adjusted[listed][wanted])


def codes_of(rng, n_columns):
    """Return any codes of pairs, and what they stand for."""
    bins = rng.integers(-LAST_BIN, LAST_BIN + 1, (n_columns, n_columns))
    joined = rng.random((n_columns, n_columns)) < 0.2
    number = rng.integers(1, 9, n_columns)
    degree = (number[:, None] + number - 2 * joined)[np.triu_indices(n_columns, 1)]
    groups = degree_groups(np.bincount(degree, minlength=17), n_columns).astype(np.int64)
    codes = (bins + JOINED * joined).astype(np.int8)
    return codes, Degrees(number, groups), bins[np.triu_indices(n_columns, 1)], degree


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    shared=st.floats(-0.5, 1.5),
    margins=st.tuples(st.floats(0.0, 3.0), st.floats(0.0, 3.0)) | st.just((np.inf, np.inf)),
    error=st.sampled_from(PROMISES),
)
def test_compiled_counts_and_lists_are_those_of_the_readable_code(seed, shared, margins, error):
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal((30, 30)).astype(np.float32) * 4
    source, target = upper = np.triu_indices(30, 1)
    z, witness = scores[upper].astype(float), scores.T[upper].astype(float)
    codes, degrees, bins, degree = codes_of(rng, 30)
    known = scores, codes, *degrees, shared, GROUP_ENDS
    groups = (
        surplus_groups(z, witness, shared),
        explained_groups(z, bins),
        degrees.groups[degree],
    )
    sizes = _counts.group_sizes(0, 30, *known)
    above = np.abs(z) * listing.PER_BIN < listing.BINS_TO_MEDIAN
    for mine, of_pairs in zip(sizes, groups):
        expected = [np.bincount(of_pairs, weights, len(mine)) for weights in (None, above)]
        np.testing.assert_array_equal(mine.T, expected)

    worth = listing.weighed(sizes, 30, error)
    own = worth.classes[groups]
    assert (worth.least[own] <= worth.priors[groups]).all()
    assert (worth.priors[groups] <= worth.largest[own]).all()
    known = *known, *margins, worth.classes
    agreed = agreement_scores(z, witness, margins)
    for mine, size in zip(_counts.histograms(0, 30, *known), (np.abs(z), agreed)):
        of_bin = np.minimum(size * listing.PER_BIN, listing.BINS - 1).astype(int)
        expected = np.zeros_like(mine)
        np.add.at(expected, (own, of_bin), 1)
        np.testing.assert_array_equal(mine, expected)

    cuts = listing.Cuts(*rng.uniform(0.0, 6.0, (2, len(worth.least))))
    listed = _counts.listed(0, 30, *known, *cuts)
    wanted = (np.abs(z) >= cuts.score[own]) | (agreed >= cuts.agreement[own])
    expected = source[wanted], target[wanted], witness[wanted], codes[upper][wanted]
    order = np.lexsort(listed[:2][::-1])
    for mine, of_pairs in zip(listed, expected):
        np.testing.assert_array_equal(mine[order], of_pairs)
    of_listed = parts_of(listed[3], listed[0], listed[1], degrees)
    for mine, of_pairs in zip(of_listed, (bins, degrees.groups[degree])):
        np.testing.assert_array_equal(mine[order], of_pairs[wanted])


@pytest.mark.parametrize("error", PROMISES)
@given(seed=st.integers(0, 2**32 - 1), loosest=st.floats(0.05, 0.95), n_edges=st.integers(0, 300))
@settings(max_examples=30, deadline=None)
def test_no_pair_outside_the_cuts_of_its_class_has_a_level_of_interest(
    error, seed, loosest, n_edges
):
    """Levels of the listed are those of all; of others they are above the loosest."""
    rng, n_columns, margins = np.random.default_rng(seed), 64, (0.1, 0.8)
    n_pairs = n_columns * (n_columns - 1) // 2
    is_edge = np.arange(n_pairs) < n_edges
    z = rng.standard_normal(n_pairs) + rng.uniform(0, 5) * is_edge
    witness = 0.8 * z + 0.6 * rng.standard_normal(n_pairs)
    bins = np.clip(np.rint(rng.normal(3 * is_edge, 3.0)), -LAST_BIN, LAST_BIN).astype(np.int8)
    degree_group = rng.integers(0, 4, n_pairs) // (1 + is_edge)
    asked = listing.Asked(0.3, margins, n_columns, error)
    groups = surplus_groups(z, witness, asked.shared), explained_groups(z, bins), degree_group
    above = np.abs(z) * listing.PER_BIN < listing.BINS_TO_MEDIAN
    sizes = [
        np.column_stack([np.bincount(each, weights, n).astype(int) for weights in (None, above)])
        for each, n in zip(groups, (len(GROUP_ENDS) + 1, LAST_BIN + 1, 4))
    ]
    worth = listing.weighed(sizes, n_columns, error)
    agreed, own = agreement_scores(z, witness, margins), worth.classes[groups]
    counts = np.zeros((2, len(worth.least), listing.BINS), dtype=int)
    for table, size in zip(counts, (np.abs(z), agreed)):
        of_bin = np.minimum(size * listing.PER_BIN, listing.BINS - 1).astype(int)
        np.add.at(table, (own, of_bin), 1)
    cuts = listing.cuts_of(worth, *counts, error, loosest)
    listed = np.abs(z) >= cuts.score[own]
    if error != "balanced":  # nothing is asked of agreement there
        listed |= agreed >= cuts.agreement[own]

    def levels(some):
        parts = (each[some] for each in (z, witness, bins, degree_group))
        return listing.levels_in_company(*parts, asked, worth)

    every, some = levels(np.full(n_pairs, fill_value=True)), levels(listed)
    assert (every[~listed] > loosest).all()
    wanted = every[listed] <= loosest
    np.testing.assert_array_equal(some <= loosest, wanted)
    np.testing.assert_allclose(some[wanted], every[listed][wanted])


@pytest.mark.parametrize("n_rows", [90, 400])
def test_codes_of_pairs_are_their_company(n_rows):
    corr = np.corrcoef(make("cliques", 60, seed=0).sample(n_rows, seed=1).T)
    fitted = refit(corr, n_rows)
    source, target = upper = np.triu_indices(60, 1)
    expected = company_of(corr, fitted.coefficients, n_rows, *given_ends(fitted, n_rows, upper))
    thresholds = step_thresholds(60, n_rows)
    curves = _scores.score_polynomials(n_rows, len(thresholds))
    found = no_neighbours(60, len(thresholds))
    scores, codes = np.empty((60, 60), np.float32), np.empty((60, 60), np.int8)
    rule = float(n_rows), thresholds, NO_HUBS, curves, ends_of_bins(n_rows)
    select_nodes(0, 60, corr, np.ones(60), *rule, found, scores, codes)
    _pairs.keep_given_fewer(0, 60, found.sizes, scores, codes)
    degrees = degrees_of(found)
    bins, group = parts_of(codes[upper], source, target, degrees)
    assert len(np.unique(bins)) > 8
    np.testing.assert_array_equal(bins, expected.explained)
    groups = degree_groups(np.bincount(expected.degree), 60)
    np.testing.assert_array_equal(group, groups[expected.degree])
