"""What was left out of the data is named on the page."""

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import expect

from hedgerow.comparison import Comparison, Outcome, Status
from hedgerow.report import write_comparison

HOSTILE = "<img src=x onerror=alert(1)>"
MANY = [f"text {k}" for k in range(1, 1501)]
LEFT_OUT = {"not numeric": ["who", HOSTILE], f"a reason {HOSTILE}": MANY, "none at all": []}
ROWS = {"with missing values": 1, "that could not be used": 2345, "for no reason": 0}


def check(page):
    items = page.locator("#made .left-out li")
    expect(items).to_have_count(4)
    texts = [" ".join(text.split()) for text in items.all_text_contents()]
    assert texts[0] == f"Left out 2 columns (not numeric): who, {HOSTILE}"
    assert texts[1].startswith(f"Left out 1,500 columns (a reason {HOSTILE}): text 1, text 2, ")
    assert texts[1].endswith("text 20 and 1,480 more")
    assert texts[2:] == [
        "Left out 1 row with missing values",
        "Left out 2,345 rows that could not be used",
    ]
    assert page.locator("#made img").count() == 0


def test_on_the_page_of_a_graph(open_page, chain):
    check(open_page(replace(chain, n_columns=1505, left_out=LEFT_OUT, rows_left_out=ROWS)))


def test_nothing_is_said_where_nothing_was_left_out(open_page, chain):
    page = open_page(chain)
    expect(page.locator("#made dl")).to_be_visible()
    assert page.locator(".left-out").count() == 0


@pytest.mark.parametrize("warned", [(), ("beware",)], ids=["quiet", "warned"])
def test_on_the_page_of_a_comparison(open_url, tmp_path, warned):
    edges = np.array([[0, 1]])
    outcomes = tuple(
        Outcome(name, Status.OK, "", 2, edges, np.ones(1), 0.1) for name in ("first", "second")
    )
    result = Comparison(outcomes, ("a", "b"), 50, 1.0, 0, np.array([[1.0, 0.5], [0.5, 1.0]]))
    path = tmp_path / "compared.html"
    write_comparison(path, result, warnings=warned, left_out=LEFT_OUT, rows_left_out=ROWS)
    page = open_url(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    check(page)
    page.get_by_label("second").check()
    check(page)
    assert page.locator("#made .warnings li").all_text_contents() == list(warned)
