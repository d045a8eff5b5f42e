"""``hedgerow demo``: the grid of pixels appears, in numbers, in the terminal and on the page."""

import json
import re
import warnings
from importlib import import_module
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from hedgerow import HedgeGraph
from hedgerow.cli import cli
from hedgerow.cli._photograph import flower, grey

demo = import_module("hedgerow.cli.demo")  # the module, not its command


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def patches():
    return demo._patches()


def run(*arguments):
    return CliRunner().invoke(cli, ["demo", *map(str, arguments)])


def told(model):
    """Count again, from coordinates: edges, and shares by a side and at all."""
    graph = model.graph_up_to(0.05)
    first, second = (np.stack(np.unravel_index(ends, (8, 8))) for ends in graph[:2])
    step = np.abs(first - second)
    by_side, at_all = np.mean(step.sum(axis=0) == 1), np.mean(step.max(axis=0) == 1)
    return [str(len(graph.source)), f"{by_side:.0%}", f"{at_all:.0%}"]


@pytest.fixture(scope="module")
def streamed(tmp_path_factory):
    """A folder, and what the demo that streams printed and left there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("streamed"))
        return Path.cwd(), run("--stream")


@pytest.fixture(scope="module")
def at_once(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("at-once"))
        return Path.cwd(), run()


@pytest.mark.parametrize(("way", "device"), [("at_once", "numpy"), ("streamed", "cpu")])
def test_the_grid_appears(request, patches, way, device):
    here, result = request.getfixturevalue(way)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    known = {"error": "fwer", "device": device}
    model = HedgeGraph(**known).fit(patches)
    as_normal = HedgeGraph(**known, rows="independent", columns="normal").fit(patches)
    lines = [line.split() for line in result.stdout.splitlines()]
    (before,) = (line for line in lines if line[:1] == ["before:"])
    (after,) = (line for line in lines if line[:1] == ["after:"])
    assert before[-3:] == told(as_normal)
    assert after[-3:] == told(model)
    # What the demo is there to show: most of 112 sides, and hardly anything else, unlike before.
    assert touching_by_side(model) > 95
    assert float(after[-1].rstrip("%")) > 90 > 50 > float(before[-1].rstrip("%"))
    for sentence in model.treatment_.sentences():
        assert sentence in result.stdout.splitlines()
    page = here / "hedgerow-demo.html"
    assert list(here.iterdir()) == [page]
    assert result.stdout.splitlines()[-1] == page.as_uri()

    data = json.loads(re.search(r'type="application/json">(.*?)</script>', page.read_text())[1])
    assert data["names"][:9] == [*(f"r0c{j}" for j in range(8)), "r1c0"]
    assert (data["rows"], data["level"], data["error"]) == (1000, 0.05, "fwer")
    assert data["q"] == model.graph_up_to(0.2).q_value.tolist()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert HedgeGraph(**known).fit(patches).edges_ is not None
    doubts = [str(each.message) for each in warned]
    assert "restless" in " ".join(doubts)  # contrast is that of a part of a patch
    assert data["warnings"] == doubts
    for doubt in doubts:
        assert f"Warning: {doubt}" in result.stdout.splitlines()
    assert data["said"] == model.treatment_.sentences()


def touching_by_side(model):
    graph = model.graph_up_to(0.05)
    step = np.abs(np.subtract(*(np.stack(np.unravel_index(ends, (8, 8))) for ends in graph[:2])))
    return int((step.sum(axis=0) == 1).sum())


def test_the_stream_shows_the_rows_arrive(streamed):
    _, result = streamed
    rows = [
        int(line.split()[0].replace(",", ""))
        for line in result.stdout.splitlines()
        if "%" in line and re.match(r" *[\d,]+ +\d+ ", line)
    ]
    assert rows == [*range(200, 1001, 200)]


def test_a_row_is_a_patch(patches):
    picture = flower()
    known = set(patches.iter_rows())
    places = [(top, left) for top in range(4, 413, 8) for left in range(4, 629, 8)]
    cut = {tuple(picture[top : top + 8, left : left + 8].ravel()) for top, left in places}
    assert known <= cut
    assert len(patches) == 1000


@pytest.mark.parametrize("name", ["flower.jpg", "china.jpg"])
def test_the_photograph_is_read_as_others_read_it(name):
    """Readers round in different places, so that brightness may differ by one of 255."""
    path = files("sklearn").joinpath("datasets/images", name)
    with path.open("rb") as file, Image.open(file) as image:
        image.draft("L", image.size)  # the brightness, not made from colours again
        expected = np.asarray(image, dtype=float)
    found = grey(path.read_bytes())
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 1
    assert (found == expected).mean() > 0.9


@pytest.mark.parametrize("options", [{"progressive": True}, {"subsampling": 2}])
def test_other_pictures_are_refused(options):
    file = BytesIO()
    Image.new("RGB", (16, 16)).save(file, "jpeg", **options)
    with pytest.raises(ValueError, match="only baseline JPEG can be read"):
        grey(file.getvalue())


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
