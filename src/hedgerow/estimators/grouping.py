"""Groups of rows in one table: a model for each, and what differs between them."""

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
from sklearn.base import clone

from hedgerow.base.checks import one_of
from hedgerow.estimators._difference import Difference, difference_apart_from
from hedgerow.estimators._given import CATEGORIES
from hedgerow.estimators._hedge import HedgeGraph
from hedgerow.method.levels import MIN_ROWS

FIRST, REST = AGAINST = ("first", "rest")
MOST_GROUPS = 20  # a column with more values says something else
THE_REST = "the rest"


class Compared(NamedTuple):
    """Two groups by name, and the models of their rows."""

    first: str
    second: str
    models: tuple[HedgeGraph, HedgeGraph]


class Groups:
    """A model for each group of rows; against the rest, another for the rows of no such group.

    Groups differ in their means, too. In the rest they are held fixed, or what differs between its
    groups would be edges there.
    """

    def __init__(self, model: HedgeGraph, by: str, against: str = FIRST) -> None:
        one_of("against", against, AGAINST)
        self.by, self.against = by, against
        self.models: dict[str, HedgeGraph] = {}
        self._model = model
        self._everybody = clone(model).set_params(given=_with(model.given, by))
        self._others: dict[str, HedgeGraph] = {}

    def partial_fit(self, table: Any) -> None:
        """Learn from the rows of a data frame that has the column of groups."""
        frame = nw.from_native(table, eager_only=True)
        if self.by not in frame.columns:
            raise ValueError(f"by must name a column of X, got {self.by!r}")
        frame = frame.filter(~frame[self.by].is_null())
        groups = [str(name) for name in frame[self.by].to_list()]
        for name in dict.fromkeys(groups):
            if name not in self.models:
                self.models[name] = clone(self._model)
                if self.against == REST:
                    self._others[name] = copy.copy(self._everybody)
            mine = frame.filter([group == name for group in groups])
            self.models[name].partial_fit(mine.drop(self.by).to_native())
        if len(self.models) > MOST_GROUPS:
            raise ValueError(
                f"column {self.by!r} must have at most {MOST_GROUPS} groups, got more: "
                f"{', '.join(list(self.models)[:3])}, ..."
            )
        if self.against == REST and groups:
            for name, others in self._others.items():
                theirs = frame.filter([group != name for group in groups])
                if len(theirs):
                    others.partial_fit(theirs.to_native())
            self._everybody.partial_fit(frame.to_native())

    def pairs(self) -> list[Compared]:
        """Return what is compared with what, in the order of the groups' names."""
        self._refuse_few()
        names = sorted(self.models, key=in_order)
        self.models = {name: self.models[name] for name in names}
        first, *more = names
        if self.against == FIRST:
            return [Compared(first, name, self._both(first, name)) for name in more]
        if len(names) == 2:  # the rest is the other, and has no groups to hold fixed
            return [Compared(first, more[0], self._both(first, more[0]))]
        return [Compared(name, THE_REST, (self.models[name], self._others[name])) for name in names]

    def difference(self, pair: Compared, error: str, level: float) -> Difference:
        """Return what differs between two of the groups."""
        return difference_apart_from({self.by}, *pair.models, error, level)

    def _both(self, one: str, other: str) -> tuple[HedgeGraph, HedgeGraph]:
        return self.models[one], self.models[other]

    def _refuse_few(self) -> None:
        if len(self.models) < 2:
            raise ValueError(
                f"column {self.by!r} must have at least two groups, got {', '.join(self.models)}"
            )
        few = {name: model.n_samples_seen_ for name, model in self.models.items()}
        few = {name: rows for name, rows in few.items() if rows < MIN_ROWS}
        if few:
            told = ", ".join(f"{rows} in {name!r}" for name, rows in few.items())
            raise ValueError(f"each group must have at least {MIN_ROWS} rows, got {told}")


def difference_by(
    X: Any,
    by: str,
    model: HedgeGraph | None = None,
    *,
    against: str = FIRST,
    error: str = "fdr",
    level: float = 0.05,
) -> dict[tuple[str, str], Difference]:
    """Return which partial correlations differ between groups of rows of one table.

    Parameters
    ----------
    X : data frame
    by : str
        Its column that says which group a row is of.
    model : HedgeGraph, optional
        What learns the rows of each group; it stays as it is.
    against : {"first", "rest"}, default="first"
        Whether each group is compared with the first one, by name, or with all rows of the others
        together, whose groups are held fixed.
    error, level : str and float
        As for `difference`; kept for each comparison.

    Returns
    -------
    dict of (str, str) to Difference
        By the names of the two that were compared; "the rest" is one.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> walk = np.cumsum(rng.standard_normal((900, 3)), axis=1)  # a - b - c
    >>> walk[600:, 2] = rng.standard_normal(300)  # but for the third site
    >>> table = pd.DataFrame(walk, columns=list("abc")).assign(site=np.repeat([1, 2, 3], 300))
    >>> for pair, found in difference_by(table, "site", against="rest").items():
    ...     print(pair, len(found.edges_))
    ('1', 'the rest') 1
    ('2', 'the rest') 1
    ('3', 'the rest') 2
    """
    groups = Groups(HedgeGraph() if model is None else model, by, against)
    groups.partial_fit(X)
    return {
        (pair.first, pair.second): groups.difference(pair, error, level) for pair in groups.pairs()
    }


def in_order(name: str) -> tuple[float, str]:
    """Return what sorts groups: numbers by their size, before other names.

    >>> sorted(["b", "10", "9"], key=in_order)
    ['9', '10', 'b']
    """
    try:
        return float(name), name
    except ValueError:
        return float("inf"), name


def _with(given: Any, by: str) -> Any:
    """Return given columns and one more, of categories."""
    told = given if isinstance(given, Mapping) else dict.fromkeys(given or ())
    if by in told:
        raise ValueError(f"a column cannot be given and the column of groups at once, got {by!r}")
    return {**told, by: CATEGORIES}
