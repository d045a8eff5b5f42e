"""Which edges appeared in a stream's graph and which vanished: a log that does not flicker.

The graph is looked at now and then (`next_look`). On a stream without change, the q-value of a pair
still wanders, and at a threshold it wanders across. Two rules keep that out of the log:

- two levels: a pair must be an edge at the chosen level to appear, but vanishes only when it is no
  edge even at a looser one (`level_to_stay`);
- patience: either must be so at several looks in a row, by which time much of the evidence is new.
  Only what is far beyond the chosen level appears at once.

The state is explicit and small, and becomes JSON and back, for checkpoints.

    watch = start(level=0.05)
    for row, edges in looks:                      # edges up to level_to_stay(0.05)
        watch, changes = look(watch, row, edges)

docs/streams.md has what was measured: false alarms, flicker, and the delay after a real change.
"""

from collections.abc import Iterable
from math import ceil
from typing import Any, Literal, NamedTuple

from hedgerow.base.checks import in_open_interval
from hedgerow.base.table import BoundedEdge, Edge

LOOKS_PER_HALF_LIFE = 2
LOOKS_TO_APPEAR, LOOKS_TO_VANISH = 3, 4  # in a row
_FIRST_LOOK = 64  # rows
_FAR_BEYOND = 100  # a q-value so many times below the level needs no patience
_LOOSER, _LOOSEST = 4, 0.5

Pair = tuple[Any, Any]


class Change(NamedTuple):
    """An edge that appeared or vanished.

    Of an edge that vanished, the numbers are those of the last look at which it was one.
    """

    row: int  # rows seen at the look that settled it
    kind: Literal["appeared", "vanished"]
    source: Any
    target: Any
    partial_corr: float
    z: float
    p_value: float
    q_value: float
    since: int  # rows seen at the first of the looks in a row that spoke for it


class Run(NamedTuple):
    """Looks in a row that spoke for a change."""

    since: int
    looks: int


class Watch(NamedTuple):
    """What is remembered between looks."""

    level: float
    present: dict[Pair, Edge]  # edges in the log's graph, as last seen
    pending: dict[Pair, Run]  # pairs on their way in, or edges on their way out


def start(level: float) -> Watch:
    """Return the state before the first look; ``level`` is the one at which edges appear."""
    return Watch(in_open_interval("level", level, 0, 1), {}, {})


def look(watch: Watch, row: int, edges: Iterable[Edge | BoundedEdge]) -> tuple[Watch, list[Change]]:
    """Return the state after a look, and what has changed.

    Parameters
    ----------
    watch : Watch
        From `start`, or from the look before.
    row : int
        Number of rows seen.
    edges : iterable of Edge, such as an EdgeTable
        All edges up to `level_to_stay`.

    Examples
    --------
    >>> strong = Edge("a", "b", partial_corr=0.6, z=9.0, p_value=2e-19, q_value=1e-18)
    >>> watch, changes = look(start(level=0.05), 1000, [strong])
    >>> [(change.kind, change.source, change.target) for change in changes]
    [('appeared', 'a', 'b')]
    >>> for row in (1500, 2000, 2500, 3000):
    ...     watch, changes = look(watch, row, [])
    >>> [(change.kind, change.row, change.since) for change in changes]
    [('vanished', 3000, 1500)]
    """
    seen = {(edge.source, edge.target): _tests_of(edge) for edge in edges}
    present = {pair: seen.get(pair, edge) for pair, edge in watch.present.items()}
    pending: dict[Pair, Run] = {}
    changes = []
    for pair in _unsettled(watch, seen):
        run = watch.pending.get(pair, Run(row, 0))
        run = run._replace(looks=run.looks + 1)
        if pair in present and run.looks == LOOKS_TO_VANISH:
            changes.append(Change(row, "vanished", *present.pop(pair), since=run.since))
        elif pair not in present and (run.looks == LOOKS_TO_APPEAR or _certain(watch, seen[pair])):
            present[pair] = seen[pair]
            changes.append(Change(row, "appeared", *seen[pair], since=run.since))
        else:
            pending[pair] = run
    return Watch(watch.level, present, pending), changes


def level_to_stay(level: float) -> float:
    """Return the level up to which an edge that has appeared stays.

    >>> level_to_stay(0.05)
    0.2
    """
    return max(level, min(_LOOSER * level, _LOOSEST))


def next_look(row: int, half_life: float | None) -> int:
    """Return after how many rows in all the next look is due, when ``row`` have been seen.

    Twice per half-life. Before the first one has passed, or if nothing is ever forgotten, twice
    until the rows have doubled. It depends on nothing else, so that a stream is looked at after
    the same rows however it was cut or stopped.

    >>> next_look(4000, half_life=1000)
    4500
    >>> next_look(4000, half_life=None)
    4096
    """
    due = _when_rows_grow(row)
    if half_life is None or due < half_life:
        return due
    step = max(round(half_life / LOOKS_PER_HALF_LIFE), 1)
    return (max(row, ceil(half_life) - 1) // step + 1) * step


def _when_rows_grow(row: int) -> int:
    """Return the next look when the rows before are few, or none are forgotten."""
    due = _FIRST_LOOK
    while due <= row:
        due *= 2
    earlier = [ceil(due / 2 ** (k / LOOKS_PER_HALF_LIFE)) for k in range(LOOKS_PER_HALF_LIFE)]
    return _FIRST_LOOK if row < _FIRST_LOOK else min(rows for rows in earlier if rows > row)


def to_dict(watch: Watch) -> dict[str, Any]:
    """Return the state as lists and numbers, which JSON can hold if the names are texts."""
    return {
        "level": watch.level,
        "present": [list(edge) for edge in watch.present.values()],
        "pending": [[*pair, *run] for pair, run in watch.pending.items()],
    }


def from_dict(values: dict[str, Any]) -> Watch:
    """Return the state that `to_dict` gave.

    >>> watch, _ = look(start(level=0.05), 100, [Edge("a", "b", 0.6, 4.5, 7e-6, 0.01)])
    >>> from_dict(to_dict(watch)) == watch
    True
    """
    present = [Edge(*edge) for edge in values["present"]]
    return Watch(
        values["level"],
        {(edge.source, edge.target): edge for edge in present},
        {(source, target): Run(*run) for source, target, *run in values["pending"]},
    )


def _tests_of(edge: Edge | BoundedEdge) -> Edge:
    """Return what the log keeps of an edge."""
    return Edge(*(getattr(edge, name) for name in Edge._fields))


def _unsettled(watch: Watch, seen: dict[Pair, Edge]) -> list[Pair]:
    """Return edges of the log's graph that are none now, and edges now that it does not have."""
    lost = [pair for pair in watch.present if pair not in seen]
    new = [
        pair
        for pair, edge in seen.items()
        if edge.q_value <= watch.level and pair not in watch.present
    ]
    return lost + new


def _certain(watch: Watch, edge: Edge) -> bool:
    return edge.q_value <= watch.level / _FAR_BEYOND
