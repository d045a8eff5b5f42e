"""A click on a pair of variables: what is known of it, and what neighbours leave of the two."""

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import expect

from hedgerow import HedgeGraph
from hedgerow.report import PairTold, data_of

WORST = "<img src=x onerror=alert(1)>"


@pytest.fixture
def points():
    rng = np.random.default_rng()
    x = rng.standard_normal(50)
    return x, x + rng.standard_normal(50)


@pytest.fixture
def told(chain, points):
    """The chain a - b - c with a story of the edge a - b, and of a and c."""
    pairs = [
        PairTold(0, 1, ["a and b: an edge.", "It is <b>clear</b>."], 0.5, None, *points),
        PairTold(0, 2, ["a and c: no edge.", "By way of b."], -0.01, [1], *points),
    ]
    return replace(chain, names=["a", "b", WORST], pairs=pairs)


def test_an_edge_has_its_story_and_its_picture(open_page, told, points):
    page = open_page(told)
    page.locator("#edge-table tbody tr:not(.gap)").first.click()
    expect(page.locator("#details .story p")).to_have_text(["It is <b>clear</b>."])
    expect(page.locator("#details .scatter")).to_have_class("scatter positive")
    found = page.locator("#details .scatter circle").evaluate_all(
        "dots => dots.map(dot => [+dot.getAttribute('cx'), -dot.getAttribute('cy')])"
    )
    wanted = np.stack(points, axis=1)
    wanted = wanted / np.abs(wanted).max(axis=0)
    found = np.array(found) / np.abs(found).max(axis=0)
    np.testing.assert_allclose(found, wanted, atol=0.5 / 127 + 1e-9)  # half a step of a byte
    expect(page.locator("#details figure.pair .note")).to_contain_text("50 rows")
    # The edge b - c is not among those that the page tells about.
    page.locator("#edge-table tbody tr:not(.gap)").nth(1).click()
    expect(page.locator("#details dd").first).to_have_text("−0.5000")
    expect(page.locator("#details .scatter, #details .story")).to_have_count(0)


def test_a_pair_without_an_edge_is_found_from_its_variable(open_page, told):
    page = open_page(told)
    page.fill("#search", "a")
    page.keyboard.press("Enter")
    others = page.locator("#details .others button")
    expect(others).to_have_text([WORST])
    others.first.click()
    expect(page.locator("#details .chosen h3")).to_have_text(f"a and {WORST}")
    expect(page.locator("#details .story p")).to_have_text(["By way of b."])
    expect(page.locator("#details .scatter")).to_have_class("scatter absent")
    expect(page.locator("[role=status]")).to_have_text(f"a and {WORST}")
    page.get_by_role("button", name="clear").click()
    expect(page.locator("#details h3")).to_have_text("Most connected")


def test_what_stands_between_is_lit(open_page, told, picture, pixels_of, view):
    page = open_page(told, view)
    page.fill("#search", "a")
    page.keyboard.press("Enter")
    page.locator("#details .others button").first.click()
    image = picture(page)
    # Both edges of the way, in their colours.
    assert pixels_of(page, image, "positive").sum() > 30
    assert pixels_of(page, image, "negative").sum() > 30


def test_a_click_on_a_line_chooses_its_edge(open_page, told, picture, pixels_of, settle, view):
    page = open_page(told, view)
    image = picture(page)
    lines = np.argwhere(pixels_of(page, image, "negative"))
    row, column = lines[len(lines) // 2].tolist()
    box = page.locator("#stage").bounding_box()
    skipped = int(box["height"]) // 8
    page.mouse.move(box["x"] + column, box["y"] + row + skipped)
    page.mouse.click(box["x"] + column, box["y"] + row + skipped)
    expect(page.locator("#details h3")).to_have_text(f"b and {WORST}")
    page.locator("#stage").press("Escape")
    expect(page.locator("#details h3")).to_have_text("Most connected")


def test_a_number_beside_a_neighbour_leads_to_the_edge(open_page, told):
    page = open_page(told)
    page.fill("#search", "a")
    page.keyboard.press("Enter")
    page.locator("#details tbody button.number").first.click()
    # The variable, which is there until the edge is, has a second heading.
    expect(page.locator("#details .chosen h3")).to_have_text("a and b")
    expect(page.locator("#details .scatter")).to_have_count(1)


def test_the_page_of_a_model_tells_what_the_model_tells(open_page):
    rng = np.random.default_rng(0)  # with one edge that is beyond the level of the graph
    walk = np.cumsum(rng.standard_normal((800, 4)), axis=1)
    model = HedgeGraph().partial_fit(walk, feature_names=["a", "b", "c", "d"])
    page = open_page(data_of(model))
    page.fill("#search", "a")
    page.keyboard.press("Enter")
    page.locator("#details .others button", has_text="d").click()
    expect(page.locator("#details .story p")).to_have_text(
        str(model.explain("a", "d")).splitlines()[1:]
    )
    expect(page.locator("#details .scatter circle")).to_have_count(256)
    expect(page.locator("#made")).to_contain_text("explanations and pictures of 4 edges")


def test_private_rows_are_not_on_the_page(open_page):
    rng = np.random.default_rng()
    walk = np.cumsum(rng.standard_normal((800, 4)), axis=1)
    data = data_of(HedgeGraph(keep_rows=False).fit(walk))
    assert all(pair.x is None and pair.y is None for pair in data.pairs)
    page = open_page(data)
    page.locator("#edge-table tbody tr:not(.gap)").first.click()
    expect(page.locator("#details .story p").first).to_contain_text("Correlation")
    expect(page.locator(".scatter")).to_have_count(0)
    assert '"points"' not in page.content()


def test_returns_are_a_column_and_fade_the_lines(open_page, chain, texts, picture, pixels_of):
    assert "returns" not in texts(open_page(chain).locator("#edge-table th"))
    page = open_page(replace(chain, returns=[1.0, 0.02]))
    assert "returns" in texts(page.locator("#edge-table th"))
    expect(page.locator("#edge-table tbody tr:not(.gap)").nth(1)).to_contain_text("2%")
    expect(page.locator("#strength")).to_contain_text("faint: seldom returns")
    image = picture(page)
    sure, faint = (pixels_of(page, image, name).sum() for name in ("positive", "negative"))
    assert sure > 30
    assert faint == 0
