"""However rows are cut, queried, saved and read, the state is the same to the last bit."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import HedgeGraph, stream
from hedgerow.changes import next_look
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.io import raw as _bytes
from hedgerow.io.delimited import Cells
from hedgerow.io.json_lines import Objects
from hedgerow.io.layout import Layout
from hedgerow.io.notation import Notation
from hedgerow.io.records import cut
from hedgerow.io.source import Column

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{category.__module__}.{category.__name__}")
    for category in (DataWarning, GuaranteeWarning)
]
finite = st.floats(allow_nan=False, allow_infinity=False)
# fmt: off
odd_cells = st.sampled_from([
    "", "NA", "nan", "inf", "-inf", "abc", "1_000", " 2.5 ", "+3", ".5", "7.", "1e400", "1e-400",
    "0x10", "1d5", "true", '"4.5"', '"', '"2', '2"', "1,5", "\x00", "1e5", "-0", "9" * 400, "١",
])
# fmt: on
texts = st.one_of(finite.map(repr), odd_cells)
odd_values = st.sampled_from(
    [None, True, "1.5", "abc", [1], {"x": 1}, 10**400, 2**63, 2**64, -(2**63) - 1, 1e308]
)
values = st.one_of(finite, st.integers(-(2**70), 2**70), odd_values, st.just(math.nan))


def block_of(lines):
    return cut("".join(f"{line}\n" for line in lines).encode(), 0, 1, None, is_last=True).block


def what(found):
    """What each line is: a row, or a reason."""
    return [
        found.bad[k].reason if k in found.bad else row.tobytes() for k, row in enumerate(found.rows)
    ]


def one_by_one(reader, lines):
    return [what(reader.read(block_of([line])))[0] for line in lines]


def cells(width, chosen, decimal=".", na=()):
    notation = Notation(decimal, numbers=na)
    return Cells(Layout(",", width, decimal=decimal), columns("abc"), chosen, notation)


def columns(names):
    return [Column(name, None) for name in names]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(texts, min_size=2, max_size=4), min_size=1, max_size=5))
def test_cells_mean_the_same_whatever_comes_with_them(table):
    lines = [",".join(row) for row in table]
    for reader in (cells(3, [0, 1]), cells(3, [2, 0]), cells(2, [0, 1]), cells(2, [0], na=(5.0,))):
        assert what(reader.read(block_of(lines))) == one_by_one(reader, lines)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from("abcd"), values, min_size=1), min_size=1, max_size=5)
)
def test_objects_mean_the_same_whatever_comes_with_them(objects):
    lines = [json.dumps(each) for each in objects]
    for known in (["a", "b", "c"], ["a", "b"]):
        reader, alone = (Objects(columns(known), [0, 1], Notation()) for _ in range(2))
        assert what(reader.read(block_of(lines))) == one_by_one(alone, lines)
        assert reader.new == alone.new == set().union(*objects) - set(known)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(finite, finite), min_size=1, max_size=50))
def test_numbers_come_back_exactly(pairs):
    expected = np.array(pairs)
    text = [f"{a!r},{b!r}" for a, b in pairs]
    continental = [f"{a!r};{b!r}".replace(".", ",") for a, b in pairs]
    objects = [json.dumps({"b": b, "a": a}) for a, b in pairs]
    with_semicolons = Cells(Layout(";", 2, decimal=","), columns("ab"), [0, 1], Notation(","))
    for reader, lines in (
        (cells(2, [0, 1]), text),
        (with_semicolons, continental),
        (Objects(columns("ab"), [0, 1], Notation()), objects),
    ):
        rows, bad = reader.read(block_of(lines))
        assert not bad
        assert rows.tobytes() == expected.tobytes()


class Curious:
    """Asks for the graph whenever it may."""

    def __init__(self):
        self.looks = 0

    def wants_look(self):
        return True

    def __call__(self, status):
        self.looks += status.look is not None


def same_bits(a, b):
    _, a = a.parts()
    _, b = b.parts()
    return a.keys() == b.keys() and all(a[name].tobytes() == b[name].tobytes() for name in a)


@given(st.integers(0, 5000), st.one_of(st.none(), st.floats(8, 3000)))
def test_when_to_look_does_not_depend_on_when_one_asks(row, half_life):
    due = next_look(row, half_life)
    assert due > row
    assert next_look(due - 1, half_life) == due


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(10, 600),
    block=st.integers(300, 20_000),
    every=st.integers(1, 300),
    half_life=st.sampled_from([None, 100]),
    ends=st.lists(st.integers(1, 40), max_size=3),
)
def test_blocks_looks_checkpoints_and_stops_leave_no_trace(
    tmp_path_factory, seed, n_rows, block, every, half_life, ends
):
    """A run in any pieces, watched and saved, ends as a single pass over the rows does."""
    folder = tmp_path_factory.mktemp("stream")
    rows = np.random.default_rng(seed).standard_normal((n_rows, 3)) @ np.triu(np.ones((3, 3)))
    lines = [f"{a!r},{b!r},{c!r}\n" for a, b, c in rows.tolist()]
    (folder / "rows.csv").write_text("a,b,c\n" + "".join(lines))
    model = HedgeGraph(half_life=half_life)

    def run(stop=lambda: False):
        return stream.run(
            folder / "rows.csv",
            model,
            checkpoint=folder / "saved",
            every=every,
            events=folder / "events",
            watchers=[Curious()],
            stop=stop,
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_bytes, "BLOCK", block)
        patch.setattr("hedgerow.stream._news._BETWEEN_NEWS", 0.0)
        patch.setattr("hedgerow.stream._news._SHORTEST_REST", 0.0)
        patch.setattr("hedgerow.stream._news._REST", 0.0)
        for end in ends:
            chunks = iter(range(end))
            run(stop=lambda chunks=chunks: next(chunks, None) is None)
        result = run()
    assert result.n_samples_seen_ == n_rows
    assert same_bits(result, HedgeGraph(half_life=half_life).partial_fit(rows))
    straight = folder / "straight"
    stream.run(folder / "rows.csv", model, events=straight)
    assert (folder / "events").read_bytes() == straight.read_bytes()
