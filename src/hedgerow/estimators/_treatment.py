"""What was done to rows and columns, and what the user should know about it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.words import listed
from hedgerow.method.kinds import COUNTS, STEPS, YES_NO, ZEROS

FAR_FROM_NORMAL = 0.95  # share of a column's variance that is that of its scores, or less
WORTH_SAYING = 1.05  # factors below this are hardly to be told from chance
_SHOWN = 3
_OF_KINDS = {  # of one column, and of several
    STEPS: ("column of steps", "columns of steps"),
    YES_NO: ("of yes or no", "of yes or no"),
    COUNTS: ("of counts", "of counts"),
    ZEROS: ("with many equal values", "with many equal values"),
}


class Treatment(NamedTuple):
    """What a table looks like, and how many rows are left of it.

    Attributes
    ----------
    rows : number of rows
    effective_rows : number of independent normal rows that say as much
    scored : whether columns were replaced by normal scores of their ranks
    far_from_normal : columns that are far from normal, the farthest first
    straightness : for each column, the share of its variance that is that of its scores
    tails : factor by which rows of unlike size make tests less precise
    memory : factor by which rows that resemble those before them do
    season : number of rows of a season that was taken out; 1 if there was none
    repeated : mean number of times that a row is there
    wandering : columns that cannot be told from a random walk or a trend
    autocorrelation : of the residuals at 1, 2, ... rows apart, the median over columns
    kinds : for each column, the kind that it is taken for
    """

    rows: int
    effective_rows: float
    scored: bool
    far_from_normal: list[object]
    straightness: NDArray[np.float64]
    tails: float
    memory: float
    season: int
    repeated: float
    wandering: list[object]
    autocorrelation: NDArray[np.float64] = np.empty(0)
    kinds: NDArray[np.str_] = np.empty(0, dtype=np.str_)

    @property
    def related_in_time(self) -> bool:
        """Whether rows are related to those before them, as far as it is worth saying."""
        return self.memory > WORTH_SAYING

    def to_dict(self, labels: Sequence[object]) -> dict[str, Any]:
        """Return all of it for JSON; ``labels`` are the names of all columns."""
        return {
            **self._asdict(),
            "far_from_normal": [str(name) for name in self.far_from_normal],
            "straightness": dict(zip(map(str, labels), self.straightness.tolist(), strict=True)),
            "wandering": [str(name) for name in self.wandering],
            "autocorrelation": self.autocorrelation.tolist(),
            "kinds": dict(zip(map(str, labels), self.kinds.tolist(), strict=False)),
            "sentences": self.sentences(),
        }

    def sentences(self) -> list[str]:
        """Return what is worth saying, a sentence or two for each finding."""
        said = self._on_kinds()
        if self.far_from_normal and self.scored:
            number, names = len(self.far_from_normal), _some(self.far_from_normal)
            said.append(
                f"{_columns(number)} far from normal (farthest: {names}), and "
                f"{'was' if number == 1 else 'were'} replaced by scores of ranks."
            )
        if self.season > 1:
            said.append(f"A season of {self.season} rows was taken out.")
        if self.related_in_time:
            said.append(
                f"Rows are related to those before them: {self._few_rows(self.memory)} "
                f"independent ones."
            )
        if self.tails > WORTH_SAYING:
            said.append(f"Rows differ in size: {self._few_rows(self.tails)} rows of one size.")
        return said

    def doubts(self) -> list[str]:
        """Return what makes the promise doubtful."""
        said = []
        if self.wandering:
            number, names = len(self.wandering), _some(self.wandering)
            verb = "wanders" if number == 1 else "wander"
            said.append(
                f"{number} of {len(self.straightness)} columns {verb} like a random walk or a "
                f"trend ({names}): what they share may be chance, whatever the number of rows; "
                f"learn from the differences of rows (--difference, or numpy.diff)"
            )
        if self.repeated > WORTH_SAYING:
            said.append(
                f"rows repeat each other exactly, {self.repeated:.2g} times in the mean: they "
                f"count as {self.rows / self.repeated:,.0f} different ones; repetitions that come "
                f"later are not noticed"
            )
        return said

    def _on_kinds(self) -> list[str]:
        numbers = {kind: int((self.kinds == kind).sum()) for kind in _OF_KINDS}
        found = [
            f"{number:,} {_OF_KINDS[kind][number > 1]}"
            for kind, number in numbers.items()
            if number
        ]
        if not found:
            return []
        return [f"Edges are between what lies behind {listed(found)}."]

    def _few_rows(self, factor: float) -> str:
        return f"{self.rows:,} of them say as much as {self.rows / factor:,.0f}"


def far_from_normal(straightness: NDArray[np.float64], labels: NDArray[np.object_]) -> list[object]:
    """Return the names of columns that are far from normal, the farthest first."""
    order = np.argsort(straightness, kind="stable")
    return [labels[j] for j in order if straightness[j] <= FAR_FROM_NORMAL]


def _some(names: Sequence[object]) -> str:
    return listed(map(repr, names[:_SHOWN])) + ("" if len(names) <= _SHOWN else ", ...")


def _columns(number: int) -> str:
    return "1 column is" if number == 1 else f"{number:,} columns are"
