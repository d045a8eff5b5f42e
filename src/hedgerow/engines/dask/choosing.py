"""Neighbours of all nodes, one more in each round: every strip tells which of its own is strongest.

In a round every strip is asked once. It tells, for each node that still looks for neighbours, which
of its own columns explains most, and the products of that one with the node and with all that were
chosen before: ``step + 4`` numbers. Strips do not move, no row of products travels, and who wins is
decided in one place.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines.dask.cluster import Cluster, Future
from hedgerow.engines.dask.exchange import part
from hedgerow.engines.dask.layout import Layout, Strip
from hedgerow.engines.numba_cpu.strips import (
    Bytes,
    Neighbours,
    blocks,
    decide,
    no_neighbours,
    regress_nodes,
    scores_of_columns,
    strongest_of_columns,
)
from hedgerow.method.engine import Array, Indices
from hedgerow.progress import report

Singles = NDArray[np.float32]

_AT_ONCE = 128  # columns, whose products with all nodes are in hand
_COMPARED = 16  # strips, whose candidates meet in a task
_STAGE = "choosing neighbours"


class Rule(NamedTuple):
    """What all tests need."""

    per_scale: Array
    squares: Array  # of the columns: the diagonal of the products
    n_rows: float
    thresholds: Array
    hubs: Indices
    curves: Array
    ends: Array


class Scored(NamedTuple):
    """Scores of some nodes with some columns, and codes of their company."""

    scores: Singles
    codes: Bytes


class Group(NamedTuple):
    """Nodes with equally many neighbours, and the products of these (`numba_cpu._by_columns`)."""

    nodes: Indices
    chosen: Indices  # (nodes, number), in the order in which they were chosen
    related: Array  # (nodes, number (number + 1) / 2)


class Candidates(NamedTuple):
    """The strongest of a strip's columns for each node of a group."""

    best: Indices
    strength: Array
    hub: Indices  # its place among hubs; their number, if it is none
    related: Array  # its products with the node and with the chosen


class Round(NamedTuple):
    """Nodes that have all their neighbours now, and those that look for more."""

    closed: list[Group]
    open: Group


class Choosing:
    """Chooses neighbours, and scores all pairs given them."""

    def __init__(
        self, cluster: Cluster, layout: Layout, products: list[Future], rule: Future
    ) -> None:
        self.cluster = cluster
        self.layout = layout
        self.products = products
        self.rule = rule

    def choose(self, most: int) -> tuple[list[Future], Future]:
        """Return promises of groups of nodes, and of the neighbours of all; at most so many."""
        cluster, strips = self.cluster, self.layout.strips
        looking = cluster.task("nodes without neighbours", _nobody, self.layout.n_columns)
        groups = []
        for step in range(most):
            name = f"candidates of strip {{}} of {len(strips)}, round {step + 1}"
            found = cluster.beside(self.products, name, _candidates, strips, looking, self.rule)
            while len(found) > _COMPARED:
                found = [
                    cluster.task("compare candidates", _strongest, found[k : k + _COMPARED])
                    for k in range(0, len(found), _COMPARED)
                ]
            decided = cluster.task("choose among candidates", _decided, looking, found, self.rule)
            groups.append(cluster.task("nodes with neighbours", part, decided, "closed"))
            looking = cluster.task("nodes that look for more", part, decided, "open")
            left = cluster.answer(cluster.task("number of nodes", _number, looking))
            report(_STAGE, (1 - left / self.layout.n_columns) / 2)
            if not left:
                break
        else:
            groups.append(cluster.task("nodes with neighbours", _one, looking))
        everyone = cluster.task("all neighbours", _found, groups, self.rule)
        return groups, everyone

    def score(self, groups: list[Future], found: Future) -> list[Future]:
        """Return promises of scores and codes of all nodes with each strip's columns, (p, w)."""
        strips = self.layout.strips
        name = f"scores given neighbours, strip {{}} of {len(strips)}"
        known = groups, found, self.rule
        scores = self.cluster.beside(self.products, name, _scores, strips, *known)
        for done, _ in enumerate(self.cluster.as_they_end(scores), 1):
            report(_STAGE, (1 + done / len(scores)) / 2)
        return scores


def _nobody(n_columns: int) -> Group:
    return Group(np.arange(n_columns), np.empty((n_columns, 0), np.intp), np.empty((n_columns, 0)))


def _number(group: Group) -> int:
    return len(group.nodes)


def _one(group: Group) -> list[Group]:
    return [group]


def _candidates(products: Array, strip: Strip, looking: Group, rule: Rule) -> Candidates:
    (first, last), (nodes, chosen, _), hubs = strip, looking, rule.hubs
    asked = np.concatenate([nodes[:, None], chosen], axis=1)
    needed, places = _places(asked, len(rule.per_scale))
    best, strength = np.full(len(nodes), first), np.zeros(len(nodes))
    at = np.full(len(nodes), len(hubs))
    for start, stop in blocks(last, _AT_ONCE, first):
        block = np.ascontiguousarray(products[start - first : stop - first, needed].T)
        known = places, *looking, rule.per_scale, hubs
        strongest_of_columns(start, block, *known, best, strength, at)
    is_hub = at < len(hubs)
    best[is_hub] = hubs[at[is_hub]]
    return Candidates(best, strength, at, products[best[:, None] - first, asked])


def _places(index: Indices, n_columns: int) -> tuple[Indices, Indices]:
    """Return which variables are among some, and the place of each among these."""
    needed = np.unique(index)
    places = np.zeros(n_columns, dtype=np.intp)
    places[needed] = np.arange(len(needed))
    return needed, places


def _strongest(found: list[Candidates]) -> Candidates:
    """Return the first usable hub for each node, or else the first of the strongest candidates."""
    fields: Any = (field.copy() for field in found[0])
    result = Candidates(*fields)
    for other in found[1:]:
        stronger = (other.hub == result.hub) & (other.strength > result.strength)
        better = (other.hub < result.hub) | stronger
        for own, field in zip(result, other):
            own[better] = field[better]
    return result


def _decided(looking: Group, found: list[Candidates], rule: Rule) -> Round:
    """Return who has all neighbours once the strongest of all candidates are taken."""
    best, strength, hub, related = _strongest(found)
    more = Group(
        looking.nodes,
        np.concatenate([looking.chosen, best[:, None]], axis=1),
        np.concatenate([looking.related, related], axis=1),
    )
    taken, goes_on = np.empty((2, len(best)), dtype=np.bool_)
    is_hub = hub < len(rule.hubs)
    known = rule.per_scale, rule.n_rows, rule.thresholds
    decide(*more, *known, strength, is_hub, taken, goes_on)
    closed = [_some(looking, ~taken), _some(more, taken & ~goes_on)]
    return Round([group for group in closed if len(group.nodes)], _some(more, goes_on))


def _some(group: Group, which: NDArray[np.bool_]) -> Group:
    fields: Any = (field[which] for field in group)
    return Group(*fields)


def _found(closed: list[list[Group]], rule: Rule) -> Neighbours:
    """Return the neighbours of all nodes, with room for as many as one has."""
    groups = _all(closed)
    most = max(group.chosen.shape[1] for group in groups)
    found = no_neighbours(len(rule.per_scale), max(most, 1))
    for group in groups:
        regress_nodes(*group, rule.squares, rule.per_scale, found)
    return found


def _all(closed: list[list[Group]]) -> list[Group]:
    return [group for some in closed for group in some]


def _scores(
    products: Array, strip: Strip, closed: list[list[Group]], found: Neighbours, rule: Rule
) -> Scored:
    first, last = strip
    n_columns = len(rule.per_scale)
    shape = n_columns, last - first
    scores, codes = np.empty(shape, dtype=np.float32), np.empty(shape, dtype=np.int8)
    everywhere = np.arange(n_columns)
    known = rule.per_scale, rule.n_rows, rule.curves, rule.ends, found
    for start, stop in blocks(last, _AT_ONCE, first):
        own = slice(start - first, stop - first)
        block = np.ascontiguousarray(products[own].T)
        for group in _all(closed):
            of_own = scores[:, own], codes[:, own]
            scores_of_columns(start, block, everywhere, *group, *known, *of_own)
    return Scored(scores, codes)
