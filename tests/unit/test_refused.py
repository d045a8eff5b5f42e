"""Balanced graphs that are left without edges, and where it is told why."""

import json
import warnings

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph
from hedgerow.cli import cli
from hedgerow.datasets import make, max_strength
from hedgerow.estimators import GuaranteeWarning
from hedgerow.method.balance import ALONE
from hedgerow.method.shortage import rows_to_detect
from hedgerow.report import data_of, render

PLAIN = {"level": "balanced", "rows": "independent", "columns": "normal"}


def too_few():
    """Two columns that stand out by far, in rows that show nothing weaker."""
    rows = np.random.default_rng(0).standard_normal((9, 40))
    rows[:, 1] = rows[:, 0] + 0.01 * rows[:, 1]
    return rows


def contradicting():
    """Leaves of a hub that all but determines them choose each other."""
    return make("star", 64, strength=0.99 * max_strength("star", 64)).sample(19, seed=0)


def much_alike():
    rng = np.random.default_rng(1)
    return rng.standard_normal((12, 1)) + 0.1 * rng.standard_normal((12, 8))


REFUSED = {
    "too few rows": (too_few, "0.9 would stand out from chance in 9 rows of 40 columns"),
    "contradiction": (contradicting, "no test of so few rows can be given more than 4"),
    "shadows": (much_alike, "could as well be relations by way of a third column"),
}
of_all = pytest.mark.parametrize(("rows", "because"), REFUSED.values(), ids=REFUSED)


@of_all
def test_the_library_tells_why_there_are_no_edges(rows, because):
    with pytest.warns(GuaranteeWarning, match=f"left without edges, because .*{because}; "):
        graph = HedgeGraph(**PLAIN).fit(rows())
    assert not len(graph.edges_)
    assert because in graph.why_no_edges()
    for text in (graph.summary(), graph._repr_html_()):
        assert f"in a balanced graph, because {graph.why_no_edges()}." in text
        assert "told from chance" not in text
    told = graph.explain(0, 1)
    assert told.decided_by == "refusal"
    assert told.why == graph.why_no_edges()
    assert f"0 and 1: no edge in a balanced graph, because {told.why}.\n" in str(told)
    kept = graph.set_params(level=0.05)
    with pytest.warns(GuaranteeWarning):
        assert kept.why_no_edges() == ""
    assert kept.explain(0, 1).decided_by != "refusal"


@of_all
def test_the_command_and_the_page_tell_it_too(tmp_path, rows, because):
    table, page = tmp_path / "table.csv", tmp_path / "page.html"
    pl.DataFrame(rows(), schema=[f"v{k}" for k in range(rows().shape[1])]).write_csv(table)
    arguments = ["learn", str(table), "--balanced", "--independent-rows", "--normal-columns"]
    result = CliRunner().invoke(cli, [*arguments, "--html", str(page)])
    assert result.exit_code == 0, result.output
    shown = " ".join(result.output.split())
    assert because in shown
    assert "told from chance" not in shown
    told = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).stdout)
    assert because in told["why_no_edges"]
    embedded = page.read_text().split('type="application/json">')[1].split("</script>")[0]
    assert json.loads(embedded)["whyNone"] == told["why_no_edges"]


def test_other_pages_have_no_reason():
    rows = np.random.default_rng(0).standard_normal((100, 5))
    for level in (0.05, "balanced"):
        graph = HedgeGraph(level=level).fit(rows)
        assert graph.why_no_edges() == ""
        assert "whyNone" not in render(data_of(graph)).split("<script>")[0]


def test_rows_that_could_show_a_strong_edge_are_enough():
    needed = rows_to_detect(0.9, 40, ALONE)
    rows = np.random.default_rng(0).standard_normal((needed, 40))
    rows[:, 1] = rows[:, 0] + 0.01 * rows[:, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuaranteeWarning)
        enough = HedgeGraph(**PLAIN).fit(rows)
        fewer = HedgeGraph(**PLAIN).fit(rows[:-1])
    assert (0, 1) in [(edge.source, edge.target) for edge in enough.edges_]
    assert fewer.why_no_edges()


def test_nothing_is_refused_where_nothing_stands_out():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuaranteeWarning)
        graph = HedgeGraph(**PLAIN).fit(np.random.default_rng(0).standard_normal((9, 40)))
    assert graph.why_no_edges() == ""
    assert "because none can be told from chance." in graph.summary()
