"""What users may say that they know of their rows and columns."""

from collections.abc import Collection, Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import one_of
from hedgerow.base.words import listed
from hedgerow.method.kinds import AS_IS, COUNTS, KINDS, NORMAL, YES_NO

ANY, INDEPENDENT = "any", "independent"


class Assumptions(NamedTuple):
    """What may be taken for granted."""

    as_is: NDArray[np.bool_]  # columns whose values are not replaced by scores
    normal: bool  # whether columns are normal, together as well
    independent: bool  # whether rows are
    told: NDArray[np.str_]  # the kinds of columns that the user told; empty where it is found out

    def same_columns(self, other: "Assumptions") -> bool:
        """Return whether both say the same of columns."""
        same = np.array_equal(self.as_is, other.as_is) and np.array_equal(self.told, other.told)
        return same and self.normal == other.normal

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
        known = isinstance(columns, Collection) and not isinstance(columns, bytes)
    if not known:
        raise ValueError(
            f"columns must be {ANY!r}, {NORMAL!r}, a list of names or a dict of kinds, "
            f"got {columns!r}"
        )
    if isinstance(columns, Mapping):
        for name, kind in columns.items():
            one_of(f"columns[{name!r}]", kind, (*KINDS, AS_IS))


def assumptions_of(
    rows: str, columns: str | Collection[Hashable], labels: NDArray[np.object_]
) -> Assumptions:
    """Return what the parameters ``rows`` and ``columns`` mean for columns of these names."""
    as_is = np.zeros(len(labels), dtype=np.bool_)
    told = np.full(len(labels), "", dtype=f"<U{max(map(len, KINDS))}")
    normal = isinstance(columns, str) and columns == NORMAL
    if isinstance(columns, str):
        as_is[:] = normal
    else:
        places = {label: place for place, label in enumerate(labels.tolist())}
        unknown = [repr(n) for n in columns if not isinstance(n, Hashable) or n not in places]
        if unknown:
            raise ValueError(f"columns must name columns of X, got {listed(unknown)}")
        kinds = columns if isinstance(columns, Mapping) else dict.fromkeys(columns, AS_IS)
        for name, kind in kinds.items():
            as_is[places[name]] = kind == AS_IS
            told[places[name]] = "" if kind == AS_IS else kind
    return Assumptions(as_is, normal, rows == INDEPENDENT, told)


def refuse_impossible(
    assumptions: Assumptions, rows: NDArray[np.floating], labels: NDArray[np.object_]
) -> None:
    """Raise if rows have a value that a column of the kind that was told cannot have."""
    for j in np.flatnonzero(assumptions.told == COUNTS):
        wrong = rows[(rows[:, j] < 0) | (rows[:, j] != np.rint(rows[:, j])), j]
        wrong = wrong[~np.isnan(wrong)]
        if wrong.size:
            raise ValueError(
                f"columns[{labels[j]!r}] must have whole numbers from 0 on to be {COUNTS!r}, "
                f"got {wrong[0]:g}"
            )
    for j in np.flatnonzero(assumptions.told == YES_NO):
        values = np.unique(rows[~np.isnan(rows[:, j]), j])
        if len(values) > 2:
            raise ValueError(
                f"columns[{labels[j]!r}] must have two values to be {YES_NO!r}, "
                f"got {listed(f'{value:g}' for value in values)}"
            )


def plain(columns: str | Collection[Any], *, named: bool) -> str | list[Any] | dict[str, str]:
    """Return ``columns`` as JSON can hold them: columns that are ``named`` by texts, or numbers.

    Keys are texts in any case; `from_plain` makes numbers of them again.

    Examples
    --------
    >>> plain(np.array([0, 2]), named=False), plain(("a", "b"), named=True)
    ([0, 2], ['a', 'b'])
    """
    if isinstance(columns, str):
        return columns
    if isinstance(columns, Mapping):
        return {str(name): kind for name, kind in columns.items()}
    return [str(name) if named else int(name) for name in columns]


def from_plain(columns: Any, *, named: bool) -> Any:
    """Return the ``columns`` that `plain` made.

    >>> from_plain({"0": "steps"}, named=False), from_plain({"0": "steps"}, named=True)
    ({0: 'steps'}, {'0': 'steps'})
    """
    if named or not isinstance(columns, Mapping):
        return columns
    return {int(name) if name.isdecimal() else name: kind for name, kind in columns.items()}
