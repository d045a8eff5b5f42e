"""Tables with as many rows as columns: rows stay rows, in every reader, writer and estimator.

In each table here two columns are near-copies of each other and the rest is noise, so that the
same numbers the other way round have no such pair.
"""

import json
from importlib import import_module

import h5py
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph, SparsitronGraph, compare, io, rivals
from hedgerow.cli import cli
from hedgerow.datasets import make
from hedgerow.rivals._base import Rival
from hedgerow.river import RiverHedgeGraph

SIZE = 24
PAIR = ("x3", "x8")
NAMES = [f"x{j}" for j in range(SIZE)]
AVAILABLE = [name for name in rivals.names("numbers") if rivals.why_not(name) is None]
ONE_METHOD = ["--methods", "hedgerow", "--resamples", 0, "--json"]

pytestmark = pytest.mark.filterwarnings("ignore")  # so few rows keep few of the promises


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((SIZE, SIZE))
    rows[:, 8] = rows[:, 3] + 0.1 * rng.standard_normal(SIZE)
    return rows


@pytest.fixture(scope="module")
def frame(rows):
    return pd.DataFrame(rows, columns=NAMES)


def run(*arguments, **extra):
    result = CliRunner().invoke(cli, [*map(str, arguments)], **extra)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout) if result.stdout else None


def pairs(edges):
    return [(edge["source"], edge["target"]) for edge in edges]


TABLES = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "ndjson": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "feather": lambda frame, path: frame.to_feather(path),
    "npy": lambda frame, path: np.save(path, frame.to_numpy()),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False, engine="xlsxwriter"),
    "sav": lambda frame, path: pyreadstat.write_sav(frame, str(path)),
    "dta": lambda frame, path: pyreadstat.write_dta(frame, str(path)),
    "h5ad": lambda frame, path: write_h5ad(path, frame.to_numpy(), NAMES),
}


def write_h5ad(path, matrix, names):
    with h5py.File(path, "w") as file:
        file["X"] = matrix
        file.create_group("var").attrs["_index"] = "gene"
        file["var/gene"] = np.array(names, dtype=h5py.string_dtype())


@pytest.mark.parametrize("suffix", TABLES)
@pytest.mark.usefixtures("methods_here")
def test_files(suffix, frame, tmp_path):
    path = tmp_path / f"square.{suffix}"
    TABLES[suffix](frame, path)
    assert pairs(run("learn", path, "--json")["edges"]) == [PAIR]
    assert pairs(run("stream", path, "--json")["edges"]) == [PAIR]
    if suffix in ("csv", "npy"):
        assert pairs(run("compare", path, *ONE_METHOD)["methods"][0]["graph"]) == [PAIR]


@pytest.mark.parametrize("command", ["learn", "stream"])
def test_stdin(command, frame):
    told = run(command, "-", "--json", input=frame.to_csv(index=False).encode())
    assert pairs(told["edges"]) == [PAIR]


@pytest.mark.parametrize(("suffix", "read"), [("csv", pl.read_csv), ("parquet", pl.read_parquet)])
def test_simulate_writes_rows_that_learn_reads(tmp_path, suffix, read):
    path, array = tmp_path / f"rows.{suffix}", tmp_path / "rows.npy"
    run("simulate", "brownian_path", "-p", 40, "-n", 40, "--seed", 1, "--out", path)
    rng = np.random.default_rng(1)
    sample = make("brownian_path", 40, seed=rng).sample(40, rng)
    np.testing.assert_allclose(read(path).to_numpy(), sample, rtol=1e-12)
    np.save(array, sample)
    first, second = (run("learn", file, "--json")["edges"] for file in (path, array))
    assert len(first) > 20
    assert pairs(first) == pairs(second)


def test_simulate_pieces_that_are_square(tmp_path, monkeypatch):
    """A table is written in pieces; one of them may be square though the table is not."""
    monkeypatch.setattr(import_module("hedgerow.cli.simulate"), "NUMBERS_AT_ONCE", 36)
    run("simulate", "chain", "-p", 6, "-n", 20, "--out", tmp_path / "rows.csv")
    rng = np.random.default_rng(0)
    sample = make("chain", 6, seed=rng).sample(20, rng)
    np.testing.assert_allclose(pl.read_csv(tmp_path / "rows.csv").to_numpy(), sample, rtol=1e-12)


@pytest.mark.usefixtures("methods_here")
def test_compare_on_a_square_model():
    told = run("compare", "--family", "brownian_path", "-p", 100, "-n", 100, *ONE_METHOD)
    assert told["methods"][0]["f1"] > 0.9  # with rows for columns it is 0.03


@pytest.mark.parametrize("name", AVAILABLE)
def test_rivals(name, frame):
    if name == "inverse_gram":
        with pytest.raises(ValueError, match=r"more rows than columns .* got 24 rows and 24 col"):
            rivals.make(name).fit(frame)
        return
    rival = rivals.make(name)
    assert type(rival).fit is Rival.fit  # so that all read all kinds of tables, as the next test
    scores = rival.fit(frame).score_matrix_
    assert np.unravel_index(np.argmax(scores), scores.shape) == (3, 8)


def test_rivals_read_all_kinds_of_tables(rows, frame):
    for table in (rows, frame, pl.DataFrame(rows, schema=NAMES, orient="row")):
        scores = rivals.make("hedgerow").fit(table).score_matrix_
        assert np.unravel_index(np.argmax(scores), scores.shape) == (3, 8)


@pytest.mark.parametrize("name", AVAILABLE)
def test_rivals_look_for_constants_in_columns(name, frame):
    with pytest.raises(ValueError, match=r"constant columns: 'x5' \(always 2\)"):
        rivals.make(name).fit(frame.assign(x5=2.0))


@pytest.mark.usefixtures("methods_here")
def test_estimators(rows, frame):
    assert [edge[:2] for edge in HedgeGraph().fit(frame).edges_] == [PAIR]
    assert [edge[:2] for edge in HedgeGraph().fit(rows).edges_] == [(3, 8)]
    one_by_one, at_once = RiverHedgeGraph(), RiverHedgeGraph()
    for row in frame.to_dict("records"):
        one_by_one.learn_one(row)
    at_once.learn_many(frame)
    for model in (one_by_one, at_once):
        assert [edge[:2] for edge in model.edges] == [PAIR]
    weights = np.abs(SparsitronGraph().fit(rows).weights_)
    assert np.unravel_index(np.argmax(weights), weights.shape) in [(3, 8), (8, 3)]
    assert compare(rows, ["hedgerow"], resamples=0)["hedgerow"].edges.tolist() == [[3, 8]]


def named(graph, key):
    names = {node: about.get(key, node) for node, about in graph.nodes(data=True)}
    assert len(names) == SIZE
    return [tuple(sorted(names[end] for end in edge)) for edge in graph.edges]


def of_matrices(arrays):
    adjacency, names = arrays["adjacency"], arrays["names"]
    assert adjacency.shape == arrays["precision"].shape == (SIZE, SIZE)
    return [(names[i], names[j]) for i, j in np.argwhere(np.triu(adjacency))]


GRAPHS = {
    "csv": lambda path: pl.read_csv(path).select("source", "target").rows(),
    "tsv": lambda path: pl.read_csv(path, separator="\t").select("source", "target").rows(),
    "parquet": lambda path: pl.read_parquet(path).select("source", "target").rows(),
    "json": lambda path: pairs(json.loads(path.read_text())),
    "graphml": lambda path: named(nx.read_graphml(path), "name"),
    "gexf": lambda path: named(nx.read_gexf(path), "label"),
    "cytoscape": lambda path: named(nx.cytoscape_graph(json.loads(path.read_text())), "name"),
    "node-link": lambda path: named(
        nx.node_link_graph(json.loads(path.read_text()), edges="edges"), "name"
    ),
    "npz": lambda path: of_matrices(np.load(path, allow_pickle=False)),
}


def test_every_format_is_read_back_here():
    assert set(GRAPHS) == set(io.FORMATS)


@pytest.mark.parametrize("format", GRAPHS)
def test_writers(format, frame, tmp_path):
    path = tmp_path / f"graph{io.FORMATS[format].suffix or '.json'}"
    io.write(path, HedgeGraph().fit(frame), format)
    assert GRAPHS[format](path) == [PAIR]
