"""IsingGraph and its tests against enumeration, exact tests, and the law that theory gives them."""

import warnings

import numpy as np
import pytest
from scipy import stats

from hedgerow import IsingGraph
from hedgerow.datasets import IsingModel, make_ising
from hedgerow.method.ising_logistic import cells_of, conditional_score
from hedgerow.method.ising_neighbours import score_given, table_of
from hedgerow.method.scores import two_sided

NONE = np.empty(0, dtype=np.intp)


def states(size):
    """Every state of so many variables, in -1 and +1."""
    bits = np.arange(2**size)[:, None] >> np.arange(size) & 1
    return 2.0 * bits - 1.0


def test_probabilities_given_the_rest_are_those_of_the_joint_law():
    """P(x_i | rest) by enumeration of the fitted model, for 8 variables with triangles."""
    model = make_ising("triangular", 8, strength=0.4, signs="mixed", field=0.2, seed=0)
    rows = model.sample(3000, seed=1)
    learned = IsingGraph().fit(rows)
    fitted = IsingModel(learned.couplings_, learned.fields_)
    joint, every = fitted.probabilities(), states(8)
    assert len(learned.edges_) > 5
    for j in range(8):
        found = learned.predict_proba(every, j)
        high = every[:, j] > 0
        flipped = joint[np.arange(256) ^ (1 << j)]
        given_rest = joint / (joint + flipped)
        np.testing.assert_allclose(np.where(high, found[:, 1], found[:, 0]), given_rest, atol=1e-12)
    expected = sum(
        np.log(joint / (joint + joint[np.arange(256) ^ (1 << j)])).mean() for j in range(8)
    )
    assert learned.score(every) == pytest.approx(expected, abs=1e-10)


def test_couplings_and_fields_are_those_of_the_model():
    """With the right graph estimates differ from the truth by a few standard errors."""
    model = make_ising("cycle", 6, strength=0.5, signs="mixed", field=0.3, seed=3)
    rows = model.sample(40_000, seed=4)
    learned = IsingGraph(error="fwer", level=1e-6).fit(rows)
    np.testing.assert_array_equal(learned.adjacency_.toarray(), model.adjacency.toarray())
    # The information of one row on a log odds is at most 1/4, and here above 1/20: the standard
    # error of a coupling is below sqrt(20 / 40,000) / 4, and that of a field with three neighbours
    # twice as much. Six of them.
    error = 6 * np.sqrt(20 / 40_000) / 4
    np.testing.assert_allclose(learned.couplings_, model.couplings.toarray(), atol=error)
    np.testing.assert_allclose(learned.fields_, model.fields, atol=2 * error)


@pytest.mark.parametrize("seed", range(12))
def test_without_neighbours_the_test_is_fishers_exact_test(seed):
    """Its p-value, doubled on the smaller side, up to the error of a saddlepoint approximation."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(20, 120))
    y = (rng.random(n_rows) < rng.uniform(0.05, 0.5)).astype(np.uint8)
    x = (rng.random(n_rows) < np.where(y, 0.8, 0.25)).astype(np.uint8)
    y[0], y[1] = 0, 1
    x[0], x[1] = 1, 0
    cell, design = cells_of(np.empty((n_rows, 0), dtype=np.uint8), NONE)
    z = conditional_score(cell, design, x, y)
    law = stats.hypergeom(n_rows, int(x.sum()), int(y.sum()))
    together = int((x & y).sum())
    exact = min(1.0, 2 * min(law.cdf(together), law.sf(together - 1)))
    found = two_sided(np.array([z]))[0]
    # Relative errors are of the order of one over the smallest expected count, some ten here. Near
    # what is expected the approximation divides by nearly nothing, and the answer is one.
    assert found == pytest.approx(exact, rel=0.1) if exact < 0.5 else found > 0.5


def test_a_determined_variable_has_a_finite_coefficient_and_an_exact_p_value():
    y = np.repeat(np.array([0, 1], dtype=np.uint8), 15)
    cell, design = cells_of(np.empty((30, 0), dtype=np.uint8), NONE)
    z = conditional_score(cell, design, y, y)
    exact = 2 / float(stats.hypergeom(30, 15, 15).pmf(15) ** -1)
    # At the end of what is possible the approximation is at its worst, and careful.
    assert exact <= two_sided(np.array([z]))[0] <= 1.2 * exact


def test_scores_are_normal_where_there_is_no_edge():
    """Pairs at a distance in a chain, each given one end's true neighbours."""
    scores = []
    for seed in range(40):
        rows = make_ising("chain", 10, strength=0.6, field=0.1, seed=0).sample(4000, seed=seed)
        table = table_of((rows > 0).astype(np.uint8))
        for node, other in ((2, 5), (3, 8), (6, 9), (7, 0)):
            near = np.array([node - 1, node + 1])
            scores.append(score_given(table, node, other, near, NONE)[0])
    scores = np.array(scores)
    # Moved by half a count, of a standard deviation of some twenty: far less than 160 scores show.
    assert stats.kstest(scores, "norm").pvalue > 1e-4
    assert stats.binomtest(int((two_sided(scores) < 0.05).sum()), len(scores), 0.05).pvalue > 1e-4


@pytest.mark.parametrize(
    ("family", "strength", "signs", "n_rows"),
    [
        ("grid", 1.0, "attractive", 300),  # ordered: all columns nearly the same
        ("triangular", 0.6, "frustrated", 500),
        ("star", 0.8, "mixed", 500),
        ("cliques", 0.5, "attractive", 500),
    ],
)
def test_false_edges_are_as_rare_as_promised(family, strength, signs, n_rows):
    """Sixteen data sets at a familywise error of 0.05: five or more false ones in 1 of 5,000."""
    wrong = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(16):
            model = make_ising(family, 16, strength=strength, signs=signs, seed=seed)
            learned = IsingGraph(error="fwer").fit(model.sample(n_rows, seed=seed))
            wrong += bool((learned.adjacency_.toarray() & ~model.adjacency.toarray()).any())
    assert stats.binom.sf(wrong - 1, 16, 0.05) > 2e-4
