"""Error rates on rows that are not independent and normal, from enough data sets to be sure.

As in `test_quality_smoke`: a program that keeps its promises fails any test here with a probability
of at most FALSE_ALARM, and one whose error rate is doubled in one kind passes it with 1 % at most.
"""

import numpy as np
import pytest

from benchmarks.quality.kinds import FAMILIES, rows_of
from tests.reference.error_rates import (
    FALSE_ALARM,
    MOST,
    assert_doubled_would_be_noticed,
    assert_kept,
)

JUDGED = ("Student t, 3", "volatility", "AR 0.8", "own memories", "mixed")
MISSING = 0.3  # share of cells
FAR_OFF = 0.02  # share of cells that are ten standard deviations off
P = 24
ROWS = (2 * P, 4 * P, 16 * P)
FEWER = 16  # columns: filling cells in is a fit for each of many rounds
LONGER = (8 * FEWER, 16 * FEWER, 40 * FEWER)
ALONE = FALSE_ALARM / (2 * (len(JUDGED) + 2))  # for each kind and promise


@pytest.mark.parametrize("kind", JUDGED)
def test_error_rates_are_kept(kind):
    drawn = np.random.default_rng(0)
    data_sets = (
        rows_of(kind, drawn.choice(FAMILIES), P, drawn.choice(ROWS), seed) for seed in range(MOST)
    )
    assert_kept(data_sets, ALONE)


def with_cells(change, rows):
    """Yield models and normal rows, whose cells are changed."""
    drawn = np.random.default_rng(0)
    for seed in range(MOST):
        family, m = drawn.choice(FAMILIES), drawn.choice(rows)
        model, table = rows_of("normal", family, FEWER, m, seed)
        yield model, change(table, drawn)


def test_error_rates_are_kept_with_missing_cells():
    def missing(table, rng):
        return np.where(rng.random(table.shape) < MISSING, np.nan, table)

    assert_kept(with_cells(missing, LONGER), ALONE)


def test_error_rates_are_kept_with_outlying_cells():
    def outlying(table, rng):
        wrong = rng.random(table.shape) < FAR_OFF
        return np.where(wrong, table + 10 * rng.choice([-1, 1], table.shape), table)

    assert_kept(with_cells(outlying, LONGER), ALONE)


def test_a_doubled_error_rate_would_be_noticed():
    assert_doubled_would_be_noticed(ALONE)
