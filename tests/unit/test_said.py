"""What was done to rows and columns is said wherever a graph is told."""

import json
import re

import networkx as nx
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.signal import lfilter

from hedgerow import HedgeGraph, io
from hedgerow.cli import cli
from hedgerow.live._news import data_of as live_data
from hedgerow.report import data_of, render
from hedgerow.report.of_model import MOST_HISTOGRAMS
from hedgerow.report.payload import edges
from hedgerow.stream import run

HOSTILE = "<i>&"
NAMES = ["a", HOSTILE, "c", "d"]


def run_command(*arguments):
    result = CliRunner().invoke(cli, [*map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result


def embedded(page):
    return json.loads(re.search(r'type="application/json">(.*?)</script>', page)[1])


@pytest.fixture(scope="module")
def frame():
    """Rows in time, one column of which is far from normal."""
    noise = np.random.default_rng(5).standard_normal((900, 4))
    rows = np.cumsum(lfilter([1.0], [1.0, -0.7], noise, axis=0), axis=1)
    rows[:, 1] = np.exp(rows[:, 1])
    return pl.DataFrame(rows, schema=NAMES, orient="row")


@pytest.fixture(scope="module")
def model(frame):
    return HedgeGraph().fit(frame)


@pytest.fixture
def table(tmp_path, frame):
    frame.write_csv(tmp_path / "table.csv")
    return tmp_path / "table.csv"


def test_there_is_something_to_say(model):
    far, related, *_ = model.treatment_.sentences()
    assert far == (
        f"1 column is far from normal (farthest: {HOSTILE!r}). "
        "Scores of ranks replace all 4 columns."
    )
    assert related.startswith("All columns remember alike: ")
    assert "and was taken out. 900 of them say as much as " in related


def test_columns_that_are_taken_as_they_are_are_not_said_to_be_replaced(frame):
    far, *_ = HedgeGraph(columns=["c"]).fit(frame).treatment_.sentences()
    assert far.endswith("Scores of ranks replace 3 of 4 columns.")


@pytest.mark.parametrize("command", ["learn", "stream"])
def test_the_command_says_it_after_its_promise(table, model, command):
    lines = run_command(command, table).stdout.splitlines()
    assert lines[1].startswith(f"{len(model.edges_)} edges among 6 pairs")
    said = model.treatment_.sentences()
    assert lines[2 : 2 + len(said)] == said
    assert lines[2 + len(said)] == ""


def test_nothing_is_said_where_nothing_was_done(table):
    lines = run_command("learn", table, "--independent-rows", "--normal-columns").stdout
    assert lines.splitlines()[2:4] == ["", "Strongest edges"]


@pytest.mark.parametrize("command", ["learn", "stream"])
def test_the_json_has_all_of_it(table, model, command):
    told = json.loads(run_command(command, table, "--json").stdout)["treatment"]
    done = model.treatment_
    assert set(told) == {*done._fields, "sentences", "words"}
    assert told["sentences"] == done.sentences()
    assert told["far_from_normal"] == [HOSTILE]
    assert told["straightness"] == dict(zip(NAMES, done.straightness))
    assert told["autocorrelation"] == done.autocorrelation.tolist()
    for name in ("rows", "effective_rows", "scored", "tails", "memory", "season", "repeated"):
        assert told[name] == getattr(done, name)


def test_the_autocorrelation_is_that_of_the_residuals(model):
    """Here it is known: those of an autoregression with coefficient 0.7."""
    found = model.treatment_.autocorrelation
    assert len(found) == 32
    standard_error = np.sqrt((1 + 0.7**2) / (1 - 0.7**2) / 900)  # Bartlett's, at most, of a column
    assert np.abs(found[:3] - 0.7 ** np.arange(1, 4)).max() < 3 * standard_error


@pytest.mark.parametrize("format", ["graphml", "node-link", "cytoscape"])
def test_files_of_graphs_have_it(tmp_path, model, format):
    path = tmp_path / "graph"
    io.write(path, model, format)
    if format == "graphml":
        facts = nx.read_graphml(path).graph
    else:
        content = json.loads(path.read_text())
        facts = content["graph" if format == "node-link" else "data"]
    assert facts["treatment"] == " ".join(model.treatment_.sentences())
    assert facts["effective_rows"] == model.n_samples_effective_


def test_the_page_has_sentences_histograms_and_time(model):
    page = render(data_of(model))
    assert HOSTILE not in page
    found = embedded(page)
    assert found["said"] == model.treatment_.sentences()
    assert len(found["histograms"]) == 4
    for told, (start, stop, counts) in zip(found["histograms"], model.histograms()):
        assert told["start"] == pytest.approx(start, rel=1e-3)
        assert told["stop"] == pytest.approx(stop, rel=1e-3)
        assert told["counts"] == pytest.approx(counts.tolist(), rel=5e-3)
    assert found["autocorrelation"] == model.treatment_.autocorrelation.round(3).tolist()


def test_the_page_shows_no_time_where_rows_are_independent():
    rows = np.random.default_rng(0).standard_normal((600, 3))
    found = embedded(render(data_of(HedgeGraph().fit(rows))))
    assert found["autocorrelation"] == []
    assert len(found["histograms"]) == 3


@pytest.mark.filterwarnings("ignore")
def test_many_variables_have_no_histograms():
    rows = np.random.default_rng(0).standard_normal((40, MOST_HISTOGRAMS + 1))
    few = HedgeGraph().fit(rows[:, :-1])
    assert len(data_of(few).histograms) == MOST_HISTOGRAMS
    assert data_of(HedgeGraph().fit(rows)).histograms == []


def test_the_live_page_is_told_at_every_look(table, model):
    told = []

    class Watcher:
        def wants_look(self):
            return True

        def __call__(self, status):
            if status.look:
                told.append(status.look)

    run(table, watchers=[Watcher()])
    assert edges(live_data(told[-1], "A run"))["said"] == model.treatment_.sentences()


def test_a_notebook_shows_it_as_text(model):
    html = model._repr_html_()
    assert "<p>1 column is far from normal (farthest: &#x27;&lt;i&gt;&amp;&#x27;)" in html
    assert "<i>&" not in html
