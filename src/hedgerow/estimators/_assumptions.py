"""What users may say that they know of their rows and columns."""

from collections.abc import Collection, Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import one_of
from hedgerow.base.words import listed

ANY, NORMAL, INDEPENDENT = "any", "normal", "independent"


class Assumptions(NamedTuple):
    """What may be taken for granted."""

    as_is: NDArray[np.bool_]  # columns whose values are not replaced by scores
    normal: bool  # whether columns are normal, together as well
    independent: bool  # whether rows are

    @property
    def complete(self) -> bool:
        """Whether nothing has to be found out."""
        return self.normal and self.independent


def check_assumptions(rows: Any, columns: Any) -> None:
    """Raise ValueError unless these can be parameters of an estimator."""
    one_of("rows", rows, (ANY, INDEPENDENT))
    if isinstance(columns, str):
        known = columns in (ANY, NORMAL)
    else:  # what can be gone through once only, would be other columns the next time
        known = isinstance(columns, Collection) and not isinstance(columns, Mapping | bytes)
    if not known:
        raise ValueError(f"columns must be {ANY!r}, {NORMAL!r} or a list of names, got {columns!r}")


def assumptions_of(
    rows: str, columns: str | Collection[Hashable], labels: NDArray[np.object_]
) -> Assumptions:
    """Return what the parameters ``rows`` and ``columns`` mean for columns of these names."""
    as_is = np.zeros(len(labels), dtype=np.bool_)
    normal = isinstance(columns, str) and columns == NORMAL
    if isinstance(columns, str):
        as_is[:] = normal
    else:
        places = {label: place for place, label in enumerate(labels.tolist())}
        unknown = [repr(n) for n in columns if not isinstance(n, Hashable) or n not in places]
        if unknown:
            raise ValueError(f"columns must name columns of X, got {listed(unknown)}")
        as_is[[places[name] for name in columns]] = True
    return Assumptions(as_is, normal, rows == INDEPENDENT)


def plain(columns: str | Collection[Any], *, named: bool) -> str | list[str | int]:
    """Return ``columns`` as JSON can hold them: columns that are ``named`` by texts, or numbers.

    Examples
    --------
    >>> plain(np.array([0, 2]), named=False), plain(("a", "b"), named=True)
    ([0, 2], ['a', 'b'])
    """
    if isinstance(columns, str):
        return columns
    return [str(name) if named else int(name) for name in columns]
