"""5,000 variables and 20,000 edges: the page opens and answers."""

import numpy as np
import pytest
from playwright.sync_api import expect


@pytest.fixture
def large(random_data):
    return random_data(n=5000, edges=20_000)


def test_a_large_graph_opens_and_answers(open_page, large, view, settle):
    page = open_page(large, view)

    page.fill("#level-exact", "0.2")
    page.press("#level-exact", "Enter")
    settle(page)
    expect(page.locator("#count")).to_have_text("20,000")

    page.fill("#search", "v4321")
    page.keyboard.press("Enter")
    settle(page)
    degree = np.sum((large.source == 4321) | (large.target == 4321))
    expect(page.locator("#details tbody tr")).to_have_count(int(degree))

    page.locator("#edge-table th button").nth(2).click()
    settle(page)
    strongest = f"−{-large.partial_corr.min():.3f}"
    expect(page.locator("#edge-table tbody tr:not(.gap)").first).to_contain_text(strongest)
    assert page.locator("#edge-table tbody tr").count() < 60
