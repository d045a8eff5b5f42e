"""The slider and the exact field: the count is always the number of edges with q ≤ level."""

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import expect

from hedgerow import HedgeGraph
from hedgerow.report import data_of


def shown_count(page):
    return int(page.locator("#count").inner_text().replace(",", ""))


def shown_level(page):
    return float(page.input_value("#level-exact"))


def three_digits(level):
    return float(f"{level:.3g}")


def type_level(page, level):
    page.fill("#level-exact", repr(float(level)))
    page.press("#level-exact", "Enter")


def test_the_count_is_exact_at_every_stop_of_the_slider(open_page, random_data):
    # q-values on stops of the slider, where rounding would show, and many ties
    levels = np.repeat([1e-6, 0.001, 0.01, 0.028, 0.05, 0.1, 0.2], 10)
    data = random_data()
    q = np.sort(np.r_[levels, data.q_value[: 80 - len(levels)]])
    data = replace(data, q_value=q)
    page = open_page(data)
    page.focus("#level")
    page.keyboard.press("Home")
    seen = []
    for _ in range(int(page.get_attribute("#level", "max")) + 1):
        assert shown_count(page) == np.sum(q <= shown_level(page)), shown_level(page)
        seen.append(shown_level(page))
        page.keyboard.press("ArrowRight")
    assert (np.diff(seen) > 0).all()
    assert seen[0] == 1e-6
    assert seen[-1] == data.max_level
    assert {0.001, 0.01, 0.028, 0.05, 0.1} <= set(seen)


def test_the_page_begins_at_the_chosen_level(open_page, random_data):
    data = random_data(level=0.0371)
    page = open_page(data)
    assert shown_level(page) == 0.0371
    assert shown_count(page) == np.sum(data.q_value <= 0.0371)
    assert not page.locator("#level-reset").is_visible()


def test_a_typed_level_is_compared_with_every_digit(open_page, random_data):
    data = random_data()
    page = open_page(data)
    for q in data.q_value[[0, 7, 40, -1]]:
        for level in (q, np.nextafter(q, 0)):
            type_level(page, level)
            assert shown_count(page) == np.sum(data.q_value <= level), repr(level)


def test_a_level_that_cannot_be_is_marked_and_changes_nothing(open_page, random_data):
    page = open_page(random_data())
    before = shown_count(page)
    for typed in ("", "none", "0", "-1", "0.21", "1e999"):
        type_level(page, 0.05)
        assert page.get_attribute("#level-exact", "aria-invalid") is None
        page.fill("#level-exact", typed)
        page.press("#level-exact", "Enter")
        assert page.get_attribute("#level-exact", "aria-invalid") == "true", typed
        assert shown_count(page) == before, typed


def test_a_decimal_comma_is_understood(open_page, random_data):
    page = open_page(random_data())
    page.fill("#level-exact", "0,01")
    page.press("#level-exact", "Enter")
    assert shown_level(page) == 0.01


def test_dragging_the_slider_adds_edges_and_the_way_back_is_offered(open_page, random_data):
    data = random_data()
    page = open_page(data)
    box = page.locator("#level").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    assert shown_count(page) == 80
    page.get_by_role("button", name="back to 0.05").click()
    assert shown_level(page) == 0.05
    assert page.evaluate("document.activeElement.id") == "level"


def test_table_and_degrees_follow_the_level(open_page, random_data, settle):
    data = random_data()
    page = open_page(data)
    for level in (1e-4, 0.2):
        type_level(page, level)
        settle(page)
        count = np.sum(data.q_value <= level)
        degrees = np.bincount(np.r_[data.source[:count], data.target[:count]], minlength=30)
        expect(page.locator("#edge-table table")).to_have_attribute("aria-rowcount", f"{count + 1}")
        for degree in range(degrees.max() + 1):
            variables = np.sum(degrees == degree)
            title = page.locator("#degrees rect title").nth(degree).text_content()
            assert title.startswith(f"{variables} variable")


@pytest.mark.parametrize(
    ("error", "promise"),
    [
        ("fdr", "On average at most 5% of these edges are false."),
        ("fwer", "The chance that any of these edges is false is at most 5%."),
        ("balanced", "About 5% of these edges are false: an estimate, and too low where rows are"),
    ],
)
def test_says_what_the_level_promises(open_page, chain, error, promise):
    page = open_page(replace(chain, error=error))
    expect(page.locator("#promise")).to_contain_text(promise)


def test_a_balanced_graph_promises_nothing(open_page, chain):
    page = open_page(replace(chain, error="balanced"))
    expect(page.locator("#level-label")).to_have_text("Estimated share of false edges")
    expect(page.locator("#made")).to_contain_text(
        "none kept: false and missed edges weigh the same"
    )
    type_level(page, 0.125)
    expect(page.locator("#promise")).to_contain_text("About 12.5% of these edges are false")
    expect(page.locator("#promise")).not_to_contain_text("at most")


@pytest.mark.parametrize("level", [1e-6, 0.21348792134])
def test_the_page_of_a_balanced_model_begins_at_its_own_level(open_page, random_data, level):
    """However small, or larger than the page's usual end; and the slider goes both ways."""
    data = random_data(error="balanced", level=level, max_level=max(0.2, level))
    page = open_page(data)
    assert shown_level(page) == three_digits(level)
    assert shown_count(page) == np.sum(data.q_value <= level)
    page.focus("#level")
    page.keyboard.press("ArrowLeft")
    assert shown_level(page) < level
    assert shown_count(page) == np.sum(data.q_value <= shown_level(page))
    page.keyboard.press("End")
    assert shown_level(page) == three_digits(max(0.2, level))
    assert shown_count(page) == 80
    if level < 0.2:
        page.locator("#level-reset").click()
        assert shown_level(page) == three_digits(level)


def test_a_model_s_page_is_that_of_its_balanced_graph(open_page):
    rng = np.random.default_rng()
    model = HedgeGraph(level="balanced").fit(np.cumsum(rng.standard_normal((300, 20)), axis=1))
    page = open_page(data_of(model))
    assert shown_level(page) == three_digits(model.level_)
    assert shown_count(page) == len(model.edges_)
    expect(page.locator("#level-label")).to_have_text("Estimated share of false edges")


def test_a_balanced_graph_without_edges_says_that_nothing_stands_out(open_page):
    rows = np.random.default_rng().standard_normal((100, 10))
    unrelated = np.linalg.qr(rows - rows.mean(axis=0))[0]
    model = HedgeGraph(level="balanced").fit(unrelated)
    page = open_page(data_of(model))
    assert shown_count(page) == 0
    expect(page.locator("#promise")).to_have_text("No edge is as sure as this.")
    expect(page.get_by_text("None of the 45 pairs of variables stands out")).to_be_visible()
    expect(page.get_by_text("stands out from about 0.35")).to_be_visible()


def test_edges_that_return_seldom_can_be_hidden(open_page, random_data):
    data = random_data()
    returns = np.random.default_rng(0).integers(0, 21, len(data.q_value)) / 20
    page = open_page(replace(data, returns=returns))
    expect(page.locator("#returns-part output")).to_have_text("0%")
    page.focus("#returns")
    for percent in range(5, 105, 5):
        page.keyboard.press("ArrowRight")
        expect(page.locator("#returns-part output")).to_have_text(f"{percent}%")
        often = returns >= percent / 100
        assert shown_count(page) == np.sum(often & (data.q_value <= data.level))
    type_level(page, 0.2)
    assert shown_count(page) == np.sum(returns == 1.0)
    expect(page.locator("#edge-table tbody tr:not(.gap)").first).to_contain_text("100%")
    told = page.locator("#made dt", has_text="Edges up to 0.2").locator("+ dd")
    expect(told).to_have_text(str(len(data.q_value)))  # of the graph, whatever is hidden
    expect(page.locator("#returns-part .note")).to_contain_text("The error rate is kept for all")
    page.focus("#returns")
    page.keyboard.press("Home")
    assert shown_count(page) == len(data.q_value)


def test_without_halves_nothing_is_asked_about_returns(open_page, random_data):
    assert not open_page(random_data()).locator("#returns-part").is_visible()
