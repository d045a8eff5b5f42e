"""The drawing, with WebGL and on the plain canvas."""

from dataclasses import replace

import matplotlib.image
import numpy as np
import pytest
from playwright.sync_api import expect


def set_level(page, level):
    page.fill("#level-exact", str(level))
    page.press("#level-exact", "Enter")


def test_uses_webgl_where_it_is_there_and_a_canvas_where_not(open_page, chain, view):
    assert open_page(chain, view).get_attribute("#stage", "data-view") == view


def test_draws_variables_and_edges_in_the_colours_of_their_signs(
    open_page, chain, view, picture, pixels_of
):
    page = open_page(chain, view)
    image = picture(page)
    half = image.shape[1] // 2
    positive, negative = (pixels_of(page, image, name) for name in ("positive", "negative"))
    assert pixels_of(page, image, "node").sum() > 50
    assert positive[:, :half].sum() > 100
    assert positive[:, half:].sum() == 0
    assert negative[:, half:].sum() > 100
    assert negative[:, :half].sum() == 0


def test_stronger_edges_are_wider(open_page, chain, view, picture):
    """a = b - c = d: the weak edge in the middle is three times as long as the strong ones."""
    changes = {"source": [0, 1, 2], "target": [1, 2, 3], "partial_corr": [0.8, 0.1, 0.8]}
    numbers = {"z": [9.0] * 3, "p_value": [1e-9] * 3, "q_value": [1e-8] * 3}
    page = open_page(replace(chain, names=list("abcd"), n_columns=4, **changes, **numbers), view)
    image = picture(page)
    ink = np.abs(image - image[0, 0]).sum(axis=(0, 2))
    start, *_, stop = np.flatnonzero(ink)
    strong, weak = (int(start + share * (stop - start)) for share in (0.1, 0.5))
    assert np.median(ink[strong - 5 : strong + 5]) > 2 * np.median(ink[weak - 5 : weak + 5]) > 0


def test_edges_leave_and_enter_the_drawing_with_the_level(
    open_page, chain, view, picture, pixels_of
):
    page = open_page(chain, view)
    for level, drawn in [(0.01, False), (0.03, True), (0.0299, False)]:
        set_level(page, level)
        assert pixels_of(page, picture(page), "negative").any() == drawn


def test_a_click_on_a_variable_shows_its_neighbours(open_page, chain, view, texts):
    page = open_page(chain, view)
    stage = page.locator("#stage")
    stage.click()
    expect(page.locator("#details h3")).to_have_text("b")
    rows = page.locator("#details tbody tr")
    assert [texts(rows.nth(i).locator("td")) for i in range(2)] == [
        ["a", "+0.500", "1.0e-12", "3.0e-12"],
        ["c", "−0.500", "0.004", "0.03"],
    ]
    # A click that follows at once is half of a double click, which zooms.
    page.evaluate("() => new Promise(done => setTimeout(done, 500))")
    stage.click(position={"x": 60, "y": 120})
    expect(page.locator("#details h3")).to_have_text("Most connected")


def test_the_pointer_over_a_variable_shows_its_whole_name(open_page, chain, view, picture):
    page = open_page(replace(chain, names=["a", "b" * 50, "c"]), view)
    before = picture(page)
    box = page.locator("#stage").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("#stage.pointing")
    changed = np.abs(picture(page) - before).max(axis=2) > 30
    assert np.ptp(np.flatnonzero(changed.any(axis=0))) > 200


def test_keys_move_zoom_and_fit(open_page, random_data, view, picture, eventually):
    page = open_page(random_data(), view)
    page.focus("#stage")
    fitted = before = picture(page)
    for key in ("ArrowLeft", "ArrowUp", "+", "-"):
        page.keyboard.press(key)
        assert eventually(page, lambda before=before: (picture(page) != before).any()), key
        before = picture(page)
    page.keyboard.press("0")
    assert eventually(page, lambda: (picture(page) == fitted).mean() > 0.999)


def test_the_wheel_scrolls_the_page_until_the_drawing_is_chosen(
    open_page, random_data, view, picture, eventually
):
    page = open_page(random_data(), view)
    box = page.locator("#stage").bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + 200)
    page.mouse.wheel(0, 200)
    expect(page.locator("#hint")).to_have_text("Click the drawing to zoom with the wheel")
    assert eventually(page, lambda: page.evaluate("scrollY") > 0)
    page.evaluate("scrollTo(0, 0)")
    page.focus("#stage")
    before = picture(page)
    page.mouse.wheel(0, -300)
    assert eventually(page, lambda: (picture(page) != before).any())
    assert page.evaluate("scrollY") == 0


def test_rearranging_moves_variables_in_a_worker_and_can_be_undone(
    open_page, random_data, view, picture, eventually
):
    page = open_page(random_data(), view)
    first = picture(page)
    with page.expect_event("worker"):
        page.get_by_role("button", name="Arrange the variables anew").click()
    assert eventually(page, lambda: (picture(page) != first).any())
    page.fill("#level-exact", "0.2")
    page.press("#level-exact", "Enter")
    page.get_by_role("button", name="Arrange the variables anew").click()
    expect(page.locator("[aria-pressed=false]")).to_have_text("Rearrange")
    page.get_by_role("button", name="back to 0.05").click()
    page.get_by_role("button", name="Back to the first arrangement").click()
    assert eventually(page, lambda: (picture(page) == first).mean() > 0.999)


@pytest.mark.parametrize(("scheme", "view"), [("light", "canvas"), ("dark", "webgl")])
def test_colours_follow_the_system_and_the_button(open_page, chain, view, picture, scheme):
    page = open_page(chain, view, color_scheme=scheme)
    assert page.get_attribute("html", "data-theme") == scheme
    assert (np.median(picture(page)) > 128) == (scheme == "light")
    page.click("#theme")
    assert (np.median(picture(page)) > 128) == (scheme == "dark")


def test_a_lost_webgl_context_is_replaced_by_the_canvas(open_page, chain, picture, pixels_of):
    page = open_page(chain, "webgl")
    page.evaluate(
        "document.querySelector('#stage .sigma-edges').getContext('webgl2')"
        ".getExtension('WEBGL_lose_context').loseContext()"
    )
    page.wait_for_selector("#stage[data-view=canvas]")
    assert pixels_of(page, picture(page), "positive").sum() > 100


def test_saves_a_picture_of_twice_the_size(open_page, chain, view, tmp_path):
    page = open_page(chain, view)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the drawing").click()
    download.value.save_as(tmp_path / "picture.png")
    image = matplotlib.image.imread(tmp_path / "picture.png")
    box = page.locator("#stage").bounding_box()
    assert image.shape[:2] == pytest.approx((2 * box["height"], 2 * box["width"]), abs=4)
    assert np.ptp(image[..., :3], axis=(0, 1)).min() > 0.3


def test_long_names_are_written_whole_and_side_by_side(open_page, chain, view, eventually):
    """Of a chain whose names are wider than its edges, every other one stands above."""
    ends = {"source": [0, 1, 2, 3], "target": [1, 2, 3, 4], "partial_corr": [0.6] * 4}
    numbers = {"z": [9.0] * 4, "p_value": [1e-9] * 4, "q_value": [1e-8] * 4}
    names = [letter * 16 for letter in "vwxyz"]
    data = replace(chain, names=names, n_columns=5, **ends, **numbers)
    page = open_page(data, view, viewport={"width": 1300, "height": 640})
    page.evaluate("""() => {
        window.written = {};
        const prototype = CanvasRenderingContext2D.prototype;
        const write = prototype.fillText;
        prototype.fillText = function (text, x, y) {
            const half = this.measureText(text).width / 2;
            window.written[text] = [x - half, x + half, this.canvas.clientWidth];
            return write.call(this, text, x, y);
        };
    }""")
    page.set_viewport_size({"width": 1280, "height": 640})
    eventually(page, lambda: page.evaluate("Object.keys(window.written).length") == 5)
    written = page.evaluate("window.written")
    assert sorted(written) == names
    assert all(0 <= left < right <= width for left, right, width in written.values())
