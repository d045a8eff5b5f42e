"""1,000 variables and 2,000 edges, changing all the time: the live page stays usable."""

import re
from time import sleep

import numpy as np
from playwright.sync_api import expect

from hedgerow.live import serve
from tests.fake_runs import free_port, look, random_look, status


def later(before, rows):
    """Let one edge in twenty be another one, and every number differ a little."""
    rng = np.random.default_rng()
    n, graph = len(before.names), before.graph
    edges = {}
    for source, target, corr, q in zip(
        graph.source, graph.target, graph.partial_corr, graph.q_value
    ):
        if rng.random() < 0.05:
            source, target = sorted(rng.choice(n, 2, replace=False))
        edges[source, target] = source, target, corr * rng.uniform(0.95, 1.05), q
    return look(before.names, list(edges.values()), rows)


def test_a_large_graph_stays_usable_while_it_changes(open_url, view):
    shown = random_look(1000, 2000, rows=1000)
    with serve(port=free_port()) as live:
        live(status(1000, look=shown))
        page = open_url(live.url, view, asks=f"{re.escape(live.url)}events$", reduced_motion=None)
        page.wait_for_selector("html[data-ready]", state="attached", timeout=30_000)
        for rows in range(2000, 6000, 1000):
            shown = later(shown, rows)
            live(status(rows, look=shown))
            sleep(1)
        page.fill("#search", "v321")
        page.keyboard.press("Enter")
        expect(page.locator("#details h3")).to_have_text("v321")
        expect(page.locator("#summary")).to_contain_text("5,000 rows", timeout=20_000)
        expected = int((shown.graph.q_value <= 0.05).sum())
        expect(page.locator("#count")).to_have_text(f"{expected:,}")
