"""Is a promised error rate kept? Judged from as many data sets as it takes to be sure.

Wald's sequential test, for numbers from 0 to 1: shares of false edges, or whether there is any. If
their mean is at most what is promised, the product of 1 + (x - a) / (1 - a) is expected not to
grow; if it is at least twice as much, that of 1 + (2a - x) / (2 - 4a) is. A product that must not
grow is ever 1 / q with a probability of at most q. For zeros and ones both are likelihood ratios.
"""

import warnings
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.summary import SLACK
from hedgerow import HedgeGraph, metrics
from hedgerow.datasets import Model
from hedgerow.estimators import GuaranteeWarning

LEVEL = 0.05
FALSE_ALARM = 1e-3  # of all tests of a file together, if every promise is just kept
MOST = 2000  # data sets, if it takes so many; a few hundred are the rule
_UNNOTICED = 1e-3  # probability that a doubled error rate is taken for one that is kept


def rates(data_sets: Iterable[tuple[Model, NDArray[np.float64]]]) -> Iterator[tuple[float, bool]]:
    """Yield, of each data set's graph, the share of false edges and whether any is, familywise."""
    for model, rows in data_sets:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GuaranteeWarning)
            graph = HedgeGraph(level=LEVEL).fit(rows)
            share = metrics.fdp(graph.adjacency_, model.adjacency)
            graph.set_params(error="fwer")
            any_wrong = metrics.fdp(graph.adjacency_, model.adjacency) > 0
        yield share, any_wrong


def assert_kept(data_sets: Iterable[tuple[Model, NDArray[np.float64]]], alone: float) -> None:
    """Fail if a promise is broken; with probability ``alone`` for each that is just kept.

    Data sets must be drawn alike, and independently.
    """
    shares, wrong = [], []
    for share, any_wrong in rates(data_sets):
        shares.append(share)
        wrong.append(float(any_wrong))
        verdicts = verdict(shares, SLACK * LEVEL, alone), verdict(wrong, LEVEL, alone)
        assert "broken" not in verdicts, (np.mean(shares), np.mean(wrong), len(shares))
        if verdicts == ("kept", "kept"):
            return


def verdict(found: Iterable[float], promised: float, alone: float) -> str | None:
    """Tell whether a promise is kept, or broken; the first that becomes clear; None if neither."""
    x = np.asarray(found)
    broken = np.cumsum(np.log1p((x - promised) / (1 - promised))) >= -np.log(alone)
    kept = np.cumsum(np.log1p((2 * promised - x) / (2 - 4 * promised))) >= -np.log(_UNNOTICED)
    if not (broken | kept).any():
        return None
    return "broken" if broken[np.argmax(broken | kept)] else "kept"


def assert_doubled_would_be_noticed(alone: float) -> None:
    """Fail if a doubled error rate would pass more often than 1 %, or one that is kept fail."""
    rng = np.random.default_rng(0)
    aim = SLACK * LEVEL
    # Shares vary most where there is no edge: they are then 0 or 1. Elsewhere they are tighter.
    for promised, doubled in (
        (LEVEL, rng.random((500, MOST)) < 2 * LEVEL),
        (aim, rng.random((500, MOST)) < 2 * aim),
        (aim, rng.beta(2, 2 / (2 * aim) - 2, (500, MOST))),
    ):
        noticed = [verdict(found, promised, alone) == "broken" for found in doubled]
        assert np.mean(noticed) >= 0.99
    just_kept = rng.random((500, MOST)) < LEVEL
    assert all(verdict(found, LEVEL, alone) != "broken" for found in just_kept)
