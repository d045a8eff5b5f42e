"""Several methods on one table: what each finds, how long it takes, how far they agree.

Every method runs in a process of its own, under a time budget; what it does there, be it to hang,
to crash or to eat memory, leaves the others unharmed.
"""

from hedgerow.comparison._compare import check, compare
from hedgerow.comparison._methods import fitting
from hedgerow.comparison._outcome import Outcome, Status, adjacency_of, edges_of, halves_of
from hedgerow.comparison.result import Comparison

__all__ = [
    "Comparison",
    "Outcome",
    "Status",
    "adjacency_of",
    "check",
    "compare",
    "edges_of",
    "fitting",
    "halves_of",
]
