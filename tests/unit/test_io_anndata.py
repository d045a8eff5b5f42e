"""AnnData: layers, columns of obs, files without X, and files that are damaged."""

import random
from contextlib import ExitStack

import h5py
import numpy as np
import pytest
from scipy import sparse

from hedgerow.io import DataError
from hedgerow.io import source as _source
from hedgerow.io._arrays import open_h5ad

GENES = ["TP53", "MT-CO1", "é"]
COUNTS = np.random.default_rng(4).poisson(0.7, size=(20, 3)).astype(np.float32)
KINDS = ["array", "csr_matrix", "csc_matrix"]


def write_matrix(parent, name, matrix, kind):
    if kind == "array":
        parent[name] = matrix
    else:
        packed = {"csr_matrix": sparse.csr_array, "csc_matrix": sparse.csc_array}[kind](matrix)
        group = parent.create_group(name)
        group.attrs["shape"] = matrix.shape
        for part in ("data", "indices", "indptr"):
            group[part] = getattr(packed, part)
    parent[name].attrs["encoding-type"] = kind


def write_group(parent, name, kind, **parts):
    group = parent.create_group(name)
    group.attrs["encoding-type"] = kind
    for key, values in parts.items():
        group[key] = values


def write_cells(path, kind="csr_matrix", counts=COUNTS, genes=GENES):
    """Write a file laid out as anndata does, with two layers and every kind of obs column."""
    n = len(counts)
    text = h5py.string_dtype()
    with h5py.File(path, "w") as file:
        write_matrix(file, "X", counts, kind)
        layers = file.create_group("layers")
        write_matrix(layers, "counts", counts + 10, kind)
        write_matrix(layers, "scaled", counts * 0.5, kind)
        var = file.create_group("var")
        var.attrs["_index"] = "gene"
        var["gene"] = np.array(genes, dtype=text)
        obs = file.create_group("obs")
        obs.attrs["_index"] = "cell"
        obs["cell"] = np.array([f"c{i}" for i in range(n)], dtype=text)
        obs["age"] = np.arange(n) + 0.5
        obs["batch_no"] = np.arange(n)
        obs["is_dead"] = np.arange(n) % 2 == 0
        obs["batch_name"] = np.array(["b"] * n, dtype=text)
        names = np.array(["1", "2"], dtype=text)
        write_group(obs, "kind", "categorical", codes=np.zeros(n, np.int8), categories=names)
        missing = np.arange(n) == 1
        write_group(obs, "score", "nullable-integer", values=np.arange(n), mask=missing)
        obs["old kind"] = np.zeros(n, np.int8)
        obs["old kind"].attrs["categories"] = "__categories/old kind"
        order = ["age", "batch_no", "is_dead", "batch_name", "kind", "score", "old kind"]
        obs.attrs["column-order"] = np.array(order, dtype=text)
    return path


def read(path, **options):
    """Return the columns, and the rows of those without a flaw."""
    with ExitStack() as stack:
        source = open_h5ad(path, stack, **options)
        chosen = [j for j, column in enumerate(source.columns) if column.flaw is None]
        rows = np.concatenate([batch.rows for batch in source.batches(chosen)])
    return source.columns, rows


@pytest.mark.parametrize("at_once", [10, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_a_layer_instead_of_x(tmp_path, monkeypatch, kind, at_once):
    monkeypatch.setattr(_source, "NUMBERS_AT_ONCE", at_once)
    path = write_cells(tmp_path / "a.h5ad", kind)
    for layer, expected in ((None, COUNTS), ("counts", COUNTS + 10), ("scaled", COUNTS * 0.5)):
        columns, rows = read(path, layer=layer)
        assert columns == [(gene, None, ()) for gene in GENES]
        np.testing.assert_array_equal(rows, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_rows_of_squares(tmp_path, kind):
    square = np.random.default_rng(5).normal(size=(9, 9))
    path = write_cells(tmp_path / "a.h5ad", kind, square, [f"g{j}" for j in range(9)])
    np.testing.assert_array_equal(read(path)[1], square)
    np.testing.assert_array_equal(read(path, layer="scaled")[1], square * 0.5)


@pytest.mark.parametrize("at_once", [10, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_obs_come_after_the_genes(tmp_path, monkeypatch, kind, at_once):
    monkeypatch.setattr(_source, "NUMBERS_AT_ONCE", at_once)
    path = write_cells(tmp_path / "a.h5ad", kind)
    columns, rows = read(path, obs=["score", "is_dead", "age"], layer="counts")
    assert columns == [(name, None, ()) for name in [*GENES, "age", "is_dead", "score"]]
    n = np.arange(len(COUNTS))
    score = np.where(n == 1, np.nan, n)
    expected = np.column_stack([COUNTS + 10, n + 0.5, n % 2 == 0, score])
    np.testing.assert_array_equal(rows, expected)


def test_patterns_of_obs_tell_what_is_not_numeric(tmp_path):
    path = write_cells(tmp_path / "a.h5ad")
    columns, rows = read(path, obs=["batch*", "*kind"])
    assert columns[3:] == [
        ("batch_no", None, ()),
        *((name, "not numeric", ()) for name in ("batch_name", "kind", "old kind")),
    ]
    np.testing.assert_array_equal(rows[:, 3], np.arange(len(COUNTS)))


@pytest.mark.parametrize("name", ["batch_name", "kind", "old kind"])
def test_text_and_categories_are_refused_by_name(tmp_path, name):
    path = write_cells(tmp_path / "a.h5ad")
    with pytest.raises(DataError, match=f"^column '{name}' of obs cannot be .*: not numeric$"):
        read(path, obs=[name])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer": "count"}, "no layer is called 'count'; there are 'counts', 'scaled'"),
        ({"obs": ["ages"]}, "no column of obs is called 'ages'; did you mean 'age'?"),
        ({"obs": ["cell"]}, "no column of obs is called 'cell'; there are 'age', 'batch_no'"),
        ({"obs": ["zz*"]}, "no column of obs is called 'zz*'; there are 'age', 'batch_no'"),
    ],
)
def test_what_is_not_in_the_file(tmp_path, options, message):
    path = write_cells(tmp_path / "a.h5ad")
    with pytest.raises(DataError) as caught:
        read(path, **options)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("how", ["absent", "empty group", "null"])
def test_without_x_the_layers_are_told(tmp_path, how):
    path = write_cells(tmp_path / "a.h5ad")
    with h5py.File(path, "a") as file:
        del file["X"]
        if how == "empty group":
            file.create_group("X")
        if how == "null":
            file["X"] = h5py.Empty("f")
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == (
        "the file must be AnnData with X and var, got no X; of layers there are 'counts', "
        "'scaled'; layer='counts' reads a layer instead"
    )
    np.testing.assert_array_equal(read(path, layer="counts")[1], COUNTS + 10)
    with h5py.File(path, "a") as file:
        del file["layers"]
    with pytest.raises(DataError, match="got no X, and no layers"):
        read(path)
    with pytest.raises(DataError, match="no layer is called 'counts'; the file has none"):
        read(path, layer="counts")


def spoil_shape(file):
    del file["layers/counts"]
    file["layers/counts"] = np.ones((20, 4))


def spoil_obs(file):
    del file["obs/age"]
    file["obs/age"] = np.ones(5)


def declare_variables(file):
    del file["var/gene"]
    file["var"].create_dataset("gene", (1 << 40,), h5py.string_dtype(), chunks=(1024,))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (spoil_shape, r"layer 'counts' must have a column for each variable \(3\), got 4"),
        (spoil_obs, r"column 'age' of obs must have a value for each row \(20\), got .* \(5,\)"),
        (lambda file: file["obs"].attrs.pop("column-order"), "column-order"),
        (lambda file: file.pop("obs"), "got a file without obs"),
        (declare_variables, "1099511627776 variables; there must be at most 10000000"),
        (
            lambda file: file["layers/counts"].attrs.modify("shape", (1 << 50, 3)),
            "indptr must have 1125899906842625 entries, got",
        ),
        (
            lambda file: file["layers/counts/indices"].write_direct(
                np.full(file["layers/counts/indices"].shape, 99, np.int32)
            ),
            "rows 1 to 20 cannot be read, got indices must be",
        ),
    ],
)
def test_damaged_parts_are_told(tmp_path, spoil, message):
    path = write_cells(tmp_path / "a.h5ad")
    with h5py.File(path, "a") as file:
        spoil(file)
    with pytest.raises(DataError, match=message):
        read(path, layer="counts", obs=["age"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tenths", range(10))
def test_a_cut_file_is_refused(tmp_path, kind, tenths):
    path = write_cells(tmp_path / "a.h5ad", kind)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * tenths // 10])
    with pytest.raises(DataError) as caught:
        read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix"])
def test_random_entries_of_sparse_matrices_give_no_other_error(tmp_path, kind):
    # Only what we interpret is spoilt: in HDF5's own structures, damage can keep its library
    # busy for ever, which cannot be noticed from here.
    rng = random.Random(8)
    refused = 0
    for _ in range(100):
        path = write_cells(tmp_path / "a.h5ad", kind)
        with h5py.File(path, "a") as file:
            for _ in range(rng.choice([1, 5])):
                part = file["X"][rng.choice(["indptr", "indices"])]
                part[rng.randrange(len(part))] = rng.choice([-1, 2, 50, 2**31 - 1, -(2**31)])
        try:
            read(path)
        except DataError:
            refused += 1
    assert refused > 50
