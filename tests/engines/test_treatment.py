"""Compiled scores of ranks, sums over residuals and calmer scores: what the readable code does.

As in `distances`, every comparison is in units of what rounding explains, so that a number above
one cannot be rounding; and arithmetic made worse on purpose is noticed.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hedgerow.engines import numba_cpu
from hedgerow.engines.numba_cpu._calm import calm
from hedgerow.engines.numba_cpu._threads import team
from hedgerow.method import numpy_ref
from hedgerow.method.forgetting import NEVER, effective_rows, row_weights
from hedgerow.method.graph import OF_EDGES
from hedgerow.method.hedge import batch_ends
from hedgerow.method.inflation import Inflation, calming, inflation_of, of_pairs
from hedgerow.method.marginals import FIRST_ROWS, first_marginals, first_scores, next_refresh
from hedgerow.method.ordered import in_order
from hedgerow.method.outliers import FAR_OFF, Regressions
from hedgerow.method.residuals import LAGS, Residuals, first_residuals
from hedgerow.method.row_sizes import first_sizes
from tests.engines.distances import DOUBLE, SINGLE, beyond_rounding

HALF_LIVES = (NEVER, 16.0, 100.5, 600.5, 1000.0)
seeds = st.integers(0, 2**32 - 1)
lives = st.sampled_from(HALF_LIVES)


def table(seed, n_rows):
    """Rows of many kinds of columns: smooth, skewed, of few values, heavy-tailed, constant."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n_rows, 7)) + rng.standard_normal((n_rows, 1))
    kinds = [
        z[:, 0],
        np.exp(2 * z[:, 1]),
        np.rint(z[:, 2]),
        z[:, 3] / np.abs(z[:, 4]),
        1e6 + z[:, 4],
        np.maximum(z[:, 5], 0.0),
        np.full(n_rows, 7.0),
    ]
    return np.column_stack(kinds)[:, : rng.integers(2, 8)].astype(rng.choice(["f4", "f8"]))


def pieces(rows, half_life, at_once):
    """Cut the rows after the first ones where scores are brought up to date, and in between."""
    start = FIRST_ROWS
    while start < len(rows):
        stop = min(next_refresh(start, half_life), start + at_once, len(rows))
        yield rows[start:stop]
        start = stop


def scored(engine, rows, half_life, at_once=4096):
    as_is = np.zeros(rows.shape[1], dtype=bool)
    as_is[1] = True
    known = engine.first_marginals(in_order(rows[:FIRST_ROWS]), as_is, half_life)
    scores = []
    for some in pieces(rows, half_life, at_once):
        new, known = engine.score_rows(known, some, half_life)
        scores.append(new)
    return np.concatenate(scores), known


def of_marginals(fast, slow, rows):
    """Compare what two engines know of columns, which must be the same but for sums of values.

    A score between knots is that of one knot, plus a product: some ten roundings of numbers that
    are at most twice as large as the largest score.
    """
    (new, known), (expected, as_expected) = fast, slow
    spread = np.sqrt(as_expected.squares / as_expected.weight)
    size = len(rows) * DOUBLE * (spread + np.abs(as_expected.mean))
    size = np.maximum(size, np.finfo(np.float64).tiny)
    largest = np.abs(as_expected.scores).max()
    others = np.arange(rows.shape[1]) != 1
    return {
        **{
            name: 0.0
            if np.array_equal(getattr(known, name), getattr(as_expected, name))
            else np.inf
            for name in ("as_is", "knots", "at", "between", "scores", "weight", "rows")
        },
        "as it is": 0.0 if np.array_equal(new[:, 1], expected[:, 1]) else np.inf,
        "rows' scores": np.abs(new - expected)[:, others].max() / (20 * DOUBLE * largest),
        "mean": np.max(np.abs(known.mean - as_expected.mean) / size),
        "squares": np.max(
            np.abs(known.squares - as_expected.squares)
            / (2 * as_expected.weight * size * np.maximum(spread, size))
        ),
    }


@settings(max_examples=30, deadline=None)
@given(seeds, st.sampled_from([530, 1023, 1024, 1025, 2100]), lives)
def test_scores_agree_with_the_readable_code(seed, n_rows, half_life):
    rows = table(seed, n_rows)
    fast, slow = (scored(engine, rows, half_life) for engine in (numba_cpu, numpy_ref))
    assert not beyond_rounding(of_marginals(fast, slow, rows))


@pytest.mark.parametrize("half_life", HALF_LIVES)
def test_no_cut_changes_a_bit_of_the_scores(half_life):
    rows = np.exp(np.random.default_rng().standard_normal((2100, 13)))
    whole, cut = (scored(numba_cpu, rows, half_life, at_once) for at_once in (4096, 7))
    assert np.array_equal(whole[0], cut[0])
    for name, a, b in zip(whole[1]._fields, whole[1], cut[1], strict=True):
        assert np.array_equal(a, b), name


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(2, FIRST_ROWS))
def test_scores_of_first_rows_are_those_of_the_readable_code(seed, n_rows):
    rows = table(seed, n_rows)
    as_is = np.random.default_rng(seed).random(rows.shape[1]) < 0.3
    first = in_order(rows)
    assert np.array_equal(
        numba_cpu.first_scores(first, as_is), first_scores(first, as_is), equal_nan=True
    )


@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(2, FIRST_ROWS), st.booleans())
def test_scores_of_knots_are_those_of_the_readable_code(seed, n_rows, gaps):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n_rows, 20))  # so many that there are fewer ranks than knots
    rows[:, ::3] = np.rint(rows[:, ::3])
    if gaps:
        rows[rng.random(rows.shape) < 0.1] = np.nan
    first, as_is = in_order(rows), np.zeros(20, dtype=bool)
    scores = numba_cpu.first_marginals(first, as_is, NEVER).scores
    np.testing.assert_array_equal(scores, first_marginals(first, as_is).scores)


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(2, FIRST_ROWS))
def test_ranks_of_columns_with_gaps_are_those_of_the_readable_code(seed, n_rows):
    rng = np.random.default_rng(seed)
    rows = np.round(rng.standard_normal((n_rows, 6)), 1)
    rows[rng.random(rows.shape) < rng.choice([0.05, 0.9])] = np.nan
    first, as_is = in_order(rows), np.zeros(6, dtype=bool)
    fast, slow = numba_cpu.first_scores(first, as_is), first_scores(first, as_is)
    assert np.array_equal(fast, slow, equal_nan=True)


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 100), st.sampled_from([np.float32, np.float64]))
def test_hashes_are_those_of_the_readable_code(seed, n_rows, dtype):
    rows = table(seed, n_rows).astype(dtype)
    assert np.array_equal(numba_cpu.hashes_of(rows), numpy_ref.hashes_of(rows))


@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(1, 70), st.booleans())
def test_rows_with_a_cell_far_off_are_those_of_the_readable_code(seed, n_rows, gaps):
    rng = np.random.default_rng(seed)
    rows = 3.0 + 2.0 * rng.standard_normal((n_rows, 30))
    rows[rng.random(rows.shape) < 0.02] += 20.0
    there = rng.random(rows.shape) < 0.9 if gaps else None
    coefficients = np.where(rng.random((30, 30)) < 0.1, rng.uniform(-0.3, 0.3, (30, 30)), 0.0)
    np.fill_diagonal(coefficients, 0.0)
    residual = np.where(rng.random(30) < 0.1, np.inf, rng.uniform(0.5, 1.0, 30))
    known = Regressions(csr_array(coefficients), residual)
    judges = np.full(30, 3.0), np.full(30, 2.0), known, FAR_OFF
    fast, slow = (engine.suspicious(rows, there, *judges) for engine in (numba_cpu, numpy_ref))
    assert np.array_equal(fast, slow)


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(10, FIRST_ROWS), st.floats(0, 6), st.sampled_from([1, 8]))
def test_humps_are_those_of_the_readable_code(seed, n_rows, apart, digits):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(n_rows) + apart * (rng.random(n_rows) < rng.random())
    values = np.round(values, digits)
    assert numba_cpu.second_hump(values) == numpy_ref.second_hump(values)


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(2, 900), st.booleans(), st.booleans())
def test_factors_agree_with_the_readable_code(seed, n_rows, tails, memory):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n_rows, rng.integers(2, 40)))
    echo = rng.uniform(-1.0, 1.0, rows.shape[1]) * rng.choice([0.0, 0.5, 1.0])
    for before, row in pairwise(rows):
        row += echo * before
    rows[:, 0] *= rng.integers(0, 2)  # sometimes a column that never varies
    sums = first_residuals(rows, np.ones(n_rows))
    fast, slow = (
        find(sums, n_rows, tails=tails, memory=memory)
        for find in (numba_cpu.inflation_of, inflation_of)
    )
    assert np.array_equal(fast.tails, slow.tails)
    assert np.array_equal(fast.echoes, slow.echoes)
    # Products of echoes are sums in another order; the median moves no farther than its pairs.
    largest = slow.tails.max() ** 2 * (1.0 + np.square(slow.echoes).sum(axis=1).max())
    size = (slow.echoes.shape[1] + 4) * DOUBLE * largest
    assert not beyond_rounding({"typical": abs(fast.typical - slow.typical) / size})


def test_values_that_differ_by_a_denormal_have_finite_scores():
    rng = np.random.default_rng()
    rows = rng.standard_normal((600, 3))
    rows[::3, 2] = 1e-310 * rng.integers(0, 7, 200)
    scores, _ = scored(numba_cpu, rows, NEVER)
    assert np.isfinite(scores).all()


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_rows_are_divided_as_by_the_readable_code_and_by_no_cut(seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((700, rng.integers(4, 200))) * rng.standard_cauchy((700, 1))
    _, sizes = first_sizes(rows[:FIRST_ROWS])
    later = rows[FIRST_ROWS:]
    fast = numba_cpu.row_factors(later, sizes)
    slow = numpy_ref.row_factors(later, sizes)
    # Sums of squares of sums of up to 64 numbers; the logarithm is of order 100 at most.
    np.testing.assert_allclose(fast, slow, rtol=1e4 * DOUBLE)
    cut = [numba_cpu.row_factors(later[i : i + 7], sizes) for i in range(0, len(later), 7)]
    assert np.array_equal(np.concatenate(cut), fast)


def sums_over_residuals(engine, rows, half_life):
    state = engine.learn(engine.init(rows.shape[1], half_life), rows[:FIRST_ROWS])
    state = engine.look_back(state, rows[:FIRST_ROWS])
    return engine.residuals(engine.learn(state, rows[FIRST_ROWS:]))


def steps_from_the_same_state(rows, half_life):
    """Yield the compiled sums, and the readable ones from the compiled state before, step by step.

    A step is the look back, or a batch. So the weights before a step are the same.
    """

    def readable(state):
        return numpy_ref.from_numpy(numba_cpu.to_numpy(state))

    first = rows[:FIRST_ROWS]
    state = numba_cpu.learn(numba_cpu.init(rows.shape[1], half_life), first)
    slow = numpy_ref.look_back(readable(state), first).residuals
    state = numba_cpu.look_back(state, first)
    yield state.residuals, slow, FIRST_ROWS
    start = FIRST_ROWS
    for end in batch_ends(FIRST_ROWS, len(rows) - FIRST_ROWS, half_life):
        batch = rows[start : FIRST_ROWS + end]
        slow = numpy_ref.learn(readable(state), batch).residuals
        state = numba_cpu.learn(state, batch)
        start = FIRST_ROWS + end
        yield state.residuals, slow, start


def of_residuals(fast, slow, seen, rows, half_life):
    """Compare sums over residuals after one step.

    Weights, whose sizes sum to one at most, are made with a relative error of sixteen roundings: of
    an exponent, which can be eight, and of what follows. A prediction has p more. Both count
    the largest number in a standardised row. A correlation of residuals is off by twice that in
    units of their spread; sums of products as Cauchy and Schwarz say; and sums over up to 256 rows
    are in single precision.
    """
    spread = rows[:FIRST_ROWS].std(axis=0)
    size = 2 * (np.abs(rows - rows.mean(axis=0)) / spread).max()  # whatever moments are so far
    off = (16 + rows.shape[1]) * SINGLE * size
    singles = 256 * SINGLE
    scale, squares = slow.scale, slow.lags[0]
    of_squares = slow.weight * (2 * np.sqrt(squares / slow.weight) * off + off**2)
    units, inverse = squares / scale, (1 / scale).sum()
    of_scale = (2 * np.sqrt(scale) * off + off**2) / scale + singles
    of_beside = (
        2 * off * np.sqrt(slow.beside * units.sum() / scale)
        + 2 * off * np.sqrt(slow.beside * units * inverse)
        + off**2 * (units.sum() / scale + units * inverse)
        + slow.beside * (of_scale + of_scale.max() + singles)
    )
    heaviest = np.sqrt(row_weights(seen - 1, 1, half_life)[0])
    of_related = 2 * (2 * off / np.sqrt(scale.min()) + FIRST_ROWS * SINGLE)
    return {
        "lags": np.max(np.abs(fast.lags - slow.lags) / (of_squares + singles * squares)),
        "recent": np.abs(fast.recent - slow.recent).max() / (off * heaviest),
        "scale": np.max(np.abs(fast.scale / scale - 1) / of_scale),
        "related": np.abs(fast.related - slow.related).max() / of_related,
        "beside": np.max(np.abs(fast.beside - slow.beside) / of_beside),
        "weight": abs(fast.weight / slow.weight - 1) / (seen * DOUBLE),
    }


def treated(seed, n_rows, n_columns):
    """Rows such as learners get: scores of ranks, in which rows remember, and differ in size."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n_rows, n_columns)) * rng.choice([1.0, 3.0], (n_rows, 1))
    rows[:, 1:] += 0.6 * rows[:, :-1]
    rows[1:] += 0.5 * rows[:-1]
    return first_scores(in_order(rows), np.zeros(n_columns, dtype=bool))


@settings(max_examples=20, deadline=None)
@given(seeds, st.sampled_from([512, 768, 1536]), st.sampled_from([2, 5, 17, 40]), lives)
def test_sums_over_residuals_agree_with_the_readable_code(seed, n_rows, n_columns, half_life):
    rows = treated(seed, n_rows, n_columns)
    for fast, slow, seen in steps_from_the_same_state(rows, half_life):
        assert not beyond_rounding(of_residuals(fast, slow, seen, rows, half_life))


@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(2, FIRST_ROWS), st.sampled_from([2, 5, 17, 40]), lives)
def test_memory_of_the_first_rows_is_that_of_residuals_of_nothing(
    seed, n_rows, n_columns, half_life
):
    rows = treated(seed, n_rows, n_columns)
    nothing, amount = csr_array((n_columns, n_columns)), effective_rows(n_rows, half_life)
    for engine in (numba_cpu, numpy_ref):
        left = engine.look_back(engine.init(n_columns, half_life), rows, nothing).residuals
        echoes = engine.inflation_of(left, amount, tails=False).echoes
        assert np.array_equal(engine.memories(rows, half_life), 1.0 + np.square(echoes).sum(axis=1))


@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(2, FIRST_ROWS), st.sampled_from([1, 5, 17, 40]))
def test_products_of_rows_apart_agree_with_the_readable_code(seed, n_rows, n_columns):
    rows = np.random.default_rng(seed).standard_normal((n_rows, n_columns))
    fast, slow = numba_cpu.lagged(rows), numpy_ref.lagged(rows)
    # Of so many products in single precision each sum may be off by that, whatever their order.
    off = (n_rows + 4) * np.finfo(np.float32).eps * slow[0]
    assert (np.abs(fast - slow) <= off).all()
    assert fast[min(n_rows, LAGS) :].any() == (n_rows > LAGS)


def test_residuals_of_rounding_are_none(summing_engine):
    """One over their squares would be infinite in single precision, and then not a number."""
    rows = treated(np.random.default_rng().integers(2**32), 768, 4)
    state = summing_engine.learn(summing_engine.init(4), rows[:FIRST_ROWS])
    kept = summing_engine.to_numpy(state)
    average = np.array(kept["average"])
    average[3] = 0.0
    average[3, 0] = 1e-21
    state = summing_engine.from_numpy(kept | {"average": average})
    first = rows[:FIRST_ROWS].copy()
    first[:, 3] = 0.0
    state = summing_engine.learn(summing_engine.look_back(state, first), rows[FIRST_ROWS:])
    sums = summing_engine.residuals(state)
    assert np.isinf(sums.scale).tolist() == [False, False, False, True]
    assert np.isfinite(sums.beside).all()
    assert sums.beside[3] == 0.0


def one_lag_later(sums):
    return sums._replace(lags=np.roll(sums.lags, 1, axis=0))


@pytest.mark.parametrize(
    ("worse", "seen_in"),
    [
        (one_lag_later, "lags"),
        (lambda sums: sums._replace(beside=sums.beside * 1.001), "beside"),
        (lambda sums: sums._replace(scale=sums.scale * 1.001), "scale"),
        (lambda sums: sums._replace(related=sums.related + 0.5 / FIRST_ROWS), "related"),
        (lambda sums: sums._replace(recent=np.roll(sums.recent, 1, axis=0)), "recent"),
    ],
)
def test_worse_sums_are_noticed(worse, seen_in):
    rows = treated(np.random.default_rng().integers(2**32), 768, 5)
    for fast, slow, seen in steps_from_the_same_state(rows, NEVER):
        assert seen_in in beyond_rounding(of_residuals(worse(fast), slow, seen, rows, NEVER))


def test_sums_over_residuals_are_what_they_say():
    """The readable sums, from all residuals at once."""
    rng = np.random.default_rng()
    residual, counts = rng.standard_normal((700, 4)), np.exp2(np.arange(700) / 100.0)
    first, later = np.split(residual, [FIRST_ROWS])
    sums = numpy_ref.first_residuals(first, counts[:FIRST_ROWS])
    for some, weights in zip(np.split(later, 4), np.split(counts[FIRST_ROWS:], 4)):
        sums = numpy_ref.with_more(sums, some, weights)
    rooted = residual * np.sqrt(counts)[:, None]
    for lag in range(LAGS + 1):
        expected = (rooted[lag:] * rooted[: len(rooted) - lag]).sum(axis=0)
        np.testing.assert_allclose(sums.lags[lag], expected, rtol=1e-9, atol=1e-9 * counts.sum())
    scale = np.average(np.square(first), axis=0, weights=counts[:FIRST_ROWS])
    np.testing.assert_allclose(sums.scale, scale, rtol=1e-12)
    units = np.square(residual) / scale
    for j in range(4):
        others = np.delete(units, j, axis=1).sum(axis=1)
        assert sums.beside[j] == pytest.approx((counts * units[:, j] * others).sum(), rel=1e-9)
    assert sums.weight == pytest.approx(counts.sum(), rel=1e-12)
    assert np.array_equal(sums.recent, rooted[-LAGS:])


@pytest.mark.parametrize("half_life", HALF_LIVES)
@pytest.mark.parametrize("n_columns", [2, 9, 70])
def test_no_cut_changes_a_bit_of_the_sums(n_columns, half_life):
    rows = treated(np.random.default_rng().integers(2**32), 6000, n_columns)
    ends = [FIRST_ROWS + end for end in batch_ends(FIRST_ROWS, 6000 - FIRST_ROWS, half_life)]
    found = []
    for cuts in (ends[-1:], ends, [*ends[3::7], ends[-1]]):
        state = numba_cpu.learn(numba_cpu.init(n_columns, half_life), rows[:FIRST_ROWS])
        state = numba_cpu.look_back(state, rows[:FIRST_ROWS])
        for start, stop in pairwise([FIRST_ROWS, *cuts]):
            state = numba_cpu.learn(state, rows[start:stop])
        found.append(numba_cpu.residuals(state))
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


@pytest.mark.parametrize("half_life", HALF_LIVES)
@pytest.mark.parametrize("n_columns", [2, 9, 300])
def test_no_number_of_threads_changes_a_bit_of_treatment(monkeypatch, n_columns, half_life):
    rows = np.exp(np.random.default_rng().standard_normal((1100, n_columns)).cumsum(axis=1))
    results = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        scores, known = scored(numba_cpu, rows, half_life)
        sums = sums_over_residuals(numba_cpu, scores[: FIRST_ROWS + 64], half_life)
        results.append([scores, *known, *sums])
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other, strict=True))


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(2, 60), st.sampled_from([0, 1, 7, 300]), st.booleans())
def test_scores_are_calmed_as_the_readable_code_does(seed, n_columns, n_lags, below):
    rng = np.random.default_rng(seed)
    tails = rng.uniform(0.7, 2.0, n_columns)
    echoes = rng.standard_normal((n_columns, n_lags)) / np.sqrt(n_lags + 1)
    first, second = np.triu_indices(n_columns, 1)
    inflation = Inflation(tails, echoes, typical=1.0)
    inflation = inflation._replace(typical=np.median(of_pairs(inflation, first, second)))
    before = rng.standard_normal((n_columns, n_columns)).astype(np.float32)
    scores = before.copy()
    with team() as run:
        calm(inflation, scores, run, below=below)
    share = calming(inflation, first, second)
    # A sum of products in single precision, below the root; and the roundings of share and score.
    size = (np.abs(echoes[first]) * np.abs(echoes[second])).sum(axis=1)
    off = (n_lags + 2) * SINGLE * size / 2 + 3 * SINGLE
    upper = before[first, second]
    assert (np.abs(scores[first, second] - share * upper) <= off * share * np.abs(upper)).all()
    lower = before[second, first]
    expected = share * lower if below else lower
    assert (np.abs(scores[second, first] - expected) <= off * np.abs(expected)).all()
    assert np.array_equal(np.diag(scores), np.diag(before))


@settings(max_examples=20, deadline=None)
@given(seeds, st.sampled_from([512, 700, 1500]), st.sampled_from(["fdr", "fwer"]))
def test_edges_agree_where_scores_are_calmed(seed, n_rows, error):
    rows = treated(seed, n_rows, 12)
    found = []
    for engine in (numba_cpu, numpy_ref):
        whole = n_rows - n_rows % 256
        state = engine.learn(engine.init(12), rows[:FIRST_ROWS])
        state = engine.look_back(state, rows[:FIRST_ROWS])
        state = engine.count(engine.learn(state, rows[FIRST_ROWS:whole]), rows[whole:])
        if not found:
            inflation = inflation_of(engine.residuals(state), n_rows)._replace(common=1.25)
        assert inflation.per_effective > 1.25
        edges = engine.find_edges(engine.evidence(state, rows[whole:], inflation), error, 0.5)
        order = np.lexsort((edges.target, edges.source))
        found.append(
            edges._replace(**{k: getattr(edges, k)[order] for k in edges._fields[:OF_EDGES]})
        )
    fast, slow = found
    sure = slow.q_value < 0.4  # what is near 0.5 may be on the other side of it
    both = np.isin(fast.source * 12 + fast.target, (slow.source * 12 + slow.target)[sure])
    assert both.sum() == sure.sum()
    for name in ("z", "partial_corr", "spread"):
        a, b = getattr(fast, name)[both], getattr(slow, name)[sure]
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-8)


def test_a_learner_that_did_not_look_back_has_no_sums(engine, trials):
    rows = np.random.default_rng().standard_normal((96 if trials.most_rows < 512 else 512, 3))
    state = engine.learn(engine.init(3), rows)
    assert engine.residuals(state) is None
    assert isinstance(engine.residuals(engine.look_back(state, rows)), Residuals)


def test_on_a_gpu_too_rows_are_divided_by_the_compiled_functions(fast_engine):
    assert fast_engine.row_factors is numba_cpu.row_factors
    assert fast_engine.without_level is numba_cpu.without_level
