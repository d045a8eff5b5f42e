"""Model files with a sound checksum and any content: a model that works, or one kind of error."""

import copy
import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import HedgeGraph
from hedgerow.base import storage
from hedgerow.base.storage import StorageError

ROWS = np.cumsum(np.random.default_rng(0).standard_normal((530, 5)), axis=1)
GAPS = np.where(np.random.default_rng(1).random(ROWS.shape) < 0.1, np.nan, ROWS)
GAPS[40, 2] = 60.0  # which its row contradicts
NAMES = list("abcde")
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**400), 10**400)
    | st.integers(-3, 700)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3)
    | st.sampled_from(["fdr", "fwer", "balanced", "cuda", "auto", 0.1, 50, NAMES])
    | st.sampled_from(["any", "normal", "independent", ["a"], ["z"]]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
HEADER_PARTS = [
    ("hedgerow",),
    ("parameters",),
    ("feature_names",),
    ("feature_names", 2),
    *(
        ("parameters", name)
        for name in ("error", "level", "device", "half_life", "rows", "columns", "new")
    ),
]
UNTREATED = {"rows": "independent", "columns": "normal"}


def saved(table=ROWS, **options):
    return HedgeGraph(**options).partial_fit(table, feature_names=NAMES).parts()


def table(**options):
    """Return what a GPU's engine saves: rows, as they were treated."""
    header, arrays = saved(**options)
    learner = {"table": ROWS[:512], "learned_rows": np.array(512), "pending": ROWS[512:]}
    treated = ("waiting", "as_is", "repeat", "wanders", "determined", "populations", "kinds")
    treated += ("marginal_", "season_", "gap_", "size_", "runs_", "bursts_")
    treated += ("kin_", "nested_", "carried", "depth")
    return header, learner | {k: v for k, v in arrays.items() if k.startswith(treated)}


MODELS = {
    "sums": lambda: saved(),
    "forgetting": lambda: saved(half_life=40),
    "balanced": lambda: saved(level="balanced"),
    "some columns as they are": lambda: saved(columns=["b", "d"]),
    "with a season": lambda: saved(ROWS + 3 * np.cos(np.arange(530) / 2)[:, None]),
    "waiting": lambda: saved(ROWS[:300]),
    "with gaps": lambda: saved(GAPS),
    "forgetting with gaps": lambda: saved(GAPS, half_life=100),
    "waiting with gaps": lambda: saved(GAPS[:300]),
    "untreated": lambda: saved(**UNTREATED),
    "independent": lambda: saved(rows="independent", half_life=1000),
    "rows": lambda: table(**UNTREATED),
    "treated rows": lambda: table(columns="normal"),
}


@cache
def model(kind):
    return MODELS[kind]()


@cache
def names_of_arrays():
    return sorted({name for kind in MODELS for name in model(kind)[1]})


@pytest.fixture(scope="module")
def path():
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "model.hedgerow"


def assert_sound_or_refused(path, header, arrays):
    storage.write(path, "HedgeGraph", header, arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = HedgeGraph.load(path)
        except StorageError as error:
            assert str(error).startswith(f"{path}: ")  # noqa: PT017
            return False
        try:
            edges = model.edges_
        except ValueError as error:  # as `fit` says of the same rows
            assert "columns must be zero or vary by more than" in str(error)  # noqa: PT017
            return True
        assert np.isfinite(edges.z).all()
        assert 0 < model.n_samples_effective_ <= model.n_samples_seen_
        assert model.summary()
        assert np.isfinite(model.precision_).all()
        model.partial_fit(ROWS)
        assert np.isfinite(model.edges_.partial_corr).all()
        assert len(model.edges_) >= 0
        assert model.n_samples_seen_ > 0
    return True


@pytest.mark.parametrize("kind", MODELS)
def test_what_was_saved_is_accepted(path, kind):
    assert assert_sound_or_refused(path, *model(kind))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(MODELS)), st.sampled_from(HEADER_PARTS), json_values, st.booleans())
def test_any_header(path, kind, part, value, drop):
    header, arrays = copy.deepcopy(model(kind))
    holder = header
    for key in part[:-1]:
        holder = holder[key]
    if drop and isinstance(holder, dict):
        holder.pop(part[-1], None)
    else:
        holder[part[-1]] = value
    assert_sound_or_refused(path, header, arrays)


def _fill(array, draw):
    values = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e-300, 1e30, 1e200, 1e308]
    return np.full_like(array, draw(st.sampled_from(values)), dtype=np.float64)


def _one(array, draw):
    changed = np.array(array, dtype=np.float64, copy=True).reshape(-1)
    if changed.size:
        values = st.floats(width=64) | st.sampled_from([np.nan, np.inf, -1.0, 1e30])
        changed[draw(st.integers(0, changed.size - 1))] = draw(values)
    return changed.reshape(array.shape)


def _shaped(array, draw):
    shapes = [(), (0,), (1,), (4,), (5,), (4, 5), (5, 4), (0, 5), (5, 5, 1), (600, 5), (8, 5)]
    shapes += [(33, 5), (32, 5), (5, 128), (128, 5), (128,), (2,), (2, 5)]
    return np.resize(array, draw(st.sampled_from(shapes)))


def _typed(array, draw):
    kinds = ["|b1", "|i1", "<i8", "<u8", "<f2", "<f4", "<f8"]
    with np.errstate(all="ignore"):
        return np.nan_to_num(array).astype(draw(st.sampled_from(kinds)))


def _scaled(array, draw):
    factor = draw(st.sampled_from([-1.0, 0.5, 2.0, 1e3, 1e-20, 1e40, -1e-3]))
    with np.errstate(all="ignore"):
        return (array * factor).astype(array.dtype)


def _more(array, draw):
    return array + array.dtype.type(draw(st.integers(1, 300)))


def _shuffled(array, draw):
    return (
        np.random.default_rng(draw(st.integers(0, 99)))
        .permutation(array.ravel())
        .reshape(array.shape)
    )


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(MODELS)),
    st.deferred(lambda: st.sampled_from(names_of_arrays())),
    st.sampled_from([None, _fill, _one, _shaped, _typed, _scaled, _more, _shuffled]),
    st.booleans(),
    st.data(),
)
def test_any_array(path, kind, name, change, keep_type, data):
    header, arrays = model(kind)
    arrays = dict(arrays)
    if change is None:
        arrays.pop(name, None)
    else:
        old = arrays.get(name, np.zeros(5))
        with np.errstate(all="ignore"):
            new = change(old, data.draw)
            if keep_type and change is not _typed and old.dtype.kind == "f":
                new = new.astype(old.dtype)
        arrays[name] = new
    assert_sound_or_refused(path, header, arrays)


def test_counts_of_a_narrow_type_are_refused(path):
    header, arrays = model("sums")
    for name in ("runs_length", "repeats_times", "learned_rows"):
        narrow = {**arrays, name: np.asarray(arrays[name]).astype(np.int8)}
        assert not assert_sound_or_refused(path, header, narrow), name
