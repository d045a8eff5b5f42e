"""What every rival must do, whichever method it is: run over the registry."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.utils.estimator_checks import parametrize_with_checks

from hedgerow import rivals
from hedgerow.progress import watching
from hedgerow.rivals._ising_base import IsingRival

pytestmark = pytest.mark.filterwarnings("ignore")  # random data keep few of the promises

AVAILABLE = [name for name in rivals.names() if rivals.why_not(name) is None]
ONE_OF_EACH_CLASS = {
    rivals.REGISTRY[name].class_name: rivals.make(name)
    for name in reversed(AVAILABLE)  # the first of a class has its defaults, and stays
}


def of_any_numbers(rival):
    """A method for columns of two values, made to take any numbers that the checks have."""

    def signs(self, rows):
        high = np.sin(97 * rows + np.arange(rows.shape[1])) > 0
        high = np.where(high.all(axis=0) | ~high.any(axis=0), rows > 0, high)
        return np.where(high, 1, -1).astype(np.int8)

    made = type(f"Any{type(rival).__name__}", (type(rival),), {"_signs": signs})
    made.__module__, made.__init__ = __name__, type(rival).__init__
    globals()[made.__name__] = made  # where a pickle looks for it
    return made()


CHECKED = [
    of_any_numbers(rival) if isinstance(rival, IsingRival) else rival
    for rival in ONE_OF_EACH_CLASS.values()
]


@parametrize_with_checks(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def fitted(name, draw):
    _, rows = draw("chain", 5, 80, seed=3)
    return rivals.make(name).fit(pd.DataFrame(rows, columns=list("abcde")))


def test_the_graph_is_symmetric_sparse_and_boolean(fitted):
    graph = fitted.adjacency_
    assert isinstance(graph, csr_array)
    assert graph.dtype == np.bool_
    assert graph.shape == (5, 5)
    assert np.array_equal(graph.toarray(), graph.toarray().T)
    assert not graph.diagonal().any()


def test_scores_are_symmetric_and_finite(fitted):
    scores = fitted.score_matrix_
    assert scores.shape == (5, 5)
    assert np.isfinite(scores).all()
    assert np.array_equal(scores, scores.T)
    assert not np.diag(scores).any()


def test_every_edge_has_a_score_above_that_of_no_evidence(fitted):
    assert (fitted.score_matrix_[fitted.adjacency_.toarray()] > 0).all()


def test_names_of_columns_are_kept(fitted):
    assert list(fitted.feature_names_in_) == list("abcde")


def test_a_chain_is_learned(name, draw):
    """Strong edges, many rows: no method may miss one or be lost in false ones."""
    model, rows = draw("chain", 5, 400, seed=1, strength=0.45)
    scores = rivals.make(name).fit(rows).score_matrix_
    truth = model.adjacency.toarray()[np.triu_indices(5, 1)]
    upper = scores[np.triu_indices(5, 1)]
    assert upper[truth].min() > upper[~truth].max()


def test_renamed_columns_give_the_renamed_graph(name, draw):
    _, rows = draw("chain", 5, 80, seed=5)
    order = np.array([3, 0, 4, 1, 2])
    first = rivals.make(name).fit(rows)
    second = rivals.make(name).fit(rows[:, order])
    assert np.array_equal(
        second.adjacency_.toarray(), first.adjacency_.toarray()[np.ix_(order, order)]
    )


def test_units_do_not_matter(name, draw):
    _, rows = draw("chain", 5, 80, seed=6)
    units, shift = np.array([1e-6, 1.0, 1e6, -3.0, 0.1]), np.array([0.0, 5.0, -1e6, 2.0, 0.0])
    first = rivals.make(name).fit(rows)
    second = rivals.make(name).fit(rows * units + shift)
    assert np.array_equal(second.adjacency_.toarray(), first.adjacency_.toarray())


def test_bad_input_is_named(name):
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((50, 4)), columns=list("abcd"))
    with pytest.raises(ValueError, match=r"constant columns: 'b' \(always 2\)"):
        rivals.make(name).fit(frame.assign(b=2.0))
    with pytest.raises(ValueError, match=r"must be finite, got 1 NaN .* 'c' \(1\)"):
        rivals.make(name).fit(frame.assign(c=[np.nan, *range(49)]))
    with pytest.raises(ValueError, match=r"columns that are not: 'd'"):
        rivals.make(name).fit(frame.assign(d="x"))
    with pytest.raises(ValueError, match=r"time_limit must be a finite number > 0, got -1"):
        rivals.make(name, time_limit=-1).fit(frame)


def test_time_runs_out(name, draw):
    _, rows = draw("chain", 5, 80, seed=7)
    with pytest.raises(rivals.OutOfTime, match=r"time_limit of 1e-09 s is over: .* was \d+% done"):
        rivals.make(name, time_limit=1e-9).fit(rows)


def test_progress_is_told_and_never_falls(name, draw):
    _, rows = draw("chain", 5, 80, seed=8)
    told: dict[str, list[float]] = {}
    with watching(lambda stage, done: told.setdefault(stage, []).append(done)):
        rivals.make(name).fit(rows)
    assert told
    for shares in told.values():
        assert shares[0] >= 0
        assert shares[-1] == 1.0
        assert shares == sorted(shares)


def test_ctrl_c_gets_through(name, draw):
    """What a listener raises stands for a signal: nothing on the way may swallow it."""
    _, rows = draw("chain", 5, 80, seed=9)

    def interrupt(stage, done):
        raise KeyboardInterrupt

    with watching(interrupt), pytest.raises(KeyboardInterrupt):
        rivals.make(name).fit(rows)
