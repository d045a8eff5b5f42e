"""One file for named arrays and a small header: checksummed, versioned, and never executed.

Layout, all numbers little-endian::

    8 bytes    magic
    4 bytes    format version
    4 bytes    length of the description, n
    8 bytes    length of the whole file
    n bytes    description: JSON with the kind, the header, and dtype, shape and offset (from the
               end of the description) of each array; filled up with spaces
    arrays     C order, each at a multiple of 64 bytes, zeros in between
    32 bytes   SHA-256 of everything before

Nothing in a file is trusted before it is checked, the checksum first. The checksum guards against
accidents, not against intent: whoever can write the file can also write a matching one. Hence the
checks that follow it, and a short list of dtypes in place of pickle.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from math import prod
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.atomic import atomic_path

FORMAT_VERSION = 1
# A byte that is not text and both kinds of line end: a copy in text mode does not survive.
_MAGIC = b"\x8fHEDGE\r\n"
_PREFIX = Struct("<8sIIQ")
_DTYPES = ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8")
_ALIGNMENT = 64
_DIGEST_SIZE = hashlib.sha256().digest_size
_CHUNK = 1 << 20


class StorageError(ValueError):
    """A file that is damaged, not Hedgerow's, or of another kind; the message says which."""


class _Slot(NamedTuple):
    """What an array is and where it lies, counted from the end of the description."""

    dtype: str
    shape: list[int]
    offset: int

    @property
    def end(self) -> int:
        return self.offset + prod(self.shape) * np.dtype(self.dtype).itemsize


def write(
    path: str | os.PathLike[str],
    kind: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write a file; an older one at ``path`` stays until the new one is complete and on disk.

    Parameters
    ----------
    path : str or path
    kind : str
        What the file holds, to be asked for again by `read`.
    header : dict
        Anything that JSON can hold; tuples come back as lists.
    arrays : dict of str to ndarray
        Of numbers or bool, in any memory layout.

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/example.hedgerow"
    >>> write(path, "example", {"level": 0.05}, {"mean": np.array([1.0, 2.0])})
    >>> read(path, "example")
    ({'level': 0.05}, {'mean': array([1., 2.])})
    """
    plain = {name: _plain(name, array) for name, array in arrays.items()}
    slots = _arrange(plain)
    listed = {name: slot._asdict() for name, slot in slots.items()}
    content = {"kind": kind, "header": dict(header), "arrays": listed}
    description = json.dumps(content, allow_nan=False).encode()
    start = _aligned(_PREFIX.size + len(description))
    description = description.ljust(start - _PREFIX.size)
    end = start + _end(slots)
    digest = hashlib.sha256()
    with atomic_path(path) as temporary, temporary.open("wb") as file:

        def put(data: bytes | memoryview) -> None:
            file.write(data)
            digest.update(data)

        put(_PREFIX.pack(_MAGIC, FORMAT_VERSION, len(description), end + _DIGEST_SIZE))
        put(description)
        position = 0
        for name, slot in slots.items():
            put(bytes(slot.offset - position))
            put(_raw(plain[name]))
            position = slot.end
        file.write(digest.digest())


def is_stored(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins as those that `write` wrote do."""
    with open(path, "rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def holds(path: str | os.PathLike[str], kind: str) -> bool:
    """Return whether a file that `write` wrote holds this; raise StorageError if it is damaged."""
    with errors_of(path), open(path, "rb") as file:
        start, _ = _check_frame(file)
        return bool(json.loads(file.read(start - _PREFIX.size))["kind"] == kind)


def read(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a file that `write` made.

    Parameters
    ----------
    path : str or path
    kind : str
        What the file must hold.

    Returns
    -------
    header : dict
    arrays : dict of str to ndarray
        Writable, in the order in which they were written.

    Raises
    ------
    StorageError
        If the file is not whole, not of this kind, or not Hedgerow's at all.
    """
    with errors_of(path), open(path, "rb") as file:
        start, end = _check_frame(file)
        header, slots = _parse(file.read(start - _PREFIX.size), kind, end - start)
        return header, {name: _load(file, start, slot) for name, slot in slots.items()}


@contextmanager
def errors_of(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the name of a file before the message of a StorageError about it."""
    try:
        yield
    except StorageError as error:
        raise StorageError(f"{os.fspath(path)}: {error}") from None


def _plain(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return the array with the memory layout of the file."""
    array = np.asarray(array)
    little = array.dtype.newbyteorder("<")
    if little.str not in _DTYPES:
        raise ValueError(f"array {name!r} must hold numbers or bool, got dtype {array.dtype}")
    return np.asarray(array, dtype=little, order="C")


def _raw(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _arrange(arrays: Mapping[str, NDArray[Any]]) -> dict[str, _Slot]:
    """Give every array its place, one after the other."""
    slots: dict[str, _Slot] = {}
    end = 0
    for name, array in arrays.items():
        slots[name] = _Slot(array.dtype.str, list(array.shape), _aligned(end))
        end = slots[name].end
    return slots


def _end(slots: Mapping[str, _Slot]) -> int:
    return max((slot.end for slot in slots.values()), default=0)


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT


def _check_frame(file: BufferedReader) -> tuple[int, int]:
    """Check everything that needs no look inside; return where the arrays may begin and end."""
    size = os.fstat(file.fileno()).st_size
    prefix = file.read(_PREFIX.size)
    if prefix[: len(_MAGIC)] != _MAGIC[: len(prefix)] or not prefix:
        raise StorageError("not a Hedgerow file")
    if len(prefix) < _PREFIX.size:
        raise StorageError(f"truncated after {size} bytes")
    _, version, length, expected = _PREFIX.unpack(prefix)
    if version > FORMAT_VERSION:
        raise StorageError(
            f"format version {version} is newer than this Hedgerow, which reads {FORMAT_VERSION}"
        )
    if version < 1:
        raise StorageError(f"malformed, there is no format version {version}")
    if size < expected:
        raise StorageError(f"truncated, {size} of {expected} bytes are there")
    start, end = _PREFIX.size + length, expected - _DIGEST_SIZE
    if size > expected or start > end:
        raise StorageError(f"malformed, its first {_PREFIX.size} bytes contradict its size, {size}")
    if _digest(file, prefix, end) != file.read(_DIGEST_SIZE):
        raise StorageError("checksum mismatch, the file is damaged")
    file.seek(_PREFIX.size)
    return start, end


def _digest(file: BufferedReader, prefix: bytes, end: int) -> bytes:
    """Read up to ``end`` and return the checksum of it all."""
    digest = hashlib.sha256(prefix)
    left = end - len(prefix)
    while left:
        data = file.read(min(left, _CHUNK))
        if not data:
            raise StorageError("truncated while it was being read")
        digest.update(data)
        left -= len(data)
    return digest.digest()


def _parse(description: bytes, kind: str, size: int) -> tuple[dict[str, Any], dict[str, _Slot]]:
    """Return header and places of the arrays if these fill exactly ``size`` bytes."""
    try:
        content = json.loads(description.decode())
        found, header, listed = content["kind"], content["header"], content["arrays"]
        entries = list(listed.items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StorageError(f"malformed description, {error!r}") from None
    if found != kind:
        raise StorageError(f"holds {found!r}, not {kind!r}")
    if not isinstance(header, dict):
        raise StorageError("malformed description, its header is not an object")
    slots: dict[str, _Slot] = {}
    position = 0
    for name, entry in entries:
        slots[name] = _slot(name, entry, _aligned(position), size)
        position = slots[name].end
    if position != size:
        raise StorageError(f"malformed description, arrays take {position} bytes, not {size}")
    return header, slots


def _slot(name: str, entry: Any, offset: int, size: int) -> _Slot:
    """Return the place of an array if it is a sound one."""

    def require(condition: bool, rule: str) -> None:
        if not condition:
            raise StorageError(f"malformed description, array {name!r} must {rule}, got {entry!r}")

    require(isinstance(entry, dict) and set(entry) == set(_Slot._fields), "have three fields")
    require(entry["dtype"] in _DTYPES, "hold numbers or bool")
    shape = entry["shape"]
    is_shape = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    require(is_shape, "have a shape of integers >= 0")
    require(entry["offset"] == offset, f"begin at byte {offset}")
    slot = _Slot(entry["dtype"], shape, offset)
    require(slot.end <= size, f"end by byte {size}")
    return slot


def _load(file: BufferedReader, start: int, slot: _Slot) -> NDArray[Any]:
    try:
        array = np.empty(slot.shape, dtype=slot.dtype)
    except ValueError as error:  # no elements, yet dimensions beyond what an array can have
        raise StorageError(f"malformed description, {error}") from None
    file.seek(start + slot.offset)
    if file.readinto(_raw(array)) != array.nbytes:
        raise StorageError("truncated while it was being read")
    if array.dtype == bool and (array.view(np.uint8) > 1).any():
        raise StorageError("malformed, an array of bool has bytes other than 0 and 1")
    return array.astype(array.dtype.newbyteorder("="), copy=False)
