"""What docs/theory.md, section 36, says was simulated: how far a statistic is from chi-square."""

import numpy as np
import pytest
from scipy.signal import lfilter

from hedgerow.method.alike import unlikeness
from hedgerow.method.forecasts import differing, first_fresh

BEFORE = 400
MEAN = (0.94, 1.05)  # times the freedom, as the page has it
TERMS = 3000  # squares that a mean is of: known to sqrt(2 / TERMS), one part in forty
ERRORS = 4.0 * np.sqrt(2.0 / TERMS)


LARGE_ENOUGH = [
    (echo, n_rows, n_columns)
    for echo in (0.5, 0.8, 0.95)
    for n_rows in (128, 500, 2000)
    for n_columns in (4, 8, 16)
    if n_columns * 2.0 * echo**2 / (1.0 - echo**2) / n_rows < 0.3  # or they are taken in groups
]


@pytest.mark.parametrize(("echo", "n_rows", "n_columns"), LARGE_ENOUGH)
def test_unlikeness_of_rows_that_are_alike_is_nearly_chi_square(echo, n_rows, n_columns):
    rng = np.random.default_rng()
    total, freedom = 0.0, 0
    mixed = rng.standard_normal((n_columns, n_columns))
    while freedom < TERMS:
        noise = rng.standard_normal((n_rows + BEFORE, n_columns)) @ mixed
        rows = lfilter([np.sqrt(1 - echo**2)], [1, -echo], noise, axis=0)[BEFORE:]
        told = first_fresh(rows)
        if told is None:  # few rows that remember little
            continue
        variance = differing(told[1], float(n_rows), 1.0, 1.0)
        found, free = unlikeness(*(x.T @ x / n_rows for x in (rows, told[0])), variance)
        total, freedom = total + found, freedom + free
    assert MEAN[0] - ERRORS < total / freedom < MEAN[1] + ERRORS
