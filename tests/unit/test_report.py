"""The report as text: what is embedded, what is refused, how it is written."""

import json
import re
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from hedgerow import HedgeGraph
from hedgerow.report import PairTold, ReportData, data_of, render, write
from hedgerow.report.payload import pictures


@pytest.fixture(scope="module")
def data():
    return ReportData(
        names=["a", "b", "c"],
        source=[0, 1],
        target=[1, 2],
        partial_corr=[0.5, -0.25],
        z=[10.0, -5.0],
        p_value=[1e-20, 1e-5],
        q_value=[3e-20, 0.1 + 0.2 - 0.15],
        level=0.05,
        rows=400,
        version="0.0",
    )


def embedded(page):
    return json.loads(
        re.search(r'<script id="data" type="application/json">(.*)</script>', page)[1]
    )


def test_the_numbers_arrive_and_levels_to_the_last_digit(data):
    found = embedded(render(data))
    assert found["names"] == ["a", "b", "c"]
    assert found["q"] == data.q_value.tolist()
    assert found["p"] == data.p_value.tolist()
    assert found["partialCorr"] == [0.5, -0.25]
    assert (found["source"], found["target"]) == ([0, 1], [1, 2])
    assert len(found["x"]) == len(found["y"]) == 3


@given(st.lists(st.text(st.characters(exclude_categories=[]), max_size=20), min_size=1, max_size=4))
def test_any_text_is_embedded_inertly_and_comes_back(names):
    none = np.array([], dtype=int)
    data = ReportData(names, none, none, none, none, none, none, level=0.05, rows=9, version="0")
    page = render(replace(data, title=names[0], warnings=names))
    page.encode()  # also lone surrogates, which have no UTF-8 form, must not stop the writing
    block = page[page.index('<script id="data"') : page.rindex("<script>")]
    assert block.count("<") == 2
    assert re.search("[^\\x00-\\x7f]", block) is None
    found = embedded(page)
    assert found["names"] == found["warnings"] == names
    assert found["title"] == names[0]


def test_only_the_own_style_and_script_are_allowed(data):
    page = render(data)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["worker-src"] == "blob:"
    assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", rules["script-src"])
    assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", rules["style-src"])
    assert not re.search(r"\son\w+=|javascript:|style=", page[: page.index("<style>")])
    assert not re.search(
        r"\son\w+=|style=", page[page.index("<body>") : page.index('<script id="data"')]
    )


def test_the_same_data_gives_the_same_page(data):
    assert render(data) == render(data)


def test_the_layout_follows_the_edges_of_the_chosen_level(data):
    """Edges that only a more generous level would let in do not shape the drawing."""
    strict = replace(data, level=0.01)
    without = replace(
        strict,
        **{name: getattr(data, name)[:1] for name in ("source", "target", "partial_corr")},
        **{name: getattr(data, name)[:1] for name in ("z", "p_value", "q_value")},
    )
    assert embedded(render(strict))["x"] == embedded(render(without))["x"]
    assert embedded(render(strict))["x"] != embedded(render(replace(data, level=0.2)))["x"]


def test_detectable_is_the_smallest_lone_edge(data):
    found = embedded(render(data))["detectable"]
    p_value = 2 * norm.sf(found * np.sqrt(data.rows))
    assert p_value * 3 == pytest.approx(data.level)
    assert embedded(render(replace(data, rows=0)))["detectable"] is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"level": 1.5}, r"level must be a number in \(0, 1\), got 1.5"),
        ({"max_level": 0.01}, r"max_level must be in \[level, 1\], got 0.01"),
        ({"error": "fdp"}, "error must be one of 'fdr', 'fwer', 'balanced', got 'fdp'"),
        ({"rows": -1}, "rows must be an integer >= 0, got -1"),
        ({"n_columns": 2}, "n_columns must be an integer >= 3, got 2"),
        ({"source": [0, 3]}, r"source must be in \[0, 3\), got 3"),
        ({"target": [-1, 2]}, r"target must be in \[0, 3\), got -1"),
        ({"target": [1]}, r"target must be as long as source \(2\), got 1"),
        ({"target": [1, 1]}, "source and target must differ, got 1 twice"),
        ({"source": [0.0, 1.0]}, "source must be a one-dimensional array of integers, got float64"),
        ({"z": [1.0]}, r"z must have one value for each edge \(2\), got \(1,\)"),
        ({"p_value": [0.1, np.nan]}, "p_value must be finite, got nan"),
        ({"q_value": [0.1, 0.01]}, "q_value must be sorted, got a smaller value at position 1"),
        ({"q_value": [0.1, 0.3]}, "q_value must be at most max_level, got 0.3"),
        ({"left_out": {"text": "who"}}, "left_out must have a list of names for 'text', got 'who'"),
        (
            {"histograms": [(0, 1, [1])]},
            r"histograms must be one for each variable \(3\), got 1",
        ),
        (
            {"histograms": [(0, 1, [1]), (2, 1, [1]), (0, 1, [1])]},
            r"histograms\[1\] must have start <= stop and counts that are not negative, "
            r"got 2, 1, \[1\]",
        ),
        (
            {"histograms": [(0, 1, [1]), (0, 1, [1]), (0, 1, [-1])]},
            r"histograms\[2\] must .* got 0, 1, \[-1\]",
        ),
        (
            {"autocorrelation": [0.5, 2]},
            r"autocorrelation must be numbers in \[-1, 1\], got \[0.5, 2\]",
        ),
        ({"returns": [0.5]}, r"returns must have one value for each edge \(2\), got \(1,\)"),
        ({"returns": [0.5, 1.5]}, r"returns must be numbers in \[0, 1\], got 1.5"),
        ({"pairs": [PairTold(0, 9, [], 0.0)]}, r"target of pairs must be in \[0, 3\), got 9"),
        ({"rows_left_out": {"odd": -1}}, r"rows_left_out\['odd'\] must be an integer >= 0, got -1"),
    ],
)
def test_wrong_data_is_refused(data, change, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        replace(data, **change)


def test_data_cannot_be_changed(data):
    with pytest.raises(FrozenInstanceError):
        data.level = 0.1


def test_write_is_render_in_a_file(data, tmp_path):
    write(tmp_path / "report.html", data)
    assert (tmp_path / "report.html").read_bytes() == render(data).encode()


def test_a_failed_write_leaves_the_old_page(data, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")

    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OSError, match="disk full"):
        write(path, data)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_steps_are_shown_value_by_value_with_their_kind_and_gaps():
    rng = np.random.default_rng(9)
    rows = np.column_stack([rng.standard_normal((500, 2)), rng.integers(1, 6, 500)])
    rows[:30, 2] = np.nan
    shown = pictures(data_of(HedgeGraph().fit(rows)))
    assert shown["kinds"] == ["continuous", "continuous", "steps"]
    assert shown["missing"] == [0, 0, 30]
    assert "values" not in shown["histograms"][0]
    assert shown["histograms"][2]["values"] == [1, 2, 3, 4, 5]
    assert sum(shown["histograms"][2]["counts"]) == 470


@pytest.mark.parametrize(
    ("about", "rule"),
    [
        ({"kinds": ["steps"]}, r"kinds must be one for each variable \(2\), got 1"),
        ({"missing": [1, 2, 3]}, r"missing must be one for each variable \(2\), got 3"),
        ({"missing": [1, -2]}, r"missing\[1\] must be"),
        ({"histograms": [(0, 1, [2, 3], [0, 1]), (0, 1, [2], [0, 1])]}, r"value for each of 1"),
    ],
)
def test_what_is_said_of_variables_must_fit_them(about, rule):
    data = data_of(HedgeGraph().fit(np.random.default_rng(0).standard_normal((50, 2))))
    with pytest.raises(ValueError, match=rule):
        replace(data, **about)
