"""What was done to rows and columns, and what the user should know about it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.words import listed
from hedgerow.estimators._drifting import (
    SORTED,
    doubts_of_drift,
    doubts_of_groups,
    doubts_of_memory_in_steps,
    doubts_of_unlike_memories,
)
from hedgerow.estimators._first_rows import (
    Blank,
    Carried,
    FirstRows,
    Groups,
    Interpolated,
    Paced,
    Repeated,
    Restless,
    Together,
    some_of,
)
from hedgerow.estimators._given import Given
from hedgerow.estimators._on_kinds import doubts_of_kinds, sentences_on_kinds
from hedgerow.estimators._placeholders import StandIn, sentence_on
from hedgerow.estimators._swinging import Swinging
from hedgerow.estimators._warnings import MOST_MISSING
from hedgerow.method.drift import MUCH_SLOW
from hedgerow.method.given import borrowed
from hedgerow.method.kinds import AS_IS, CONTINUOUS
from hedgerow.method.populations import Populations
from hedgerow.method.returning import Returning
from hedgerow.method.twins import Twins

FAR_FROM_NORMAL = 0.95  # share of a column's variance that is that of its scores, or less
# Of what given columns leave, errors of their effects. Chosen by looking at docs/groups.md: with
# 0.12 errors are clearly too many, with 0.05 hardly.
MUCH_BORROWED = 0.05
# Rows: share of false edges at a level of 0.05, and how often any is false. The record of
# docs/groups.md has them, and a test compares.
SLIPPED = {120: (0.10, 0.24), 480: (0.06, 0.08)}
WORTH_SAYING = 1.05  # factors below this are hardly to be told from chance
# Factor by which memory makes tests less precise. Of an autoregression with a smaller one less than
# a twentieth is slow; where it is larger, what is slow is memory, and counted as such.
LONG_MEMORY = 2.0
MUCH_MISSING = 0.4  # share of a typical column's cells
# Of a column's cells, where rows remember: with 0.15 the level was kept, with 0.4 it was not.
MANY_MISSING = 0.25
_SHOWN = 3


class Stuck(NamedTuple):
    """A column that has one value from a row to another, and hardly any twice elsewhere."""

    column: object
    first: int
    last: int


class Treatment(NamedTuple):
    """What a table looks like, and how many rows are left of it.

    Attributes
    ----------
    rows : number of rows
    effective_rows : number of independent normal rows that say as much
    scored : number of columns that were replaced by normal scores of their ranks
    far_from_normal : columns that are far from normal, the farthest first
    straightness : for each column, the share of its variance that is that of its scores
    divided : whether rows were divided by their sizes
    tails : factor by which rows of unlike size make tests less precise
    memory : factor by which rows that resemble those before them do
    season : number of rows of a season that was taken out; 1 if there was none
    repeated : mean number of times that a row is there
    wandering : columns that cannot be told from a random walk or a trend
    autocorrelation : of the residuals at 1, 2, ... rows apart, the median over columns
    smaller_group : share of rows in the smaller of two populations; 0 if there is one only
    groups_apart : distance of their means, in standard deviations within them
    missing : number of cells of each column that were missing, and filled in
    share_missing : share of each column's cells that count as missing, also those that their rows
        contradict; rows that are forgotten count less
    outlying : number of cells that their rows or columns contradict, and that were taken for
        missing
    outlying_cells : row and column of the first of these
    placeholders : columns in which one value stands for cells that were not measured, which count
        as missing: name, value and number of cells
    kinds : for each column, the kind that it is taken for
    by_scores : columns of steps, yes or no, or counts behind which no normal variable can lie
    telling : columns whose missing cells seem to be "high" or "low", by what their rows say
    apart : pairs of columns that are there together in hardly any row: no edge can be told
    stuck : columns that have one value in many rows on end: name, first and last row
    slow : for each column, the share of its variance that was slow, and was taken out unless some
        columns are steps, yes or no, or counts
    slowest : columns of which much was, most of all first
    by_steps : whether each row was compared with the one before, as something drifts or jumps
    steps_remember : whether later rows deny that rows remember nothing but what is slow
    bursts : stretches of the first rows in which some columns are off together
    kin : whether rows that stand apart are alike, as those of one person or batch are
    nested : columns that are the same again wherever one of them is, as those of sites are
    carried : columns whose cells repeat the one before, as where gaps were filled with it
    blanks : columns that have one value, again and again, in the same rows as others have theirs
    paces : columns that go up and down at a pace that another has nearly, too
    restless : columns whose size changes in time, each in its own way
    interpolated : columns with cells on a straight line between those before and after them
    twins : how many of the first rows nearly repeat another one, and the nearest two of them
    returning : after how many rows, more than memory is counted for, rows are alike again
    depth : by how much more is counted in some rows than in others, as a share; 0 if it is not
    shares : columns that add up to the same total in every row
    swinging : columns that are large together in some rows, apart from all others
    foretold : share of each row that those before it tell, where that is taken out; 0 if it is not
    memory_left : how many rows say as much as an independent one, after that
    at_once : factor by which columns that forget at once make tests less precise
    given : what was held fixed, and what it cost; None if nothing was
    """

    rows: int
    effective_rows: float
    scored: int
    far_from_normal: list[object]
    straightness: NDArray[np.float64]
    divided: bool
    tails: float
    memory: float
    season: int
    repeated: float
    wandering: list[object]
    autocorrelation: NDArray[np.float64] = np.empty(0)
    smaller_group: float = 0.0
    groups_apart: float = 0.0
    missing: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    share_missing: NDArray[np.float64] = np.empty(0)
    outlying: int = 0
    outlying_cells: Sequence[tuple[int, object]] = ()
    placeholders: Sequence[StandIn] = ()
    kinds: NDArray[np.str_] = np.empty(0, dtype=np.str_)
    by_scores: Sequence[object] = ()
    telling: Sequence[tuple[object, str]] = ()
    apart: Sequence[tuple[object, object]] = ()
    stuck: Sequence[Stuck] = ()
    slow: NDArray[np.float64] = np.empty(0)
    slowest: Sequence[object] = ()
    by_steps: bool = False
    steps_remember: bool = False
    bursts: Together = FirstRows().bursts
    kin: Groups = FirstRows().kin
    nested: Repeated = FirstRows().nested
    carried: Carried = FirstRows().carried
    blanks: Blank = FirstRows().blanks
    paces: Paced = FirstRows().paces
    restless: Restless = FirstRows().restless
    interpolated: Interpolated = FirstRows().interpolated
    twins: Twins = FirstRows().twins
    returning: Returning = FirstRows().returning
    depth: float = 0.0
    shares: Sequence[object] = ()
    swinging: Swinging = Swinging()
    foretold: float = 0.0
    memory_left: float = 1.0
    at_once: float = 1.0
    given: Given | None = None

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
            "missing": dict(zip(map(str, labels), self.missing.tolist())),
            "share_missing": dict(zip(map(str, labels), self.share_missing.tolist())),
            "outlying_cells": [[row, str(name)] for row, name in self.outlying_cells],
            "placeholders": [each.to_dict() for each in self.placeholders],
            "kinds": dict(zip(map(str, labels), self.kinds.tolist(), strict=False)),
            "by_scores": [str(name) for name in self.by_scores],
            "telling": {str(name): how for name, how in self.telling},
            "apart": [[str(a), str(b)] for a, b in self.apart],
            "stuck": [[str(name), first, last] for name, first, last in self.stuck],
            "slow": dict(zip(map(str, labels), self.slow.tolist(), strict=False)),
            "slowest": [str(name) for name in self.slowest],
            "by_steps": self.by_steps,
            "steps_remember": self.steps_remember,
            **self._first_rows().to_dict(),
            "swinging": self.swinging.to_dict(),
            "given": None if self.given is None else self.given.to_dict(labels),
            "sentences": self.sentences(),
        }

    def sentences(self) -> list[str]:
        """Return what is worth saying, a sentence or two for each finding."""
        said = [] if self.given is None else [self.given.sentence()]
        said += sentences_on_kinds(self.kinds, self.by_scores) + self._about_cells()
        if self.far_from_normal and self.scored:
            found, number = len(self.far_from_normal), len(self.straightness)
            part = "all" if self.scored == number else f"{self.scored:,} of"
            said.append(
                f"{_columns(found)} far from normal (farthest: {some_of(self.far_from_normal)}). "
                f"Scores of ranks replace {part} {number:,} columns."
            )
        if self.season > 1:
            said.append(f"A season of {self.season} rows was taken out.")
        if self.by_steps:
            what = f"{_columns(len(self.slowest))} adrift ({some_of(self.slowest)})"
            said.append(
                f"{what if self.slowest else 'Levels drift or jump'}: each row was compared with "
                f"the one before it. What is slow is no part of the graph."
            )
        # With a long memory it is that, and told as such.
        elif self.slowest and self.memory < LONG_MEMORY and self._lost_level():
            said.append(
                f"{_columns(len(self.slowest))} adrift ({some_of(self.slowest)}, up to "
                f"{self.slow.max():.0%} of the variance): all rows were compared with those "
                f"shortly before them."
            )
        if self.foretold:
            said.append(
                f"All columns remember alike: {self.foretold:.0%} of each row is what those before "
                f"it tell, and was taken out. {self._few_rows(self.memory_left)} independent ones, "
                f"and would say no more than {self.rows / self.memory:,.0f} as they are."
            )
        elif self.related_in_time:
            said.append(
                f"Rows are related to those before them: {self._few_rows(self.memory)} "
                f"independent ones."
            )
        if self.divided or self.tails > WORTH_SAYING:
            how = "Rows differ in size" + (", and were divided by it" if self.divided else "")
            cost = f": {self._few_rows(self.tails)} rows of one size"
            said.append(how + (cost if self.tails > WORTH_SAYING else "") + ".")
        return said

    def _about_cells(self) -> list[str]:
        said = []
        if self.missing.any():
            share = self.missing.sum() / (self.missing.size * self.rows)
            said.append(
                f"{_are(int(self.missing.sum()))} missing ({share:.2g} of all, up to "
                f"{self.missing.max() / self.rows:.2g} of a column), filled in from the rest of "
                f"their rows."
            )
        if self.placeholders:
            said.append(sentence_on(self.placeholders))
        if self.outlying:
            cells = [f"row {row} of {name!r}" for row, name in self.outlying_cells[:_SHOWN]]
            more = ", ..." if self.outlying > _SHOWN else ""
            said.append(
                f"{_cells(self.outlying)} the rest of its row or column contradicts "
                f"({listed(cells)}{more}) "
                f"{'counts' if self.outlying == 1 else 'count'} as missing."
            )
        if self.stuck:
            one = "1 column has" if len(self.stuck) == 1 else f"{len(self.stuck):,} columns have"
            said.append(f"{one} one value in many rows on end: {_stretches(self.stuck)}.")
        return said

    def doubts(self) -> list[str]:
        """Return what makes the promise doubtful."""
        groups = Populations(self.smaller_group, self.groups_apart)
        of_rows = [] if self.given is None else self.given.doubts()
        of_rows += doubts_of(
            self.rows, len(self.straightness), self.wandering, self.repeated, groups
        )
        if self.by_steps:
            of_rows += doubts_of_memory_in_steps(remembers=self.steps_remember)
        elif self.memory < LONG_MEMORY:
            of_rows += doubts_of_drift(self.slowest, self.slow, lost=self._lost_level())
        else:
            of_rows += doubts_of_unlike_memories(self.slow, self.foretold)
        steps, there = not self._lost_level(), (self.share_missing, self.effective_rows)
        of_rows += doubts_of_groups(self.at_once, *there, steps=steps)
        first_rows = self._first_rows()
        if self.swinging.names:  # who is restless is told with them
            first_rows = first_rows._replace(restless=FirstRows().restless)
        of_rows += doubts_of_stuck(self.stuck) + first_rows.doubts(self.rows)
        of_rows += self.swinging.doubts() + doubts_of_kinds(self.by_scores)
        return of_rows + doubts_of_gaps(self.share_missing, self.telling, self.apart, self.memory)

    def _lost_level(self) -> bool:
        return bool(np.isin(self.kinds, (AS_IS, CONTINUOUS)).all())

    def _first_rows(self) -> FirstRows:
        found = self.bursts, self.kin, self.nested, self.carried, self.blanks, self.paces
        of_columns = *found, self.restless, self.interpolated
        of_rows = self.depth, self.twins, self.returning
        return FirstRows(*of_columns, *of_rows, self.shares)

    def _few_rows(self, factor: float) -> str:
        return f"{self.rows:,} of them say as much as {self.rows / factor:,.0f}"


def doubts_of(
    rows: int,
    n_columns: int,
    wandering: Sequence[object],
    repeated: float,
    groups: Populations,
) -> list[str]:
    """Return what makes the promise doubtful, of a table with so many rows and columns."""
    said = []
    if wandering:
        number, names = len(wandering), some_of(wandering)
        verb = "wanders" if number == 1 else "wander"
        said.append(
            f"{number} of {n_columns} columns {verb} like a random walk or a "
            f"trend ({names}): what they share may be chance, whatever the number of rows; "
            f"learn from the differences of rows (--difference, or numpy.diff); {SORTED}"
        )
    if repeated > WORTH_SAYING:
        said.append(
            f"rows repeat each other exactly, {repeated:.2g} times in the mean: they "
            f"count as {rows / repeated:,.0f} different ones"
        )
    if groups.share:
        said.append(
            f"rows look like two populations mixed, {groups.share:.0%} of the first ones "
            f"being {groups.apart:.1f} standard deviations from the others in what many "
            f"columns share: edges may be the difference between the two; learn each by "
            f"itself, or subtract from each its own means"
        )
    return said


def doubts_of_stuck(stuck: Sequence[Stuck]) -> list[str]:
    """Return what columns make doubtful that have one value in many rows on end."""
    if not stuck:
        return []
    return [
        f"columns seem to be stuck, with one value in many rows on end: {_stretches(stuck)}. In "
        f"these rows they explain nothing, and edges between their neighbours may be false; leave "
        f"such rows out, or take these cells for missing"
    ]


def doubts_of_gaps(
    missing: NDArray[np.float64],
    telling: Sequence[tuple[object, str]],
    apart: Sequence[tuple[object, object]],
    memory: float,
) -> list[str]:
    """Return what missing cells make doubtful; ``missing`` is their share in each column."""
    said = []
    typical = float(np.median(missing)) if len(missing) else 0.0
    if typical > MUCH_MISSING:
        said.append(
            f"a typical column misses {typical:.0%} of its cells: with more than "
            f"{MUCH_MISSING:.0%} the share of false edges may exceed the level"
        )
    many = int(((missing > MANY_MISSING) & (missing <= MOST_MISSING)).sum())
    if many and memory > LONG_MEMORY:
        said.append(
            f"{many} of {len(missing)} columns miss more than {MANY_MISSING:.0%} of their cells, "
            f"and rows are related to those before them: what is filled in is known from few rows, "
            f"relations by way of such columns may pass for edges, and the share of false edges "
            f"may exceed the level"
        )
    if telling:
        names = listed(f"{name!r} ({how})" for name, how in telling)
        said.append(
            f"the missing cells of some columns are not like the others, by what the rest of "
            f"their rows says of them: {names}. It does no harm if the cells that are there "
            f"decide which are missing; if the missing value itself does, edges may be false"
        )
    if apart:
        pairs = listed(f"{a!r} and {b!r}" for a, b in apart)
        said.append(
            f"some columns are hardly ever there in the same row: {pairs}. Nothing tells whether "
            f"they are connected: no edge between them is reported, and edges of one to a "
            f"neighbour of the other may be indirect"
        )
    return said


def doubts_of_effects(
    cost: int,
    n_rows: int,
    straightness: NDArray[np.float64],
    outside: NDArray[np.float64],
    labels: NDArray[np.object_],
    memory: float,
    *,
    large: bool,
) -> list[str]:
    """Return what is doubtful where few rows tell the effects of given columns.

    Errors of effects do no harm to rows that are normal and independent. These may have columns
    that are far from normal, remember, or be unlike in size (``large``). Of the former, most rows
    are nearer to each other than the variance says, ``outside`` times, and errors are a larger
    share of what tells them apart.
    """
    share, worst = borrowed(cost, n_rows), 1.0
    why = ["some rows are larger than others"] if large else []
    why += ["rows are related to those before them"] if memory > LONG_MEMORY else []
    why = why if share > MUCH_BORROWED else []
    far = far_from_normal(np.where(share * outside > MUCH_BORROWED, straightness, 1.0), labels)
    if far:
        worst = float(outside[straightness <= FAR_FROM_NORMAL].max())
        why += [
            f"{_columns(len(far))} far from normal ({some_of(far)}), so that it is up to "
            f"{min(share * worst, 1.0):.0%} for most rows"
        ]
    if not why:
        return []
    enough = n_rows
    while borrowed(cost, enough) * max(worst, 1.0) > MUCH_BORROWED:
        enough += enough // 100 + 1
    slipped = "; ".join(
        f"{rows} rows: {false:.2f} of the edges false, and any in {often:.2f} of tables"
        for rows, (false, often) in SLIPPED.items()
    )
    return [
        f"with {n_rows:,} rows {share:.0%} of what given columns leave of others is errors of "
        f"their effects, and {' and '.join(why)}: false edges may exceed the level (measured at "
        f"0.05, with a cost of 6 and skewed columns: {slipped}); with {enough:,} rows it would be "
        f"{MUCH_BORROWED:.0%}, which does less harm"
    ]


def far_from_normal(straightness: NDArray[np.float64], labels: NDArray[np.object_]) -> list[object]:
    """Return the names of columns that are far from normal, the farthest first."""
    order = np.argsort(straightness, kind="stable")
    return [labels[j] for j in order if straightness[j] <= FAR_FROM_NORMAL]


def slowest(slow: NDArray[np.float64], labels: NDArray[np.object_]) -> list[object]:
    """Return the names of columns of which much is slow, most of all first."""
    order = np.argsort(-slow, kind="stable")
    return [labels[j] for j in order if slow[j] > MUCH_SLOW]


def _stretches(stuck: Sequence[Stuck]) -> str:
    return listed(f"{name!r} (rows {first:,} to {last:,})" for name, first, last in stuck)


def _cells(number: int) -> str:
    return "1 cell that" if number == 1 else f"{number:,} cells that"


def _are(number: int) -> str:
    return "1 cell is" if number == 1 else f"{number:,} cells are"


def _columns(number: int) -> str:
    return "1 column is" if number == 1 else f"{number:,} columns are"
