"""Groups of columns that are restless together: told with their names, and by how much."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.estimators._first_rows import some_of
from hedgerow.method.inflation import Inflation

# Beyond this a test of two of a group needs a quarter more rows: relations by way of other
# columns, which change with the size of these, then pass for edges.
_WORTH_SAYING = 0.25


class Swinging(NamedTuple):
    """Columns that are large together in some rows, apart from all others."""

    names: Sequence[object] = ()  # most of all first
    rows: float = 1.0  # that a test of two of them needs, for each row that others need

    @classmethod
    def of(cls, inflation: Inflation, labels: NDArray[np.object_]) -> Self:
        """Return what factors say."""
        own = inflation.of_swings()
        most = np.argsort(-own, kind="stable")[: np.count_nonzero(own > _WORTH_SAYING)]
        return cls(labels[most].tolist(), 1.0 + float(own[most].max(initial=0.0)))

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {"names": list(map(str, self.names)), "rows": self.rows}

    def doubts(self) -> list[str]:
        """Return what makes the promise doubtful."""
        if not self.names:
            return []
        return [
            f"{len(self.names)} columns are restless in some rows and calm in others, in groups of "
            f"their own ({some_of(self.names)}): tests of two of a group count with fewer rows, "
            f"down to one for {self.rows:.1f}, but what such columns pass on to others may make "
            f"edges that are false; divide each group by its own size, or learn groups apart"
        ]
