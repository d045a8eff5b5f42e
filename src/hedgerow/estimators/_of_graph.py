"""What the graph itself makes doubtful, by how columns are related in it."""

from hedgerow.method.graph import Graph
from hedgerow.method.levels import STRONGLY_RELATED

# Edges that were not found add to what is left, most of all with few rows; docs/quality.md has how
# often tables have more whose columns share nothing.
MUCH_SHARED = 1.5


def doubts_of_graph(graph: Graph, *, bent: bool, by_steps: bool) -> list[str]:
    """Return what is doubtful of a graph.

    A season was taken out of scores that it has ``bent``, or rows were learned from ``by_steps``.
    """
    said = doubts_of_bends(graph.unexplained) if bent else []
    said += doubts_of_steps(graph.unexplained) if by_steps else []
    return said + doubts_of_shared(graph.shared)


def doubts_of_shared(strength: float) -> list[str]:
    """Return what is doubtful where most columns share something that is none of them."""
    if strength <= MUCH_SHARED:
        return []
    return [
        f"most columns share something that none of them is, {strength:.1f} times as strongly as "
        f"chance has it once in a thousand: a batch, a day, a total, some rows of another kind, or "
        f"very many weak relations. Edges may come from that, the more the more rows there are; if "
        f"you know what it is, hold it fixed (given, --given), or leave such rows out"
    ]


def doubts_of_bends(unexplained: float) -> list[str]:
    """Return what a season of columns that are not normal makes doubtful.

    ``unexplained`` is the share of a typical column that its neighbours leave.
    """
    if unexplained >= STRONGLY_RELATED:
        return []
    return [
        f"a season was taken out of columns that are not normal without it, and columns nearly "
        f"determine each other ({1.0 - unexplained:.0%} of a typical one): what is known of the "
        f"season from the first rows is not exact enough for that, and edges may be false; make "
        f"columns normal within a phase (logarithms of amounts), or take the season out yourself"
    ]


def doubts_of_steps(unexplained: float) -> list[str]:
    """Return what is doubtful where levels drift or jump, and each row is compared with the last.

    ``unexplained`` is the share of a typical column that its neighbours leave.
    """
    if unexplained >= STRONGLY_RELATED:
        return []
    return [
        f"levels drift or jump, and columns nearly determine each other ({1.0 - unexplained:.0%} "
        f"of a typical one): of what is left of them, even a hundredth may make edges; learn from "
        f"stretches of rows that keep their level"
    ]
