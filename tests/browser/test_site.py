"""The site in a browser, from disk: search finds, figures are seen, code can be copied."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def open_site(open_url, site):
    def open_site(page, query=""):
        return open_url((site / page).as_uri() + query, asks=re.escape(site.as_uri()))

    return open_site


def test_search_finds_the_estimator(open_site):
    page = open_site("search.html", "?q=HedgeGraph")
    found = page.locator("#search-results a", has_text=re.compile("HedgeGraph"))
    expect(found.first).to_be_visible()
    targets = found.evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert any("built_reference/class.HedgeGraph.html" in target for target in targets)


def test_the_search_box_leads_to_what_was_typed(open_site):
    page = open_site("index.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("familywise")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=familywise*")
    expect(page.locator("#search-results li").first).to_be_visible()


def test_every_page_of_the_gallery_has_a_figure(open_site, site):
    page = open_site("built_gallery/index.html")
    links = page.locator(".sphx-glr-thumbcontainer a.reference").evaluate_all(
        "links => [...new Set(links.map(link => link.href.split('#')[0]))]"
    )
    assert len(links) >= 12
    for link in links:
        page.goto(link)
        figure = page.locator("img.sphx-glr-single-img").first
        expect(figure).to_be_visible()
        assert figure.evaluate("image => image.complete && image.naturalWidth") > 300


def test_code_can_be_copied(open_site):
    page = open_site("built_reference/class.HedgeGraph.html")
    code = page.locator("div.highlight", has_text="random walk").first
    code.hover()
    code.locator("button.copybtn").click()
    expect(code.locator("button.copybtn.success")).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.press("Control+v")
    pasted = page.locator("input[type=search]:focus").input_value()
    assert pasted.startswith("import numpy as np")
    assert ">>>" not in pasted


def test_the_home_page_shows_the_report(open_site):
    page = open_site("index.html")
    picture = page.get_by_role("img", name=re.compile("The page that make demo writes"))
    assert picture.evaluate("image => image.naturalWidth") > 300
    sections = page.locator("header nav a").all_inner_texts()
    names = ["Start", "Guide", "Gallery", "Methods", "Reference", "Design"]
    assert [text.strip() for text in sections if text.strip() in names] == names
