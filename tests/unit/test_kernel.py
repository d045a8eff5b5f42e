"""In the kernel of a real notebook: the bar of a fit that lasts, and what a fitted model shows."""

import re

import nbformat
import pytest
from nbclient import NotebookClient

FIT = """
import numpy as np
from hedgerow import HedgeGraph, progress

progress.PATIENCE = 0.0  # as if each step lasted
rows = np.exp(np.random.default_rng().standard_normal((400, 3)).cumsum(axis=1))
HedgeGraph().fit(rows)
"""


@pytest.fixture(scope="module")
def shown():
    """Return what a notebook shows below a cell that fits a model."""
    cell = nbformat.v4.new_code_cell(FIT)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    return [(output.output_type, output.get("data", output)) for output in cell.outputs]


def test_one_bar_is_drawn_and_moves_to_the_end(shown):
    (bar,) = [data for kind, data in shown if kind == "display_data"]
    assert bar["text/html"] == '<progress max="1" value="1.000"></progress> asking Hedge: 100%'
    assert bar["text/plain"] == "asking Hedge: 100%"


def test_the_model_shows_its_drawing_and_its_summary(shown):
    kind, model = shown[-1]
    assert kind == "execute_result"
    assert model["text/plain"] == "HedgeGraph()"
    html = model["text/html"]
    assert re.search(r"<b>\d edges</b> among 3 columns, from 400 rows", html)
    assert "Scores of ranks replace all 3 columns." in html
    assert html.count("<circle") == 3


def test_nothing_else_is_shown(shown):
    assert [kind for kind, _ in shown] == ["display_data", "execute_result"]
