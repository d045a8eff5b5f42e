"""Columns that are held fixed: read as designs, and what they leave of rows handed on."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.checks import one_of
from hedgerow.base.words import listed
from hedgerow.engines import Engine, Named
from hedgerow.method.forgetting import effective_rows
from hedgerow.method.given import (
    LARGE,
    Held,
    behind,
    coefficients,
    determined,
    explained,
    known_directions,
    means,
    nothing_held,
    uneven,
    with_directions,
)
from hedgerow.method.kinds import CONTINUOUS, Kinds, kinds_of
from hedgerow.method.levels import MIN_ROWS
from hedgerow.method.marginals import FIRST_ROWS, flat
from hedgerow.method.ordered import in_order
from hedgerow.method.scores import two_sided

Array = NDArray[np.float64]
Cells = Sequence[NDArray[Any]]  # of the given columns, one after another

NUMBERS, CATEGORIES = WAYS = ("numbers", "categories")
MOST_DIRECTIONS = 1000  # a row costs time by their square
PREFIX = "given_"
_CHANCE = 1e-3  # probability of taking any column for uneven that is none
_MUCH = 0.1  # correlation of predictions and sizes; less makes no difference
_ONE = -1  # the owner of the direction that all rows have


class Given(NamedTuple):
    """What was held fixed.

    Attributes
    ----------
    columns : each given column, and how many levels it has; 0 if it is taken by its numbers
    cost : number of rows that were spent on it
    share : for each other column, the share of its variance that given columns explain
    hidden : columns of steps, yes or no, or counts, of which what is left is taken for continuous
    uneven : columns whose spread what is given changes, too
    """

    columns: dict[object, int]
    cost: int
    share: Array
    hidden: Sequence[object] = ()
    uneven: Sequence[object] = ()

    def sentence(self) -> str:
        """Return what was held fixed, and what it cost."""
        names = listed(
            f"{name} ({levels} levels)" if levels else str(name)
            for name, levels in self.columns.items()
        )
        rows = "1 row" if self.cost == 1 else f"{self.cost:,} rows"
        return (
            f"Held fixed: {names}; {float(np.median(self.share)):.0%} of a typical column's "
            f"variance, at the cost of {rows}."
        )

    def to_dict(self, labels: Sequence[object]) -> dict[str, Any]:
        """Return all of it for JSON; ``labels`` are the names of the other columns."""
        return {
            "columns": {str(name): levels for name, levels in self.columns.items()},
            "cost": self.cost,
            "share": dict(zip(map(str, labels), self.share.tolist(), strict=True)),
            "hidden": [str(name) for name in self.hidden],
            "uneven": [str(name) for name in self.uneven],
        }

    def doubts(self) -> list[str]:
        """Return what makes the promise doubtful."""
        said = []
        if self.hidden:
            said.append(
                f"what given columns leave of steps, yes or no, and counts is taken for "
                f"continuous, and the error rate may not be kept: {listed(map(repr, self.hidden))}"
            )
        if self.uneven:
            said.append(
                f"given columns change the spread of others, and not their means alone, so the "
                f"error rate may not be kept; take logarithms of amounts before, or the like: "
                f"{listed(map(repr, self.uneven))}"
            )
        return said


def check_given(given: Any) -> None:
    """Raise ValueError unless this can be a parameter of an estimator."""
    if given is None:
        return
    if isinstance(given, str | bytes) or not isinstance(given, Collection):
        raise ValueError(
            f"given must be a list of names, or a dict that tells how they are taken, got {given!r}"
        )
    if isinstance(given, Mapping):
        for name, way in given.items():
            if way is not None:
                one_of(f"given[{name!r}]", way, WAYS)
    repeated = [name for name in given if list(given).count(name) > 1]
    if repeated:
        raise ValueError(f"given must name each column once, got {repeated[0]!r} twice")


class GivenColumns:
    """Takes what given columns explain out of rows, the same however they are cut into chunks."""

    def __init__(self, labels: Sequence[Hashable], ways: Sequence[str], n_columns: int) -> None:
        self.labels, self.ways = list(labels), list(ways)
        numbers = [k for k, way in enumerate(ways) if way == NUMBERS]
        self.owners = [_ONE, *numbers]  # of each direction
        # The first level of a category is what others differ from, and has no direction.
        self.levels: list[dict[Any, int]] = [{} for _ in labels]
        self.zeros = np.full(len(numbers), np.nan)  # from where numbers are counted
        self.held = nothing_held(len(self.owners), n_columns)
        self.rows = self.spent = 0
        self.early = np.empty((0, n_columns))  # the first rows, to see of what kind columns are
        self.kinds: Kinds | None = None

    def take(
        self,
        engine: Engine,
        rows: NDArray[np.floating],
        cells: Cells,
        half_life: float,
        *,
        normal: bool,
    ) -> Array:
        """Return what is left of rows; those that showed a new direction first have nothing left.

        No cell of the given columns may be missing. Rows that are not ``normal`` may be large.
        """
        self._look(rows)
        design = self._design(cells, new=True)
        self.held = with_directions(self.held, len(self.owners))
        numbers: Array = np.ascontiguousarray(rows, dtype=np.float64)
        contrasts, self.held = engine.without_given(
            numbers, design, self.held, half_life, np.inf if normal else LARGE
        )
        left = ~np.isnan(contrasts).all(axis=1)
        self.rows += len(rows)
        self.spent += len(rows) - int(left.sum())
        return contrasts[left]

    def residuals(self, rows: NDArray[np.floating], cells: Cells) -> Array:
        """Return rows of which what given columns explain is taken out, about the means."""
        design = self._design(cells, new=False)
        left: Array = rows - self.held.origin - design @ coefficients(self.held)
        return left + means(self.held)

    def told(self, labels: NDArray[np.object_]) -> Given:
        """Return what was held fixed, beside columns of these names."""
        columns = {
            label: len(levels) if way == CATEGORIES else 0
            for label, way, levels in zip(self.labels, self.ways, self.levels)
        }
        kinds = self._kinds(self.early) if self.kinds is None else self.kinds
        hidden = labels[kinds != CONTINUOUS].tolist()
        return Given(columns, self.spent, explained(self.held), hidden, self._uneven(labels))

    def _uneven(self, labels: NDArray[np.object_]) -> list[object]:
        """Return columns whose spread given columns change: by much, and clearly."""
        corr, score = uneven(self.held)
        clear = two_sided(score) <= _CHANCE / len(labels)
        found: list[object] = labels[clear & (np.abs(corr) > _MUCH)].tolist()
        return found

    def mean(self) -> Array:
        """Return the mean of each column."""
        return means(self.held)

    def refuse_useless(self, labels: NDArray[np.object_], half_life: float) -> None:
        """Raise ValueError if given columns cannot be held fixed, or leave nothing."""
        for name, levels in zip(self._of(CATEGORIES), self._levels()):
            if len(levels) < 2:
                value = next(iter(levels), "nothing")
                raise ValueError(f"given columns must vary, got {value!r} only in column {name!r}")
        known = known_directions(self.held)
        for direction in np.flatnonzero(~known):
            self._refuse_unknown(int(direction))
        n_rows, cost = effective_rows(self.rows, half_life), int(known.sum())
        if n_rows - cost < max(MIN_ROWS, n_rows / 2):
            raise ValueError(
                f"given columns must leave at least half of the rows, and {MIN_ROWS}, got "
                f"{n_rows:.0f} rows and a cost of {cost}, by column: {self._costs()}"
            )
        found = determined(self.held)
        if len(found):
            names = listed(map(repr, labels[found]))
            raise ValueError(
                f"given columns must not determine others, but "
                f"{listed(map(repr, self.labels))} leave nothing of {names}; drop them"
            )

    def _refuse_unknown(self, direction: int) -> None:
        name = self.labels[self.owners[direction]]
        others = {self.labels[self.owners[d]]: 0 for d in behind(self.held, direction)}
        others.pop(name, None)
        if not others:
            raise ValueError(f"given columns must vary, got one value only in column {name!r}")
        raise ValueError(
            f"given columns must not determine each other, but {listed(map(repr, others))} "
            f"determine {name!r}; leave it out of given"
        )

    def _costs(self) -> str:
        owners = [self.labels[owner] for owner in self.owners[1:]]
        return listed(f"{name!r} ({owners.count(name)})" for name in dict.fromkeys(owners))

    def _of(self, way: str) -> list[Hashable]:
        return [label for label, own in zip(self.labels, self.ways) if own == way]

    def _levels(self) -> list[dict[Any, int]]:
        return [levels for way, levels in zip(self.ways, self.levels) if way == CATEGORIES]

    def _design(self, cells: Cells, *, new: bool) -> Array:
        """Return the designs of rows; with ``new`` levels, or without."""
        numbers = [column for column, way in zip(cells, self.ways) if way == NUMBERS]
        parts = [np.ones((len(cells[0]), 1))]
        if numbers:
            values = np.column_stack(numbers).astype(np.float64)
            if new and len(values):
                self.zeros = np.where(np.isnan(self.zeros), values[0], self.zeros)
            parts.append(values - self.zeros)
        directions = [self._directions(k, column, new=new) for k, column in enumerate(cells)]
        design = np.zeros((len(cells[0]), len(self.owners)))
        design[:, : 1 + len(numbers)] = np.hstack(parts)
        for some in directions:
            rows = np.flatnonzero(some)
            design[rows, some[rows]] = 1.0
        return design

    def _directions(self, place: int, column: NDArray[Any], *, new: bool) -> NDArray[np.intp]:
        """Return the direction of each row's level of a category; zero for the first, or none."""
        found = np.zeros(len(column), dtype=np.intp)
        if self.ways[place] != CATEGORIES:
            return found
        levels = self.levels[place]
        for t, level in enumerate(column.tolist()):
            if level not in levels:
                if not new:
                    raise ValueError(
                        f"given column {self.labels[place]!r} must have levels that were learned "
                        f"from, got {level!r}"
                    )
                levels[level] = len(self.owners) if levels else 0
                self.owners += [place] if levels[level] else []
                if len(self.owners) > MOST_DIRECTIONS:
                    raise ValueError(
                        f"given columns must have at most {MOST_DIRECTIONS - 1} levels and "
                        f"numbers in all, got more, by column: {self._costs()}"
                    )
            found[t] = levels[level]
        return found

    def _look(self, rows: NDArray[np.floating]) -> None:
        """See of what kind columns are, as they came."""
        if self.kinds is None:
            room = FIRST_ROWS - len(self.early)
            self.early = np.concatenate([self.early, rows[:room]])
            if len(self.early) == FIRST_ROWS:
                self.kinds, self.early = self._kinds(self.early), self.early[:0]

    def _kinds(self, rows: Array) -> Kinds:
        if not len(rows):
            return np.full(rows.shape[1], CONTINUOUS)
        first = in_order(rows)
        return kinds_of(first, flat(first.rows))

    def parts(self) -> tuple[dict[str, Any], Named]:
        """Return all that is kept: what JSON can hold, and named arrays."""
        header = {
            "ways": self.ways,
            "levels": [list(levels) for levels in self.levels],
            "rows": self.rows,
            "spent": self.spent,
            "kinds": None if self.kinds is None else self.kinds.tolist(),
            "owners": self.owners,
        }
        arrays: Named = {"early": self.early, "zeros": self.zeros, **self.held._asdict()}
        return header, {f"{PREFIX}{name}": array for name, array in arrays.items()}

    @classmethod
    def from_parts(cls, labels: Sequence[Hashable], header: dict[str, Any], arrays: Named) -> Self:
        """Return the one whose `parts` these are."""
        named = {
            name: np.array(arrays[f"{PREFIX}{name}"]) for name in (*Held._fields, "early", "zeros")
        }
        made = cls(labels, header["ways"], named["early"].shape[1])
        made.held = Held(*(named[name] for name in Held._fields))
        made.early, made.zeros = named["early"], named["zeros"]
        made.owners = list(header["owners"])
        for place, levels in enumerate(header["levels"]):
            own = [d for d, owner in enumerate(made.owners) if owner == place]
            made.levels[place] = dict(zip(levels, [0, *own]))
        made.rows, made.spent = int(header["rows"]), int(header["spent"])
        made.kinds = None if header["kinds"] is None else np.array(header["kinds"])
        return made
