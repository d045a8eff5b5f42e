"""``hedgerow demo``: the grid of pixels appears, in numbers, in the terminal and on the page."""

import json
import re
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_digits

from hedgerow import HedgeGraph
from hedgerow.cli import cli

demo = import_module("hedgerow.cli.demo")  # the module, not its command


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(cli, ["demo", *map(str, arguments)])


def touching(model, level):
    """Count again, from coordinates."""
    graph = model.graph_up_to(level)
    first, second = (np.stack(np.unravel_index(ends, (8, 8))) for ends in graph[:2])
    step = np.abs(first - second)
    return len(graph.source), np.mean(step.sum(axis=0) == 1), np.mean(step.max(axis=0) == 1)


@pytest.mark.filterwarnings("ignore:constant columns")
@pytest.mark.parametrize("options", [[], ["--stream"]])
def test_the_grid_appears(here, options):
    result = run(*options)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    device = "cpu" if options else "numpy"
    model = HedgeGraph(error="fwer", level=1e-25, device=device).fit(load_digits().data)
    lines = result.stdout.splitlines()
    for level in demo.LEVELS:
        count, by_side, at_all = touching(model, level)
        told = next(line.split() for line in lines if line.split()[:1] == [f"{level:g}"])
        assert told[1:] == [str(count), f"{by_side:.0%}", f"{at_all:.0%}"]
    # What the demo is there to show: far more than the tenth that chance would give.
    assert at_all > 0.8
    assert f"{at_all:.0%} of the surest edges join pixels that touch; 10% of all pairs do." in lines
    page = here / "hedgerow-demo.html"
    assert list(here.iterdir()) == [page]
    assert lines[-1] == page.as_uri()

    data = json.loads(re.search(r'type="application/json">(.*?)</script>', page.read_text())[1])
    assert data["names"][:9] == [*(f"r0c{j}" for j in range(8)), "r1c0"]
    assert (data["rows"], data["level"], data["error"]) == (1797, 1e-25, "fwer")
    assert data["q"] == model.graph_up_to(0.2).q_value.tolist()
    assert data["warnings"] == ["constant columns are isolated nodes: 'r0c0', 'r4c0', 'r4c7'"]


def test_the_stream_shows_the_rows_arrive(here):
    result = run("--stream")
    rows = [
        int(line.split()[0].replace(",", ""))
        for line in result.stdout.splitlines()
        if "%" in line and re.match(r" *[\d,]+ +\d+ ", line)
    ]
    assert rows == [*range(100, 1800, 100), 1797]


def test_the_page_goes_where_it_should(here):
    assert run("--html", "other.html").exit_code == 0
    assert [path.name for path in here.iterdir()] == ["other.html"]
    result = run("--html", "absent/other.html")
    assert result.exit_code == 1
    assert result.stderr == "Error: absent/other.html: its folder does not exist\n"


def test_all_pairs_are_counted_right():
    pixels = np.stack(np.unravel_index(np.arange(64), (8, 8)), axis=1)
    first, second = np.triu_indices(64, 1)
    step = np.abs(pixels[first] - pixels[second])
    expected = len(first), np.sum(step.sum(axis=1) == 1), np.sum(step.max(axis=1) == 1)
    assert expected == demo.EVERY_PAIR


def drawn(*pairs):
    source, target = (np.array(ends, dtype=int) for ends in zip(*pairs))
    graph = SimpleNamespace(source=source, target=target)
    model = SimpleNamespace(graph_up_to=lambda level: graph)
    return demo._drawing(model).plain.splitlines()


def test_edges_are_drawn_where_the_pixels_are():
    lines = drawn((0, 1), (1, 9), (9, 18), (10, 17), (62, 63), (7, 14), (3, 60))
    assert lines[0] == "o───o   o   o   o   o   o   o"
    assert lines[1] == "    │                     ╱  "
    assert lines[3] == "      ╳                      "
    assert lines[14] == "o   o   o   o   o   o   o───o"
    assert "".join(lines).count("o") == 64
    assert not set("".join(lines)) - set("o─│╱╳ ")
