"""Model files with a sound checksum and content that no model can have: what is said of each."""

import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from hedgerow import HedgeGraph, stream
from hedgerow.base import storage
from hedgerow.base.storage import StorageError
from hedgerow.estimators._treated_rows import TreatedRows
from hedgerow.method.drift import first_contrasts
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
        ({"parameters": {"lambda": 1}}, "parameters must be among ['columns', 'device', "),
        ({"parameters": {"level": "much"}}, "level must be a number in (0, 1) or 'balanced'"),
        ({"parameters": {"level": 10**400}}, ""),
        ({"parameters": {"error": ["fdr"]}}, "error must be one of 'fdr', 'fwer', got ['fdr']"),
        (
            {"parameters": {"device": 0}},
            "device must be one of 'cpu', 'cuda', 'auto', 'numpy'",
        ),
        (
            {"parameters": {"half_life": 50, "rows": "any", "columns": "any"}},
            "half_life must be 50, as its parameter is, got inf",
        ),
        ({"parameters": {"rows": "some"}}, "rows must be one of 'any', 'independent', got 'some'"),
        (
            {"parameters": {"columns": 3}},
            "columns must be 'any', 'normal', a list of names or a dict",
        ),
        (
            {"parameters": {"columns": {"a": 1}}},
            "columns['a'] must be one of 'continuous', 'steps'",
        ),
        (
            {"parameters": {"rows": "any", "columns": [0, 3, [1]]}},
            "columns must name columns of X, got 3, [1]",
        ),
        ({"parameters": {}}, "it must not have the array 'as_is', got ["),
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
        ("mean", np.full(3, 1e200), "mean must come from numbers of size up to 2e+145"),
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


def knots(where, value):
    return changed("marginal_knots", where, value)


def changed(name, where, value):
    """Return a function from the arrays to one of them with another number in it."""

    def change(arrays):
        array = arrays[name].copy()
        array[where] = value
        return array

    return change


def with_squares(value):
    return lambda arrays: np.concatenate([np.full((1, 3), value), arrays["residual_lags"][1:]])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("waiting", None, "it must have the array 'waiting', got ["),
        ("waiting", np.zeros((0, 4)), "waiting must be of shape (None, 3), got (0, 4)"),
        ("waiting", np.zeros((1, 3)), "no row must wait once rows are learned, got 1"),
        ("waiting", np.full((1, 3), np.inf), "waiting must have numbers that can be squared"),
        ("as_is", np.zeros(3), "as_is must be of 1 dimensions and the right kind of numbers"),
        ("as_is", np.zeros(4, dtype=bool), "as_is must be 3, got 4"),
        ("as_is", np.zeros(3, dtype=bool), "as_is must have all columns that its parameters name"),
        ("wanders", np.zeros(2, dtype=bool), "wanders must be 3, got 2"),
        ("determined", np.zeros(2, dtype=bool), "determined must be 3, got 2"),
        ("determined", np.zeros(3), "determined must be of 1 dimensions and the right kind"),
        ("repeated", np.array(0.5), "repeated must be in [1, 512], got 0.5"),
        ("repeated", np.array(np.nan), "repeated must be in [1, 512], got nan"),
        ("marginal_rows", np.array(529), "marginal_rows must be 530, got 529"),
        ("marginal_knots", None, "it must have the array 'marginal_knots', got ["),
        ("marginal_knots", np.zeros((3, 127)), "marginal_knots must be of shape (3, 128), got (3,"),
        ("marginal_knots", knots((0, 0), -1e9), "marginal_knots must begin with -inf"),
        ("marginal_knots", knots((0, -1), 1e9), "marginal_knots must end with inf"),
        ("marginal_knots", knots((0, 50), np.nan), "marginal_knots must rise"),
        ("marginal_knots", knots((0, 50), -99.0), "marginal_knots must rise"),
        ("marginal_knots", knots((0, 50), np.inf), "marginal_knots must rise"),
        ("marginal_knots", knots((0, slice(1, None)), np.inf), "marginal_knots must have a number"),
        ("marginal_knots", knots((0, 1), -1e200), "marginal_knots must come from numbers"),
        ("marginal_at", changed("marginal_at", (0, 9), -1.0), "marginal_at must not be negative"),
        (
            "marginal_at",
            changed("marginal_at", (0, 0), 1.0),
            "marginal_at and marginal_between must",
        ),
        ("marginal_at", changed("marginal_at", (0, 9), np.inf), "marginal_at must be finite"),
        (
            "marginal_between",
            changed("marginal_between", (0, -1), 1.0),
            "marginal_at and marginal_between must count no row at infinity",
        ),
        (
            "marginal_between",
            changed("marginal_between", (0, 9), 99.0),
            "the sums of marginal_at and marginal_between must be 530, got [",
        ),
        (
            "marginal_scores",
            changed("marginal_scores", (0, 127), 3.4),
            "marginal_scores must be of size up to 3.11",
        ),
        ("marginal_scores", changed("marginal_scores", (1, 60), -2.0), "marginal_scores must rise"),
        ("marginal_mean", np.full(3, 1e150), "marginal_mean must come from numbers of size up to"),
        ("marginal_squares", np.full(3, -1.0), "marginal_squares must not be negative"),
        ("marginal_squares", np.full(3, 1e300), "marginal_squares must come from numbers of size"),
        (
            "marginal_squares",
            np.ones(3, np.float32),
            "marginal_squares must be in double precision",
        ),
        ("marginal_weight", np.full(3, 500.0), "marginal_weight must be 530, got [500. 500. 500.]"),
        ("season_seen", np.array(512), "season_seen must be 530, got 512"),
        ("season_counts", np.array([265.0, 265.0]), "season_means must be of shape (2, 3), got (1"),
        ("season_counts", np.array([266.0, 264.0]), "season_counts must be those of its rows, got"),
        ("season_counts", np.empty(0), "a season must have up to 170 rows, got 0"),
        (
            "season_means",
            np.full((1, 3), 1e-9),
            "season_means must come from rows that were scored",
        ),
        ("season_means", np.full((1, 3), np.nan), "season_means must be finite"),
        ("pending", np.full((18, 3), 8.0), "pending must come from rows that were scored"),
        ("residual_lags", None, "it must have the array 'residual_lags', got ["),
        ("residual_lags", np.ones((32, 3)), "residual_lags must be of shape (33, 3), got (32, 3)"),
        ("residual_lags", with_squares(np.nan), "residual_lags must be finite"),
        ("residual_lags", with_squares(-1.0), "residual_lags must begin with squares"),
        ("residual_lags", with_squares(1e7), "residual_lags must be up to 1.049"),
        ("residual_lags", with_squares(1e-9), "residual_lags must not exceed what its squares"),
        ("residual_recent", np.full((32, 3), 9.0), "residual_recent must not exceed what its"),
        ("residual_recent", np.full((32, 3), np.inf), "residual_recent must be finite"),
        ("residual_scale", np.zeros(3), "residual_scale must be in (0, 4], or infinite, got [0"),
        ("residual_scale", np.full(3, 5.0), "residual_scale must be in (0, 4], or infinite"),
        (
            "residual_scale",
            np.full(3, 3.9),
            "residual_lags must begin with those of the first rows",
        ),
        ("residual_related", np.full(3, 1.1), "residual_related must be in [0, 1], got [1.1"),
        ("residual_beside", np.full(3, 1e30), "residual_beside must not exceed what its squares"),
        ("residual_weight", np.array(530.0), "residual_weight must be 512, got 530"),
        ("unheard", np.zeros(3), "it must not have the array 'unheard', got ["),
    ],
)
def test_treated_rows_that_no_model_has(tmp_path, name, value, message):
    header, arrays = HedgeGraph(columns=[1]).fit(ROWS).parts()
    arrays = dict(arrays)
    if value is None:
        del arrays[name]
    else:
        arrays[name] = value(arrays) if callable(value) else value
    with pytest.raises(StorageError, match=rf"hedgerow: malformed model, {re.escape(message)}"):
        load(tmp_path / "model.hedgerow", header, arrays)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("waiting", np.zeros((512, 3)), "waiting must have fewer than 512 rows, got 512"),
        ("waiting", np.zeros(3), "waiting must be of 2 dimensions and the right kind"),
        ("pending", np.zeros((1, 3)), "rows must be 0 + 1, got 0"),
        ("as_is", np.zeros(3, dtype=bool), "it must have the array 'bursts_columns', got ["),
        ("residual_weight", np.array(1.0), "it must not have the array 'residual_weight', got ["),
    ],
)
def test_waiting_rows_that_no_model_has(tmp_path, name, value, message):
    header, arrays = HedgeGraph().fit(ROWS[:300]).parts()
    with pytest.raises(StorageError, match=rf"hedgerow: malformed model, {re.escape(message)}"):
        load(tmp_path / "model.hedgerow", header, arrays | {name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("repeated", np.array(2.0)), ("wanders", np.ones(3, dtype=bool))],
)
def test_independent_rows_have_no_relations(tmp_path, name, value):
    header, arrays = HedgeGraph(rows="independent").fit(ROWS).parts()
    with pytest.raises(StorageError, match="independent rows must have no season, repetition or"):
        load(tmp_path / "model.hedgerow", header, arrays | {name: value})


@pytest.mark.parametrize("options", [{}, {"columns": [0]}, {"rows": "independent"}])
def test_treated_rows_need_parameters_that_ask_for_it_and_the_other_way_round(tmp_path, options):
    header, arrays = HedgeGraph(**options).fit(ROWS).parts()
    untreated = HedgeGraph(rows="independent", columns="normal").fit(ROWS).parts()
    with pytest.raises(StorageError, match="it must not have the array 'as_is'"):
        load(tmp_path / "model.hedgerow", untreated[0], arrays)
    with pytest.raises(StorageError, match="it must have the array 'waiting'"):
        load(tmp_path / "model.hedgerow", header, untreated[1])


@pytest.mark.parametrize("end", [20, 100, 500, 600])
@pytest.mark.parametrize("half_life", [16, 17.3, 40])
def test_a_column_that_hardly_anything_is_left_of_can_be_saved(half_life, end):
    """Its residuals are forgotten by as much as the first rows have half-lives."""
    rows = np.concatenate([ROWS, ROWS])
    rows[end:, 1:] = rows[end, 1:]
    for n_rows in (512, 1060):
        HedgeGraph.check_parts(*HedgeGraph(half_life=half_life).partial_fit(rows[:n_rows]).parts())


def test_a_model_from_before_rows_were_treated_goes_on_untreated(tmp_path):
    path = tmp_path / "model.hedgerow"
    direct = HedgeGraph(rows="independent", columns="normal").partial_fit(ROWS[:300])
    header, arrays = direct.parts()
    for name in ("rows", "columns"):
        del header["parameters"][name]
    loaded = load(path, header, arrays)
    assert (loaded.rows, loaded.columns) == ("independent", "normal")
    for model in (direct, loaded):
        model.partial_fit(ROWS[300:])
    assert np.array_equal(direct.edges_.z, loaded.edges_.z)
    loaded.save(path)
    assert HedgeGraph.load(path).get_params() == direct.get_params()


@pytest.mark.parametrize(
    ("columns", "names", "kept"),
    [
        (("b",), list("abc"), ["b"]),
        (np.array(["c", "b"]), list("abc"), ["c", "b"]),
        (np.array([2, 0]), None, [2, 0]),
        ({1}, None, [1]),
        ((2.0, True), None, [2, 1]),
        ([10, 30], [10, 20, 30], ["10", "30"]),
        ([], None, []),
    ],
)
def test_columns_named_in_any_collection_survive_a_file(tmp_path, columns, names, kept):
    path = tmp_path / "model.hedgerow"
    model = HedgeGraph(columns=columns).partial_fit(ROWS[:520], feature_names=names)
    assert clone(model).columns is not None
    model.save(path)
    loaded = HedgeGraph.load(path)
    assert loaded.columns == kept
    assert np.array_equal(loaded._stream.assumptions.as_is, model._stream.assumptions.as_is)
    assert loaded._stream.assumptions.as_is.sum() == len(kept)
    loaded_names = None if names is None else [str(name) for name in names]
    loaded.partial_fit(ROWS[520:], feature_names=loaded_names)
    model.partial_fit(ROWS[520:], feature_names=names)
    assert np.array_equal(loaded.edges_.z, model.edges_.z)


@pytest.mark.parametrize("columns", [iter([0]), b"a", 3, "none", None])
def test_columns_that_could_not_be_asked_for_again_are_refused(columns):
    with pytest.raises(ValueError, match="columns must be 'any', 'normal', a list of names or a"):
        HedgeGraph(columns=columns).fit(ROWS)


def test_rows_in_a_file_are_treated_as_the_model_would_have(tmp_path):
    """A GPU saves rows: who goes on from them has the same residuals."""
    direct = HedgeGraph().fit(ROWS)
    header, arrays = direct.parts()
    stream = direct._stream
    treated = TreatedRows(stream.assumptions, stream.half_life, slips=True)
    scored = np.concatenate(list(treated.take(stream.engine, ROWS)))
    rows, _ = first_contrasts(scored, stream.engine.without_level)
    learner = {"table": rows[:512], "learned_rows": np.array(512), "pending": rows[512:]}
    learner |= {
        name: x
        for name, x in arrays.items()
        if name.startswith(("gap_", "size_", "level_", "sample_"))
    }
    assert not len(arrays["size_columns"])
    loaded = load(tmp_path / "model.hedgerow", header, treated.arrays() | learner)
    again = loaded.parts()[1]
    assert again.keys() == arrays.keys()
    assert all(np.array_equal(again[name], arrays[name]) for name in arrays)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_cell_may_be_filled_in_beyond_all_scores():
    """It follows a neighbour that keeps its values, and may go farther than any score."""
    rows = np.random.default_rng(0).standard_normal((1000, 4))
    rows[:, 0] += np.linspace(-40, 40, 1000)
    rows[:, 1] = rows[:, 0] + 0.3 * rows[:, 1]
    rows[990, 1] = 0.0
    model = HedgeGraph(rows="independent", columns=[0]).partial_fit(rows)
    header, arrays = model.parts()
    assert np.abs(arrays["pending"][:, 1]).max() > 4.5
    HedgeGraph.check_parts(header, arrays)


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


@pytest.mark.parametrize("half_life", [None, 200])
@pytest.mark.parametrize("n_rows", [100, 900])
def test_a_model_of_rows_with_gaps_loads_as_it_was(tmp_path, n_rows, half_life):
    rng = np.random.default_rng()
    rows = np.cumsum(rng.standard_normal((n_rows, 4)), axis=1)
    rows[rng.random((n_rows, 4)) < 0.1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HedgeGraph(half_life=half_life).fit(rows)
        model.save(tmp_path / "model")
        found = HedgeGraph.load(tmp_path / "model")
        assert repr(found.edges_) == repr(model.edges_)
    for kept in (found, model):
        kept.partial_fit(rows[:5])
    expected, arrays = model.parts()[1], found.parts()[1]
    assert all(arrays[name].tobytes() == expected[name].tobytes() for name in expected)
