"""Whatever is stored comes back bit for bit; whatever is not a stored file is an error."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import (
    array_shapes,
    arrays,
    boolean_dtypes,
    floating_dtypes,
    integer_dtypes,
    unsigned_integer_dtypes,
)

from hedgerow.base import storage

dtypes = st.one_of(boolean_dtypes(), integer_dtypes(), unsigned_integer_dtypes(), floating_dtypes())
shapes = array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.fixture(scope="module")
def path():
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "file"


@given(
    kind=st.text(),
    header=st.dictionaries(st.text(), json_values, max_size=4),
    content=st.dictionaries(st.text(), arrays(dtypes, shapes), max_size=4),
)
def test_round_trip(path, kind, header, content):
    storage.write(path, kind, header, content)
    header_read, arrays_read = storage.read(path, kind)
    assert header_read == header
    assert list(arrays_read) == list(content)
    for name, array in content.items():
        native = array.astype(array.dtype.newbyteorder("="))
        assert arrays_read[name].dtype == native.dtype
        assert arrays_read[name].shape == native.shape
        assert arrays_read[name].tobytes() == native.tobytes()


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(storage.StorageError):
        storage.read(path, "example")


@given(st.data(), st.dictionaries(st.text(), arrays(dtypes, shapes), max_size=3))
def test_any_changed_byte_is_detected(path, data, content):
    storage.write(path, "example", {"level": 0.05}, content)
    damaged = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(damaged) - 1))
    damaged[position] ^= data.draw(st.integers(1, 255))
    path.write_bytes(damaged)
    with pytest.raises(storage.StorageError):
        storage.read(path, "example")
