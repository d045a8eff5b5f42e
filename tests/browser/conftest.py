"""A real browser, pages opened in it, and small graphs to show.

Every page opened through `open_page` or `open_url` is watched: the test fails if the page logs an
error, throws, opens a dialog or asks for anything outside itself.
"""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, Playwright, expect, sync_playwright

from hedgerow import Comparison
from hedgerow.report import ReportData, write, write_comparison

expect.set_options(timeout=20_000)  # milliseconds; a busy machine draws WebGL slowly

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIEWS = {
    "webgl": ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    "canvas": ["--disable-gpu", "--disable-3d-apis"],
}


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    if not CHROMIUM.exists():
        pytest.fail(f"these tests need Chromium at {CHROMIUM}; install it with: make system")
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browsers(playwright: Playwright) -> Iterator[Callable[[str], Browser]]:
    """Start a browser with or without WebGL the first time it is asked for."""
    started: dict[str, Browser] = {}

    def browser(view: str) -> Browser:
        if view not in started:
            started[view] = playwright.chromium.launch(
                executable_path=CHROMIUM, args=ARGUMENTS + VIEWS[view]
            )
        return started[view]

    yield browser
    for running in started.values():
        running.close()


@pytest.fixture(params=list(VIEWS))
def view(request: pytest.FixtureRequest) -> str:
    """Run the test with WebGL and without; tests that do not draw use `open_page` alone."""
    return request.param


@pytest.fixture
def open_url(browsers: Callable[[str], Browser]) -> Iterator[Callable[..., Page]]:
    """Open an address; ``asks`` and ``logs`` match what the page may ask for and log besides."""
    contexts = []
    troubles: list[str] = []

    def open_url(
        url: str, view: str = "canvas", asks: str = "(?!)", logs: str = "(?!)", **options: Any
    ) -> Page:
        settings = {"viewport": {"width": 1100, "height": 640}, "reduced_motion": "reduce"}
        context = browsers(view).new_context(**(settings | options))
        contexts.append(context)
        page = context.new_page()
        _watch(page, troubles, f"{re.escape(url)}$|blob:|data:|{asks}", logs)
        page.goto(url)
        return page

    yield open_url
    for context in contexts:
        context.close()
    assert troubles == []


@pytest.fixture
def open_page(open_url: Callable[..., Page], tmp_path: Path) -> Callable[..., Page]:
    def open_page(data: ReportData | Comparison, view: str = "canvas", **options: Any) -> Page:
        save = write_comparison if isinstance(data, Comparison) else write
        save(tmp_path / "report.html", data)
        page = open_url((tmp_path / "report.html").as_uri(), view, **options)
        page.wait_for_selector("html[data-ready]", state="attached")
        _settle(page)
        return page

    return open_page


def _watch(page: Page, troubles: list[str], asks: str, logs: str) -> None:
    def on_request(request: Any) -> None:
        if not re.match(asks, request.url):
            troubles.append(f"request: {request.url}")

    def on_dialog(dialog: Any) -> None:
        troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("request", on_request)
    page.on("dialog", on_dialog)
    page.on("pageerror", lambda error: troubles.append(f"thrown: {error}"))
    page.on(
        "console",
        lambda message: (
            message.type in ("error", "warning")
            # The first is the software renderer's own remark.
            and not re.search(f"GPU stall due to ReadPixels|{logs}", message.text)
            and troubles.append(f"console: {message.text}")
        ),
    )


def _settle(page: Page) -> None:
    """Wait until what the last action asked for has been drawn.

    One frame tells the parts of the page, the next one draws, and one more is for good measure.
    """
    page.evaluate(
        """() => new Promise(done => {
          const frame = left => left ? requestAnimationFrame(() => frame(left - 1)) : done();
          frame(4);
        })"""
    )


@pytest.fixture
def settle() -> Callable[[Page], None]:
    return _settle


@pytest.fixture
def eventually() -> Callable[[Page, Callable[[], bool]], bool]:
    """Return whether something becomes true within ten seconds."""

    def eventually(page: Page, holds: Callable[[], bool]) -> bool:
        for _ in range(100):
            if holds():
                return True
            page.wait_for_timeout(100)
        return False

    return eventually


@pytest.fixture
def picture() -> Callable[[Page], np.ndarray]:
    """Return the middle of the drawing, clear of legend and tools, as (height, width, 3) bytes."""

    def picture(page: Page) -> np.ndarray:
        _settle(page)
        image = matplotlib.image.imread(io.BytesIO(page.locator("#stage").screenshot()))
        height = len(image)
        return np.rint(image[height // 8 : -height // 8, :, :3] * 255).astype(int)

    return picture


@pytest.fixture
def pixels_of() -> Callable[..., np.ndarray]:
    """Return where a picture has about the colour of the style's variable ``name``."""

    def pixels_of(page: Page, image: np.ndarray, name: str) -> np.ndarray:
        text = page.evaluate(
            f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()"
        )
        colour = [int(text[i : i + 2], 16) for i in (1, 3, 5)]
        return np.abs(image - colour).max(axis=2) < 45

    return pixels_of


@pytest.fixture
def texts() -> Callable[[Locator], list[str]]:
    return lambda locator: [text.strip() for text in locator.all_inner_texts()]


@pytest.fixture
def chain() -> ReportData:
    """a - b - c: b lies in the middle of the drawing. The second edge is negative."""
    return ReportData(
        names=["a", "b", "c"],
        source=[0, 1],
        target=[1, 2],
        partial_corr=[0.5, -0.5],
        z=[12.0, -12.0],
        p_value=[1e-12, 0.004],
        q_value=[3e-12, 0.03],
        level=0.05,
        rows=400,
        version="0.0",
        title="A chain",
        made="1 May 2025",
    )


@pytest.fixture
def random_data() -> Callable[..., ReportData]:
    """Make a report of random edges; another one each time, so nothing hangs on one draw."""

    def random_data(n: int = 30, edges: int = 80, **changes: Any) -> ReportData:
        rng = np.random.default_rng()
        pairs = rng.choice(n * n, size=4 * edges, replace=False)
        source, target = pairs // n, pairs % n
        keep = np.flatnonzero(source < target)[:edges]
        corr = rng.uniform(0.05, 0.7, len(keep)) * rng.choice([-1, 1], len(keep))
        q = np.sort(10 ** rng.uniform(-7, np.log10(0.2), len(keep)))
        data = ReportData(
            names=[f"v{i}" for i in range(n)],
            source=source[keep],
            target=target[keep],
            partial_corr=corr,
            z=corr * 20,
            p_value=q / 3,
            q_value=q,
            level=0.05,
            rows=500,
            version="0.0",
        )
        return replace(data, **changes)

    return random_data
