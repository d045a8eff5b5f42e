"""Is a promised error rate kept? Judged from as many data sets as it takes to be sure.

Wald's sequential test, for numbers from 0 to 1: shares of false edges, or whether there is any. If
their mean is at most what is promised, a, the product of 1 + (x - a) / (1 - a) is expected not to
grow; if it is at least twice as much, that of 1 + r (2a - x) / (1 - 2a) is, for any r from 0 to 1,
and so is the mean of such products. A product that must not grow is ever 1 / q with a probability
of at most q. For zeros and ones, the first and that of r = 1/2 are likelihood ratios of a and 2a.
Larger r are for rates that are far below what is promised, or hardly vary: they grow faster there.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.quality.summary import SLACK
from hedgerow import HedgeGraph, metrics
from hedgerow.datasets import Model
from hedgerow.estimators import GuaranteeWarning

LEVEL = 0.05
FALSE_ALARM = 1e-3  # of all tests of a file together, if every promise is just kept
MOST = 2000  # data sets, if it takes so many; a hundred or two are the rule
PROMISED = {"fdr": SLACK * LEVEL, "fwer": LEVEL}
_UNNOTICED = 5e-3  # probability that a doubled error rate is taken for one that is kept
BETS = {0.5: 0.7, 0.75: 0.15, 0.9: 0.15}  # r, and the weight of its product in the mean


def rates(
    model: Model, rows: NDArray[np.float64], errors: Iterable[str]
) -> Iterator[tuple[str, float]]:
    """Yield the share of false edges of a graph, and whether any of another is, familywise."""
    graph = HedgeGraph(level=LEVEL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuaranteeWarning)
        for error in errors:
            graph.set_params(error=error)
            if not hasattr(graph, "n_features_in_"):
                graph.fit(rows)
            share = metrics.fdp(graph.adjacency_, model.adjacency)
            yield error, share if error == "fdr" else float(share > 0)


def assert_kept(data_sets: Iterable[tuple[Model, NDArray[np.float64]]], alone: float) -> None:
    """Fail if a promise is broken; with probability ``alone`` for each that is just kept.

    Data sets must be drawn alike, and independently. A promise that is known to be kept is not
    asked about again.
    """
    found: dict[str, list[float]] = {error: [] for error in PROMISED}
    undecided = list(PROMISED)
    for model, rows in data_sets:
        for error, rate in rates(model, rows, tuple(undecided)):
            found[error].append(rate)
            clear = verdict(found[error], PROMISED[error], alone)
            assert clear != "broken", (error, np.mean(found[error]), len(found[error]))
            if clear == "kept":
                undecided.remove(error)
        if not undecided:
            return


def verdict(found: Sequence[float], promised: float, alone: float) -> str | None:
    """Tell whether a promise is kept, or broken; the first that becomes clear; None if neither."""
    return verdicts_of(np.asarray(found)[None], promised, alone)[0]


def verdicts_of(found: NDArray[np.float64], promised: float, alone: float) -> list[str | None]:
    """Return the verdict on each of several rows of numbers."""
    broken = np.cumsum(np.log1p((found - promised) / (1 - promised)), axis=1)
    gains = (2 * promised - found) / (1 - 2 * promised)
    products = [np.log(w) + np.cumsum(np.log1p(r * gains), axis=1) for r, w in BETS.items()]
    is_broken = broken >= -np.log(alone)
    clear = is_broken | (special.logsumexp(products, axis=0) >= -np.log(_UNNOTICED))
    first = np.argmax(clear, axis=1)
    return [
        None if not clear[k, j] else "broken" if is_broken[k, j] else "kept"
        for k, j in enumerate(first)
    ]


def assert_doubled_would_be_noticed(alone: float) -> None:
    """Fail if a doubled error rate would pass more often than 1 %, or one that is kept fail."""
    rng = np.random.default_rng(0)
    aim = PROMISED["fdr"]
    # Shares vary most where there is no edge: they are then 0 or 1. Elsewhere they are tighter.
    for promised, doubled in (
        (LEVEL, rng.random((500, MOST)) < 2 * LEVEL),
        (aim, rng.random((500, MOST)) < 2 * aim),
        (aim, rng.beta(2, 2 / (2 * aim) - 2, (500, MOST))),
    ):
        assert verdicts_of(doubled, promised, alone).count("broken") >= 0.99 * len(doubled)
    just_kept = rng.random((500, MOST)) < LEVEL
    assert "broken" not in verdicts_of(just_kept, LEVEL, alone)
