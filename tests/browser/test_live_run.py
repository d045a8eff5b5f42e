"""`hedgerow stream --live` as users run it: a real command, killed and started again."""

import re
import signal
import subprocess
import sys
from itertools import takewhile

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.fake_runs import free_port

START = 60_000  # milliseconds that a command may take to import, compile and begin
EDGES = re.compile("^[3-6]$")  # three are true, and a false one may join them
REFUSED = "ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE"


@pytest.fixture
def stream(tmp_path):
    """Start `hedgerow stream` with options; return the process and the address of its page."""
    running = []

    def stream(*options):
        command = [sys.executable, "-m", "hedgerow", "stream", *map(str, options)]
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        running.append(process)
        for line in process.stderr:
            if found := re.fullmatch(r"Watch at (http://127\.0\.0\.1:\d+/)\n", line):
                return process, found[1]
        raise AssertionError(f"no address was printed, exit {process.wait()}")

    yield stream
    for process in running:
        process.kill()
        process.wait()
        process.stderr.close()


def walk(rows, columns=4):
    """Rows of a random walk: neighbouring columns are connected, and no others."""
    steps = np.random.default_rng().standard_normal((rows, columns))
    lines = [",".join(f"{value:.6f}" for value in row) for row in np.cumsum(steps, axis=1)]
    return "\n".join(lines) + "\n"


def rows_shown(page):
    return page.locator("#progress dd").first


def test_a_page_follows_a_growing_file_through_a_kill(stream, open_url, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("a,b,c,d\n")
    state = tmp_path / "state"
    options = [file, "--follow", "--checkpoint", state, "--every", 100, "--live", free_port()]
    process, url = stream(*options)
    page = open_url(url, asks=f"{re.escape(url)}events$", logs=REFUSED)
    expect(page.locator(".phase")).to_have_text("Waiting for the first rows", timeout=START)

    with file.open("a") as more:
        more.write(walk(500))
    expect(rows_shown(page)).to_have_text("500", timeout=START)
    expect(page.locator("#count")).to_have_text(EDGES, timeout=START)
    expect(page.locator("#progress dd").nth(4)).to_contain_text("row 500", timeout=START)
    expect(page.locator(".changes li:nth-child(3)")).to_be_attached(timeout=START)
    page.evaluate("window.same = true")

    process.kill()
    expect(page.locator(".phase")).to_have_text("Connection lost, trying again", timeout=START)
    with file.open("a") as more:
        more.write(walk(250))
    process, _ = stream(*options)
    expect(rows_shown(page)).to_have_text("750", timeout=START)
    assert page.evaluate("window.same")

    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    expect(page.locator(".phase")).to_have_text("Stopped")
    expect(rows_shown(page)).to_have_text("750")


def test_a_page_stays_after_the_last_row_until_ctrl_c(stream, open_url, tmp_path):
    (tmp_path / "rows.csv").write_text("a,b,c,d\n" + walk(400))
    process, url = stream("rows.csv", "--live")
    page = open_url(url, asks=f"{re.escape(url)}events$", logs=REFUSED)
    expect(page.locator(".phase")).to_contain_text("Finished", timeout=START)
    expect(page.locator("#count")).to_have_text(EDGES, timeout=START)
    expect(page.locator("#title")).to_have_text("rows.csv")
    said = list(takewhile(lambda line: not line.startswith("The page stays"), process.stderr))
    page.reload()
    expect(page.locator(".phase")).to_contain_text("Finished", timeout=START)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0, said
