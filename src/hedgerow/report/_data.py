"""What a report shows, as plain data: no estimator is needed to make one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from hedgerow.base.checks import in_open_interval, integer_at_least, one_of
from hedgerow.method.promises import BALANCED, ERRORS
from hedgerow.report._left_out import checked_columns
from hedgerow.report._pairs import PairTold
from hedgerow.report._pictures import checked_about, checked_autocorrelation, checked_histograms

_NUMBERS = ("partial_corr", "z", "p_value", "q_value")


@dataclass(frozen=True, eq=False)
class ReportData:
    """The graph and how it was made.

    Parameters
    ----------
    names : sequence of str
        One name for each variable; any text, also empty or repeated.
    source, target : arrays of int
        The two ends of each edge, as positions in ``names``.
    partial_corr, z, p_value, q_value : arrays of float
        One value for each edge; with ``odds``, ``partial_corr`` are log odds ratios. ``q_value`` is
        the smallest level at which the edge is in the graph, and edges are sorted by it; edges up
        to ``max_level`` belong here, so that the page can show what a more generous level would
        add.
    level, max_level : float
        The level the graph was made with, and the largest one the page offers.
    error : {"fdr", "fwer", "balanced"}
        What ``level`` bounds: the expected share of false edges or the chance of any. In a
        balanced graph it estimates the former.
    rows, n_columns : int
        How many rows were read, and from how many columns.
    version : str
        The version of Hedgerow that made the graph.
    warnings : sequence of str
        What the reader should know before trusting the graph.
    title, made : str
        A heading, and the date the graph was made.
    left_out : mapping of str to sequence of str
        Columns that were not learned from, by the reason.
    rows_left_out : mapping of str to int
        How many rows were not learned from, by the reason, such as ``"with missing values"``.
    said : sequence of str
        What was done to rows and columns, in sentences.
    histograms : sequence of (start, stop, counts) or (start, stop, counts, values)
        One for each variable, or none: weights of rows in evenly spaced bins, or that have each
        of some values.
    kinds, missing : sequences of str and int
        The kind of each variable, and how many of its cells were missing; or none.
    autocorrelation : sequence of float
        How much rows resemble those 1, 2, ... rows before them, if that is to be shown.
    odds : bool
        Whether edges have log odds ratios, as between variables of yes or no.
    low, high : arrays of float, optional
        Ends of an interval for each partial correlation, made for the graph at ``level``.
    returns : array of float, optional
        The share of halves of the rows in which each edge is found again.
    pairs : sequence of PairTold
        What the page tells of some pairs of variables, edges or not.
    why_no_edges : str
        Why a balanced graph is refused any edges.

    Examples
    --------
    >>> data = ReportData(names=["a", "b"], source=[0], target=[1], partial_corr=[0.5], z=[5.0],
    ...                   p_value=[6e-7], q_value=[6e-7], level=0.05, rows=100, version="1.0")
    >>> data.n_columns, data.max_level
    (2, 0.2)
    """

    names: Sequence[str]
    source: Any
    target: Any
    partial_corr: Any
    z: Any
    p_value: Any
    q_value: Any
    level: float
    rows: int
    version: str
    max_level: float = 0.2
    error: str = "fdr"
    n_columns: int | None = None
    warnings: Sequence[str] = field(default=())
    title: str = "Hedgerow report"
    made: str = ""
    left_out: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rows_left_out: Mapping[str, int] = field(default_factory=dict)
    said: Sequence[str] = field(default=())
    histograms: Sequence[tuple[Any, ...]] = field(default=())
    kinds: Sequence[str] = field(default=())
    missing: Sequence[int] = field(default=())
    autocorrelation: Any = field(default=())
    odds: bool = False
    low: Any = None
    high: Any = None
    returns: Any = None
    pairs: Sequence[PairTold] = field(default=())
    why_no_edges: str = ""

    def __post_init__(self) -> None:
        keep = partial(object.__setattr__, self)
        keep("names", [str(name) for name in self.names])
        keep("warnings", [str(warning) for warning in self.warnings])
        keep("said", [str(sentence) for sentence in self.said])
        keep("n_columns", len(self.names) if self.n_columns is None else self.n_columns)
        for name in ("source", "target"):
            keep(name, _ends(name, getattr(self, name), len(self.names)))
        for name in _NUMBERS:
            keep(name, _values(name, getattr(self, name), len(self.source)))
        if (self.low is None) != (self.high is None):
            raise ValueError("low and high must be given together, got one of them")
        for name in ("low", "high") if self.low is not None else ():
            keep(name, _values(name, getattr(self, name), len(self.source)))
        if self.returns is not None:
            keep("returns", _values("returns", self.returns, len(self.source)))
            wrong = self.returns[(self.returns < 0) | (self.returns > 1)]
            if len(wrong):
                raise ValueError(f"returns must be numbers in [0, 1], got {wrong[0]:g}")
        for name in ("source", "target"):
            _ends(f"{name} of pairs", [getattr(pair, name) for pair in self.pairs], len(self.names))
        keep("histograms", checked_histograms(self.histograms, len(self.names)))
        kinds, missing = checked_about(self.kinds, self.missing, len(self.names))
        keep("kinds", kinds)
        keep("missing", missing)
        keep("autocorrelation", checked_autocorrelation(self.autocorrelation))
        keep("left_out", checked_columns(self.left_out))
        for reason, count in self.rows_left_out.items():
            integer_at_least(f"rows_left_out[{reason!r}]", count, 0)
        integer_at_least("rows", self.rows, 0)
        integer_at_least("n_columns", self.n_columns, len(self.names))
        in_open_interval("level", self.level, 0, 1)
        if not self.level <= self.max_level <= 1:
            raise ValueError(f"max_level must be in [level, 1], got {self.max_level!r}")
        one_of("error", self.error, (*ERRORS, BALANCED))
        self._check_edges()

    def _check_edges(self) -> None:
        if len(self.target) != len(self.source):
            raise ValueError(
                f"target must be as long as source ({len(self.source)}), got {len(self.target)}"
            )
        loops = np.flatnonzero(self.source == self.target)
        if len(loops):
            raise ValueError(f"source and target must differ, got {self.source[loops[0]]} twice")
        if np.any(np.diff(self.q_value) < 0):
            where = int(np.argmax(np.diff(self.q_value) < 0)) + 1
            raise ValueError(f"q_value must be sorted, got a smaller value at position {where}")
        if len(self.q_value) and self.q_value[-1] > self.max_level:
            raise ValueError(f"q_value must be at most max_level, got {self.q_value[-1]:g}")


def _ends(name: str, values: Any, n_names: int) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a one-dimensional array of integers, got {array.dtype}")
    outside = array[(array < 0) | (array >= n_names)]
    if len(outside):
        raise ValueError(f"{name} must be in [0, {n_names}), got {outside[0]}")
    return array.astype(np.int64)


def _values(name: str, values: Any, n_edges: int) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n_edges,):
        raise ValueError(f"{name} must have one value for each edge ({n_edges}), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}")
    return array
