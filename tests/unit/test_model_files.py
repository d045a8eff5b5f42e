"""Model files with a sound checksum and content that no model can have: what is said of each."""

import re
import warnings

import numpy as np
import pytest

from hedgerow import HedgeGraph, stream
from hedgerow.base import storage
from hedgerow.base.storage import StorageError
from hedgerow.stream import CheckpointWarning

ROWS = np.cumsum(np.random.default_rng(0).standard_normal((530, 3)), axis=1)


@pytest.fixture
def parts():
    model = HedgeGraph().fit(ROWS)
    header, arrays = model.parts()
    return header, {name: array.copy() for name, array in arrays.items()}


def load(path, header, arrays):
    storage.write(path, "HedgeGraph", header, arrays)
    return HedgeGraph.load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"feature_names": ["a", "b"]}, "feature_names must be 3, got 2"),
        ({"feature_names": ["a", "b", 3]}, "feature_names must be a list of texts, got ['a',"),
        ({"feature_names": "abc"}, "feature_names must be a list of texts, got abc"),
        ({"parameters": []}, "parameters must be an object, got []"),
        ({"parameters": {"lambda": 1}}, "parameters must be among ['device', 'error', "),
        ({"parameters": {"level": "much"}}, "level must be a number in (0, 1) or 'balanced'"),
        ({"parameters": {"level": 10**400}}, ""),
        ({"parameters": {"error": ["fdr"]}}, "error must be one of 'fdr', 'fwer', got ['fdr']"),
        (
            {"parameters": {"device": 0}},
            "device must be one of 'cpu', 'cuda', 'auto', 'numpy'",
        ),
        ({"parameters": {"half_life": 50}}, "half_life must be 50, as its parameter is, got inf"),
        ({"feature_names": ...}, "its header must have 'feature_names', got ['hedgerow',"),
        ({"parameters": ...}, "its header must have 'parameters', got"),
    ],
)
def test_headers_that_no_model_has(tmp_path, parts, change, message):
    header, arrays = parts
    header = {k: v for k, v in (header | change).items() if v is not ...}
    with pytest.raises(StorageError, match=rf"hedgerow: malformed model, {re.escape(message)}"):
        load(tmp_path / "model.hedgerow", header, arrays)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("products", None, "it must have the array 'products', got ["),
        ("pending", None, "it must have the array 'pending', got ["),
        ("products", np.full((3, 3), np.nan), "products must be finite"),
        ("products", np.eye(4), "products must be of shape (3, 3), got (4, 4)"),
        ("products", -np.eye(3), "products must have a diagonal that is not negative"),
        ("products", np.ones((3, 3)) + 7 * (1 - np.eye(3)), "products must have no correlation"),
        ("mean", np.full(3, 1e200), "mean must come from numbers of size up to 1e+145"),
        ("mean", np.zeros(3, dtype=np.int64), "mean must be of 1 dimensions and the right kind"),
        ("rows", np.array(-1), "rows must not be negative"),
        ("rows", np.array(529), "rows must be 512 + 18, got 529"),
        ("learned_rows", np.array(520), "rows must be 520 + 18, got 530"),
        ("weight", np.array(3.0), "weights must be those of 530 rows, got (3.0, 530.0)"),
        ("column_weight", np.array(600.0), "weights must be (530.0, 512.0), got (530.0, 600.0)"),
        ("curvature", np.full(3, -1.0), "curvature must not be negative"),
        ("gradient", np.full((3, 3), 1e30, np.float32), "gradient must not exceed"),
        ("average", np.full((3, 3), 2, np.float32), "average must have weights up to one"),
        ("pending", np.zeros((300, 3)), "pending must have fewer than"),
    ],
)
def test_arrays_that_no_model_has(tmp_path, parts, name, value, message):
    header, arrays = parts
    if value is None:
        del arrays[name]
    else:
        arrays[name] = value
    if name == "pending" and value is not None:
        arrays["rows"] = np.array(812)
        arrays["weight"] = arrays["squared_weight"] = np.array(812.0)
    with pytest.raises(StorageError, match=rf"hedgerow: malformed model, {re.escape(message)}"):
        load(tmp_path / "model.hedgerow", header, arrays)


def test_parts_are_checked_without_a_file(parts):
    header, arrays = parts
    with pytest.raises(StorageError, match=r"^malformed model, it must have the array 'mean'"):
        HedgeGraph.from_parts(header, {k: v for k, v in arrays.items() if k != "mean"})


@pytest.mark.parametrize("damage", ["array", "name", "header"])
def test_a_checkpoint_with_a_sound_checksum_and_a_bad_model_is_left_for_the_older(tmp_path, damage):
    file, folder = tmp_path / "rows.csv", tmp_path / "state"
    for rows in (ROWS[:200], ROWS[:400]):
        np.savetxt(file, rows, delimiter=",", header="a,b,c", comments="")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stream.run(file, checkpoint=folder)
    newest = sorted(folder.glob("*.hedgerow"))[-1]
    header, arrays = storage.read(newest, "checkpoint")
    if damage == "array":
        arrays["products"][0, 1] = np.nan
    elif damage == "name":
        header["model"]["parameters"]["unheard"] = 1
    else:
        header["model"] = 7
    storage.write(newest, "checkpoint", header, arrays)
    told = rf"an older checkpoint is used.*{newest.name}: malformed model"
    with pytest.warns(CheckpointWarning, match=told):
        model = stream.run(file, checkpoint=folder)
    assert model.n_samples_seen_ == 400
    assert np.array_equal(model.edges_.z, HedgeGraph().fit(ROWS[:400]).edges_.z)
