"""What was done to rows and columns is on the page: in words, and in small pictures."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def shown(chain):
    return replace(
        chain,
        names=["a", HOSTILE, "c"],
        said=[f"1 column is far from normal ({HOSTILE}).", "Rows differ in size."],
        histograms=[(-2.0, 2.0, [1, 4, 5]), (0.0, 3e6, [9, 0, 1]), (7.0, 7.0, [400])],
        autocorrelation=[0.7, 0.5, -0.25],
    )


def test_sentences_are_one_paragraph_of_text(shown, open_page):
    page = open_page(shown)
    expect(page.locator("#made .said")).to_have_text(" ".join(shown.said))


def test_every_variable_has_its_histogram(shown, open_page, texts):
    page = open_page(shown)
    columns = page.locator("#histograms .column")
    assert texts(columns) == shown.names
    assert [columns.nth(j).locator("rect").count() for j in range(3)] == [3, 2, 1]
    pictures = columns.locator("svg")
    expect(pictures.nth(0)).to_have_attribute(
        "aria-label", "a: from −2 to 2, most often between 0.667 and 2"
    )
    expect(pictures.nth(2)).to_have_attribute("aria-label", "c: always 7")
    heights = [float(bar.get_attribute("height")) for bar in columns.nth(0).locator("rect").all()]
    assert [height / heights[2] for height in heights] == pytest.approx([0.2, 0.8, 1.0])


def test_a_histogram_leads_to_its_variable_which_has_it_too(shown, open_page, settle):
    page = open_page(shown)
    page.locator("#histograms .column").nth(1).click()
    settle(page)
    expect(page.locator("#details h3").first).to_have_text(HOSTILE)
    expect(page.locator("#details .histogram figcaption")).to_have_text("03000000")
    assert page.locator("#details .histogram rect").count() == 2


def test_rows_in_time_have_a_bar_for_each_lag(shown, open_page):
    page = open_page(shown)
    bars = page.locator("#made .in-time rect")
    assert bars.count() == 3
    heights = [float(bar.get_attribute("height")) for bar in bars.all()]
    assert [height / heights[0] for height in heights] == pytest.approx([1, 0.5 / 0.7, 0.25 / 0.7])
    below = [float(bar.get_attribute("y")) for bar in bars.all()]
    assert below[2] > max(below[:2])
    label = page.locator("#made .in-time svg").get_attribute("aria-label")
    assert label == "Autocorrelation by rows apart: +0.70 for the next row; +0.70 at most."


def test_a_page_that_is_told_nothing_says_nothing(chain, open_page):
    page = open_page(chain)
    for place in ("#columns", "#made .said", "#made .in-time", "#details .histogram"):
        expect(page.locator(place)).to_be_hidden()


@pytest.fixture
def survey(chain):
    return replace(
        chain,
        names=["mood", HOSTILE, "visits"],
        histograms=[
            (1.0, 5.0, [10, 0, 30, 20, 40], [1, 2, 3, 4, 5]),
            (0.0, 1.0, [75, 25], [0, 1]),
            (-2.0, 2.0, [1, 4, 5]),
        ],
        kinds=["steps", "yes/no", "continuous"],
        missing=[12, 0, 1],
    )


def test_steps_have_a_bar_for_each_value(survey, open_page):
    page = open_page(survey)
    columns = page.locator("#histograms .column")
    mood = columns.nth(0).locator("rect")
    assert mood.count() == 4  # nobody said 2
    places = [float(bar.get_attribute("x")) for bar in mood.all()]
    assert [place / places[1] for place in places] == pytest.approx([0, 1, 1.5, 2])
    titles = [bar.locator("title").text_content() for bar in mood.all()]
    assert titles[-1] == "5: 40% of rows"
    assert columns.nth(1).locator("rect title").nth(1).text_content() == "1: 25% of rows"
    labels = [columns.nth(j).locator("svg").get_attribute("aria-label") for j in range(3)]
    assert labels == [
        "mood: from 1 to 5, most often 5 (steps, 12 cells missing)",
        f"{HOSTILE}: from 0 to 1, most often 0 (yes/no)",
        "visits: from \u22122 to 2, most often between 0.667 and 2 (1 cell missing)",
    ]


def test_kinds_and_missing_cells_are_in_the_caption(survey, open_page, settle):
    page = open_page(survey)
    columns = page.locator("#histograms .column")
    expect(columns.nth(0)).to_have_attribute("title", "steps, 12 cells missing")
    columns.nth(0).click()
    settle(page)
    expect(page.locator("#details .histogram figcaption .about")).to_have_text(
        "steps, 12 cells missing"
    )
