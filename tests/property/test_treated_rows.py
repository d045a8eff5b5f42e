"""Treated rows: no cut, stop or copy changes a bit; nor do units; what is kept can be loaded."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import HedgeGraph
from hedgerow.base.table import EdgeTable
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.method import numpy_ref
from hedgerow.method.marginals import FIRST_ROWS, look_normal
from hedgerow.method.ordered import in_order
from hedgerow.method.slips import first_slips
from tests.property.test_hedge_graph import assert_same_graph

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{category.__module__}.{category.__name__}")
    for category in (DataWarning, GuaranteeWarning)
]

# Around the end of the first rows, and around the first two times that scores are refreshed.
N_ROWS = (5, 300, 511, 512, 513, 700, 1023, 1024, 1025, 1600, 2049)
seeds = st.integers(0, 2**32 - 1)
options = st.fixed_dictionaries(
    {
        "half_life": st.sampled_from([None, None, 16, 100.5, 600, 1000]),
        "rows": st.sampled_from(["any", "any", "independent"]),
        "columns": st.sampled_from(["any", "any", "normal", [0]]),
    }
).filter(lambda found: not complete(found))  # rows that are learned from as they are have no gaps


def complete(options):
    return options["rows"] == "independent" and options["columns"] == "normal"


def odd_column(rng, n_rows):
    """Return one of many kinds of columns that people have."""
    z = rng.standard_normal(n_rows)
    time = np.arange(n_rows)
    somewhere = rng.integers(n_rows + 1)
    return [
        z,
        np.exp(2 * z),
        rng.integers(0, 3, n_rows).astype(float),
        np.full(n_rows, rng.choice([0.0, 7.0, 1e10])),
        np.where(time < somewhere, 3.0, z),
        np.where(time < somewhere, z, 3.0),
        rng.standard_cauchy(n_rows),
        np.cumsum(z),
        z * rng.choice([1e143, 1e-100]),
        z + 4 * np.cos(2 * np.pi * time / 12),
        np.maximum(z, 0.0),
        1e8 + z,
    ][rng.integers(12)]


def with_gaps(rng, rows):
    """Return rows without some cells: here and there, at the start, at the end, in stretches."""
    n_rows, n_columns = rows.shape
    gone = np.zeros(rows.shape, dtype=bool)
    at, time = rng.integers(n_rows + 1), np.arange(n_rows)
    for j in range(n_columns):
        gone[:, j] = [
            np.zeros(n_rows, dtype=bool),
            rng.random(n_rows) < 0.1,
            rng.random(n_rows) < 0.95,
            (time < at) & (rng.random(n_rows) < 0.5),
            (time >= at) & (rng.random(n_rows) < 0.5),
            time < at,
            np.abs(time - at) < 40,
            np.ones(n_rows, dtype=bool),
        ][rng.choice(8, p=[0.3, 0.3, *[0.08] * 4, 0.05, 0.03])]
    gone[rng.integers(n_rows, size=3)] = True
    gone[0, 0] = False  # with no cell at all nothing can be asked
    return np.where(gone, np.nan, rows)


def with_outlying(rng, rows):
    """Return rows in which some cells are far off what the others say."""
    wrong = rng.random(rows.shape) < 0.004
    return np.where(wrong, rows + 20 * rows.std(axis=0), rows)


@st.composite
def odd_tables(draw, n_rows=N_ROWS, gaps=True):
    rng = np.random.default_rng(draw(seeds))
    size = draw(st.sampled_from(n_rows))
    rows = np.column_stack([odd_column(rng, size) for _ in range(draw(st.integers(2, 6)))])
    if draw(st.booleans()):
        rows[:, 1] = rows[:, 0] + 0.5 * rows[:, 1]
    repeated = draw(st.sampled_from([1, 1, 1, 2]))
    rows = rows[np.arange(size) // repeated]
    if draw(st.booleans()):
        rows = with_outlying(rng, rows)
    return with_gaps(rng, rows) if gaps and draw(st.booleans()) else rows


def has_slips(rows):
    every = np.ones(rows.shape[1], dtype=np.bool_)
    _, slips = first_slips(in_order(rows), every, every)
    return slips.found.any()


def assert_same_edges(a, b):
    one, other = a.edges_, b.edges_
    for column in EdgeTable.COLUMNS:
        assert np.array_equal(one[column], other[column])


def assert_identical(a, b):
    kept, other = a._stream.arrays(), b._stream.arrays()
    assert kept.keys() == other.keys()
    for name in kept:
        assert np.array_equal(kept[name], other[name], equal_nan=name == "waiting"), name
    assert_same_edges(a, b)
    assert a.n_samples_effective_ == b.n_samples_effective_
    assert a.summary() == b.summary()
    assert np.array_equal(a.location_, b.location_)


@settings(max_examples=30, deadline=None)
@given(
    odd_tables(),
    options,
    st.lists(st.sampled_from(N_ROWS) | st.integers(1, 2048), max_size=6),
    st.booleans(),
)
def test_no_cut_changes_a_bit(rows, options, cuts, asked):
    whole, parts = HedgeGraph(**options).partial_fit(rows), HedgeGraph(**options)
    for chunk in np.split(rows, sorted({cut for cut in cuts if cut < len(rows)})):
        parts.partial_fit(chunk)
        if asked:
            assert parts.n_samples_effective_ <= parts.n_samples_seen_
    assert parts.n_samples_seen_ == (~np.isnan(rows)).any(axis=1).sum()
    assert_identical(whole, parts)


def test_no_cut_changes_what_is_counted_of_gaps_while_rows_are_forgotten():
    rows = np.random.default_rng().standard_normal((1100, 3))
    rows[:, 1] += rows[:, 0]
    rows[np.random.default_rng().random(rows.shape) < 0.1] = np.nan
    whole, parts = (HedgeGraph(half_life=100.5) for _ in range(2))
    whole.partial_fit(rows)
    for chunk in np.split(rows, np.arange(30, 1100, 30)):
        parts.partial_fit(chunk)
    assert_identical(whole, parts)


@settings(max_examples=4, deadline=None)
@given(odd_tables([530, 1030]), options)
def test_one_row_at_a_time_changes_no_bit(rows, options):
    single = HedgeGraph(**options)
    for row in rows:
        single.partial_fit(row[None])
    assert_identical(HedgeGraph(**options).partial_fit(rows), single)


@settings(max_examples=15, deadline=None)
@given(odd_tables(), options, st.sampled_from([1, 300, 511, 512, 513, 700, 1024, 1500]))
def test_a_model_goes_on_from_a_file_a_copy_or_a_pickle(tmp_path_factory, rows, options, stop):
    path = tmp_path_factory.mktemp("models") / "model.hedgerow"
    model = HedgeGraph(**options).partial_fit(rows[:stop])
    model.save(path)
    others = [
        HedgeGraph.load(path),
        copy.copy(model),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),  # noqa: S301
    ]
    for other in others:
        assert_identical(model, other)
    for each in (*others, model):  # one that shared memory would be ahead
        if len(rows) > stop:
            each.partial_fit(rows[stop:])
    whole = HedgeGraph(**options).partial_fit(rows)
    for each in (*others, model):
        assert_identical(whole, each)


@settings(max_examples=30, deadline=None)
@given(odd_tables(), options, st.sampled_from(["cpu", "numpy"]))
def test_whatever_was_learned_is_accepted_and_finite(rows, options, device):
    model = HedgeGraph(device=device, **options).partial_fit(rows)
    HedgeGraph.check_parts(*model.parts())
    assert np.isfinite(model.edges_up_to(0.5).z).all()
    assert np.isfinite(model.precision_).all()
    assert 0 < model.n_samples_effective_ <= len(rows) * (1 + 1e-12)
    inflation = model._stream.inflation()
    assert np.isfinite(inflation.tails).all()
    assert np.isfinite(inflation.echoes).all()
    HedgeGraph.check_parts(*model.parts())


@st.composite
def smooth_tables(draw, n_rows):
    rng = np.random.default_rng(draw(seeds))
    rows = rng.standard_normal((draw(st.sampled_from(n_rows)), draw(st.integers(2, 8))))
    rows[:, 1:] += 0.5 * rows[:, :-1]
    return rows


RISING = {
    "exp": np.exp,
    "cube": lambda x: x**3,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "affine": lambda x: 3 * x + 1000,
}
rising = st.sampled_from(sorted(RISING)).map(RISING.get)


def with_some(rows, change):
    changed = rows.copy()
    changed[:, ::2] = change(rows[:, ::2])
    return changed


def values_stay(model):
    stream = model._stream
    return stream.treated.settled(stream.engine).as_is.all()


@settings(max_examples=25, deadline=None)
@given(smooth_tables([FIRST_ROWS]), rising)
def test_first_rows_say_the_same_in_any_units(rows, change):
    """Scores are those of ranks, which no rising function changes."""
    other = with_some(rows, change)
    if has_slips(rows) or has_slips(other):  # these depend on units
        return
    a, b = HedgeGraph().fit(rows), HedgeGraph().fit(other)
    if values_stay(a) or values_stay(b):  # what is new in rows that remember looks normal
        return
    assert_same_edges(a, b)


@settings(max_examples=25, deadline=None)
@given(smooth_tables([50, 200, 511]), st.sampled_from([np.sqrt, np.square, np.cbrt]))
def test_fewer_rows_say_the_same_in_any_units_unless_they_look_normal(rows, change):
    rows = np.exp(2 * rows)
    other = with_some(rows, change)
    nothing = np.zeros(rows.shape[1], dtype=bool)
    if look_normal(in_order(rows), nothing) or look_normal(in_order(other), nothing):
        return
    if has_slips(rows) or has_slips(other):
        return
    a, b = HedgeGraph().fit(rows), HedgeGraph().fit(other)
    assert_same_edges(a, b)


@settings(max_examples=25, deadline=None)
@given(smooth_tables([512, 700, 1100, 2100]), st.integers(-20, 20))
def test_powers_of_two_change_nothing(rows, power):
    a, b = HedgeGraph().fit(rows), HedgeGraph().fit(with_some(rows, lambda x: np.ldexp(x, power)))
    assert_same_edges(a, b)


@settings(max_examples=25, deadline=None)
@given(smooth_tables([512, 700, 1100, 2100]))
def test_a_falling_function_turns_signs(rows):
    turned = np.where(np.arange(rows.shape[1]) % 2, 1.0, -1.0)
    a, b = HedgeGraph().fit(rows), HedgeGraph().fit(rows * turned)
    assert_same_graph(a, b, signs=np.outer(turned, turned))


@settings(max_examples=25, deadline=None)
@given(smooth_tables([700, 1100, 2100]), rising)
def test_later_rows_keep_their_place_among_the_first_in_any_units(rows, change):
    """Knots among the first rows have the same scores whatever the units; values between two knots
    have scores between theirs. So units matter less than knots are apart, unless a row is beyond
    all of the first ones.
    """
    other = change(rows)
    as_is = np.zeros(rows.shape[1], dtype=bool)
    known, changed = (
        numpy_ref.first_marginals(in_order(x[:FIRST_ROWS]), as_is, np.inf) for x in (rows, other)
    )
    inner = (known.knots >= rows[:FIRST_ROWS].min(axis=0)[:, None]) & (
        known.knots <= rows[:FIRST_ROWS].max(axis=0)[:, None]
    )
    for start in range(FIRST_ROWS, len(rows), FIRST_ROWS):
        assert np.array_equal(known.scores[inner], changed.scores[inner])
        later = slice(start, min(start + FIRST_ROWS, len(rows)))
        for j, (knots, scores) in enumerate(zip(known.knots, known.scores)):
            column = rows[later, j]
            place = np.searchsorted(knots, column, side="right") - 1
            within = inner[j][place] & inner[j][place + 1]
            for marginals, values in ((known, rows), (changed, other)):
                found = numpy_ref.scored(marginals, values[later])[within, j]
                assert (found >= scores[place][within] - 1e-12).all()
                assert (found <= scores[place + 1][within] + 1e-12).all()
        known, changed = (
            numpy_ref.score_rows(m, x[later], np.inf)[1]
            for m, x in ((known, rows), (changed, other))
        )


@settings(max_examples=15, deadline=None)
@given(odd_tables([300, 530, 1100]), options)
def test_single_precision_is_the_same_rows(rows, options):
    single = np.clip(rows, -1e30, 1e30).astype(np.float32)
    a = HedgeGraph(**options).partial_fit(single)
    assert_identical(a, HedgeGraph(**options).partial_fit(single.astype(np.float64)))
