"""What must not change the graph, does not: order of columns, units, chunks, precision of input."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import HedgeGraph
from hedgerow.base.table import EdgeTable
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.method import graph
from hedgerow.method.balance import stands_out

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{category.__module__}.{category.__name__}")
    for category in (DataWarning, GuaranteeWarning)
]

LEVEL = 0.2
levels_asked = st.sampled_from([LEVEL, "balanced"])


@st.composite
def tables(draw, max_rows=700, max_columns=12):
    """Rows of a Gaussian with a random sparse dependence between columns."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(8, max_rows))
    n_columns = draw(st.integers(2, max_columns))
    loadings = np.eye(n_columns) + 0.6 * np.tril(rng.random((n_columns, n_columns)) < 0.2, -1)
    return rng.standard_normal((n_rows, n_columns)) @ loadings.T


def scores(model, n_columns):
    """The z of every pair as a matrix, zero where the pair is not an edge up to level 0.5."""
    edges = model.edges_up_to(0.5)
    z = np.zeros((n_columns, n_columns))
    z[edges.source, edges.target] = z[edges.target, edges.source] = edges.z
    return z


def levels(model, n_columns):
    edges = model.edges_up_to(0.5)
    q = np.ones((n_columns, n_columns))
    q[edges.source, edges.target] = q[edges.target, edges.source] = edges.q_value
    return q


def assert_same_graph(a, b, order=slice(None), signs=1.0):
    n_columns = a.n_features_in_
    qa, qb = levels(a, n_columns)[order][:, order], levels(b, n_columns)
    np.testing.assert_allclose(np.minimum(qa, 0.499), np.minimum(qb, 0.499), rtol=1e-3, atol=1e-9)
    both = (qa < 0.499) & (qb < 0.499)
    za, zb = scores(a, n_columns)[order][:, order] * signs, scores(b, n_columns)
    np.testing.assert_allclose(za[both], zb[both], rtol=1e-3, atol=1e-4)


@settings(max_examples=40, deadline=None)
@given(tables(), levels_asked, st.randoms(use_true_random=False))
def test_permuting_columns_permutes_the_graph(rows, level, random):
    order = np.array(random.sample(range(rows.shape[1]), rows.shape[1]))
    direct = HedgeGraph(level=level).fit(rows)
    permuted = HedgeGraph(level=level).fit(rows[:, order])
    assert_same_graph(direct, permuted, order)


@settings(max_examples=40, deadline=None)
@given(tables(), levels_asked, st.integers(0, 2**32 - 1))
def test_units_and_origin_of_columns_do_not_matter(rows, level, seed):
    rng = np.random.default_rng(seed)
    n_columns = rows.shape[1]
    scale = 10.0 ** rng.uniform(-6, 6, n_columns) * rng.choice([-1, 1], n_columns)
    shift = scale * 10.0 ** rng.uniform(-2, 4, n_columns)
    direct = HedgeGraph(level=level).fit(rows)
    rescaled = HedgeGraph(level=level).fit(rows * scale + shift)
    assert_same_graph(direct, rescaled, signs=np.sign(np.outer(scale, scale)))


@settings(max_examples=30, deadline=None)
@given(tables(max_rows=1600), levels_asked, st.lists(st.integers(1, 1599), max_size=6))
def test_any_chunking_gives_the_identical_state_and_graph(rows, level, cuts):
    whole = HedgeGraph(level=level).fit(rows)
    parts = HedgeGraph(level=level)
    for chunk in np.split(rows, sorted({cut for cut in cuts if cut < len(rows)})):
        parts.partial_fit(chunk)
    assert parts.n_samples_seen_ == whole.n_samples_seen_ == len(rows)
    a, b = whole._stream.arrays(), parts._stream.arrays()
    assert all(np.array_equal(a[name], b[name]) for name in a)
    assert whole.level_ == parts.level_
    one, other = whole.edges_, parts.edges_
    for column in EdgeTable.COLUMNS:
        assert np.array_equal(one[column], other[column])


@settings(max_examples=5, deadline=None)
@given(tables(max_rows=600, max_columns=5))
def test_one_row_at_a_time_with_queries_between(rows):
    whole = HedgeGraph(level=LEVEL).fit(rows)
    single = HedgeGraph(level=LEVEL)
    for k, row in enumerate(rows):
        single.partial_fit(row[None])
        if k % 97 == 0:
            assert single.adjacency_.shape == (rows.shape[1], rows.shape[1])
    assert np.array_equal(whole.edges_.z, single.edges_.z)


@settings(max_examples=15, deadline=None)
@given(tables())
def test_float32_rows_are_the_same_rows(rows):
    single = rows.astype(np.float32)
    a = HedgeGraph(level=LEVEL).fit(single)
    b = HedgeGraph(level=LEVEL).fit(single.astype(np.float64))
    assert np.array_equal(a.edges_.z, b.edges_.z)
    assert np.array_equal(a.edges_.q_value, b.edges_.q_value)


@settings(max_examples=20, deadline=None)
@given(
    tables(),
    st.one_of(
        st.tuples(st.sampled_from(["fdr", "fwer"]), st.floats(0.001, 0.5)),
        st.just(("fdr", "balanced")),
    ),
)
def test_results_agree_with_each_other(rows, asked):
    model = HedgeGraph(*asked).fit(rows)
    edges, level = model.edges_, model.level_
    assert asked[1] in (level, "balanced")
    assert 0 < level <= 0.5
    adjacency = model.adjacency_.toarray()
    assert adjacency.dtype == np.bool_
    assert np.array_equal(adjacency, adjacency.T)
    assert not adjacency.diagonal().any()
    assert adjacency.sum() == 2 * len(edges)
    assert (edges.q_value <= level).all()
    assert np.all(np.diff(edges.q_value) >= 0)
    partial = model.partial_corr_
    assert np.array_equal(partial != 0, adjacency | np.eye(len(adjacency), dtype=bool))
    assert np.abs(partial).max() <= 1
    precision = model.precision_
    assert np.array_equal(precision != 0, adjacency | np.eye(len(adjacency), dtype=bool))
    assert np.linalg.eigvalsh(precision)[0] > 0
    np.testing.assert_allclose(model.location_, rows.mean(axis=0), atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(tables(), levels_asked, st.integers(1, 500))
def test_a_loaded_model_goes_on_as_if_never_stopped(tmp_path_factory, rows, level, stop):
    path = tmp_path_factory.mktemp("models") / "model.hedgerow"
    first, rest = rows[:stop], rows[stop:]
    kept = HedgeGraph(level=level).partial_fit(first)
    kept.save(path)
    loaded = HedgeGraph.load(path)
    for model in (kept, loaded):
        if len(rest):
            model.partial_fit(rest)
    assert kept.level_ == loaded.level_
    assert np.array_equal(kept.edges_.z, loaded.edges_.z)
    a, b = kept._stream.arrays(), loaded._stream.arrays()
    assert all(np.array_equal(a[name], b[name]) for name in a)


@settings(max_examples=20, deadline=None)
@given(tables())
def test_a_balanced_graph_is_the_cut_with_the_best_expected_f1(rows):
    model = HedgeGraph(level="balanced").fit(rows)
    q = model.edges_up_to(0.5).q_value
    if not len(q):
        assert model.level_ == 0.5
        return
    number = np.arange(1, len(q) + 1)
    true = number * (1 - q)
    f1 = true / (number + true.max())
    assert f1[len(model.edges_) - 1] >= f1.max() - 1e-6
    assert model.level_ == max(model.edges_.q_value.max(), 1e-6)


@settings(max_examples=20, deadline=None)
@given(tables())
def test_without_precautions_every_pair_looks_as_sure_up_to_a_standard_error(rows):
    """Of k pairs k q are expected to be false, and the root of that is the standard error.

    Shadows that are counted beside them make levels larger.
    """
    n_columns = rows.shape[1]
    model = HedgeGraph().fit(rows)
    careful, z = levels(model, n_columns), scores(model, n_columns)
    p_values = model.edges_up_to(0.5).p_value
    model.set_params(level="balanced")
    with patch.object(graph, "counted", lambda q_values, shares: q_values):
        model._graph()
    if not len(model.edges_):
        refused = model._graph().refused
        assert refused or not stands_out(p_values, n_columns * (n_columns - 1) // 2)
        return
    if len(model._graph().hubs):  # the tests are others, given these
        return
    most = (careful + np.sqrt(careful)) * (1 + 1e-12)
    assert (levels(model, n_columns) <= most)[most <= 0.5].all()  # larger ones are not listed
    found = (z != 0) & (scores(model, n_columns) != 0)
    assert np.array_equal(scores(model, n_columns)[found], z[found])


@pytest.mark.parametrize("n_columns", [8, 64])
@pytest.mark.parametrize("size", [200, 1000])
def test_long_tables_too_can_be_cut_anywhere(n_columns, size):
    """Many batches in a call, and few: how numbers lie in memory then differs."""
    rows = np.random.default_rng().standard_normal((4108, n_columns))
    pieces = HedgeGraph()
    for start in range(0, len(rows), size):
        pieces.partial_fit(rows[start : start + size])
    _, expected = HedgeGraph().fit(rows).parts()
    _, found = pieces.parts()
    for name in expected:
        assert found[name].tobytes() == expected[name].tobytes(), name
