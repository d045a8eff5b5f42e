"""What every family promises, whatever its size, signs, strength and seed."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from hedgerow.datasets import FAMILIES, make, max_strength, random_scales, rescale

EQUAL = [name for name, family in FAMILIES.items() if family.rule is FAMILIES["chain"].rule]


@st.composite
def arguments(draw, families=tuple(FAMILIES), smallest=8, largest=60):
    return {
        "family": draw(st.sampled_from(families)),
        "p": draw(st.integers(smallest, largest)),
        "signs": draw(st.sampled_from(["attractive", "mixed"])),
        "seed": draw(st.integers(0, 2**32)),
    }


def normalised(model):
    scale = 1 / np.sqrt(model.precision.diagonal())
    return model.precision.toarray() * np.outer(scale, scale)


@given(arguments(), st.floats(0.01, 1))
@settings(deadline=None)
def test_strength_is_exactly_as_asked_and_the_matrix_positive_definite(asked, share):
    strength = share * max_strength(**asked)
    model = make(**asked, strength=strength)
    if len(model.edges):
        assert model.strength == pytest.approx(strength, rel=1e-9)
    np.testing.assert_array_equal(model.precision.toarray(), model.precision.toarray().T)
    assert np.linalg.eigvalsh(normalised(model))[0] > 0


@given(arguments())
@settings(deadline=None)
def test_the_default_strength_is_allowed(asked):
    model = make(**asked)
    if len(model.edges):
        assert 0 < model.strength <= max_strength(**asked) * (1 + 1e-9)


@given(arguments(), st.floats(1.0001, 10))
@settings(deadline=None)
def test_more_than_the_limit_is_refused_and_the_limit_is_told(asked, factor):
    limit = max_strength(**asked)
    with pytest.raises(ValueError, match="strength must be at most") as error:
        make(**asked, strength=limit * factor)
    told = float(str(error.value).split("at most ")[1].split()[0])
    assert told <= limit
    assert told == pytest.approx(limit, rel=1e-3)
    make(**asked, strength=told)


@given(arguments(families=EQUAL))
@settings(deadline=None)
def test_no_stronger_matrix_of_equal_strengths_exists(asked):
    strongest = make(**asked, strength=max_strength(**asked))
    assume(len(strongest.edges))
    couplings = strongest.precision.toarray() - np.eye(asked["p"])
    assert np.linalg.eigvalsh(np.eye(asked["p"]) + 1.0002 * couplings)[0] < 0


@example({"family": "cycle", "p": 253, "signs": "attractive", "seed": 0})  # two are nearly largest
@given(arguments(families=EQUAL, smallest=201, largest=400))
@settings(deadline=None, max_examples=20)
def test_the_limit_is_safe_where_it_comes_from_an_iteration(asked):
    model = make(**asked, strength=max_strength(**asked))
    assert np.linalg.eigvalsh(model.precision.toarray())[0] > 0


@given(arguments())
@settings(deadline=None)
def test_edges_adjacency_and_signs_tell_the_same_graph(asked):
    model = make(**asked)
    dense = model.adjacency.toarray()
    assert dense.dtype == bool
    assert not dense.diagonal().any()
    np.testing.assert_array_equal(dense, dense.T)
    np.testing.assert_array_equal(model.edges, np.argwhere(np.triu(dense)))
    i, j = model.edges.T
    np.testing.assert_allclose(model.partial_corr, -normalised(model)[i, j], rtol=1e-12)
    if asked["signs"] == "attractive":
        assert (model.partial_corr > 0).all()


@given(arguments(), st.floats(0.01, 0.9))
@settings(deadline=None)
def test_the_sampler_is_a_factor_of_the_covariance(asked, share):
    model = make(**asked, strength=share * max_strength(**asked))
    factor = model._factor
    root = factor.triangle.toarray()[:, factor.order]
    scale = np.sqrt(model.precision.diagonal())
    np.testing.assert_allclose(
        root.T @ root / np.outer(scale, scale), normalised(model), rtol=0, atol=1e-12
    )
    coloured = factor.colour(np.eye(model.size))
    np.testing.assert_allclose(
        coloured.T @ coloured @ model.precision.toarray(), np.eye(model.size), rtol=0, atol=1e-8
    )


@given(arguments(), st.integers(0, 2**32), st.floats(1, 6))
@settings(deadline=None)
def test_rescaling_keeps_graph_and_partial_correlations(asked, seed, decades):
    model = make(**asked)
    wild = rescale(model, random_scales(model.size, decades, seed))
    np.testing.assert_array_equal(wild.edges, model.edges)
    np.testing.assert_allclose(wild.partial_corr, model.partial_corr, rtol=1e-12)
