"""In a notebook a fitted model shows what it learned: as text, and without computing anything."""

import re

import numpy as np
import pandas as pd
import pytest
import sklearn
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from hedgerow import HedgeGraph, IsingGraph, progress
from hedgerow.estimators import _notebook


@pytest.fixture
def walk():
    return np.cumsum(np.random.default_rng(0).standard_normal((400, 3)), axis=1)


def test_a_fitted_model_shows_rows_and_edges(walk):
    model = HedgeGraph(error="fwer", level=0.01).fit(walk)
    html = model._repr_html_()
    assert "HedgeGraph(error=&#x27;fwer&#x27;, level=0.01)" in html
    assert "<b>2 edges</b> among 3 columns, from 400 rows, at a familywise error rate of" in html
    assert model.edges_._repr_html_() in html
    assert model._repr_mimebundle_() == {"text/plain": repr(model), "text/html": html}


def test_the_drawing_stands_still_and_needs_no_network(walk):
    model = HedgeGraph().fit(pd.DataFrame(walk, columns=["a<b", "c", "d"]))
    html = model._repr_html_()
    assert html.count("<line") == len(model.edges_) == 2
    assert html.count("<circle") == 3
    assert "<title>a&lt;b – c: " in html
    assert "<script" not in html
    assert set(re.findall(r"\w+://[^\s\"]*", html)) == {"http://www.w3.org/2000/svg"}  # a name


def test_summary_in_words_is_shown(walk):
    model = HedgeGraph().fit(np.exp(walk))
    said = model.summary().splitlines()[1:]
    assert len(said) == 1
    assert said[0] in model._repr_html_()


def test_signs_have_their_colours(walk):
    walk[:, 2] *= -1
    html = HedgeGraph().fit(walk)._repr_html_()
    assert sorted(re.findall(r'<line[^>]* stroke="(#\w+)"', html)) == ["#1f5fa8", "#c2571a"]


def test_an_ising_model_is_drawn_too():
    steps = np.where(np.random.default_rng(0).random((500, 3)) < 0.8, 1, -1)
    model = IsingGraph().fit(np.cumprod(steps, axis=1))
    assert model._repr_html_().count("<line") == len(model.edges_) > 0


def test_many_variables_are_not_drawn(walk, monkeypatch):
    monkeypatch.setattr(_notebook, "_DRAWN_UP_TO", 2)
    html = HedgeGraph().fit(walk)._repr_html_()
    assert "<svg" not in html
    assert "<table" in html


@pytest.fixture
def notebook(monkeypatch):
    """A shell with a kernel, as notebooks have."""
    shell = InteractiveShell.instance()
    shell.kernel = object()
    monkeypatch.setattr(progress, "_in_notebook", progress._Bar())
    yield
    InteractiveShell.clear_instance()


def test_a_bar_appears_for_work_that_lasts(walk, monkeypatch, notebook):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_PAUSE", 0.0)
    with capture_output() as captured:
        HedgeGraph().fit(walk)
    shown = [output.data["text/html"] for output in captured.outputs]
    assert shown[0].startswith('<progress max="1" value="')
    assert any("learning: 100%" in html for html in shown)
    assert shown[-1] == '<progress max="1" value="1.000"></progress> asking Hedge: 100%'
    assert captured.outputs[0].update is False
    assert captured.outputs[-1].update is True


def told(seconds):
    """Report for so many seconds, a hundred times."""
    now = 100.0

    def later():
        return now

    with pytest.MonkeyPatch.context() as patch, capture_output() as captured:
        patch.setattr(progress, "monotonic", later)
        for k in range(1, 101):
            now += seconds / 100
            progress.report("learning", k / 100)
    return captured.outputs


def test_no_bar_for_work_that_does_not_last(notebook):
    assert told(1.5) == []
    assert told(1.5) == []  # together they last; they are two


def test_each_computation_has_its_own_bar(notebook):
    for _ in range(2):
        outputs = told(10.0)
        assert [output.update for output in outputs] == [False] + [True] * (len(outputs) - 1)
        assert 20 < len(outputs) < 60  # five times a second, from the second second on


def test_no_bar_if_somebody_is_watching(walk, monkeypatch, notebook):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    heard = []
    with capture_output() as captured, progress.watching(lambda *told: heard.append(told)):
        HedgeGraph().fit(walk)
    assert heard
    assert captured.outputs == []


def test_no_bar_without_a_kernel(walk, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    InteractiveShell.instance()
    with capture_output() as captured:
        HedgeGraph().fit(walk)
    InteractiveShell.clear_instance()
    assert captured.outputs == []


def test_a_balanced_model_shows_its_estimate(walk):
    model = HedgeGraph(level="balanced").fit(walk)
    html = model._repr_html_()
    assert "HedgeGraph(level=&#x27;balanced&#x27;)" in html
    assert (
        f"<b>{len(model.edges_)} edges</b> among 3 columns, from 400 rows, in a balanced graph, "
        f"in which an estimated share of {model.level_:.2g} is false.</p>"
    ) in html


def test_a_new_model_shows_what_scikit_learn_shows():
    bundle = HedgeGraph()._repr_mimebundle_()
    assert "sk-" in bundle["text/html"]
    assert "sk-" in HedgeGraph()._repr_html_()


def test_names_are_text(walk):
    names = ["<img src=x onerror=alert(1)>", "a & b", '"']
    html = HedgeGraph().fit(pd.DataFrame(walk, columns=names))._repr_html_()
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert "<img" not in html


@pytest.mark.parametrize("level", [0.05, "balanced"])
def test_looking_at_a_model_computes_nothing(walk, monkeypatch, level):
    model = HedgeGraph(level=level).partial_fit(walk)
    for computation in ("_graph", "_precision"):
        monkeypatch.setattr(HedgeGraph, computation, None)  # calling it is an error
    assert "<p>Learned from 400 rows of 3 columns.</p>" in model._repr_html_()
    assert {"edges_", "precision_", "fit", "_repr_html_"} <= set(dir(model))


def test_no_edges_no_table():
    model = HedgeGraph(error="fwer", level=1e-9).fit(np.random.default_rng().normal(size=(99, 4)))
    assert "<b>0 edges</b> among 4 columns" in model._repr_html_()
    assert "<table" not in model._repr_html_()


def test_text_where_scikit_learn_is_to_show_text(walk):
    model = HedgeGraph().fit(walk)
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]
