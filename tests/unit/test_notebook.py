"""In a notebook a fitted model shows what it learned: as text, and without computing anything."""

import numpy as np
import pandas as pd
import pytest
import sklearn

from hedgerow import HedgeGraph


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
