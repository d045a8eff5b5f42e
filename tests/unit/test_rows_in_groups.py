"""Rows of one person after those of another: warned of where all columns forget at once."""

import warnings

import numpy as np
import pytest
from scipy.signal import lfilter

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.estimators import GuaranteeWarning

COLUMNS, ROWS = 30, 1000
IN_GROUPS = "rows seem to come in groups"


def tree(seed):
    """Return what samples rows of a tree whose columns have variance one."""
    model = make("random_tree", COLUMNS, seed=seed)
    scale = 1 / np.sqrt(np.diag(model.covariance()))
    rng = np.random.default_rng(seed)
    return lambda n_rows: model.sample(n_rows, rng) * scale


def persons(each, seed):
    """Return so many rows of each person, whose means are two fifths of the variance."""
    sample = tree(seed)
    means = np.repeat(sample(-(-ROWS // each)), each, axis=0)[:ROWS]
    return 0.4**0.5 * means + 0.6**0.5 * sample(ROWS)


def remembering(echoes, seed):
    drivers = np.random.default_rng(seed).standard_normal((ROWS + 200, COLUMNS))
    for j, echo in enumerate(np.broadcast_to(echoes, COLUMNS)):
        drivers[:, j] = lfilter([np.sqrt(1 - echo**2)], [1, -echo], drivers[:, j])
    covariance = make("random_tree", COLUMNS, seed=seed).covariance()
    return drivers[200:] @ np.linalg.cholesky(covariance).T


def with_gaps(seed):
    rows = remembering(0.8, seed)
    rows[np.random.default_rng(seed).random(rows.shape) < 0.1] = np.nan
    return rows


OTHERS = {
    "independent": lambda seed: tree(seed)(ROWS),
    "two rows of each person": lambda seed: persons(2, seed),
    "one memory": lambda seed: remembering(0.8, seed),
    "own memories": lambda seed: remembering(np.linspace(0.0, 0.9, COLUMNS), seed),
    "a trend": lambda seed: tree(seed)(ROWS) + np.linspace(-1, 1, ROWS)[:, None],
    "memory and gaps": with_gaps,
}


@pytest.mark.parametrize(("each", "steps"), [(10, False), (15, False), (20, True)])
def test_rows_in_groups_are_warned_of(each, steps):
    for seed in range(3):
        rows = persons(each, seed)
        with pytest.warns(GuaranteeWarning, match=IN_GROUPS):
            model = HedgeGraph().fit(np.round(2.0 * rows) if steps else rows)
        at_once = model.treatment_.at_once
        assert at_once > (1.15 if steps else 1.25)
        assert model.treatment_.to_dict(list(range(COLUMNS)))["at_once"] == at_once


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_other_rows_are_not(kind):
    for seed in range(3):
        doubts = HedgeGraph().fit(OTHERS[kind](seed)).treatment_.doubts()
        assert not [doubt for doubt in doubts if IN_GROUPS in doubt]


def test_groups_that_are_held_fixed_are_none():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(persons(10, 0), columns=[f"c{j}" for j in range(COLUMNS)])
    table["person"] = [f"p{row // 10}" for row in range(ROWS)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", GuaranteeWarning)
        model = HedgeGraph(given={"person": "categories"}).fit(table)
    assert model.treatment_.at_once < 1.25
