"""Is a promised error rate kept? Judged from many data sets, so that chance is no excuse."""

import warnings
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.quality.summary import SLACK
from hedgerow import HedgeGraph, metrics
from hedgerow.datasets import Model
from hedgerow.estimators import GuaranteeWarning

LEVEL = 0.05
FALSE_ALARM = 1e-3  # of all tests of a file together, if every promise is just kept


class Rates(NamedTuple):
    """For each data set, the share of false edges and whether there is any, familywise."""

    shares: NDArray[np.float64]
    wrong: NDArray[np.bool_]


def rates(data_sets: Iterable[tuple[Model, NDArray[np.float64]]]) -> Rates:
    """Return how wrong graphs of these data sets are."""
    shares, wrong = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuaranteeWarning)
        for model, rows in data_sets:
            graph = HedgeGraph(level=LEVEL).fit(rows)
            shares.append(metrics.fdp(graph.adjacency_, model.adjacency))
            graph.set_params(error="fwer")
            wrong.append(metrics.fdp(graph.adjacency_, model.adjacency) > 0)
    return Rates(np.array(shares), np.array(wrong))


def assert_kept(found: Rates, alone: float) -> None:
    """Fail if a promise is broken; with probability ``alone`` for each that is just kept."""
    assert not shares_too_large(found.shares, SLACK * LEVEL, alone), found.shares.mean()
    assert found.wrong.sum() <= most_wrong(len(found.wrong), LEVEL, alone), found.wrong.mean()


def assert_doubled_would_be_noticed(number: int, alone: float) -> None:
    """Fail if so many data sets could have a doubled error rate and pass, more often than 1 %."""
    assert stats.binom.cdf(most_wrong(number, LEVEL, alone), number, 2 * LEVEL) <= 0.01
    rng = np.random.default_rng(0)
    aim = SLACK * LEVEL
    # Shares vary most where there is no edge: they are then 0 or 1. Elsewhere they are tighter.
    worst = (rng.random((500, number)) < 2 * aim).astype(float)
    typical = rng.beta(2, 2 / (2 * LEVEL) - 2, (500, number))
    for doubled in (worst, typical):
        assert np.mean([shares_too_large(shares, aim, alone) for shares in doubled]) >= 0.99


def shares_too_large(shares: NDArray[np.float64], aim: float, alone: float) -> bool:
    """Tell whether a mean of shares is beyond what chance makes of an expectation of ``aim``."""
    return bool(shares.mean() - stats.norm.isf(alone) * stats.sem(shares) > aim)


def most_wrong(number: int, level: float, alone: float) -> float:
    """Return how many data sets may have a false edge."""
    return float(stats.binom.isf(alone, number, level))
