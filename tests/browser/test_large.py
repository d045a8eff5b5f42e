"""5,000 variables and 20,000 edges: the page opens and answers within generous times.

The limits are for a slow machine that draws WebGL in software; a laptop needs a fraction.
"""

from time import perf_counter

import numpy as np
import pytest
from playwright.sync_api import expect

OPEN = 30.0  # seconds, from writing the page to the first drawing
ANSWER = 5.0  # seconds, from an action to its drawing


@pytest.fixture
def large(random_data):
    return random_data(n=5000, edges=20_000)


def test_a_large_graph_opens_and_answers(open_page, large, view, settle):
    start = perf_counter()
    page = open_page(large, view)
    assert perf_counter() - start < OPEN

    start = perf_counter()
    page.fill("#level-exact", "0.2")
    page.press("#level-exact", "Enter")
    settle(page)
    expect(page.locator("#count")).to_have_text("20,000")
    assert perf_counter() - start < ANSWER

    start = perf_counter()
    page.fill("#search", "v4321")
    page.keyboard.press("Enter")
    settle(page)
    degree = np.sum((large.source == 4321) | (large.target == 4321))
    expect(page.locator("#details tbody tr")).to_have_count(int(degree))
    assert perf_counter() - start < ANSWER

    start = perf_counter()
    page.locator("#edge-table th button").nth(2).click()
    settle(page)
    strongest = f"−{-large.partial_corr.min():.3f}"
    expect(page.locator("#edge-table tbody tr:not(.gap)").first).to_contain_text(strongest)
    assert page.locator("#edge-table tbody tr").count() < 60
    assert perf_counter() - start < ANSWER
