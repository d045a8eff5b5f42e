"""The compiled building blocks of the engine for processors, each against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from hedgerow.engines.numba_cpu import _products
from hedgerow.engines.numba_cpu._gram import add_gram, mirror
from hedgerow.engines.numba_cpu._powers import (
    LARGEST,
    both_powers,
    size_as_bits,
    small_power,
)


@njit
def both(x, up, down):
    for k in range(x.size):
        up[k], down[k] = both_powers(x[k])


# What compiled functions call has no way in from Python: these are the ways.
@njit
def dot_products(a, b, n_columns, result):
    _products.dot_products(a, b, n_columns, result)


@njit
def add_products(coefficients, rows, total, n_columns):
    _products.add_products(coefficients, rows, total, n_columns)


def test_powers_are_right_to_two_units_in_the_last_place():
    x = np.linspace(-LARGEST, LARGEST, 1_000_001, dtype=np.float32)
    up, down = np.empty_like(x), np.empty_like(x)
    both(x, up, down)
    exact = np.exp2(x.astype(np.float64))
    unit = np.finfo(np.float32).eps
    assert np.abs(up / exact - 1).max() < 2 * unit
    assert np.abs(down * exact - 1).max() < 2 * unit


def test_powers_far_below_zero_stay_small_and_positive():
    lowest = small_power(np.float32(-LARGEST))
    assert small_power(np.float32(-1e30)) == lowest > 0


@given(st.floats(width=32, allow_nan=False), st.floats(width=32, allow_nan=False))
def test_bits_are_in_the_order_of_sizes(a, b):
    a, b = np.float32(a), np.float32(b)
    assert (size_as_bits(a) < size_as_bits(b)) == (abs(a) < abs(b))


def filled(n_rows, n_columns, dtype, rng):
    rows = _products.zeros(n_rows, n_columns, dtype)
    rows[:, :n_columns] = rng.standard_normal((n_rows, n_columns))
    return rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(max_examples=20, deadline=None)
@given(
    n=st.integers(1, 6), k=st.integers(1, 6), width=st.integers(1, 4200), seed=st.integers(0, 2**32)
)
def test_products_are_those_of_numpy(dtype, n, k, width, seed):
    rng = np.random.default_rng(seed)
    a = filled(_products.DOT_TILE * n, width, dtype, rng)
    b = filled(_products.SUM_TILE * k, width, dtype, rng)
    dots = np.empty((len(a), len(b)), dtype)
    dot_products(a, b, width, dots)
    bound = width * np.finfo(dtype).eps
    exact = a.astype(np.float64) @ b.T.astype(np.float64)
    assert np.abs(dots - exact).max() <= bound * (np.abs(a) @ np.abs(b.T)).max()

    rows = filled(5 * k, width, dtype, rng)  # not a multiple of what is added at a time
    coefficients = rng.standard_normal((5 * k, 3 * n)).astype(dtype)
    total = filled(3 * n, width, dtype, rng)
    exact = total + coefficients.T.astype(np.float64) @ rows
    add_products(coefficients, rows, total, width)
    assert np.abs(total - exact)[:, :width].max() <= 100 * np.finfo(dtype).eps * np.abs(exact).max()


@settings(max_examples=20, deadline=None)
@given(
    n_columns=st.integers(1, 80),
    n_rows=st.integers(0, 40),
    cut=st.integers(0, 40),
    seed=st.integers(0, 2**32),
)
def test_products_of_columns_are_added_row_after_row(n_columns, n_rows, cut, seed):
    rows = filled(n_rows, n_columns, np.float64, np.random.default_rng(seed))
    whole, parts = np.zeros((n_columns, n_columns)), np.zeros((n_columns, n_columns))
    for products, pieces in ((whole, [rows]), (parts, [rows[:cut], rows[cut:]])):
        for piece in pieces:
            for start in range(0, n_columns, 24):
                add_gram(start, min(start + 24, n_columns), piece, products)
        mirror(0, n_columns, products)
    assert np.array_equal(whole, parts)
    direct = rows[:, :n_columns].T @ rows[:, :n_columns]
    np.testing.assert_allclose(whole, direct, atol=1e-12 * max(n_rows, 1))


def test_rows_are_laid_out_so_that_they_do_not_compete():
    for n_columns in (1, 64, 1000, 1024, 4096, 10_000):
        for dtype in (np.float32, np.float64):
            array = _products.zeros(3, n_columns, dtype)
            lines, rest = divmod(array.strides[0], _products.LINE)
            assert rest == 0
            assert array.shape[1] >= n_columns
            assert 4 <= lines % 64 <= 60
