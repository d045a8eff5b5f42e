"""Families against independent constructions, samplers against their exact distribution."""

import doctest
from importlib import import_module
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csc_array
from scipy.stats import chi2, chisquare, kstest

from hedgerow.datasets import FAMILIES, Model, make, max_strength, random_scales, rescale
from hedgerow.theory import constants

ALARM = 1e-7  # a right program fails a test of randomness this rarely


def is_random(family):
    first, second = (make(family, 100, seed=seed).edges for seed in (0, 1))
    return not np.array_equal(first, second)


def as_networkx(model):
    graph = nx.empty_graph(model.size)
    graph.add_edges_from(model.edges.tolist())
    return graph


def same_edges(model, graph):
    return {tuple(edge) for edge in model.edges.tolist()} == {
        (min(edge), max(edge)) for edge in graph.edges
    }


@pytest.mark.parametrize(
    ("family", "p", "options", "graph"),
    [
        ("chain", 7, {}, nx.path_graph(7)),
        ("cycle", 7, {}, nx.cycle_graph(7)),
        ("star", 7, {}, nx.star_graph(6)),
        ("grid", 12, {}, nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 4))),
        ("cliques", 9, {"size": 3}, nx.disjoint_union_all([nx.complete_graph(3)] * 3)),
        ("cliques", 5, {"size": 3}, nx.disjoint_union(nx.complete_graph(3), nx.path_graph(2))),
        ("band", 9, {"width": 8}, nx.complete_graph(9)),
        ("hubs", 7, {"count": 1}, nx.star_graph(6)),
        ("ar1", 6, {}, nx.path_graph(6)),
        ("brownian_path", 6, {}, nx.path_graph(6)),
        ("free_field", 16, {}, nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4))),
        ("path_cliques", 9, {}, nx.disjoint_union(nx.path_graph(5), nx.complete_graph(4))),
        ("near_copies", 6, {}, nx.Graph([(0, 2), (2, 4), (0, 1), (2, 3), (4, 5)])),
        ("random_regular", 6, {"degree": 5}, nx.complete_graph(6)),
        ("erdos_renyi", 6, {"degree": 1e9}, nx.complete_graph(6)),
    ],
)
def test_graphs_that_are_not_random(family, p, options, graph):
    assert same_edges(make(family, p, **options), graph)


def test_band_joins_nodes_up_to_its_width():
    apart = np.abs(np.subtract.outer(range(8), range(8)))
    adjacency = make("band", 8, width=3).adjacency.toarray()
    np.testing.assert_array_equal(adjacency, (apart > 0) & (apart <= 3))


def test_an_incomplete_lattice_is_cut_from_the_next_square():
    square = as_networkx(make("grid", 16))
    assert same_edges(make("grid", 14), square.subgraph(range(14)))


@pytest.mark.parametrize("degree", [1, 2, 5, 8, 10, 13, 18])
def test_random_regular_graphs_are_regular(degree):
    graph = as_networkx(make("random_regular", 20, degree=degree, seed=None))
    assert {d for _, d in graph.degree} == {degree}
    assert graph.number_of_edges() == 10 * degree


def test_random_regular_graphs_are_uniform():
    rng = np.random.default_rng()
    models = (make("random_regular", 6, degree=2, seed=rng) for _ in range(1400))
    counts = np.unique([str(model.edges.tolist()) for model in models], return_counts=True)[1]
    assert len(counts) == 70  # 60 hexagons and 10 pairs of triangles
    assert chisquare(counts).pvalue > ALARM


def test_random_trees_are_uniform_among_the_labelled_ones():
    rng = np.random.default_rng()
    trees = [make("random_tree", 4, seed=rng) for _ in range(2000)]
    assert all(nx.is_tree(as_networkx(tree)) for tree in trees)
    counts = np.unique([str(tree.edges.tolist()) for tree in trees], return_counts=True)[1]
    assert len(counts) == 4**2
    assert chisquare(counts).pvalue > ALARM


def test_erdos_renyi_takes_every_pair_with_the_same_chance():
    rng = np.random.default_rng()
    total = sum(make("erdos_renyi", 8, degree=2, seed=rng).adjacency.toarray() for _ in range(1000))
    counts = np.asarray(total, int)[np.triu_indices(8, k=1)]
    z = (counts - 1000 * 2 / 7) / np.sqrt(1000 * 2 / 7 * 5 / 7)
    assert chi2.sf(z @ z, len(z)) > ALARM


def test_new_nodes_of_barabasi_albert_prefer_well_connected_ones():
    rng = np.random.default_rng()
    draws = 2000
    # The third node gives one of the first two a second edge, and so half of all four ends.
    models = (make("barabasi_albert", 4, attach=1, seed=rng) for _ in range(draws))
    hub_again = sum(model.adjacency.sum(axis=0).max() == 3 for model in models)
    assert chisquare([hub_again, draws - hub_again]).pvalue > ALARM


@pytest.mark.parametrize("attach", [1, 2, 3])
def test_barabasi_albert_is_connected_with_the_right_number_of_edges(attach):
    graph = as_networkx(make("barabasi_albert", 40, attach=attach))
    assert nx.is_connected(graph)
    assert graph.number_of_edges() == attach * (40 - attach)


def test_watts_strogatz_moves_the_share_of_edges_it_was_asked_to():
    model = make("watts_strogatz", 2000, neighbours=6, rewire=0.3)
    i, j = model.edges.T
    apart = np.minimum(j - i, 2000 - (j - i))
    assert len(model.edges) == 6000
    # A moved edge lands on the ring again with a chance of only 6 / 2000.
    moved = np.count_nonzero(apart > 3)
    assert abs(moved - 1800) < 6 * np.sqrt(6000 * 0.3 * 0.7)


def test_cluster_has_edges_only_inside_blocks_at_the_given_density():
    model = make("cluster", 1000, size=10, density=0.4)
    assert (model.edges[:, 0] // 10 == model.edges[:, 1] // 10).all()
    assert abs(len(model.edges) - 1800) < 6 * np.sqrt(4500 * 0.4 * 0.6)


def test_hubs_share_the_leaves():
    degree = make("hubs", 43, count=4).adjacency.sum(axis=0)
    assert sorted(degree[:4].tolist()) == [9, 10, 10, 10]
    assert set(degree[4:].tolist()) == {1}


def test_ar1_has_the_covariance_of_a_stationary_series():
    lag = np.abs(np.subtract.outer(range(9), range(9)))
    np.testing.assert_allclose(
        make("ar1", 9, rho=0.8).covariance(), 0.8**lag / (1 - 0.8**2), rtol=1e-10
    )


def test_brownian_path_has_the_covariance_of_brownian_motion():
    time = np.arange(1, 13) / 12
    np.testing.assert_allclose(
        make("brownian_path", 12).covariance(), 0.5 + np.minimum.outer(time, time), rtol=1e-10
    )


def test_a_weaker_brownian_path_is_the_same_motion_at_uneven_times():
    covariance = make("brownian_path", 12, strength=0.2).covariance()
    time = np.diag(covariance) - 0.5
    np.testing.assert_allclose(covariance, 0.5 + np.minimum.outer(time, time), rtol=1e-10)
    assert time[-1] == pytest.approx(1)
    assert (np.diff(time) > 0).all()


def test_free_field_is_the_laplacian_plus_the_mass():
    laplacian = nx.laplacian_matrix(nx.grid_2d_graph(5, 5)).toarray()
    model = make("free_field", 25, mass=0.003)
    np.testing.assert_allclose(model.precision.toarray(), laplacian + 0.003 * np.eye(25), rtol=1e-9)


def test_default_cliques_of_path_cliques_have_the_textbook_form():
    block = make("path_cliques", 16).precision.toarray()[-4:, -4:]
    np.testing.assert_allclose(block, np.eye(4) - 0.95 / 4, rtol=1e-12)


@pytest.mark.parametrize("copies", [1, 3])
def test_near_copies_are_their_source_plus_noise(copies):
    covariance = make("near_copies", 16, copies=copies, noise=0.01).covariance()
    source, copy = 0, 1
    added = covariance[copy, copy] - 2 * covariance[copy, source] + covariance[source, source]
    assert added == pytest.approx(0.01)
    assert covariance[copy, source] == pytest.approx(covariance[source, source])


@pytest.mark.parametrize("signs", ["attractive", "mixed"])
def test_the_limit_of_a_star_is_one_over_the_root_of_its_leaves(signs):
    assert max_strength("star", 50, signs=signs) == pytest.approx(1 / 7, rel=2e-4)
    assert make("star", 50, signs=signs, strength=0.999 / 7).strength == pytest.approx(0.999 / 7)
    with pytest.raises(ValueError, match=r"strength must be at most 0\.1428 for star .* got 0\.14"):
        make("star", 50, signs=signs, strength=1 / 7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ring", 5), "family must be one of 'chain', .* got 'ring'"),
        (("cycle", 2), "p must be an integer >= 3, got 2"),
        (("chain", 5.0), "p must be an integer >= 2, got 5.0"),
        (("chain", 5, {"strength": 0}), "strength must be a finite number > 0, got 0"),
        (("chain", 5, {"strength": float("nan")}), "strength must be a finite number > 0, got nan"),
        (("chain", 5, {"signs": "both"}), "signs must be one of 'attractive', 'mixed', got 'both'"),
        (("chain", 5, {"degree": 3}), "chain has no options, got 'degree'"),
        (("hubs", 9, {"degree": 3}), "option of hubs must be one of 'count', got 'degree'"),
        (("hubs", 9, {"count": 5}), "count must be at most p / 2 = 4, got 5"),
        (("random_regular", 9, {"degree": 3}), r"degree must be even .* \(p = 9\), got 3"),
        (("random_regular", 9, {"degree": 9}), "degree must be below p = 9, got 9"),
        (("barabasi_albert", 9, {"attach": 9}), "attach must be below p = 9, got 9"),
        (("watts_strogatz", 9, {"neighbours": 3}), "neighbours must be even and below p = 9, got"),
        (("watts_strogatz", 9, {"rewire": 1.5}), r"rewire must be a number in \(0, 1\), got 1.5"),
        (("path_cliques", 9, {"size": 5}), "size must be at most p / 2 = 4, got 5"),
        (("near_copies", 9, {"copies": 4}), "copies must be at most p / 2 - 1 = 3, got 4"),
        (("ar1", 9, {"rho": 1.0}), r"rho must be a number in \(0, 0.9999\), got 1.0"),
        (("ar1", 9, {"rho": 0.5, "strength": 0.1}), "strength must not be given together with rho"),
        (("free_field", 9, {"mass": 0}), r"mass must be a number in \(1e-06, inf\), got 0"),
        (("brownian_path", 9, {"strength": 0.6}), "strength must be at most 0.5 for brownian_path"),
    ],
)
def test_bad_arguments_are_named_with_rule_and_value(arguments, message):
    family, p, *keywords = arguments
    with pytest.raises(ValueError, match=message):
        make(family, p, **(keywords[0] if keywords else {}))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_gives_the_same_model_and_rows(family):
    first, second = (make(family, 30, signs="mixed", seed=5) for _ in range(2))
    assert (first.precision != second.precision).nnz == 0
    np.testing.assert_array_equal(first.sample(4, 9), second.sample(4, 9))


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_follow_the_model(family):
    rng = np.random.default_rng()
    model = make(family, 40, signs="mixed", seed=rng)
    rows = model.sample(500, rng)
    # xᵀΘx is chi-squared, and so is its sum; a projection is normal with variance aᵀΣa.
    energy = np.einsum("ti,ti->", rows @ model.precision.toarray(), rows)
    assert min(chi2.cdf(energy, rows.size), chi2.sf(energy, rows.size)) > ALARM
    direction = rng.standard_normal(40)
    variance = direction @ np.linalg.solve(model.precision.toarray(), direction)
    assert kstest(rows @ direction / np.sqrt(variance), "norm").pvalue > ALARM


@pytest.mark.parametrize("family", ["erdos_renyi", "grid", "star", "brownian_path", "random_tree"])
def test_ten_thousand_variables(family):
    model = make(family, 10_000, seed=0)
    rows = model.sample(5, seed=1)
    white = np.random.default_rng(1).standard_normal(rows.shape)
    # The factor turns x back into the noise it came from, so xᵀΘx is the squared length of that.
    energy = np.einsum("ti,ti->t", (model.precision @ rows.T).T, rows)
    np.testing.assert_allclose(energy, np.einsum("ti,ti->t", white, white), rtol=1e-8)


def test_a_generator_continues_so_pieces_make_the_whole():
    model = make("erdos_renyi", 50, seed=2)
    rng = np.random.default_rng(3)
    pieces = np.vstack([model.sample(n, rng) for n in (1, 7, 12)])
    np.testing.assert_allclose(pieces, model.sample(20, 3), rtol=1e-10)


def test_rescaling_changes_scale_and_mean_but_not_the_graph():
    model = make("erdos_renyi", 30, signs="mixed", seed=4)
    scale = random_scales(30, seed=5)
    assert scale.min() >= 1e-6
    assert scale.max() <= 1e6
    assert scale.max() / scale.min() > 1e8
    wild = rescale(model, scale, mean=scale * 3)
    assert (wild.adjacency != model.adjacency).nnz == 0
    np.testing.assert_allclose(wild.partial_corr, model.partial_corr, rtol=1e-12)
    np.testing.assert_allclose(
        wild.covariance(), model.covariance() * np.outer(scale, scale), rtol=1e-9
    )
    np.testing.assert_allclose(wild.sample(5, 6) / scale, model.sample(5, 6) + 3, rtol=1e-8)


@pytest.mark.parametrize("scale", [[1.0, 2.0], [1.0, 0.0, 1.0], [1.0, np.nan, 1.0]])
def test_scales_must_be_positive_and_one_for_each_variable(scale):
    with pytest.raises(ValueError, match="scale must be 3 finite numbers > 0"):
        rescale(make("chain", 3), scale)


@pytest.mark.parametrize("mean", [[1.0, 2.0], np.inf])
def test_means_must_be_finite_and_one_for_each_variable(mean):
    with pytest.raises(ValueError, match="mean must be one or 3 finite numbers, got"):
        rescale(make("chain", 3), np.ones(3), mean)


def test_names_and_an_empty_graph():
    model = Model("independent", csc_array(np.eye(3)))
    assert model.names == ["x0", "x1", "x2"]
    assert model.edges.shape == (0, 2)
    assert np.isnan(model.strength)


@pytest.mark.parametrize(
    ("precision", "message"),
    [
        ([[1.0, 0.5], [0.2, 1.0]], "symmetric"),
        ([[1.0, 0.5], [0.5, -1.0]], "positive diagonal"),
        ([[1.0, 1.0], [1.0, 1.0]], "positive definite"),
        ([[1.0, 2.0], [2.0, 1.0]], "positive definite"),
    ],
)
def test_what_is_not_a_precision_matrix_cannot_be_sampled(precision, message):
    with pytest.raises(ValueError, match=message):
        Model("wrong", csc_array(np.array(precision))).sample(1)


@pytest.mark.parametrize(
    "module", ["metrics", "base.atomic", "datasets._model", "datasets._families"]
)
def test_examples_run(module):
    result = doctest.testmod(import_module(f"hedgerow.{module}"))
    assert result.attempted
    assert not result.failed


def documented_families():
    page = Path(__file__).parents[2] / "docs" / "datasets.md"
    gaussian = page.read_text("utf-8").split("## Ising models")[0]
    rows = [line.split("|") for line in gaussian.splitlines() if line[:3] == "| `"]
    return {row[1].strip(" `"): [cell.strip() for cell in row[1:]] for row in rows}


def test_every_family_and_option_is_documented():
    documented = documented_families()
    assert list(documented) == list(FAMILIES)
    for name, family in FAMILIES.items():
        assert all(f"`{option}" in documented[name][2] for option in family.options)


@pytest.mark.parametrize("name", [name for name in FAMILIES if not is_random(name)])
def test_documented_constants_are_those_of_the_default_model(name):
    found = constants(make(name, 100).precision)
    told = [float(cell) for cell in documented_families()[name][3:6]]
    numbers = found.kappa, found.lambda_max, found.theta_max * found.nu_max
    assert told == [float(f"{number:.3g}") for number in numbers]
