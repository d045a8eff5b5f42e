"""The page of a comparison: the switch changes graph, table and facts, and nothing else."""

import numpy as np
import pytest
from playwright.sync_api import expect

from hedgerow.comparison import Comparison, Outcome, Status, adjacency_of

NAMES = ("a", "b", "<img src=x onerror=alert(1)>", "d")
CHAIN = np.array([[1, 2], [0, 1], [2, 3]])
STAR = np.array([[0, 1], [0, 2]])


def outcome(name, edges=None, reason="", warnings=(), halves=()):
    if edges is None:
        return Outcome(name, Status.FAILED, reason, len(NAMES))
    scores = 3.0 - np.arange(len(edges))
    return Outcome(name, Status.OK, "", len(NAMES), edges, scores, 0.25, halves, warnings)


@pytest.fixture
def comparison():
    rng = np.random.default_rng()
    rows = rng.standard_normal((200, 4)) + rng.standard_normal((200, 1))
    outcomes = (
        outcome("first", CHAIN, halves=((CHAIN, CHAIN[:2]),)),
        outcome("broken", reason="<b>boom</b>"),
        outcome("second", STAR, warnings=("beware",)),
        outcome("nothing", STAR[:0]),
    )
    truth = adjacency_of(CHAIN, 4)
    return Comparison(outcomes, NAMES, 200, 30.0, 1, np.cov(rows, rowvar=False), truth)


def shown_edges(page):
    """Edges as the table names them, with what it says of each."""
    rows = page.locator("#edge-table tbody tr:not(.gap)")
    cells = [row.locator("td").all_inner_texts() for row in rows.all()]
    return {(cell[0], cell[1]): cell[2:] for cell in cells}


def test_the_switch_changes_the_graph(open_page, comparison, settle):
    page = open_page(comparison)
    assert list(shown_edges(page)) == [(NAMES[i], NAMES[j]) for i, j in CHAIN]
    page.get_by_label("second").check()
    settle(page)
    found = shown_edges(page)
    assert list(found) == [(NAMES[0], NAMES[1]), (NAMES[0], NAMES[2])]
    expect(page.locator(".edges .note")).to_have_text("2 edges of second")
    # score, true, found by, place
    assert [cells[1:] for cells in found.values()] == [
        ["3", "yes", "2 of 3", "1"],
        ["2", "no", "1 of 3", "2"],
    ]
    partial = comparison.partial_corr(STAR)
    shown = [float(cells[0].replace("−", "-")) for cells in found.values()]
    np.testing.assert_allclose(shown, partial, atol=6e-4)


def test_facts_follow_the_switch(open_page, comparison):
    page = open_page(comparison)
    made = page.locator("#made")
    expect(made).to_contain_text("0.25 of 30")
    expect(made).to_contain_text("66.7%")  # of the edges of two halves
    page.get_by_label("second").check()
    expect(made).to_contain_text("beware")
    expect(made).to_contain_text("50%")  # false
    page.get_by_label("the true graph").check()
    expect(made).not_to_contain_text("beware")
    expect(page.locator(".edges .note")).to_have_text("3 edges of the true graph")


def test_keys_move_the_switch_and_a_chosen_variable_stays(open_page, comparison, settle):
    page = open_page(comparison)
    page.fill("#search", "d")
    page.press("#search", "Enter")
    expect(page.locator("#details h3")).to_have_text("d")
    page.get_by_role("radio", name="first").focus()
    page.keyboard.press("ArrowDown")
    settle(page)
    expect(page.get_by_label("second")).to_be_checked()
    expect(page.locator("#details h3")).to_have_text("d")
    expect(page.locator("#details")).to_contain_text("No neighbours in the graph of second.")


def test_an_empty_graph_and_a_method_without_one(open_page, comparison):
    page = open_page(comparison)
    page.get_by_label("nothing").check()
    expect(page.locator("#empty")).to_contain_text("The graph of nothing has no edges.")
    expect(page.locator(".without li")).to_have_text("broken failed: <b>boom</b>")
    assert page.locator("#level").count() == 0


def test_no_method_has_a_graph(open_page, comparison):
    failed = Comparison(comparison.outcomes[1:2], NAMES, 200, 30.0, 1, comparison.covariance)
    page = open_page(failed)
    expect(page.locator("#empty")).to_contain_text("No method has a graph.")
    expect(page.locator(".without li")).to_contain_text("boom")


def test_the_drawing_changes_with_the_switch(open_page, comparison, view, picture, eventually):
    page = open_page(comparison, view)
    before = picture(page)
    page.get_by_label("second").check()
    assert eventually(page, lambda: not np.array_equal(picture(page), before))


def test_many_methods_leave_room_for_the_other_cards(open_page, comparison):
    many = (
        *(outcome(f"method {k}", CHAIN) for k in range(30)),
        *(outcome(f"broken {k}", reason="too few rows " * 20) for k in range(10)),
    )
    page = open_page(Comparison(many, NAMES, 200, 30.0, 1, comparison.covariance))
    boxes = [card.bounding_box() for card in page.locator("section.card:visible").all()]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            beside = a["x"] >= b["x"] + b["width"] or b["x"] >= a["x"] + a["width"]
            below = a["y"] >= b["y"] + b["height"] or b["y"] >= a["y"] + a["height"]
            assert beside or below
    search = page.locator("#search").bounding_box()
    card = page.locator("section.card", has=page.locator("#search")).bounding_box()
    assert search["y"] + search["height"] <= card["y"] + card["height"]
    page.get_by_role("radio", name="method 29").check()
    expect(page.locator(".edges .note")).to_have_text("3 edges of method 29")
