"""Writers: other programs read back what was learned; a failed write leaves the old file."""

import csv
import json
import sys
from copy import copy
from functools import partial

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from hedgerow import HedgeGraph, io
from hedgerow.io import FORMATS, _write

NAMES = ['a "quoted", name', "b", "with\nnewline", "<img src=x onerror=alert(1)>", "🌿", "alone"]


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.standard_normal((500, 5)), axis=1)
    walk[:, 1] *= -1  # some edges are negative
    frame = pd.DataFrame(np.c_[walk, rng.standard_normal(500)], columns=NAMES)
    return HedgeGraph(error="fwer", level=0.01).fit(frame)


@pytest.fixture(scope="module")
def table(model):
    return model.edges_.to_pandas()


def test_the_graph_has_what_the_tests_need(table):
    assert len(table) == 4
    assert sorted(np.sign(table.partial_corr)) == [-1, -1, 1, 1]
    assert "alone" not in {*table.source, *table.target}


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("edges.csv", partial(pd.read_csv, float_precision="round_trip")),
        ("edges.tsv", partial(pd.read_csv, sep="\t", float_precision="round_trip")),
        ("edges.parquet", pd.read_parquet),
        ("edges.json", lambda path: pd.DataFrame(json.loads(path.read_text()))),
        ("EDGES.CSV", lambda path: pl.read_csv(path).to_pandas()),
    ],
)
def test_edges_come_back_bit_for_bit(tmp_path, model, table, name, read):
    io.write(tmp_path / name, model)
    pd.testing.assert_frame_equal(read(tmp_path / name), table, check_dtype=False, check_exact=True)


def test_a_graph_without_edges(tmp_path):
    model = HedgeGraph(error="fwer", level=1e-9).fit(np.random.default_rng().normal(size=(99, 4)))
    assert len(model.edges_) == 0
    for name, kind in FORMATS.items():
        io.write(tmp_path / f"graph{kind.suffix}", model, name)
    assert list(csv.reader((tmp_path / "graph.csv").open())) == [list(model.edges_.COLUMNS)]
    assert list(nx.read_graphml(tmp_path / "graph.graphml")) == ["0", "1", "2", "3"]
    assert pl.read_parquet(tmp_path / "graph.parquet").columns == list(model.edges_.COLUMNS)


def test_matrices(tmp_path, model):
    io.write(tmp_path / "all.npz", model)
    with np.load(tmp_path / "all.npz", allow_pickle=False) as arrays:
        assert arrays["names"].tolist() == NAMES
        for name in ("partial_corr", "precision", "covariance", "location"):
            np.testing.assert_array_equal(arrays[name], getattr(model, f"{name}_"))
        np.testing.assert_array_equal(arrays["adjacency"], model.adjacency_.toarray())


FACTS = {"rows": 500, "columns": 6}


@pytest.mark.parametrize("format", ["graphml", "node-link", "cytoscape"])
@pytest.mark.parametrize("promise", ["fwer", "balanced"])
def test_a_graph_says_how_it_was_made(tmp_path, model, format, promise):
    if promise == "balanced":
        model = copy(model).set_params(error="fdr", level="balanced")
    path = tmp_path / "graph"
    io.write(path, model, format)
    if format == "graphml":
        graph = nx.read_graphml(path)
    elif format == "node-link":
        graph = nx.node_link_graph(json.loads(path.read_text()), edges="edges")
    else:
        graph = nx.cytoscape_graph(json.loads(path.read_text()))
    facts = {**FACTS, "error": promise, "level": model.level_}
    assert facts.items() <= graph.graph.items()


def test_weights_in_gexf_are_strengths(tmp_path, model):
    io.write(tmp_path / "graph.gexf", model)
    graph = nx.read_gexf(tmp_path / "graph.gexf")
    for _, _, values in graph.edges(data=True):
        assert values["weight"] == abs(values["partial_corr"])
    assert [label for _, label in graph.nodes(data="label")] == NAMES


@pytest.mark.parametrize("format", ["graphml", "gexf"])
def test_characters_that_xml_cannot_hold_are_spelled_out(tmp_path, format):
    frame = pd.DataFrame(np.eye(80)[:, :6], columns=["\0", "\x0b", "\ufffe", "\x1b[1m", "\r", "\t"])
    model = HedgeGraph().fit(frame)
    io.write(tmp_path / "graph", model, format)
    read = nx.read_graphml if format == "graphml" else nx.read_gexf
    assert list(read(tmp_path / "graph")) == [
        *("\\x00", "\\x0b", "\\ufffe", "\\x1b[1m", "\r", "\t"),
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, model, name):
    kind = FORMATS[name]

    def half(model, stream):
        kind.write(model, stream)
        raise KeyboardInterrupt

    path = tmp_path / "graph.old"
    path.write_text("old")
    monkeypatch.setitem(_write.FORMATS, name, kind._replace(write=half))
    with pytest.raises(KeyboardInterrupt):
        io.write(path, model, name)
    assert [file.name for file in tmp_path.iterdir()] == ["graph.old"]
    assert path.read_text() == "old"


def test_names_of_files_and_formats(tmp_path, model):
    with pytest.raises(
        ValueError, match=r"must end in .csv, .*or the format be given, got 'a.doc'"
    ):
        io.write("a.doc", model)
    with pytest.raises(ValueError, match=r"format must be one of 'csv', .*got 'doc'"):
        io.write(tmp_path / "a.csv", model, "doc")
    with pytest.raises(FileNotFoundError, match="its folder does not exist"):
        io.write(tmp_path / "absent" / "a.csv", model)
    with pytest.raises(NotFittedError):
        io.write(tmp_path / "a.csv", HedgeGraph())
    assert list(tmp_path.iterdir()) == []


def test_every_suffix_means_one_format():
    suffixes = [kind.suffix for kind in FORMATS.values() if kind.suffix]
    assert len(set(suffixes)) == len(suffixes)
    for name, kind in FORMATS.items():
        if kind.suffix:
            assert io.format_of(f"x{kind.suffix}") == name


def test_without_polars_it_says_what_to_install(tmp_path, monkeypatch, model):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'hedgerow\[cli\]'"):
        io.write(tmp_path / "a.parquet", model)
    io.write(tmp_path / "a.csv", model)
