"""What surrounds the graph: facts, empty states, keyboard, hostile names, policy, screens."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "a \"quoted\" 'name', with, commas; and & < >",
    "🌿 emoji 👩‍🔬 ünïcode",
    "x" * 200,
    "=cmd|' /C calc'!A0",
    "\u202eright to left\u202c",
    "line\nbreak\ttab \u2028 separator",
    "${process} {{braces}} $data",
    "__proto__",
    "",
]


def hostile(chain):
    n = len(HOSTILE)
    return replace(
        chain,
        names=HOSTILE,
        n_columns=n,
        source=list(range(n - 1)),
        target=list(range(1, n)),
        partial_corr=[0.5] * (n - 1),
        z=[9.0] * (n - 1),
        p_value=[1e-9] * (n - 1),
        q_value=[1e-8] * (n - 1),
        title=HOSTILE[1],
        warnings=[HOSTILE[0], HOSTILE[1]],
        made=HOSTILE[0],
    )


def test_names_are_text_wherever_they_are_shown(open_page, chain, view):
    page = open_page(hostile(chain), view)
    assert page.title() == HOSTILE[1]
    assert page.locator("#title").text_content() == HOSTILE[1]
    assert page.locator(".warnings li").all_text_contents() == [HOSTILE[0], HOSTILE[1]]
    shown = page.locator("#edge-table tbody tr:not(.gap) td:first-child .name")
    assert shown.all_text_contents() == HOSTILE[:-1]
    assert page.locator("img, body script:not(#data):not(:last-of-type)").count() == 0


def test_hostile_names_are_found_and_shown_by_the_search(open_page, chain):
    page = open_page(hostile(chain))
    for name in HOSTILE[:6]:
        page.fill("#search", name)
        assert name in page.locator("#matches .name").all_text_contents()
        page.keyboard.press("Enter")
        shown = page.locator("#details h3 .name")
        expect(shown).to_have_attribute("title", name)
        assert shown.text_content() == name


def test_a_long_name_does_not_widen_the_page(open_page, chain):
    page = open_page(hostile(chain), viewport={"width": 390, "height": 844})
    page.fill("#search", "xxxx")
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_variable_without_a_name_is_called_by_its_column(open_page, chain):
    page = open_page(replace(chain, names=["a", " ", "c"]))
    expect(page.locator("#edge-table tbody tr:not(.gap)").first).to_contain_text("(column 2)")


def test_tells_how_the_graph_was_made(open_page, chain, texts):
    page = open_page(replace(chain, n_columns=7, warnings=["Take care."]))
    terms, values = page.locator("#made dt"), page.locator("#made dd")
    assert dict(zip(texts(terms), texts(values))) == {
        "Rows": "400",
        "Columns": "7",
        "Columns used": "3",
        "Pairs tested": "3",
        "Error kind": "false discovery rate",
        "Level": "0.05",
        "Edges at that level": "2",
        "Edges up to 0.2": "2",
        "Made": "1 May 2025",
        "Hedgerow": "0.0",
    }
    expect(page.locator(".warnings")).to_have_text("Take care.")
    expect(page.locator("#summary a")).to_have_text("1 warning")


NO_EDGES = {name: [] for name in ("source", "target", "partial_corr", "z", "p_value", "q_value")}


@pytest.mark.parametrize(
    ("changes", "title", "text"),
    [
        ({}, "No edges", "a partial correlation stands out from about 0.12."),
        ({"rows": 4}, "No edges", "With 4 rows no edge among so many pairs could be told"),
        (
            {"error": "balanced", "why_no_edges": "rows are few"},
            "No edges",
            "A balanced graph is left without any, because rows are few.",
        ),
        ({"names": ["a"], "n_columns": 1}, "Nothing to connect", "at least two variables"),
        ({"names": [], "n_columns": 0}, "Nothing to connect", "at least two variables"),
    ],
)
def test_an_empty_graph_says_so_and_why(open_page, chain, changes, title, text):
    page = open_page(replace(chain, **NO_EDGES, **changes))
    expect(page.locator("#empty h3")).to_have_text(title)
    expect(page.locator("#empty p")).to_contain_text(text)
    expect(page.locator("#count")).to_have_text("0")


def test_an_empty_graph_is_drawn_with_webgl_too(open_page, chain):
    page = open_page(replace(chain, **NO_EDGES, names=[], n_columns=0), "webgl")
    expect(page.locator("#empty h3")).to_have_text("Nothing to connect")


def test_a_level_below_every_edge_says_where_the_first_is(open_page, chain):
    page = open_page(chain)
    expect(page.locator("#empty")).to_be_hidden()
    page.fill("#level-exact", "1e-13")
    page.press("#level-exact", "Enter")
    expect(page.locator("#empty h3")).to_have_text("No edges at level 1e-13")
    expect(page.locator("#empty p")).to_contain_text("enters the graph at 3.0e-12")


STOPS = """() => {
  const at = document.activeElement;
  const ring = at.matches("[role=grid]") ? at.querySelector("tr.active") : at;
  const name = at.id || at.getAttribute("aria-label") || at.textContent;
  return [name, getComputedStyle(ring).outlineStyle];
}"""


def test_everything_is_reached_by_tab_in_reading_order_with_a_visible_ring(open_page, chain):
    page = open_page(chain)
    reached, rings = [], []
    for _ in range(28):
        page.keyboard.press("Tab")
        name, ring = page.evaluate(STOPS)
        reached.append(name)
        rings.append(ring)
    assert reached[:14] == [
        "Skip to the error level",
        "Skip to the table of edges",
        "theme",
        "stage",
        "Arrange the variables anew, by forces",
        "Back to the first arrangement",
        "Save the drawing as a PNG file",
        "Zoom out",
        "Zoom in",
        "Fit the drawing to the frame",
        "level-exact",
        "level",
        "search",
        "b",
    ]
    table = reached.index("Edges. Arrow keys move, Enter shows an edge.")
    heads = ["Variable", "Variable", "Partial corr.", "z", "p", "q"]
    assert reached[table + 1 : table + 7] == heads
    assert set(rings[: table + 7]) == {"solid"}


@pytest.mark.parametrize(("link", "target"), [(0, "level"), (1, "edge-table")])
def test_skip_links_go_where_they_say(open_page, chain, link, target):
    page = open_page(chain)
    for _ in range(link + 1):
        page.keyboard.press("Tab")
    expect(page.locator(".skip").nth(link)).to_be_in_viewport()
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == f"#{target}"
    expect(page.locator(f"#{target}")).to_be_in_viewport()


def test_the_count_is_announced(open_page, chain):
    page = open_page(chain)
    assert page.locator("#count").evaluate("e => e.closest('[aria-live=polite]') !== null")
    assert page.get_attribute("#level", "aria-valuetext") == "0.05, 2 edges"


def test_fits_narrow_and_wide_screens(open_page, random_data, settle):
    page = open_page(random_data())
    for width in (320, 390, 768, 1024, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        box = page.locator("#stage").bounding_box()
        assert box["width"] > 0.5 * width
        assert box["height"] > 300


def test_the_policy_forbids_the_network_and_foreign_scripts(open_page, chain, browsers, tmp_path):
    """What an injected script could try is refused; the browser logs that, so this is unwatched."""
    open_page(chain)
    context = browsers("canvas").new_context()
    page = context.new_page()
    asked, refused = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfailed", lambda request: refused.append((request.url, request.failure)))
    page.goto((tmp_path / "report.html").as_uri())
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
          const box = document.createElement("div");
          box.innerHTML = "<img src='https://example.org/x' onerror='window.ran = true'>";
          document.body.append(box);
        }"""
    )
    fetched = page.evaluate("fetch('https://example.org').then(() => true, () => false)")
    ran = page.evaluate("window.ran")
    context.close()
    assert not fetched
    assert ran is None
    assert [(url, "csp") for url in asked if not url.startswith("file:")] == refused
