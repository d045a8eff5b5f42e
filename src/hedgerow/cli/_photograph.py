"""The photograph that scikit-learn ships, in grey: a small reader of plain JPEG files.

A package that reads pictures would be one more to install, for the demo alone. This one reads what
it needs: baseline JPEG whose colours are not subsampled, of which it keeps the brightness.
"""

from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import idctn

Array = NDArray[np.float64]
# For each 16 bits that can come next, what they begin with: how many zeros come before the next
# number, by how many bits it is written, and how many bits told that.
Code = list[tuple[int, int, int]]

_SIDE = 8
_STEPS, _CODES, _FRAME, _SCAN, _RESTART = 0xDB, 0xC4, 0xC0, 0xDA, 0xDD  # kinds of segments
_REST = 64  # zeros: to the end of the block
# Places of a block's numbers in the order in which they are written: diagonal by diagonal.
_PLACES = [
    place
    for *_, place in sorted(
        (row + column, row if (row + column) % 2 else column, row * _SIDE + column)
        for row in range(_SIDE)
        for column in range(_SIDE)
    )
]


class _Part(NamedTuple):
    """Brightness, or one of the colours."""

    steps: Array  # what its numbers were divided by
    first: Code  # of the first number of each block ...
    others: Code  # ... and of the others


class _Segments(NamedTuple):
    """What a file says, its numbers not yet read."""

    height: int
    width: int
    parts: list[_Part]
    bits: list[int]  # 16 of them, beginning with each


def flower() -> Array:
    """Return the brightness of a photograph of a flower, from 0 to 255, (height, width).

    Examples
    --------
    >>> flower().shape
    (427, 640)
    """
    return grey(files("sklearn").joinpath("datasets/images/flower.jpg").read_bytes())


def grey(content: bytes) -> Array:
    """Return the brightness of a JPEG picture, from 0 to 255, (height, width)."""
    height, width, parts, bits = _segments(content)
    down, across = -(-height // _SIDE), -(-width // _SIDE)
    blocks = np.zeros((down * across, _SIDE**2))
    blocks[:, _PLACES] = _brightness(bits, parts, down * across) * parts[0].steps
    values = idctn(blocks.reshape(-1, _SIDE, _SIDE), axes=(1, 2), norm="ortho") + 128.0
    picture = values.reshape(down, across, _SIDE, _SIDE).swapaxes(1, 2)
    picture = picture.reshape(down * _SIDE, across * _SIDE)[:height, :width]
    result: Array = np.clip(np.rint(picture), 0.0, 255.0)
    return result


def _segments(content: bytes) -> _Segments:
    steps: dict[int, Array] = {}
    codes: dict[int, Code] = {}
    frame = segment = b""
    kind, place = 0, 2
    while kind != _SCAN:
        kind, size = content[place + 1], int.from_bytes(content[place + 2 : place + 4], "big")
        segment = content[place + 4 : place + 2 + size]
        place += 2 + size
        if kind == _STEPS:
            for at in range(0, len(segment), 65):
                steps[segment[at]] = np.frombuffer(segment, np.uint8, 64, at + 1).astype(float)
        elif kind == _CODES:
            while segment:
                words = 17 + sum(segment[1:17])
                codes[segment[0]] = _code(segment[1:17], segment[17:words])
                segment = segment[words:]
        elif kind == _FRAME:
            frame = segment
        elif kind == _RESTART:
            frame = b""
    if not frame or any(sampled != 0x11 for sampled in frame[7::3]):
        raise ValueError("only baseline JPEG can be read, without restarts or subsampled colours")
    told = dict(zip(segment[1::2], segment[2::2]))  # which codes each part has
    parts = [
        _Part(steps[which], codes[told[name] >> 4], codes[0x10 | told[name] & 15])
        for name, which in zip(frame[6::3], frame[8::3])
    ]
    height, width = (int.from_bytes(frame[at : at + 2], "big") for at in (1, 3))
    return _Segments(height, width, parts, _bits(content[place:]))


def _code(lengths: bytes, symbols: bytes) -> Code:
    """Return the code whose words, in their order, have these numbers of each length."""
    of_words = (bits for bits, number in enumerate(lengths, start=1) for _ in range(number))
    code: Code = []
    for bits, symbol in zip(of_words, symbols):
        zeros = _REST if symbol == 0 else symbol >> 4
        code += [(zeros, symbol & 15, bits)] * (1 << (16 - bits))
    return code + [(_REST, 0, 16)] * (65536 - len(code))


def _bits(content: bytes) -> list[int]:
    """Return the 16 bits that begin with each bit; a byte of ones is written with a zero byte."""
    data = np.frombuffer(content.replace(b"\xff\x00", b"\xff") + bytes(2), np.uint8).astype(int)
    words = (data[:-2] << 16) | (data[1:-1] << 8) | data[2:]
    starting: list[int] = ((words[:, None] >> np.arange(8, 0, -1)) & 0xFFFF).ravel().tolist()
    return starting


def _brightness(bits: list[int], parts: list[_Part], n_blocks: int) -> Array:
    """Return the numbers of the first part of each block, in the order they are written."""
    rows, columns, values = [], [], []
    place = 0
    for block in range(n_blocks):
        for part in parts:
            at, code = 0, part.first
            while at < _SIDE**2:
                zeros, size, told = code[bits[place]]
                place += told
                if code is part.first:
                    zeros, code = 0, part.others
                at += zeros
                if size:
                    value = bits[place] >> (16 - size)
                    if part is parts[0]:
                        # The upper half of what so many bits can say is positive, the lower not.
                        rows.append(block)
                        columns.append(at)
                        values.append(value if value >> (size - 1) else value - (1 << size) + 1)
                    place += size
                at += 1
    found = np.zeros((n_blocks, _SIDE**2))
    found[rows, columns] = values
    found[:, 0] = np.cumsum(found[:, 0])  # a block's first number is told as a difference
    return found
