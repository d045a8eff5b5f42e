"""The study of what balanced graphs say of themselves."""

import pytest

from benchmarks.quality.balanced import Found, far_apart


def graphs(edges, shares, estimates):
    return [Found(edges, false, told, 0.0) for false, told in zip(shares, estimates)]


@pytest.mark.parametrize(
    ("edges", "shares", "estimates", "low", "high"),
    [
        (100, [0.30, 0.34, 0.32], [0.10, 0.11, 0.09], True, False),  # three times as many
        (100, [0.10, 0.11, 0.09], [0.30, 0.34, 0.32], False, True),
        (100, [0.14, 0.12, 0.13], [0.10, 0.10, 0.10], False, False),  # within the factor
        (100, [0.019, 0.015, 0.02], [0.001, 0.001, 0.001], False, False),  # by less than 0.02
        (100, [0.90, 0.00, 0.00], [0.10, 0.10, 0.10], False, False),  # one in three
        (1, [1.0], [0.20], False, False),  # a single edge can be false
        (40, [0.9], [0.20], True, False),
    ],
)
def test_estimates_are_far_from_the_truth_if_chance_does_not_do_it(
    edges, shares, estimates, low, high
):
    cell = graphs(edges, shares, estimates)
    assert far_apart(cell, low=True) == low
    assert far_apart(cell, low=False) == high
