"""The live page in a browser: it follows a run, and survives the end of its server."""

import io
import json
import re
from time import time

import matplotlib.image
import numpy as np
import pytest
from playwright.sync_api import expect

from hedgerow.live import serve
from hedgerow.method.graph import OF_EDGES
from tests.fake_runs import change, free_port, look, random_look, status

NAMES = ["a", "b", "c"]
REFUSED = "ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED"  # while there is no server
CHAIN = [(0, 1, 0.5), (1, 2, -0.5)]
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "a \"quoted\" 'name' & more",
    "🌿 emoji 👩‍🔬",
    "x" * 300,
    "line\nbreak \u2028",
    "\u202eright to left",
    "\ud800",
]


@pytest.fixture
def live():
    with serve(port=free_port(), title="A run") as page:
        yield page


@pytest.fixture
def open_live(open_url):
    """Open the page of a server, which may ask for news and, once more, for itself."""

    def open_live(live, view="canvas", **options):
        return open_url(live.url, view, asks=f"{re.escape(live.url)}events$", **options)

    return open_live


def figures(page):
    terms, values = page.locator("#progress dt"), page.locator("#progress dd")
    return dict(zip(terms.all_text_contents(), values.all_text_contents()))


def hide(page, hidden):
    """Let the page believe that its tab is in the background, or back."""
    page.evaluate(
        """hidden => {
          Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_opened_before_the_first_row_it_waits_and_then_draws(
    live, open_live, view, picture, pixels_of
):
    page = open_live(live, view)
    expect(page.locator(".phase")).to_have_text("Waiting for the first rows")
    expect(page.locator("#empty h3")).to_have_text("No graph yet")
    expect(page.locator("#title")).to_have_text("A run")
    expect(page.locator("#search")).to_be_hidden()
    live(status(0))
    live(status(400, look=look(NAMES, CHAIN)))
    expect(page.locator(".phase")).to_have_text("Learning")
    expect(page.locator("#empty")).to_be_hidden()
    expect(page.locator("#search")).to_be_visible()
    image = picture(page)
    assert pixels_of(page, image, "positive").sum() > 50
    assert pixels_of(page, image, "negative").sum() > 50


def test_figures_follow_the_run(live, open_live):
    page = open_live(live)
    live(status(1234, rows_per_second=56.7, look=look(NAMES, CHAIN)))
    expect(page.locator("#progress dd").first).to_have_text("1,234")
    expect(page.locator("#progress dd").nth(2)).to_have_text("2")
    assert figures(page) == {
        "Rows": "1,234",
        "Rows per second": "57",
        "Edges": "2",
        "Bad rows": "0",
        "Last checkpoint": "–",
    }
    live(status(5000, bad_rows=3, checkpoint=(4000, time() - 300)))
    expect(page.locator("#progress dd").first).to_have_text("5,000")
    found = figures(page)
    assert (found["Bad rows"], found["Last checkpoint"]) == ("3", "row 4,000, 5 min ago")
    expect(page.locator(".phase")).to_have_text("Learning")
    live(status(5000, rows_per_second=0))
    expect(page.locator(".phase")).to_have_text("Waiting for more rows")


def test_every_panel_follows_the_graph(live, open_live, texts):
    live(status(400, look=look(NAMES, CHAIN)))
    page = open_live(live)
    page.locator("#edge-table tbody tr:not(.gap)").nth(1).click()
    expect(page.locator("#details h3")).to_have_text("b and c")
    later = look(NAMES, [(0, 2, 0.25), (1, 2, -0.75)], rows=900, warnings=["Take care."])
    live(status(900, look=later))
    expect(page.locator("#summary")).to_have_text(
        "900 rows · 3 variables · as rows arrive · 1 warning"
    )
    expect(page.locator("#made .warnings")).to_have_text("Take care.")
    rows = page.locator("#edge-table tbody tr:not(.gap)")
    assert [texts(rows.nth(i).locator("td"))[:3] for i in range(2)] == [
        ["a", "c", "+0.250"],
        ["b", "c", "−0.750"],
    ]
    expect(page.locator("#details h3")).to_have_text("b and c")
    expect(page.locator("#details dd").first).to_have_text("−0.7500")
    expect(rows.nth(1)).to_have_attribute("aria-selected", "true")
    page.fill("#search", "c")
    expect(page.locator("#matches .degree")).to_have_text("2")
    page.keyboard.press("Escape")
    live(status(1000, look=look(NAMES, [(0, 1, 0.5)], rows=1000)))
    expect(page.locator("#details h3")).to_have_text("Most connected")
    expect(page.locator("#count")).to_have_text("1")


def test_a_drawing_without_room_comes_back(live, open_live, view, picture, pixels_of):
    live(status(400, look=look(NAMES, CHAIN)))
    page = open_live(live, view)
    page.wait_for_selector("html[data-ready]", state="attached")
    page.evaluate("document.querySelector('main').hidden = true")
    live(status(500, look=look(NAMES, [(0, 1, 0.5)], rows=500)))
    expect(page.locator("#summary")).to_contain_text("500 rows")
    page.evaluate("document.querySelector('main').hidden = false")
    assert pixels_of(page, picture(page), "positive").sum() > 50


def test_the_chosen_level_outlives_new_rows(live, open_live):
    shown = look(NAMES, [(0, 1, 0.5, 1e-6), (1, 2, 0.3, 0.1)])
    live(status(400, look=shown))
    page = open_live(live)
    page.fill("#level-exact", "0.15")
    page.press("#level-exact", "Enter")
    expect(page.locator("#progress dd").nth(2)).to_have_text("2")
    page.fill("#level-exact", "0.0")  # not finished typing
    live(status(500, look=shown._replace(rows=500)))
    expect(page.locator("#summary")).to_contain_text("500 rows")
    expect(page.locator("#count")).to_have_text("2")
    expect(page.locator("#level-exact")).to_have_value("0.0")


def blueness(page):
    """Return how much blue the drawing has: proportional to the opacity of positive edges."""
    image = matplotlib.image.imread(io.BytesIO(page.locator("#stage").screenshot()))
    return float((image[..., 2] - image[..., 0] - 0.1).clip(0).sum())


def skip(page, milliseconds):
    """Let the page's clock jump, and let it draw."""
    page.clock.fast_forward(milliseconds)
    page.clock.run_for(40)


def test_edges_fade_in_and_out(live, open_live, view, eventually, monkeypatch):
    """Half-way an edge has about half its colour; the clock is ours, so no luck is needed."""
    monkeypatch.setattr("hedgerow.live._places._STILL", np.inf)  # the fading is to be seen alone
    whole, half = [(0, 1, 0.5), (1, 2, 0.5)], [(0, 1, 0.5)]
    live(status(400, look=look(NAMES, whole)))
    page = open_live(live, view, reduced_motion="no-preference")
    page.wait_for_selector("html[data-ready]", state="attached")
    page.clock.install()
    page.clock.pause_at(time() + 60)

    def shown(rows, edges):
        """Send edges; return the blueness half-way through the fading and after it."""
        live(status(rows, look=look(NAMES, edges, rows=rows)))

        def arrived():
            page.clock.run_for(20)
            return page.inner_text("#summary").startswith(f"{rows} rows")

        assert eventually(page, arrived)
        skip(page, 350)
        middle = blueness(page)
        skip(page, 500)
        return middle, blueness(page)

    skip(page, 500)
    two = blueness(page)
    leaving, one = shown(500, half)
    entering, again = shown(600, whole)
    assert one < 0.7 * two
    assert again == pytest.approx(two, rel=0.01)
    for middle in (leaving, entering):
        assert one + 0.2 * (two - one) < middle < one + 0.8 * (two - one)


def test_readers_who_want_no_motion_see_none(live, open_live, settle, monkeypatch):
    monkeypatch.setattr("hedgerow.live._places._STILL", np.inf)
    live(status(400, look=look(NAMES, [(0, 1, 0.5), (1, 2, 0.5)])))
    page = open_live(live)
    page.wait_for_selector("html[data-ready]", state="attached")
    live(status(500, look=look(NAMES, [(0, 1, 0.5)], rows=500)))
    expect(page.locator("#summary")).to_contain_text("500 rows")
    settle(page)
    shown = blueness(page)
    page.wait_for_timeout(1000)
    assert blueness(page) == shown


def test_variables_keep_their_places(live, open_live, view, picture, pixels_of):
    """One edge of a hundred goes: dots stay where they are, to the pixel."""
    first = random_look(40, 150, seed=1)
    graph = first.graph.up_to(first.level)
    without = graph._replace(
        **{name: getattr(graph, name)[:-1] for name in graph._fields[:OF_EDGES]}
    )
    live(status(400, look=first._replace(graph=graph)))
    page = open_live(live, view)
    page.wait_for_selector("html[data-ready]", state="attached")
    before = pixels_of(page, picture(page), "node")
    live(status(500, look=first._replace(graph=without, rows=500)))
    expect(page.locator("#summary")).to_contain_text("500 rows")
    after = pixels_of(page, picture(page), "node")
    assert before.sum() > 500
    assert (before & after).sum() > 0.9 * max(before.sum(), after.sum())


def test_variables_glide_to_new_places(live, open_live, eventually):
    live(status(400, look=look("abcdef", [(0, 1, 0.5)])))
    page = open_live(live, reduced_motion="no-preference")
    page.wait_for_selector("html[data-ready]", state="attached")
    page.clock.install()
    page.clock.pause_at(time() + 60)
    pictures = []
    live(status(500, look=look("abcdef", [(0, 3, 0.5), (2, 4, 0.5), (4, 5, 0.5)], rows=500)))

    def arrived():
        page.clock.run_for(20)
        return page.inner_text("#summary").startswith("500 rows")

    assert eventually(page, arrived)
    for milliseconds in (60, 60, 60, 5000):
        skip(page, milliseconds)
        pictures.append(page.locator("#stage").screenshot())
    skip(page, 1000)
    assert len(set(pictures)) == 4
    assert page.locator("#stage").screenshot() == pictures[-1]


def test_what_the_reader_arranged_stays(live, open_live, view, picture, eventually):
    first = random_look(20, 40, seed=2)
    live(status(400, look=first))
    page = open_live(live, view)
    page.get_by_role("button", name="Arrange the variables anew").click()
    for rows in (410, 420, 430):  # edges may come and go while forces move the variables
        live(status(rows, look=random_look(20, 40, rows=rows, seed=rows)))
        expect(page.locator("#summary")).to_contain_text(f"{rows} rows")
    page.get_by_role("button", name="Arrange the variables anew").click()
    expect(page.locator("[aria-pressed=false]")).to_have_text("Rearrange")
    arranged = picture(page)
    live(status(500, look=random_look(20, 40, rows=500, seed=430)))
    expect(page.locator("#summary")).to_contain_text("500 rows")
    assert (picture(page) == arranged).mean() > 0.999
    page.get_by_role("button", name="Back to the first arrangement").click()
    assert eventually(page, lambda: (picture(page) != arranged).any())


def test_the_log_shows_the_newest_change_first(live, open_live, texts):
    live(status(400, look=look(NAMES, CHAIN)))
    page = open_live(live)
    expect(page.locator(".side .note").first).to_contain_text("will be listed here")
    live(status(1000, changes=[change(1000, "appeared", "a", "b", 0.5)]))
    expect(page.locator(".changes li")).to_have_count(1)
    page.locator(".changes button").first.focus()
    live(status(2000, changes=[change(2000, "vanished", "b", "c", -0.125)]))
    expect(page.locator(".changes li")).to_have_count(2)
    newest, oldest = page.locator(".changes li").all()
    expect(newest).to_have_class("vanished")
    assert texts(newest.locator(".name")) == ["b", "c"]
    expect(newest.locator(".note")).to_contain_text("vanished at row 2,000")
    expect(newest.locator(".note")).to_contain_text("−0.125")
    assert newest.locator("time").get_attribute("datetime").startswith("20")
    assert texts(oldest.locator(".name")) == ["a", "b"]
    expect(oldest.locator("button").first).to_be_focused()
    oldest.locator("button").nth(1).click()
    expect(page.locator("#details h3")).to_have_text("b")


def test_news_do_not_take_a_click_away(live, open_live):
    """What lies under a pressed pointer stays until it is released."""
    live(status(400, look=look(NAMES, CHAIN)))
    page = open_live(live)
    button = page.locator("#details button").first
    expect(button).to_have_text("b")
    button.hover()
    page.mouse.down()
    live(status(500, look=look(NAMES, [(0, 2, 0.5)], rows=500)))
    page.wait_for_timeout(1000)
    expect(page.locator("#summary")).to_contain_text("400 rows")
    page.mouse.up()
    expect(page.locator("#details h3")).to_have_text("b")
    expect(page.locator("#summary")).to_contain_text("500 rows")


def test_a_press_that_ended_elsewhere_does_not_hold_news_back(live, open_live):
    live(status(400, look=look(NAMES, CHAIN)))
    page = open_live(live)
    page.locator("#summary").hover()
    page.mouse.down()
    page.evaluate("dispatchEvent(new PointerEvent('pointermove', { buttons: 0 }))")
    live(status(500, look=look(NAMES, CHAIN, rows=500)))
    expect(page.locator("#summary")).to_contain_text("500 rows")


def test_names_are_text_wherever_they_are_shown(live, open_live, view):
    n = len(HOSTILE)
    edges = [(i, i + 1, 0.5) for i in range(n - 1)]
    changes = [change(9, "appeared", HOSTILE[i], HOSTILE[i + 1]) for i in range(n - 1)]
    live(status(400, look=look(HOSTILE, edges, warnings=HOSTILE[:2]), changes=changes))
    page = open_live(live, view, viewport={"width": 390, "height": 844})
    expect(page.locator(".changes li")).to_have_count(n - 1)
    names = page.locator(".changes li p:first-child .name").evaluate_all(
        "all => all.map(one => JSON.stringify(one.textContent))"
    )
    ends = (
        [json.dumps(change.source) for change in changes],
        [json.dumps(change.target) for change in changes],
    )
    assert list(map(json.loads, names[::2])) == list(map(json.loads, ends[0]))[::-1]
    assert list(map(json.loads, names[1::2])) == list(map(json.loads, ends[1]))[::-1]
    assert page.locator("img, body script:not(#data):not(:last-of-type)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize(
    ("phase", "said"),
    [("finished", "Finished: the source has no more rows"), ("stopped", "Stopped")],
)
def test_the_end_of_the_run_is_told_and_outlives_the_server(open_live, phase, said):
    with serve(port=free_port()) as live:
        page = open_live(live, logs=REFUSED)
        live(status(400, look=look(NAMES, CHAIN)))
        expect(page.locator(".phase")).to_have_text("Learning")
        live(status(500, phase=phase))
    page.wait_for_timeout(2500)
    expect(page.locator(".phase")).to_have_text(said)
    expect(page.locator("#progress dd").first).to_have_text("500")
    expect(page.locator("#count")).to_have_text("2")


def connected(page, live):
    """Wait until the page listens: news of a server that is gone reach nobody."""
    for _ in range(500):
        if live.wants_look():
            return
        page.wait_for_timeout(20)
    raise AssertionError("the page did not connect")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("row 7:\n<b>x</b> is no number"), "Failed: row 7: <b>x</b> is no number"),
        (KeyError(), "Failed: KeyError"),
        (KeyboardInterrupt(), "Stopped"),
    ],
)
def test_a_run_that_fails_says_why(open_live, error, said):
    live = serve(port=free_port())
    page = open_live(live, logs=REFUSED)
    connected(page, live)
    with pytest.raises(type(error)), live:
        raise error
    expect(page.locator(".phase")).to_have_text(said)
    page.wait_for_timeout(1500)
    expect(page.locator(".phase")).to_have_text(said)


def test_it_comes_back_with_the_server(open_live):
    port = free_port()
    with serve(port=port) as live:
        page = open_live(live, logs=REFUSED)
        live(status(400, look=look(NAMES, CHAIN)))
        expect(page.locator(".phase")).to_have_text("Learning")
        page.evaluate("window.same = true")
    expect(page.locator(".phase")).to_have_text("Connection lost, trying again")
    page.wait_for_timeout(3000)
    with serve(port=port) as again:
        again(status(600, look=look(NAMES, [(0, 2, 0.5)], rows=600)))
        expect(page.locator(".phase")).to_have_text("Learning", timeout=20_000)
        expect(page.locator("#summary")).to_contain_text("600 rows")
        expect(page.locator("#count")).to_have_text("1")
        assert page.evaluate("window.same")


def test_another_stream_at_the_same_address_begins_anew(open_live):
    port = free_port()
    with serve(port=port) as before:
        page = open_live(before, logs=REFUSED)
        before(status(400, look=look(NAMES, CHAIN)))
        expect(page.locator("#count")).to_have_text("2")
        page.evaluate("window.same = true")
    with serve(port=port) as after:
        after(status(50, look=look(["x", "y"], [(0, 1, 0.9)], rows=50)))
        expect(page.locator("#summary")).to_have_text(
            "50 rows · 2 variables · as rows arrive", timeout=20_000
        )
        assert page.evaluate("window.same") is None


def test_a_hidden_page_lets_go_of_the_server(live, open_live, eventually):
    page = open_live(live)
    live(status(400, look=look(NAMES, CHAIN)))
    expect(page.locator(".phase")).to_have_text("Learning")
    assert live.wants_look()
    hide(page, True)
    assert eventually(page, lambda: not live.wants_look())
    live(status(700, look=look(NAMES, CHAIN, rows=700)))
    hide(page, False)
    expect(page.locator("#summary")).to_contain_text("700 rows")


def test_the_policy_forbids_foreign_scripts_and_other_servers(live, browsers):
    """What an injected script could try is refused; the browser logs that, so this is unwatched."""
    context = browsers("canvas").new_context()
    page = context.new_page()
    page.goto(live.url)
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
        }"""
    )
    with serve(port=free_port()) as other:
        reached = page.evaluate("url => fetch(url).then(() => true, () => false)", other.url)
        follows = page.evaluate(
            """url => new Promise(done => {
              const source = new EventSource(url);
              source.onopen = () => done(true);
              source.onerror = () => done(false);
            })""",
            f"{other.url}events",
        )
        watched = other.wants_look()
    ran = page.evaluate("window.ran")
    context.close()
    assert (reached, follows, watched, ran) == (False, False, False, None)


def test_another_site_cannot_follow(live, browsers):
    """A page of another origin, without a policy of its own, tries."""
    context = browsers("canvas").new_context()
    page = context.new_page()
    page.route("http://other.example/", lambda route: route.fulfill(body="<title>other</title>"))
    page.goto("http://other.example/")
    follows = page.evaluate(
        """url => new Promise(done => {
          const source = new EventSource(url);
          source.onopen = () => done(true);
          source.onerror = () => done(false);
        })""",
        f"{live.url}events",
    )
    watched = live.wants_look()
    context.close()
    assert (follows, watched) == (False, False)
