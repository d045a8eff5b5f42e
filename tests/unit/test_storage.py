"""Files of arrays: what goes in comes out, and no damage goes unseen."""

import hashlib
import json
import os
import pickle
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hedgerow.base import storage
from hedgerow.base.storage import StorageError

ARRAYS = {
    "mean": np.array([1.5, -2.5]),
    "seen": np.array(7),
    "joined": np.array([[True, False], [False, True]]),
    "nothing": np.empty((0, 3), dtype=np.float32),
    "counts": np.arange(5, dtype=np.int16),
}
HEADER = {"level": 0.05, "names": ["höhe", "x"], "deep": {"none": None, "yes": True}}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.hedgerow"
    storage.write(path, "example", HEADER, ARRAYS)
    return path


def forge(description, data=b"", version=1):
    """Return a file with a sound frame and checksum, whatever its content."""
    body = struct.pack("<8sIIQ", b"\x8fHEDGE\r\n", version, len(description), 0)
    body += description + data
    body = body[:16] + struct.pack("<Q", len(body) + 32) + body[24:]
    return body + hashlib.sha256(body).digest()


def described(content):
    text = json.dumps(content).encode()
    return text.ljust(-(-(24 + len(text)) // 64) * 64 - 24)


def entry(dtype="<f8", shape=(1,), offset=0):
    return {"dtype": dtype, "shape": list(shape), "offset": offset}


def with_arrays(arrays, data=b""):
    return forge(described({"kind": "example", "header": {}, "arrays": arrays}), data)


def assert_same(read, written):
    assert list(read) == list(written)
    for name, array in written.items():
        assert read[name].dtype == array.dtype
        assert read[name].shape == array.shape
        np.testing.assert_array_equal(read[name], array)


@pytest.mark.parametrize("as_path", [str, Path])
def test_what_goes_in_comes_out(path, as_path):
    header, arrays = storage.read(as_path(path), "example")
    assert header == HEADER
    assert_same(arrays, ARRAYS)


def test_the_arrays_read_are_writable_and_of_native_byte_order(path):
    _, arrays = storage.read(path, "example")
    for array in arrays.values():
        assert array.flags.writeable
        assert array.flags.c_contiguous
        assert array.dtype.isnative


def test_any_memory_layout_and_byte_order_can_be_written(tmp_path):
    plain = np.arange(12, dtype=np.float64).reshape(3, 4)
    layouts = {"fortran": np.asfortranarray(plain), "swapped": plain.astype(">f8")}
    layouts["strided"] = np.repeat(plain, 2, axis=1)[:, ::2]
    storage.write(tmp_path / "a", "example", {}, layouts)
    _, arrays = storage.read(tmp_path / "a", "example")
    assert_same(arrays, dict.fromkeys(layouts, plain))


def test_arrays_lie_at_multiples_of_64_bytes_as_plain_numbers(path):
    content = path.read_bytes()
    length = struct.unpack_from("<I", content, 12)[0]
    listed = json.loads(content[24 : 24 + length])["arrays"]
    for name, array in ARRAYS.items():
        offset = 24 + length + listed[name]["offset"]
        assert offset % 64 == 0
        found = np.frombuffer(content, array.dtype, array.size, offset)
        np.testing.assert_array_equal(found, array.ravel())
    assert hashlib.sha256(content[:-32]).digest() == content[-32:]


def test_the_same_content_makes_the_same_bytes(path, tmp_path):
    storage.write(tmp_path / "again", "example", HEADER, ARRAYS)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


# --- damage -----------------------------------------------------------------------------------


def test_every_truncation_is_detected(path):
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        message = "truncated" if length else "not a Hedgerow file"
        with pytest.raises(StorageError, match=message):
            storage.read(path, "example")


def test_every_flipped_bit_is_detected(path):
    content = path.read_bytes()
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1 << position % 8
        path.write_bytes(damaged)
        with pytest.raises(StorageError):
            storage.read(path, "example")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content + b"\0", "contradict its size"),
        (lambda content: b"PK\3\4" + content[4:], "not a Hedgerow file"),
        (lambda content: content.replace(b"\r\n", b"\n"), "not a Hedgerow file"),
        (lambda content: content[:-40] + b"!" + content[-39:], "checksum mismatch"),
        (lambda content: content[:8] + b"\2" + content[9:], "version 2 is newer .* reads 1"),
        (lambda content: content[:8] + b"\0" + content[9:], "no format version 0"),
        (lambda content: content[:12] + b"\xff\xff\xff\xff" + content[16:], "contradict"),
    ],
)
def test_damage_is_named_together_with_the_file(path, change, message):
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(StorageError, match=message) as caught:
        storage.read(path, "example")
    assert str(caught.value).startswith(f"{path}: ")


def test_another_kind_is_refused(path):
    with pytest.raises(StorageError, match="holds 'example', not 'checkpoint'"):
        storage.read(path, "checkpoint")


def test_a_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        storage.read(tmp_path / "absent", "example")


# --- content made to deceive: the checksum is right, the description is not ---------------------


def test_forged_files_are_read_where_they_are_sound(path):
    path.write_bytes(with_arrays({"x": entry()}, np.array([2.0]).tobytes()))
    assert storage.read(path, "example")[1]["x"] == 2.0


@pytest.mark.parametrize(
    "description",
    [
        b"",
        b"\xff",
        b"[]",
        b"3",
        b"{}",
        b"[" * 100_000,
        pickle.dumps({"kind": "example", "header": {}, "arrays": {}}),
        described({"kind": "example", "header": {}}),
        described({"kind": "example", "header": {}, "arrays": []}),
        described({"kind": "example", "header": [], "arrays": {}}),
        described({"kind": "example", "header": {}, "arrays": {"x": 1}}),
        described({"kind": "example", "header": {}, "arrays": {"x": {"dtype": "<f8"}}}),
    ],
)
def test_malformed_descriptions_are_refused(path, description):
    path.write_bytes(forge(description))
    with pytest.raises(StorageError, match="malformed description"):
        storage.read(path, "example")


@pytest.mark.parametrize(
    "wrong",
    [
        entry(dtype="|O"),
        entry(dtype="O"),
        entry(dtype="<U2"),
        entry(dtype=">f8"),
        entry(dtype="<M8[s]"),
        entry(dtype="f8,f8"),
        entry(dtype=["<f8"]),
        entry(dtype=None),
        entry(shape=[-1]),
        entry(shape=[1.0]),
        entry(shape=[True]),
        entry(shape=["1"]),
        entry(shape=[2]),
        entry(shape=[2**62, 4]),
        entry(shape=[10**100]),
        entry(shape=[0]),
        entry(offset=-8),
        entry(offset=64),
        entry(offset="0"),
        {"dtype": "<f8", "shape": 1, "offset": 0},
        {"dtype": "<f8", "shape": [1], "offset": 0, "more": 0},
    ],
)
def test_untrustworthy_arrays_are_refused_before_memory_is_asked_for(path, wrong):
    path.write_bytes(with_arrays({"x": wrong}, bytes(8)))
    with pytest.raises(StorageError, match="malformed description"):
        storage.read(path, "example")


@pytest.mark.parametrize("shape", [[0, 2**63], [0] * 100, [0, 10**100]])
def test_empty_arrays_of_impossible_shape_are_refused(path, shape):
    path.write_bytes(with_arrays({"x": entry(shape=shape)}))
    with pytest.raises(StorageError, match="malformed description"):
        storage.read(path, "example")


def test_overlapping_arrays_are_refused(path):
    path.write_bytes(with_arrays({"x": entry(), "y": entry()}, bytes(8)))
    with pytest.raises(StorageError, match="begin at byte 64"):
        storage.read(path, "example")


def test_bytes_that_are_no_truth_value_are_refused(path):
    path.write_bytes(with_arrays({"x": entry(dtype="|b1")}, b"\2"))
    with pytest.raises(StorageError, match="other than 0 and 1"):
        storage.read(path, "example")


# --- writing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "array",
    [
        np.array([object()]),
        np.array(["text"]),
        np.array([1 + 2j]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        np.zeros(2, dtype=[("a", "f8")]),
    ],
)
def test_only_plain_numbers_can_be_written(path, array):
    before = path.read_bytes()
    with pytest.raises(ValueError, match="array 'x' must hold numbers or bool, got dtype"):
        storage.write(path, "example", {}, {"x": array})
    assert path.read_bytes() == before


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, np.float32(1), b"bytes"])
def test_only_json_goes_into_the_header(path, value):
    before = path.read_bytes()
    with pytest.raises((TypeError, ValueError)):
        storage.write(path, "example", {"value": value}, {})
    assert path.read_bytes() == before


def test_a_failed_write_leaves_the_old_file_alone(path, monkeypatch):
    before = path.read_bytes()

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        storage.write(path, "example", {}, {"x": np.zeros(1000)})
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_file_and_folder_are_flushed_to_disk(tmp_path, monkeypatch):
    flushed = []

    def record(descriptor):
        flushed.append(os.fstat(descriptor).st_ino)

    monkeypatch.setattr(os, "fsync", record)
    storage.write(tmp_path / "a", "example", {}, {})
    assert flushed == [(tmp_path / "a").stat().st_ino, tmp_path.stat().st_ino]


WRITER = """
import sys
import numpy as np
from hedgerow.base import storage

for n in range(10**9):
    storage.write(sys.argv[1], "example", {"n": n}, {"x": np.full(300_000, n)})
    print(n, flush=True)
"""


def test_a_killed_writer_leaves_a_whole_file(tmp_path):
    path = tmp_path / "model"
    command = [sys.executable, "-c", WRITER, path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        for line in writer.stdout:
            if int(line) == 3:
                break
        time.sleep(np.random.default_rng().uniform(0, 0.05))
        writer.kill()
        done = [3, *(int(line) for line in writer.stdout)][-1]
    header, arrays = storage.read(path, "example")
    assert header["n"] in (done, done + 1)
    np.testing.assert_array_equal(arrays["x"], np.full(300_000, header["n"]))
