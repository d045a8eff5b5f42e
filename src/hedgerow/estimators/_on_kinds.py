"""Kinds of columns, told: what edges of steps are between, and of which columns nobody can say."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.words import listed
from hedgerow.estimators._first_rows import some_of
from hedgerow.method.kinds import COUNTS, STEPS, YES_NO, ZEROS

_OF_KINDS = {
    STEPS: "of steps (Likert items and the like)",
    YES_NO: "of yes or no",
    COUNTS: "of counts",
    ZEROS: "with many equal values",
}


def sentences_on_kinds(kinds: NDArray[np.str_], by_scores: Sequence[object]) -> list[str]:
    """Return which kinds there are, and what their edges are between, if there are some.

    Nothing lies behind columns taken ``by_scores``.
    """
    numbers = {kind: int((kinds == kind).sum()) for kind in _OF_KINDS}
    found = [f"{number:,} {_OF_KINDS[kind]}" for kind, number in numbers.items() if number]
    if not found:
        return []
    total, first = sum(numbers.values()), found[0]
    number, _, kind = first.partition(" ")
    first = f"{number} {'column' if number == '1' else 'columns'} {kind}"
    what = listed([first, *found[1:]])
    if len(by_scores) >= total:
        return [f"{what}: {'it is' if total == 1 else 'they are'} taken by their scores."]
    if total == 1:
        return [f"{what}: its edges are those of the normal variable behind it."]
    but = f", but for {len(by_scores):,} that are taken by their scores" if by_scores else ""
    return [f"{what}: edges are between the normal variables behind them{but}."]


def doubts_of_kinds(by_scores: Sequence[object]) -> list[str]:
    """Return what is doubtful of columns behind which no normal variables can lie."""
    if not by_scores:
        return []
    one = "1 column" if len(by_scores) == 1 else f"{len(by_scores):,} columns"
    return [
        f"no normal variables have the correlations that would lie behind {one} "
        f"({some_of(by_scores)}), as behind the levels of one category, sums beside their parts, "
        f"or relations that bend: such columns are taken by their scores, as continuous ones. What "
        f"steps hide of them is not explained, and weak edges between their neighbours may be false"
    ]
