"""The objective: one method on the rows of one model, judged by its graph and its time.

Seconds are processor time of one thread, which other programs on the machine disturb little.
"""

import warnings
from collections.abc import Mapping
from time import process_time
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from hedgerow import datasets, rivals
from hedgerow.datasets import Model
from hedgerow.metrics import exact_recovery, f1, fdp

PENALTIES = 15  # that an oracle tries
Record = dict[str, Any]

OPTIONS: dict[str, dict[str, Any]] = {"random_regular": {"degree": 3}}


class Fit(NamedTuple):
    """A fitted method, or why there is none."""

    method: Any
    seconds: float
    failure: str = ""


class Answer(NamedTuple):
    """Whether the graph is exactly right, and what it took to say so."""

    right: bool
    seconds: float
    failure: str = ""


def rows_of(family: str, p: int, m: int, seed: int) -> tuple[Model, np.ndarray]:
    """Return a model and rows drawn from it; the same cell and seed give the same rows."""
    rng = np.random.default_rng([crc32(family.encode()), p, m, seed])
    model = datasets.make(family, p, seed=rng, **OPTIONS.get(family, {}))
    return model, model.sample(m, rng)


def warm_up(name: str) -> None:
    """Load and compile what a method needs, untimed."""
    rows = np.random.default_rng(0).standard_normal((64, 4))
    fit(name, rows, {}, limit=5.0)


def fit(name: str, rows: np.ndarray, parameters: Mapping[str, Any], limit: float) -> Fit:
    """Fit a method; a failure is an answer, too."""
    method = rivals.make(name, time_limit=limit, **parameters)
    begun = process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            method.fit(rows)
    except Exception as error:  # whatever it is, the other methods go on
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return Fit(None, process_time() - begun, reason)
    return Fit(method, process_time() - begun)


def judged(name: str, rows: np.ndarray, model: Model, limit: float) -> Record:
    """Return F1, share of false edges and seconds of a method as it comes."""
    found = fit(name, rows, {}, limit)
    record: Record = {"seconds": found.seconds, "failure": found.failure, "f1": None, "fdp": None}
    if found.method is not None:
        graph = found.method.adjacency_
        record |= {"f1": f1(graph, model.adjacency), "fdp": fdp(graph, model.adjacency)}
    return record


def chooses_it(
    name: str, rows: np.ndarray, model: Model, exact: Mapping[str, Any], limit: float
) -> Answer:
    """Ask whether the method's own choice is the true graph."""
    found = fit(name, rows, exact, limit)
    right = found.method is not None and exact_recovery(found.method.adjacency_, model.adjacency)
    return Answer(right, found.seconds, found.failure)


def ranks_it(
    name: str, rows: np.ndarray, model: Model, exact: Mapping[str, Any], limit: float
) -> Answer:
    """Ask whether some cut of the method's scores has all true edges above it and no other."""
    found = fit(name, rows, exact, limit)
    if found.method is None:
        return Answer(False, found.seconds, found.failure)
    upper = np.triu_indices(model.size, 1)
    edge, score = model.adjacency.toarray()[upper], found.method.score_matrix_[upper]
    return Answer(bool(score[edge].min() > score[~edge].max()), found.seconds)


def reaches_it(name: str, rows: np.ndarray, model: Model, limit: float) -> Answer:
    """Ask whether some penalty, from one that leaves no edge to half the noise, is right."""
    corr = np.abs(np.corrcoef(rows, rowvar=False))
    np.fill_diagonal(corr, 0.0)
    noise = np.sqrt(np.log(model.size) / len(rows))
    smallest = min(0.5 * noise, 0.1 * corr.max())
    seconds = 0.0
    for penalty in np.geomspace(0.99 * corr.max(), smallest, PENALTIES):
        left = max(limit - seconds, 0.01)
        answer = chooses_it(name, rows, model, {"penalty": float(penalty)}, left)
        seconds += answer.seconds
        if answer.right or answer.failure:
            return answer._replace(seconds=seconds)
    return Answer(False, seconds)
