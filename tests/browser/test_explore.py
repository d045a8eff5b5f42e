"""Search, details and the table of edges."""

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import expect


def neighbours(data, node):
    """Return the rows that the details of a variable should show."""
    mine = [
        e
        for e in np.flatnonzero(data.q_value <= data.level)
        if node in (data.source[e], data.target[e])
    ]
    mine.sort(key=lambda e: -abs(data.partial_corr[e]))
    return [data.names[data.source[e] + data.target[e] - node] for e in mine]


def test_search_offers_names_that_begin_so_before_those_that_contain_it(open_page, chain):
    page = open_page(replace(chain, names=["pressure", "Press", "compress"]))
    page.fill("#search", "press")
    expect(page.locator("#matches .name")).to_have_text(["pressure", "Press", "compress"])
    page.fill("#search", "Compr")
    expect(page.locator("#matches .name")).to_have_text(["compress"])
    page.fill("#search", "xyz")
    expect(page.locator("#matches")).to_have_text("No variable has this in its name.")


def test_search_by_keys_and_by_pointer_shows_the_neighbours(open_page, random_data, texts):
    data = random_data()
    page = open_page(data)
    page.fill("#search", "v1")
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#details h3 .name")).to_have_text("v10")
    assert texts(page.locator("#details tbody .name")) == neighbours(data, 10)
    page.fill("#search", "v2")
    page.locator('#matches .name[title="v25"]').click()  # "v2" and its 5 neighbours read the same
    expect(page.locator("#details h3 .name")).to_have_text("v25")
    assert texts(page.locator("#details tbody .name")) == neighbours(data, 25)
    expect(page.locator("#matches")).to_be_hidden()


def test_search_closes_on_escape_and_says_when_there_are_more(open_page, random_data):
    page = open_page(random_data(n=300))
    page.fill("#search", "v")
    expect(page.locator("#matches li").last).to_have_text("and 288 more: type on")
    page.keyboard.press("Escape")
    expect(page.locator("#matches")).to_be_hidden()


def test_a_neighbour_leads_on_to_its_own_neighbours(open_page, random_data, texts, settle):
    data = random_data(edges=150)
    page = open_page(data)
    page.locator("#details .hubs button").first.click()
    settle(page)
    page.locator("#details tbody button").first.press("Enter")
    settle(page)
    name = page.locator("#details h3 .name").inner_text()
    wanted = neighbours(data, int(name[1:]))
    assert texts(page.locator("#details tbody .name")) == wanted
    expect(page.locator("[role=status]")).to_contain_text(f"{name}, {len(wanted)} neighbour")
    assert page.evaluate("document.activeElement.textContent") == "clear"
    page.keyboard.press("Enter")
    expect(page.locator("#details h3")).to_have_text("Most connected")


COLUMNS = ["source", "target", "partial_corr", "z", "p_value", "q_value"]


def test_the_table_sorts_by_every_column_both_ways(open_page, random_data):
    data = random_data()
    page = open_page(data)
    shown = np.flatnonzero(data.q_value <= data.level)
    heads = page.locator("#edge-table th")
    expect(heads.nth(5)).to_have_attribute("aria-sort", "ascending")
    for column, name in enumerate(COLUMNS):
        for order, sign in (("ascending", 1), ("descending", -1)):
            heads.nth(column).get_by_role("button").click()
            expect(heads.nth(column)).to_have_attribute("aria-sort", order)
            best = shown[np.argsort(sign * getattr(data, name)[shown], kind="stable")[:5]]
            wanted = np.c_[data.source[best], data.target[best]].ravel()
            found = page.locator("#edge-table tbody .name").all_inner_texts()
            assert found[:10] == [data.names[node] for node in wanted], (name, order)


def test_intervals_are_columns_where_they_are_known(open_page, chain, texts):
    assert "low" not in texts(open_page(chain).locator("#edge-table th"))
    ends = {"low": chain.partial_corr - 0.1, "high": chain.partial_corr + 0.1}
    page = open_page(replace(chain, **ends))
    heads = texts(page.locator("#edge-table th"))
    assert heads[3:5] == ["low", "high"]
    cells = texts(page.locator("#edge-table tbody tr:not(.gap)").first.locator("td"))
    assert float(cells[3].replace("−", "-")) == pytest.approx(
        ends["low"][0], abs=5e-4
    )  # as many digits as are shown


@pytest.mark.parametrize("width", [1280, 600, 360])
def test_numbers_are_never_cut_off(open_page, chain, width):
    # 1.2e-125 without its last digit reads as another number.
    few = np.full(len(chain.q_value), 1.2e-125)
    bounds = {"low": np.full(len(few), -0.123), "high": np.full(len(few), 0.456)}
    page = open_page(replace(chain, p_value=few, q_value=few, z=-1000.0 + 0.0 * few, **bounds))
    page.set_viewport_size({"width": width, "height": 800})
    cells = page.locator("#edge-table td.number")
    expect(cells.first).to_be_visible()
    cut = cells.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length")
    assert (cells.count(), cut) == (6 * len(few), 0)


def test_names_sort_as_people_count(open_page, chain):
    page = open_page(replace(chain, names=["x10", "x9", "x1"]))
    page.locator("#edge-table th button").first.click()
    first = page.locator("#edge-table tbody tr:not(.gap) td:first-child")
    expect(first).to_have_text(["x9", "x10"])


def test_a_row_shows_its_edge(open_page, chain):
    page = open_page(chain)
    page.locator("#edge-table tbody tr:not(.gap)").nth(1).click()
    expect(page.locator("#details h3")).to_have_text("b and c")
    expect(page.locator("#details dd")).to_have_text(["−0.5000", "−12.00", "0.004", "0.03"])
    expect(page.locator("#edge-table tr[aria-selected=true]")).to_have_count(1)


def test_an_edge_above_the_level_says_so(open_page, chain):
    page = open_page(chain)
    page.locator("#edge-table tbody tr:not(.gap)").nth(1).click()
    page.fill("#level-exact", "0.01")
    page.press("#level-exact", "Enter")
    expect(page.locator("#details .note")).to_have_text("Not in the graph at level 0.01.")


def test_the_rows_of_the_table_are_reached_by_keys(open_page, random_data, settle):
    data = random_data(n=200, edges=2000, level=0.2)
    page = open_page(data)
    table = page.locator("#edge-table table")
    table.focus()
    for key, row in [("ArrowDown", 1), ("End", 1999), ("ArrowUp", 1998), ("Home", 0)]:
        page.keyboard.press(key)
        settle(page)
        active = page.locator(f"#{table.get_attribute('aria-activedescendant')}")
        expect(active).to_have_attribute("aria-rowindex", str(row + 2))
        expect(active).to_be_in_viewport(ratio=0.9)
        names = [data.names[data.source[row]], data.names[data.target[row]]]
        assert active.locator(".name").all_inner_texts() == names
    page.keyboard.press("PageDown")
    page.keyboard.press("Enter")
    expect(page.locator("#edge-table tr[aria-selected=true]")).to_have_class("active")
    assert page.locator("#edge-table tbody tr").count() < 60
