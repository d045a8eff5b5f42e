"""The page of groups: one layout, a switch, and what differs in colours of its own."""

import numpy as np
import pytest
from playwright.sync_api import expect

from hedgerow import HedgeGraph, difference
from hedgerow.report import write_groups

NAMES = ["a", "b", "c", "<b>d</b>"]
FIRST, SECOND = "before", "<i>after</i>"


@pytest.fixture
def page_of(open_url, tmp_path, settle):
    def page_of(models, found, view="canvas", **options):
        write_groups(tmp_path / "groups.html", models, found, **options)
        page = open_url((tmp_path / "groups.html").as_uri(), view)
        page.wait_for_selector("html[data-ready]", state="attached")
        settle(page)
        return page

    return page_of


@pytest.fixture
def models():
    """A chain of four; in the second group, of columns in another order, d is on its own."""
    rng = np.random.default_rng()
    one = np.cumsum(rng.standard_normal((900, 4)), axis=1)
    other = np.cumsum(rng.standard_normal((700, 4)), axis=1)
    other[:, 3] = rng.standard_normal(700)
    return {
        FIRST: HedgeGraph(error="fwer", level=1e-6).partial_fit(one, feature_names=NAMES),
        SECOND: HedgeGraph(error="fwer", level=1e-6).partial_fit(
            other[:, ::-1], feature_names=NAMES[::-1]
        ),
    }


@pytest.fixture
def found(models):
    return [(FIRST, SECOND, difference(*models.values(), error="fwer", level=1e-6))]


def pairs_shown(page):
    rows = page.locator("#edge-table tbody tr:not(.gap)").all()
    return {frozenset(row.locator(".name").all_inner_texts()) for row in rows}


def test_the_switch_changes_graph_table_and_facts(page_of, models, found, texts):
    page = page_of(models, found, warnings=["beware"])
    assert texts(page.locator("#groups .choice .name")) == [FIRST, SECOND, f"{FIRST} → {SECOND}"]
    assert pairs_shown(page) == {frozenset(NAMES[k : k + 2]) for k in range(3)}
    expect(page.locator("#summary")).to_contain_text("900 rows")
    page.locator("#groups input").nth(1).check()
    assert pairs_shown(page) == {frozenset(NAMES[k : k + 2]) for k in range(2)}
    expect(page.locator("#summary")).to_contain_text("700 rows")
    expect(page.locator("#count")).to_have_text("2")
    page.locator("#groups input").nth(2).check()
    differ = {frozenset((edge.source, edge.target)) for edge in found[0][2].edges_}
    assert frozenset(NAMES[2:]) in differ
    assert pairs_shown(page) == differ
    heads = texts(page.locator("#edge-table th"))
    assert heads[2:5] == ["Difference", FIRST, SECOND]
    expect(page.locator("#count-unit")).to_have_text(
        "difference" if len(differ) == 1 else "differences"
    )
    expect(page.locator("#edges-heading")).to_have_text("All differences")
    expect(page.locator("#made")).to_contain_text(f"{FIRST} → {SECOND}")
    page.locator("#groups input").first.check()
    assert "z" in texts(page.locator("#edge-table th"))[3:]
    expect(page.locator("#edges-heading")).to_have_text("All edges")


def test_variables_stay_where_they_are(page_of, models, found, picture, pixels_of):
    page = page_of(models, found)
    images = []
    for k in range(2):
        page.locator("#groups input").nth(k).check()
        images.append(picture(page))
    nodes = [pixels_of(page, image, "node") for image in images]
    edges = [pixels_of(page, image, "positive") for image in images]
    assert edges[0].sum() > edges[1].sum() > 30
    # Where the second has a connected variable, the first has one, too.
    assert nodes[0][nodes[1]].mean() > 0.5
    assert nodes[1].sum() > 30


def test_differences_have_colours_of_their_own(page_of, models, found, picture, pixels_of, view):
    back = difference(*reversed(models.values()), error="fwer", level=1e-6)
    page = page_of(models, [*found, (SECOND, FIRST, back)], view)
    # The largest difference, drawn widest, is that of c and d: it falls, and back it rises.
    for k, name in ((2, "fall"), (3, "rise")):
        page.locator("#groups input").nth(k).check()
        image = picture(page)
        assert pixels_of(page, image, name).sum() > 100
        assert pixels_of(page, image, "positive").sum() == 0
    expect(page.locator("#key-positive")).to_have_text(f"higher in {FIRST}")
    page.locator("#groups input").first.check()
    expect(page.locator("#key-positive")).to_have_text("positive")
    assert pixels_of(page, picture(page), "positive").sum() > 100


def test_a_choice_stays_from_group_to_group(page_of, models, found):
    page = page_of(models, found)
    page.fill("#search", "b")
    page.locator('#matches .name[title="b"]').click()
    expect(page.locator("#details h3 .name").first).to_have_text("b")
    page.locator("#groups input").nth(1).check()
    expect(page.locator("#details h3 .name").first).to_have_text("b")
    page.locator("#details tbody button.number").first.click()
    expect(page.locator("#details .scatter circle")).to_have_count(256)
    story = page.locator("#details .story").inner_text()
    page.locator("#groups input").first.check()
    expect(page.locator("#details .story")).not_to_have_text(story)


def test_groups_that_cannot_be_shown_together_are_refused(models, tmp_path):
    with pytest.raises(ValueError, match="models must be two at least, got 1"):
        write_groups(tmp_path / "page.html", {"one": models[FIRST]})
    other = HedgeGraph().fit(np.random.default_rng(0).standard_normal((100, 4)))
    with pytest.raises(ValueError, match="models must have the same columns"):
        write_groups(tmp_path / "page.html", {"one": models[FIRST], "two": other})
    assert not list(tmp_path.iterdir())
