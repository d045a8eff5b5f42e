"""Why two columns are joined, or not: numbers of the model, the way between them, and words."""

import json
from itertools import pairwise

import networkx
import numpy as np
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph
from hedgerow.cli import cli
from hedgerow.datasets import make
from hedgerow.estimators import DataWarning, GuaranteeWarning, _explained, _intervals
from hedgerow.method.one_pair import of_pair
from hedgerow.method.paths import strongest_path

PLAIN = {"rows": "independent", "columns": "normal"}
NAMES = list("abcd")


@pytest.fixture(scope="module")
def walk():
    return np.cumsum(np.random.default_rng(0).standard_normal((400, 4)), axis=1)


@pytest.fixture(scope="module")
def graph(walk):
    return HedgeGraph(**PLAIN).partial_fit(walk, feature_names=NAMES)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_handful_of_rows_of_two_values_explains_nothing():
    rows = np.array([[0.3, 0.8, 0.3], [0.3, 0.8, 0.3], [0.1, -0.1, 0.6]])
    assert HedgeGraph().fit(rows).explain(0, 1).p_value == 1.0


def test_without_an_edge_it_says_what_stands_between(graph, walk):
    found = graph.explain("a", "d")
    assert (found.is_edge, found.decided_by, found.between) == (False, "chance", ("b", "c"))
    assert found.corr == pytest.approx(np.corrcoef(walk.T)[0, 3])
    asked = graph.partial_corr_of("a", "d")
    for name in ("partial_corr", "low", "high", "given", "rows"):
        assert getattr(found, name) == getattr(asked, name)
    assert found.level == 0.05
    assert str(found).splitlines() == [
        "a and d: no edge at a false discovery rate of 0.05.",
        f"Correlation {found.corr:.3f}, from 400 effective rows.",
        f"Partial correlation {found.partial_corr:.3f} (95 % interval {found.low:.3f} to "
        f"{found.high:.3f}), given b and c.",
        f"Among 6 pairs chance makes such a partial correlation: p = {found.p_value:.2g}, "
        "q is above 0.5.",
        "They are related by way of b and c.",
    ]


def test_the_p_value_of_a_pair_without_an_edge_is_that_of_its_interval(graph):
    """An interval that ends at zero misses as often as chance is as far off."""
    found = graph.explain("a", "d")
    at_zero = graph.explain("a", "d", level=found.p_value)
    ends = np.abs([at_zero.low, at_zero.high])
    assert ends.min() == pytest.approx(0.0, abs=1e-9)
    assert at_zero.level == found.p_value


def test_an_edge_has_the_numbers_of_the_table(graph):
    (edge,) = (edge for edge in graph.edges_ if {edge.source, edge.target} == {"b", "c"})
    for ends in (("b", "c"), ("c", "b")):
        found = graph.explain(*ends)
        assert (found.source, found.target) == ends
        assert (found.is_edge, found.decided_by) == (True, "partial correlation")
        assert found.between is None
        assert (found.p_value, found.q_value) == (edge.p_value, edge.q_value)
        assert found.partial_corr == pytest.approx(edge.partial_corr, abs=1e-12)
    assert "It is clear of what chance makes of 6 pairs" in str(found)


def test_columns_without_names_are_numbers(walk):
    found = HedgeGraph(**PLAIN).fit(walk).explain(0, 3)
    assert found.between == found.given == (1, 2)
    assert json.loads(json.dumps(found.to_dict()))["between"] == [1, 2]


def test_a_model_from_a_file_says_the_same(graph, tmp_path):
    graph.save(tmp_path / "model")
    assert HedgeGraph.load(tmp_path / "model").explain("a", "d") == graph.explain("a", "d")


def test_no_path_and_no_clear_correlation_are_said(walk):
    rows = np.c_[walk, np.random.default_rng(1).standard_normal(400)]
    model = HedgeGraph(level=1e-6, **PLAIN).fit(rows)
    assert model.explain(0, 4).between is None
    assert str(model.explain(0, 4)).endswith("\nNo path of edges joins them.")
    long = make("chain", 12, seed=0).sample(800, seed=0)
    far = HedgeGraph(level=1e-6, **PLAIN).fit(long).explain(0, 11)
    assert far.between == tuple(range(1, 11))
    assert not far.related
    assert str(far).endswith(
        "Edges join them by way of 1, 2, 3, 4, 5 and 5 more, which leaves no clear correlation."
    )


@pytest.mark.filterwarnings(f"ignore::{DataWarning.__module__}.DataWarning")
@pytest.mark.filterwarnings(f"ignore::{GuaranteeWarning.__module__}.GuaranteeWarning")
def test_columns_that_are_set_aside_are_told(walk):
    rng = np.random.default_rng(2)
    rare = np.where(rng.random(400) < 0.9, np.nan, rng.standard_normal(400))
    half = rng.random(400) < 0.5
    first, second = (np.where(some, rng.standard_normal(400), np.nan) for some in (half, ~half))
    model = HedgeGraph().fit(np.c_[walk, -2 * walk[:, 0], np.ones(400), rare, first, second])
    for ends, decided_by, words in (
        ((0, 4), "repeat", "One repeats the other: their correlation is -1."),
        ((1, 4), "not tested", "They were not tested: 4 repeats 0, which stands for it."),
        ((0, 5), "not tested", "They were not tested: 5 never varies."),
        ((6, 0), "not tested", "They were not tested: 6 is hardly ever there."),
        ((7, 8), "not tested", "They were not tested: they are hardly ever there together."),
    ):
        found = model.explain(*ends)
        assert (found.decided_by, found.is_edge) == (decided_by, ends == (0, 4))
        assert words in str(found).splitlines()
    assert found.to_dict()["partial_corr"] is None
    assert model.explain(1, 4).between == (0,)


def test_another_test_that_does_not_agree_is_told(walk):
    """A p-value that is small enough, with a q-value that is not: what both tests would leave."""
    model = HedgeGraph(**PLAIN).fit(walk)
    known = model._graph()
    pair = (known.source == 1) & (known.target == 2)
    doubted = known._replace(q_value=np.where(pair, 0.3, known.q_value))
    model._results = model._results | {model._graph_key(): doubted}
    found = model.explain(1, 2)
    assert (found.is_edge, found.decided_by, found.q_value) == (False, "agreement", 0.3)
    assert "the other test that an edge needs does not agree: q = 0.3." in str(found)


def test_an_estimate_that_was_cut_off_at_one_means_nothing(graph, monkeypatch):
    def cut_off(known, i, j):
        return of_pair(known, i, j)._replace(partial_corr=-1.0)

    monkeypatch.setattr(_explained, "of_pair", cut_off)
    monkeypatch.setattr(_intervals, "of_pair", cut_off)
    found = graph.explain("a", "d")
    assert (found.p_value, found.low, found.high) == (1.0, -1.0, 1.0)
    assert found.decided_by == "chance"


def test_a_balanced_graph_of_noise_has_a_reason():
    noise = np.random.default_rng(3).standard_normal((100, 5))
    model = HedgeGraph(level="balanced", **PLAIN).fit(noise)
    assert len(model.edges_) == 0
    found = model.explain(0, 1)
    assert (found.promise, found.level, found.decided_by) == ("balanced", 0.05, "chance")
    assert "no edge in a balanced graph, because none can be told from chance" in str(found)


def test_steps_are_explained_by_what_lies_behind():
    rows = make("chain", 5, seed=0).sample(3000, seed=0)
    behind = HedgeGraph().fit(rows).explain(0, 1)
    steps = HedgeGraph(columns={0: "yes/no", 1: "yes/no"})
    seen = steps.fit(np.where(np.arange(5) < 2, rows > 0, rows)).explain(0, 1)
    # Standard errors are below 0.03 with so many rows; that of yes and no themselves is far off.
    assert seen.corr == pytest.approx(behind.corr, abs=0.12)
    assert abs(np.corrcoef((rows[:, :2] > 0).T)[0, 1]) < abs(seen.corr) - 0.1


@pytest.mark.parametrize("ends", [("a", "z"), ("z", "a"), ("a", "a"), (0, 1)])
def test_other_columns_are_refused(graph, ends):
    with pytest.raises(ValueError, match=r"must be a column, got|must differ, got 'a' twice"):
        graph.explain(*ends)


def test_the_strongest_path_has_the_largest_product_of_all():
    rng = np.random.default_rng()
    for _ in range(30):
        source, target = np.triu_indices(7, 1)
        keep = rng.random(len(source)) < 0.35
        corr = rng.uniform(-1, 1, keep.sum())
        edges = source[keep], target[keep], corr
        drawn = networkx.Graph()
        drawn.add_nodes_from(range(7))
        drawn.add_weighted_edges_from(zip(*edges))
        strength = {
            tuple(path): abs(np.prod([drawn[a][b]["weight"] for a, b in pairwise(path)]))
            for path in networkx.all_simple_paths(drawn, 0, 6)
        }
        found = strongest_path(*edges, 7, (0, 6))
        assert found == (list(max(strength, key=strength.get)) if strength else None)


@pytest.fixture
def table(walk, tmp_path):
    path = tmp_path / "walk.csv"
    np.savetxt(path, walk, delimiter=",", header='a,b,"c,x",d', comments="")
    return str(path)


def learn(*arguments):
    return CliRunner().invoke(cli, ["learn", *arguments])


def test_the_command_explains(table):
    done = learn(table, "--explain", "a,d", "--explain", "a, c,x")
    assert done.exit_code == 0, done.output
    assert "\na and d: no edge at a false discovery rate of 0.05.\nCorrelation" in done.stdout
    assert "\nThey are related by way of b and c,x.\n" in done.stdout
    assert "\na and c,x: no edge" in done.stdout
    told = json.loads(learn(table, "--explain", "a,d", "--json").stdout)["explained"]
    assert [each["between"] for each in told] == [["b", "c,x"]]
    assert told[0]["text"] in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--explain", "a,e"], "--explain must name two columns that are learned from, got 'a,e'"),
        (["--explain", "a"], "--explain must name two columns that are learned from, got 'a'"),
        (["--explain", "a,a"], "--explain must name two columns that are learned from, got 'a,a'"),
        (["--explain", "a,b", "--quiet"], "does not go with --quiet"),
        (["--explain", "a,b", "--model", "ising"], "--explain is for --model gaussian"),
        (["--explain", "a,b", "--by", "d"], "--explain goes without --by"),
    ],
)
def test_questions_that_have_no_answer_are_refused(table, options, message):
    done = learn(table, *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout == ""
