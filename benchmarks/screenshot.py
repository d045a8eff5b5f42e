"""The page of the README, photographed in a browser.

    python -m benchmarks.screenshot

runs `hedgerow demo`, opens the page that it writes, and writes docs/images/report.png. It needs
Chromium, as the tests of the page do.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "report.png"
CHROMIUM = Path("/usr/bin/chromium")
SIZE = {"width": 1360, "height": 850}
# Without a GPU, so that the picture does not depend on one.
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-3d-apis")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "demo.html"
        subprocess.run([sys.executable, "-m", "hedgerow", "demo", "--html", page], check=True)
        photograph(page, PICTURE)


def photograph(path: Path, picture: Path) -> None:
    """Write a picture of what a page shows first."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.wait_for_timeout(1000)  # milliseconds; for the drawing
        page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main()
