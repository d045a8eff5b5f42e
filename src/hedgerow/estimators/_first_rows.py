"""What the first rows show that nothing mends: told with the names of columns, and in numbers."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.words import listed
from hedgerow.estimators._settled import Settled
from hedgerow.method.marginals import FIRST_ROWS
from hedgerow.method.returning import NONE as NONE_RETURN
from hedgerow.method.returning import Returning
from hedgerow.method.twins import NONE as NO_TWINS
from hedgerow.method.twins import Twins

_SHOWN = 3


class Together(NamedTuple):
    """Stretches of rows in which some columns are off together."""

    number: int
    first: int  # row of the clearest
    last: int
    names: Sequence[object]


class Groups(NamedTuple):
    """Rows that are alike though they stand apart."""

    likeness: float  # 0 if that may be chance
    names: Sequence[object]  # of columns in which groups of rows differ most


class Repeated(NamedTuple):
    """Columns that are the same again wherever one of them is."""

    names: Sequence[object]
    values: int  # different ones among the first rows


class Carried(NamedTuple):
    """Columns whose cells repeat the one before."""

    names: Sequence[object]  # most of all first
    shares: Sequence[float]  # of cells


class Interpolated(NamedTuple):
    """Columns with cells on a straight line between those before and after them."""

    names: Sequence[object]  # most of all first
    shares: Sequence[float]  # of cells


class Blank(NamedTuple):
    """Columns that have one value, again and again, in the same rows as others have theirs."""

    names: Sequence[object]  # most of all first
    shares: Sequence[float]  # of cells


class Paced(NamedTuple):
    """Columns that go up and down at a pace that another has nearly, too."""

    names: Sequence[object]  # slowest first
    periods: Sequence[float]  # rows


class Restless(NamedTuple):
    """Columns whose size changes in time, each in its own way."""

    names: Sequence[object]  # most of all first
    variances: Sequence[float]  # of squared sizes, over their mean square


class FirstRows(NamedTuple):
    """What the first rows show, with the names of columns."""

    bursts: Together = Together(0, -1, -1, ())
    kin: Groups = Groups(0.0, ())
    nested: Repeated = Repeated((), 0)
    carried: Carried = Carried((), ())
    blanks: Blank = Blank((), ())
    paces: Paced = Paced((), ())
    restless: Restless = Restless((), ())
    interpolated: Interpolated = Interpolated((), ())
    depth: float = 0.0
    twins: Twins = NO_TWINS
    returning: Returning = NONE_RETURN
    shares: Sequence[object] = ()

    @classmethod
    def of(cls, settled: Settled, labels: NDArray[np.object_]) -> Self:
        """Return what was settled, with names."""
        number, first, last, columns = settled.bursts
        return cls(
            Together(number, first, last, labels[columns].tolist()),
            Groups(settled.kin.likeness, labels[settled.kin.columns].tolist()),
            Repeated(labels[settled.nested.columns].tolist(), settled.nested.values),
            Carried(*_largest(settled.carried, labels)),
            Blank(*_largest(settled.blanks, labels)),
            Paced(*_largest(settled.paces, labels)),
            Restless(*_largest(settled.restless, labels)),
            Interpolated(*_largest(settled.interpolated, labels)),
            settled.depth,
            settled.twins,
            settled.returning,
            labels[settled.shares].tolist(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it for JSON."""
        found: list[Any] = list(self[: self._fields.index("depth")])
        named = {
            name: {**each._asdict(), "names": list(map(str, each.names))}
            for name, each in zip(self._fields, found, strict=False)
        }
        plain = {"twins": self.twins._asdict(), "returning": self.returning._asdict()}
        return named | plain | {"shares": list(map(str, self.shares))}

    def doubts(self, rows: int) -> list[str]:
        """Return what makes the promise doubtful, of so many rows."""
        return [
            *self._of_bursts(),
            *self._of_kin(rows),
            *self._of_nested(rows),
            *self._of_carried(),
            *self._of_blanks(),
            *self._of_paces(),
            *self._of_restless(),
            *self._of_interpolated(),
            *self._of_depth(),
            *self._of_twins(rows),
            *self._of_returning(rows),
            *self._of_shares(),
        ]

    def _of_bursts(self) -> list[str]:
        number, first, last, names = self.bursts
        if not number:
            return []
        where = f"rows {first:,} to {last:,}"
        if number > 1:
            where = f"{number} times, most clearly in {where}"
        named = f" ({some_of(names)})" if names else ""
        return [
            f"some columns are off together for a few rows on end{named}, {where} of the first "
            f"ones: these rows decide about edges between such columns, which may be false; leave "
            f"such rows out, or take these cells for missing"
        ]

    def _of_kin(self, rows: int) -> list[str]:
        likeness, names = self.kin
        if not likeness:
            return []
        return [
            f"rows are alike that stand apart, as those of one person, batch, place or weekday are "
            f"(most of all in {some_of(names)}): {rows:,} of them say as much as "
            f"{rows / (1.0 + rows * likeness):,.0f} independent ones at most, and edges may be "
            f"what such groups have in common; hold fixed what names the groups (given), or learn "
            f"from one row of each"
        ]

    def _of_nested(self, rows: int) -> list[str]:
        names, values = self.nested
        if not names:
            return []
        return [
            f"{len(names)} columns are the same again wherever one of them is ({some_of(names)}), "
            f"as those of sites or persons are: edges among them are known from {values:,} "
            f"different values in the first rows, not from {rows:,} rows, and may be false; learn "
            f"them from one row of each, and leave them out here"
        ]

    def _of_carried(self) -> list[str]:
        names, shares = self.carried
        if not names:
            return []
        one = "1 column repeats" if len(names) == 1 else f"{len(names):,} columns repeat"
        return [
            f"{one} the cell before, and hardly ever another one ({some_of(names)}; up to "
            f"{max(shares):.0%} of the cells), as where gaps were filled with the last value, or "
            f"sensors report less often: what such cells do not explain may make edges between "
            f"others; take them for missing, or learn from rows in which all were measured"
        ]

    def _of_blanks(self) -> list[str]:
        names, shares = self.blanks
        if not names:
            return []
        return [
            f"{len(names)} columns have one value again and again in the same rows "
            f"({some_of(names)}; up to {max(shares):.1%} of the cells), as a code for what was not "
            f"measured: such rows alone can make edges between these columns; take that value for "
            f"missing, or leave such rows out"
        ]

    def _of_paces(self) -> list[str]:
        names, periods = self.paces
        if not names:
            return []
        return [
            f"{len(names)} columns go up and down at a pace of their own that another has nearly, "
            f"too ({some_of(names)}; from {min(periods):.1f} to {max(periods):.1f} rows): two such "
            f"columns are related by how they happen to stand to each other, and an edge between "
            f"them may be no more than that; take out what is periodic, column by column"
        ]

    def _of_restless(self) -> list[str]:
        names, variances = self.restless
        if not names:
            return []
        one = "1 column is" if len(names) == 1 else f"{len(names):,} columns are"
        return [
            f"{one} larger in some stretches of rows, or hours, than in others, "
            f"each in its own way ({some_of(names)}; the variance changes by up to "
            f"{max(variances) ** 0.5:.0%}, one standard deviation): relations by way of such a "
            f"column are not explained in full, and edges between others may be false; divide "
            f"columns by their size in each stretch, or learn from stretches of one size"
        ]

    def _of_interpolated(self) -> list[str]:
        names, shares = self.interpolated
        if not names:
            return []
        one = "1 column has" if len(names) == 1 else f"{len(names):,} columns have"
        return [
            f"{one} cells on a straight line between those before and after them "
            f"({some_of(names)}; up to {max(shares):.0%} of the cells), as where gaps were filled "
            f"by interpolation: what such cells do not explain may make edges between others; "
            f"leave them missing, and they are filled in from the rest of their rows"
        ]

    def _of_depth(self) -> list[str]:
        if not self.depth:
            return []
        return [
            f"counts of a row are high or low together, as where more was counted in some rows "
            f"than in others (by {self.depth:.0%}, one standard deviation): edges may be made of "
            f"it; learn from logarithms of counts over what was counted in all, or over the time, "
            f"area or volume that was counted in"
        ]

    def _of_twins(self, rows: int) -> list[str]:
        number, one, other = self.twins
        if not number:
            return []
        first = min(rows, FIRST_ROWS)
        return [
            f"{number:,} of the first {first:,} rows nearly repeat another one that stands apart "
            f"from them (most of all rows {one:,} and {other:,}), as what was entered or measured "
            f"twice does: these are no independent witnesses, and {rows:,} rows count as "
            f"{rows / (1.0 + number / first):,.0f}; keep one of each"
        ]

    def _of_returning(self, rows: int) -> list[str]:
        after, likeness = self.returning
        if not after:
            return []
        return [
            f"rows resemble those {after:,} rows before them (with a correlation of "
            f"{likeness:.2f}), and not those between, as of days, persons in turn or the lines of "
            f"a picture: {rows:,} of them say no more than "
            f"{rows / (1.0 + 2.0 * likeness**2):,.0f} independent ones, and edges may be chance; "
            f"learn from rounds of {after:,} rows that are far enough apart"
        ]

    def _of_shares(self) -> list[str]:
        if not self.shares:
            return []
        return [
            f"{len(self.shares)} columns add up to the same total in every row "
            f"({some_of(self.shares)}), as shares do: what one has more, others have less, and "
            f"edges come from that alone; learn from amounts, or from logarithms of shares less "
            f"the mean of these in each row"
        ]


def _largest(
    shares: NDArray[np.float64], labels: NDArray[np.object_]
) -> tuple[list[object], list[float]]:
    """Return names and numbers of the columns that have any, the largest first."""
    most = np.argsort(-shares, kind="stable")[: np.count_nonzero(shares)]
    return labels[most].tolist(), shares[most].tolist()


def some_of(names: Sequence[object]) -> str:
    """Return the first few names, for a message."""
    return listed(map(repr, names[:_SHOWN])) + ("" if len(names) <= _SHOWN else ", ...")
