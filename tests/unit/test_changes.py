"""The change log: what it reports, what it keeps quiet about, and that it can be stored."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.base.table import BoundedEdge, Edge
from hedgerow.method.changes import (
    LOOKS_TO_APPEAR,
    LOOKS_TO_VANISH,
    from_dict,
    level_to_stay,
    look,
    next_look,
    start,
    to_dict,
)

LEVEL = 0.05
STAY = level_to_stay(LEVEL)


def edge(name, q_value):
    return Edge(name, name + "'", 0.3, 4.0, q_value / 10, q_value)


def looks(*tables, watch=None, first_row=1):
    """Look at tables of q-values, one row apart; return the changes and the last state."""
    watch = watch or start(LEVEL)
    found = []
    for row, table in enumerate(tables, start=first_row):
        listed = [edge(name, q) for name, q in table.items() if q <= STAY]
        watch, changes = look(watch, row, listed)
        found += changes
    return found, watch


def told(changes):
    return [(change.row, change.kind, change.source) for change in changes]


def test_a_sure_edge_appears_at_once():
    changes, watch = looks({"a": LEVEL / 100})
    assert told(changes) == [(1, "appeared", "a")]
    assert changes[0].since == 1
    assert list(watch.present) == [("a", "a'")]


def test_an_edge_at_the_level_must_last():
    changes, _ = looks(*[{"a": LEVEL}] * (LOOKS_TO_APPEAR + 3))
    assert told(changes) == [(LOOKS_TO_APPEAR, "appeared", "a")]
    assert changes[0].since == 1


def test_a_gap_starts_the_wait_anew():
    few = [{"a": LEVEL}] * (LOOKS_TO_APPEAR - 1)
    changes, _ = looks(*few, {"a": 2 * LEVEL}, *few)
    assert changes == []


def test_an_edge_vanishes_after_many_looks_without_it():
    seen, gone = {"a": 1e-9}, {}
    changes, watch = looks(seen, *[gone] * LOOKS_TO_VANISH)
    assert told(changes) == [(1, "appeared", "a"), (1 + LOOKS_TO_VANISH, "vanished", "a")]
    assert changes[1].since == 2
    assert changes[1].q_value == 1e-9  # as last seen
    assert watch.present == watch.pending == {}


def test_one_look_between_keeps_an_edge():
    almost = [{}] * (LOOKS_TO_VANISH - 1)
    changes, _ = looks({"a": 1e-9}, *almost, {"a": STAY}, *almost, {"a": STAY})
    assert told(changes) == [(1, "appeared", "a")]


@given(st.lists(st.floats(LEVEL / 99, STAY), min_size=1, max_size=60))
def test_wandering_across_the_level_is_not_told_twice(q_values):
    changes, _ = looks(*[{"a": q} for q in q_values])
    assert len(changes) <= 1


TABLES = st.lists(
    st.dictionaries(st.sampled_from("abc"), st.sampled_from([1e-9, 0.01, 0.05, 0.1, 0.2, 0.4])),
    max_size=60,
)


@given(TABLES)
def test_each_edge_appears_and_vanishes_in_turn_and_the_log_adds_up(tables):
    changes, watch = looks(*tables)
    present = set()
    for change in changes:
        pair = (change.source, change.target)
        assert (pair in present) == (change.kind == "vanished")
        assert 1 <= change.since <= change.row
        present ^= {pair}
    assert present == set(watch.present)
    assert not any(run.looks >= LOOKS_TO_VANISH for run in watch.pending.values())


@given(TABLES, st.integers(0, 60))
def test_a_log_can_stop_anywhere_and_go_on_from_json(tables, cut):
    whole, last = looks(*tables)
    first, watch = looks(*tables[:cut])
    again = from_dict(json.loads(json.dumps(to_dict(watch))))
    assert again == watch
    second, resumed = looks(*tables[cut:], watch=again, first_row=len(tables[:cut]) + 1)
    assert first + second == whole
    assert resumed == last


@given(TABLES)
def test_a_look_leaves_the_state_before_it_alone(tables):
    _, watch = looks(*tables)
    before = json.dumps(to_dict(watch))
    look(watch, 100, [edge("a", 1e-9), edge("d", 0.01)])
    assert json.dumps(to_dict(watch)) == before


@given(st.integers(0, 10**9), st.none() | st.floats(16, 1e6))
def test_the_next_look_is_the_same_from_every_row_before_it(row, half_life):
    due = next_look(row, half_life)
    assert due > row
    assert next_look((row + due - 1) // 2, half_life) == due
    assert next_look(due - 1, half_life) == due
    if half_life is not None and row >= half_life:
        assert due - row <= half_life / 2 + 1


def test_without_forgetting_two_looks_double_the_rows():
    rows = [64]
    for _ in range(16):
        rows.append(next_look(rows[-1], None))
    assert [b / a for a, b in zip(rows, rows[2:])] == pytest.approx([2] * 15, rel=0.02)


@pytest.mark.parametrize("level", [0, 1, -0.1, None])
def test_the_level_is_checked(level):
    with pytest.raises(ValueError, match=r"level must be a number in \(0, 1\)"):
        start(level)


@given(st.floats(0.001, 0.999))
def test_an_edge_stays_at_least_as_easily_as_it_appears(level):
    assert level <= level_to_stay(level) <= max(level, 0.5)


def test_intervals_are_not_kept_so_that_old_checkpoints_and_new_ones_are_alike():
    edge = BoundedEdge("a", "b", 0.6, 0.5, 0.7, 9.0, 2e-19, 1e-18)
    watch, [change] = look(start(0.05), 100, [edge])
    assert to_dict(watch)["present"] == [["a", "b", 0.6, 9.0, 2e-19, 1e-18]]
    assert (change.partial_corr, change.z, change.q_value) == (0.6, 9.0, 1e-18)
