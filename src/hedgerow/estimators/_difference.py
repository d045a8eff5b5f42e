"""Which partial correlations differ between two models, from what each has kept of its rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import in_open_interval, one_of
from hedgerow.base.table import DifferenceTable
from hedgerow.base.words import listed
from hedgerow.estimators._hedge import HedgeGraph
from hedgerow.estimators._intervals import Compared
from hedgerow.estimators._warnings import DataWarning, GuaranteeWarning, warn
from hedgerow.method.differences import (
    Differences,
    Group,
    compare,
    compared,
    interval_of_difference,
)
from hedgerow.method.intervals import level_of_each
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.promises import ERRORS, in_words
from hedgerow.method.shortage import rows_to_detect

_STRONG = 0.9  # a partial correlation beside none, that rows should show


class Difference:
    """What differs between two groups of rows: the result of `hedgerow.difference`.

    Attributes
    ----------
    edges_ : DifferenceTable
        One row for each pair of columns whose partial correlation differs, the surest first:
        ``source``, ``target``, ``partial_corr`` in the first group and ``other_partial_corr`` in
        the second, ``difference`` (the second less the first) with its interval ``low`` to
        ``high``, ``z``, ``p_value``, and ``q_value``, the smallest level at which it differs.
    p_value_ : float
        Of the hypothesis that no partial correlation differs.
    error, level : str and float
        What is kept: the expected share of pairs in the table that do not differ, or the
        probability of any such pair.
    columns_ : list
        Columns that were compared.
    """

    def __init__(
        self, found: Differences, labels: NDArray[Any], error: str, level: float, columns: int
    ) -> None:
        self.error = error
        self.level = level
        self.columns_ = labels.tolist()
        self.p_value_ = found.any
        self._found = found
        self._labels = labels
        self._all_columns = columns

    @property
    def edges_(self) -> DifferenceTable:
        """Pairs that differ at the chosen level, the surest first."""
        return self.edges_up_to(self.level)

    def edges_up_to(self, level: float) -> DifferenceTable:
        """Return the pairs that differ at another level, without new tests."""
        level = in_open_interval("level", level, 0, 1)
        found = self._found
        source, target = np.triu_indices(len(self._labels), 1)
        some = np.flatnonzero(found.q_value <= level)
        some = some[np.lexsort((-np.abs(found.z[some]), found.q_value[some]))]
        first, second = (Group(*(values[some] for values in group)) for group in found.groups)
        each = level_of_each(level, self.error, len(some), self._all_columns)
        low, high = interval_of_difference(first, second, each)
        return DifferenceTable(
            source=self._labels[source[some]],
            target=self._labels[target[some]],
            partial_corr=first.partial_corr,
            other_partial_corr=second.partial_corr,
            difference=second.partial_corr - first.partial_corr,
            low=low,
            high=high,
            z=found.z[some],
            p_value=found.p_value[some],
            q_value=found.q_value[some],
        )

    def summary(self) -> str:
        """Return in words how much differs."""
        number = len(self.edges_)
        pairs = len(self._found.z)
        differ = "partial correlation differs" if number == 1 else "partial correlations differ"
        return (
            f"{number or 'No'} {differ} among {pairs:,} pairs, "
            f"{in_words(self.error, self.level, number)}. That none differs has a p-value of "
            f"{self.p_value_:.2g}."
        )

    def __repr__(self) -> str:
        return f"<Difference> {self.summary()}\n{self.edges_}"


class _Both(NamedTuple):
    first: Compared
    second: Compared


def difference(
    first: HedgeGraph,
    second: HedgeGraph,
    error: str = "fdr",
    level: float = 0.05,
    *,
    since: bool = False,
) -> Difference:
    """Return which partial correlations differ between two fitted or loaded models.

    No rows are needed. A pair's partial correlation is taken given the neighbours that either model
    chose for either end, in both; it differs if that given all other columns does. Sizes, units and
    tails of the groups may differ (docs/groups.md).

    Parameters
    ----------
    first, second : HedgeGraph
        Fitted to rows of the same columns, in any order; other rows in each.
    error : {"fdr", "fwer"}, default="fdr"
        What is kept below ``level``: the expected share of pairs reported that do not differ, or
        the probability of any.
    level : float, default=0.05
    since : bool, default=False
        Whether ``second`` is ``first`` after more rows, as two checkpoints of a stream are: the
        rows of the first are compared with those that came later. Columns must be continuous.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import HedgeGraph, difference
    >>> rng = np.random.default_rng(0)
    >>> walk = np.cumsum(rng.standard_normal((400, 4)), axis=1)  # 0 - 1 - 2 - 3
    >>> other = np.cumsum(rng.standard_normal((600, 4)), axis=1)
    >>> other[:, 3] = rng.standard_normal(600)  # 3 is on its own
    >>> found = difference(HedgeGraph().fit(walk), HedgeGraph().fit(other))
    >>> sorted((edge.source, edge.target) for edge in found.edges_)
    [(1, 2), (2, 3)]

    Without 3 beside it, 2 depends on 1 alone: the partial correlation of 1 and 2 is another, too.
    """
    one_of("error", error, ERRORS)
    level = in_open_interval("level", level, 0, 1)
    for name, model in (("first", first), ("second", second)):
        if not isinstance(model, HedgeGraph):
            raise TypeError(f"{name} must be a HedgeGraph, got {type(model).__name__}")
    if since:
        both = _Both(first.compared(), second.compared_since(first))
    else:
        _refuse_same_rows(first, second)
        both = _Both(first.compared(), second.compared())
    _refuse_other_given(both)
    return _difference(both, error, level)


def difference_apart_from(
    groups: set[str], first: HedgeGraph, second: HedgeGraph, error: str, level: float
) -> Difference:
    """Return what differs between models, one of which may hold columns of ``groups`` fixed."""
    both = _Both(*(model.compared() for model in (first, second)))
    _refuse_other_given(_Both(*(each._replace(given=each.given - groups) for each in both)))
    return _difference(both, one_of("error", error, ERRORS), in_open_interval("level", level, 0, 1))


def _difference(both: _Both, error: str, level: float) -> Difference:
    order = _order(both)
    used = both.first.tested & both.second.tested[order]
    columns = np.flatnonzero(used)
    if len(columns) < 2:
        raise ValueError(f"two columns at least must vary in both models, got {len(columns)}")
    _warn(both, order, used, level)
    by_scores = both.first.by_scores | both.second.by_scores[order]
    of_second = np.empty_like(by_scores)
    of_second[order] = by_scores
    known = both.first.known(columns, by_scores), both.second.known(order[columns], of_second)
    found = compare(*known, error)
    _warn_of_pairs(found, both.first.labels[columns])
    return Difference(found, both.first.labels[columns], error, level, len(used))


def _refuse_same_rows(first: HedgeGraph, second: HedgeGraph) -> None:
    """Raise if one model can be seen to have gone on from the other."""
    for one, other in ((first, second), (second, first)):
        treated = one._stream.treated is not None
        if treated and other._stream.goes_on_from(one._stream):
            raise ValueError(
                "models must not share rows, but one has gone on from the other; since=True "
                "compares the rows of the first with those that came later"
            )


def _refuse_other_given(both: _Both) -> None:
    if both.first.given != both.second.given:
        held = [listed(sorted(map(repr, group.given))) or "nothing" for group in both]
        raise ValueError(
            f"both models must hold the same columns fixed, but the first has {held[0]} given, "
            f"and the second {held[1]}"
        )


def _order(both: _Both) -> NDArray[np.intp]:
    """Return where the columns of the first model are in the second; raise if some are not."""
    names = [labels.tolist() for labels in (both.first.labels, both.second.labels)]
    only = [
        [name for name in mine if name not in set(other)] for mine, other in (names, names[::-1])
    ]
    if any(only):
        told = [
            f"the {which} alone has {listed(map(repr, some))}"
            for which, some in zip(("first", "second"), only)
            if some
        ]
        raise ValueError(f"both models must have the same columns, but {' and '.join(told)}")
    place = {name: k for k, name in enumerate(names[1])}
    return np.array([place[name] for name in names[0]], dtype=np.intp)


def _warn(both: _Both, order: NDArray[np.intp], used: NDArray[np.bool_], level: float) -> None:
    """Refuse groups of too few rows; warn of what cannot be compared, or not as it should."""
    labels = both.first.labels
    for which, group in zip(("first", "second"), both):
        if group.rows < MIN_ROWS:
            raise ValueError(
                f"each model must have at least {MIN_ROWS} effective rows, got {group.rows:.3g} "
                f"in the {which}"
            )
        needed = rows_to_detect(_STRONG, max(int(used.sum()), 2), level)
        if group.rows < needed:
            warn(
                GuaranteeWarning,
                f"{group.rows:.0f} effective rows of the {which} model are too few for any "
                f"difference to be significant; {needed} would show one of {_STRONG}",
            )
    aside = _named(labels, ~used)
    if aside:
        warn(DataWarning, f"columns that one of the models set aside are not compared: {aside}")
    unlike = both.first.kinds != both.second.kinds[order]
    if (unlike & used).any():
        warn(
            DataWarning,
            f"columns are taken for different kinds in the two models, which may make a "
            f"difference; columns={{name: kind}} tells them: {_named(labels, unlike & used)}",
        )


def _warn_of_pairs(found: Differences, labels: NDArray[Any]) -> None:
    """Warn of pairs that could not be compared."""
    aside = ~compared(found.groups)
    if not aside.any():
        return
    ends = np.concatenate(np.triu_indices(len(labels), 1))
    times = np.bincount(ends, np.tile(aside, 2), len(labels))
    most = labels[np.argsort(-times, kind="stable")[: int((times > 0).sum())]]
    warn(
        DataWarning,
        f"{aside.sum():,} of {len(found.z):,} pairs of columns are not compared, since "
        f"rows of one group do not tell what neighbours leave of them; most of all those of "
        f"{listed(map(repr, most))}",
    )


def _named(labels: NDArray[Any], some: NDArray[np.bool_]) -> str:
    names: Sequence[Any] = labels[some].tolist()
    return listed(map(repr, names))
