"""Columns that are sorted and scored on the device: what the readable code and the compiled do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import engines
from hedgerow.engines import numba_cpu
from hedgerow.method import numpy_ref
from hedgerow.method.forgetting import NEVER
from hedgerow.method.marginals import FIRST_ROWS, first_scores
from hedgerow.method.ordered import in_order
from tests.engines.conftest import TORCH
from tests.engines.distances import beyond_rounding
from tests.engines.test_treatment import of_marginals, scored, seeds, table

WHY = "torch is not installed: make test-gpu tests this"
pytestmark = pytest.mark.skipif(not TORCH, reason=WHY)


@pytest.fixture(autouse=True, params=["one strip", "strips of three columns"])
def strip_bytes(request, monkeypatch):
    """Let columns go through the device together, or in strips."""
    if request.param != "one strip":
        for module in ("marginals", "ordered"):
            monkeypatch.setattr(
                f"hedgerow.engines.torch_gpu.{module}.strips_of_columns", _by_threes
            )


def _by_threes(n_columns, bytes_each):
    return (slice(first, min(first + 3, n_columns)) for first in range(0, n_columns, 3))


def gpu():
    return engines.load("torch_gpu")


def with_gaps(rows, seed):
    """Leave out cells of some tables."""
    rng = np.random.default_rng(seed)
    rows[rng.random(rows.shape) < rng.choice([0.0, 0.05, 0.9])] = np.nan
    return rows


def checked(check):
    return settings(max_examples=15, deadline=None)(given(seeds)(check))


def test_columns_are_in_order_as_on_the_host():
    @checked
    def check(seed):
        rows = with_gaps(table(seed, 1 + seed % FIRST_ROWS), seed)
        found, expected = gpu().in_order(rows), in_order(rows)
        for name in ("rows", "values", "there", "different"):
            same = np.array_equal(getattr(found, name), getattr(expected, name), equal_nan=True)
            assert same, name
        values = np.take_along_axis(rows.T.astype(float), found.order, axis=1)
        assert np.array_equal(values, expected.values, equal_nan=True)

    check()


def test_scores_of_first_rows_are_those_of_the_readable_code():
    @checked
    def check(seed):
        rows = with_gaps(table(seed, 2 + seed % (FIRST_ROWS - 1)), seed)
        as_is = np.random.default_rng(seed).random(rows.shape[1]) < 0.3
        scores = gpu().first_scores(gpu().in_order(rows), as_is)
        assert np.array_equal(scores, first_scores(in_order(rows), as_is), equal_nan=True)

    check()


def test_scores_of_later_rows_agree_with_the_readable_code():
    @settings(max_examples=15, deadline=None)
    @given(seeds, st.sampled_from([530, 1023, 1024, 1025, 2100]))
    def check(seed, n_rows):
        rows = table(seed, n_rows)
        fast, slow = (scored(engine, rows, NEVER) for engine in (gpu(), numpy_ref))
        assert not beyond_rounding(of_marginals(fast, slow, rows))

    check()


def test_what_is_known_of_columns_is_the_same_to_the_last_bit_as_on_the_processor():
    @checked
    def check(seed):
        rows = with_gaps(table(seed, 1100), seed)
        (scores, known), (expected, as_expected) = (
            scored(engine, rows, NEVER) for engine in (gpu(), numba_cpu)
        )
        for name, a, b in zip(known._fields, known, as_expected, strict=True):
            assert np.array_equal(a, b, equal_nan=True), name
        assert np.array_equal(np.isnan(scores), np.isnan(expected))

    check()


@pytest.mark.parametrize("at_once", [7, 300])
def test_no_cut_changes_a_bit_of_the_scores(at_once):
    rows = np.exp(np.random.default_rng().standard_normal((1300, 13)))
    whole, cut = (scored(gpu(), rows, NEVER, some) for some in (4096, at_once))
    assert np.array_equal(whole[0], cut[0])
    for name, a, b in zip(whole[1]._fields, whole[1], cut[1], strict=True):
        assert np.array_equal(a, b), name
