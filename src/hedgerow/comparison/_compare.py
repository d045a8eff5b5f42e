"""Run methods one after another on the same rows."""

import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from hedgerow import progress
from hedgerow.base.checks import integer_at_least, positive
from hedgerow.base.words import listed
from hedgerow.comparison._job import ROWS
from hedgerow.comparison._methods import Methods, chosen, fitting
from hedgerow.comparison._outcome import Outcome, Status, varying
from hedgerow.comparison._process import found, run
from hedgerow.comparison.result import Comparison
from hedgerow.estimators import DataWarning
from hedgerow.estimators.input import column_labels, read_rows
from hedgerow.metrics import confusion

_FEWEST_ROWS = 4  # half of them is the least that an estimator takes


def compare(
    X: Any,
    methods: Methods | None = None,
    truth: Any = None,
    *,
    time_budget: float = 60.0,
    resamples: int = 3,
    seed: int = 0,
) -> Comparison:
    """Run several methods on one table and lay their graphs side by side.

    Each method learns from all the rows, then, while its budget lasts, from both halves of the
    rows for every random split. It does so in a process of its own, after an untimed warm-up, one
    method at a time. A method that fails, or whose package is absent, is reported and the others
    run on. Ctrl-C ends the comparison and keeps what is done; what is left is marked as not run.
    Columns that never vary have no neighbours, and no method is shown them.

    Parameters
    ----------
    X : array, data frame or Arrow table of shape (n_samples, n_features)
    methods : str, iterable of str, or mapping of str to parameters, optional
        Names as in `hedgerow.rivals.names`; by default those for Ising models if every column has
        two values, and otherwise those for numbers. ``"module:Class"`` is an estimator of your own
        with ``fit``, ``adjacency_`` and ``score_matrix_``.
    truth : array or sparse array of shape (n_features, n_features), optional
        The true graph, if it is known: non-zero entries are edges.
    time_budget : float, default=60
        Seconds for each method.
    resamples : int, default=3
        Random splits of the rows into halves, for the stability of each method; may be 0.
    seed : int, default=0
        Decides the splits, which are the same for all methods.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import compare
    >>> X = np.cumsum(np.random.default_rng(0).standard_normal((400, 5)), axis=1)
    >>> result = compare(X, ["hedgerow"], resamples=1)
    >>> sorted(result["hedgerow"].edges.tolist())
    [[0, 1], [1, 2], [2, 3], [3, 4]]
    """
    table = BaseEstimator()
    rows = read_rows(table, X, reset=True, min_rows=_FEWEST_ROWS)
    labels = column_labels(table)
    _warn_of_constant(rows, labels)
    methods = fitting(rows) if methods is None else methods
    wanted = check(methods, time_budget, resamples, seed)
    graph = None if truth is None else _graph(truth, rows.shape[1])
    job = {"budget": time_budget, "resamples": resamples, "seed": seed}
    return Comparison(
        outcomes=tuple(_outcomes(rows, wanted, job)),
        names=tuple(map(str, labels)),
        n_rows=len(rows),
        time_budget=float(time_budget),
        resamples=resamples,
        covariance=np.cov(rows, rowvar=False),
        truth=graph,
    )


def check(
    methods: Methods | None, time_budget: float, resamples: int, seed: int
) -> dict[str, dict[str, Any]]:
    """Refuse bad settings of `compare`; return the parameters of each method."""
    positive("time_budget", time_budget)
    integer_at_least("resamples", resamples, 0)
    integer_at_least("seed", seed, 0)
    return chosen(methods)


def _outcomes(
    rows: np.ndarray, wanted: dict[str, dict[str, Any]], job: dict[str, Any]
) -> Iterator[Outcome]:
    n_columns, interrupted = rows.shape[1], False
    with TemporaryDirectory(prefix="hedgerow-") as name:
        np.save(Path(name) / ROWS, rows, allow_pickle=False)
        for number, (method, parameters) in enumerate(wanted.items()):
            folder = Path(name) / str(number)
            folder.mkdir()
            outcome = None
            if not interrupted:
                tell = partial(progress.report, method)
                try:
                    outcome = run(folder, method, job | {"parameters": parameters}, n_columns, tell)
                except KeyboardInterrupt:
                    interrupted = True
                    outcome = found(folder, method, n_columns)
                tell(1.0)
            yield outcome or Outcome(method, Status.NOT_RUN, "interrupted", n_columns)


def _warn_of_constant(rows: np.ndarray, labels: np.ndarray) -> None:
    columns = varying(rows)
    if len(columns) < 2:
        raise ValueError(f"X must have at least two columns that vary, got {len(columns)}")
    if len(columns) < len(labels):
        aside = listed(map(repr, np.delete(labels, columns)))
        warnings.warn(f"constant columns are isolated nodes: {aside}", DataWarning, stacklevel=3)


def _graph(truth: Any, n_columns: int) -> csr_array:
    if np.shape(truth) != (n_columns, n_columns):
        raise ValueError(f"truth must have shape {(n_columns, n_columns)}, got {np.shape(truth)}")
    confusion(truth, truth)  # refuses what is not symmetric or not finite
    graph = csr_array(csr_array(truth) != 0)
    graph.setdiag(False)
    graph.eliminate_zeros()
    return graph
