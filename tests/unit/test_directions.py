"""Directions of rows that are more common than chance makes them, and rows without that."""

import numpy as np
import pytest

from hedgerow.method.directions import (
    common,
    pointing,
    products_without_common,
    without_common,
)


@pytest.mark.parametrize("shape", [(300, 40), (40, 300), (60, 60)])
@pytest.mark.parametrize("shared", [0.0, 1.0])
def test_no_direction_is_left_that_is_more_common_than_by_chance(shape, shared):
    rng = np.random.default_rng()
    rows = rng.standard_normal(shape) + shared * rng.standard_normal((shape[0], 1))
    unit = pointing(rows.astype(np.float32))
    found = common(unit)
    most = shape[0] / shape[1] * (1.0 + np.sqrt(shape[1] / shape[0])) ** 2
    before = np.square(np.linalg.svd(unit, compute_uv=False))
    after = np.square(np.linalg.svd(without_common(unit, found), compute_uv=False))
    assert after[: len(before)] == pytest.approx(np.sort(np.minimum(before, most))[::-1], abs=1e-4)
    assert len(found.squares) == (before > most).sum()
    rest = without_common(unit, found)
    assert products_without_common(unit, found) == pytest.approx(rest @ rest.T, abs=1e-5)
