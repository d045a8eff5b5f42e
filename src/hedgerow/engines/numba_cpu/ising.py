"""Neighbours and scores of yes-or-no columns: one node's work is one thread's."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from hedgerow.engines.numba_cpu import _ising_nodes as nodes
from hedgerow.engines.numba_cpu._threads import blocks, team
from hedgerow.method.ising_logistic import Array, Indices
from hedgerow.method.ising_neighbours import Scores, Table

_PAIRS = 64  # pairs that a job takes

Tell = Callable[[float], None]


def choose_all(
    table: Table, proposals: Indices, limit: float, most: int, scores: Scores, tell: Tell
) -> list[tuple[Indices, bool]]:
    """Return the neighbours of every node, from proposals for each, and whether it has scores.

    These are written where they are known: the scores of all variables given the neighbours.
    """
    with team() as run:
        jobs = (
            partial(nodes.choose, *table, node, proposals[node], limit, most, scores[node])
            for node in range(table.n_columns)
        )
        return run(jobs, tell)


def score_all(
    table: Table, some: Indices, neighbours: Sequence[Indices], scores: Scores, tell: Tell
) -> None:
    """Write for some nodes the scores of all variables given their neighbours."""
    with team() as run:
        jobs = (
            partial(nodes.scores_of_all, *table, node, neighbours[node], scores[node])
            for node in some
        )
        run(jobs, tell)


def scores_given(
    table: Table,
    pairs: Indices,
    given: Sequence[Indices],
    doubtful: Sequence[Indices],
    tell: Tell,
) -> Array:
    """Return for each (node, other) its score given some columns, and given all that stand in."""
    result = np.empty((len(pairs), 2))

    def score(start: int, stop: int) -> None:
        for k in range(start, stop):
            result[k] = nodes.score_given(
                table.words, table.n_rows, *pairs[k], given[k], doubtful[k]
            )

    with team() as run:
        run((partial(score, *block) for block in blocks(len(pairs), _PAIRS)), tell)
    return result


def regress_all(table: Table, neighbours: Sequence[Indices]) -> list[Array]:
    """Return the coefficients of every node on its neighbours, that of the constant first."""
    with team() as run:
        return run(
            partial(nodes.regress, table.words, table.n_rows, node, neighbours[node])
            for node in range(table.n_columns)
        )
