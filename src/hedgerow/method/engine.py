"""What an engine is: the functions that the estimator calls, on arrays that were checked before.

An engine is a module with these functions. It owns the form of its state, and of the evidence that
the tests are made from: running sums, or rows on a graphics card. `numpy_ref` is the readable one;
the others must agree with it.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hedgerow.method.behind import Behind
from hedgerow.method.drift import Level
from hedgerow.method.forgetting import NEVER
from hedgerow.method.gaps import Expected
from hedgerow.method.given import Held
from hedgerow.method.inflation import Inflation
from hedgerow.method.marginals import Marginals
from hedgerow.method.moments import Moments
from hedgerow.method.neighbours import NO_HUBS
from hedgerow.method.ordered import Ordered
from hedgerow.method.outliers import Regressions
from hedgerow.method.repeats import Hashes
from hedgerow.method.residuals import Residuals
from hedgerow.method.row_sizes import RowSizes
from hedgerow.method.scaling import Scaling

Indices = NDArray[np.intp]
Array = NDArray[np.float64]
Named = dict[str, NDArray[Any]]


class Repeats(NamedTuple):
    """What each column adds to those before it."""

    varies: NDArray[np.bool_]
    original: Indices  # the first column that is this one up to scale, shift and sign; or itself
    sign: Array  # of the correlation of the two
    too_small: NDArray[np.bool_]  # whether its numbers are too small to tell if it varies


class Edges(NamedTuple):
    """Pairs of columns with q-values up to some level, in no particular order."""

    source: Indices
    target: Indices
    partial_corr: Array
    z: Array
    p_value: Array
    q_value: Array
    spread: Array  # standard error of atanh(partial_corr)
    unexplained: Array  # for each column: share that its neighbours do not explain
    chosen_by: Indices  # for each column: how many others were given it as a neighbour
    alike: Indices = np.empty((0, 2), dtype=np.intp)  # pairs that lie too close behind their steps
    per_clear: float = 1.0  # how many rows say as much as one without the noise of steps
    shared: float = 0.0  # strength of what most columns share (`shared.strength_of`), if asked


class Engine(Protocol):
    """The functions of an engine. Those that return a state may overwrite the one they get."""

    @property
    def sweeps(self) -> Scaling:
        """Who computes the maximum of likelihood (`likelihood.fit_precision`)."""

    @property
    def behind(self) -> Behind:
        """Who computes tests of what lies behind columns (`latent_edges.judge_latent`)."""

    def hashes_of(self, rows: NDArray[np.floating]) -> Hashes:
        """Return a hash of each row (`repeats.hashes_of`)."""

    def in_order(self, rows: NDArray[np.floating]) -> Ordered:
        """Return the first rows with their columns in order (`ordered.in_order`)."""

    def first_scores(self, first: Ordered, as_is: NDArray[np.bool_]) -> Array:
        """Return the scores of the first rows by their own ranks (`marginals.first_scores`)."""

    def first_marginals(
        self, first: Ordered, as_is: NDArray[np.bool_], half_life: float
    ) -> Marginals:
        """Return what the first rows say about each column (`marginals.first_marginals`)."""

    def score_rows(
        self, marginals: Marginals, rows: NDArray[np.floating], half_life: float
    ) -> tuple[Array, Marginals]:
        """Return the scores of rows before the next refresh, and what is known after them."""

    def without_given(
        self,
        rows: Array,
        design: Array,
        held: Held,
        half_life: float = NEVER,
        most: float = np.inf,
    ) -> tuple[Array, Held]:
        """Return rows without what given columns explain (`given.without_given`)."""

    def without_level(self, rows: Array, level: Level) -> tuple[Array, Level]:
        """Return contrasts of rows with those shortly before them (`drift.without_level`)."""

    def row_factors(self, rows: Array, sizes: RowSizes) -> Array:
        """Return what to multiply scored rows with (`row_sizes.row_factors`)."""

    def related(self, corr: Array, n_rows: float, thresholds: Array) -> csr_array:
        """Return which columns forward selection finds related (`neighbours.related`)."""

    def regressions(self, corr: Array, n_rows: float, thresholds: Array) -> Regressions:
        """Return the regression of each column on its neighbours (`outliers.regressions`)."""

    def scores_given_fewer(self, corr: Array, n_rows: float) -> Array:
        """Return z of every pair (`edges.scores_given_fewer`)."""

    def second_hump(self, values: Array) -> tuple[float, float]:
        """Return the mass of a second hump, and where the gap is (`populations.second_hump`)."""

    def lagged(self, unit: Array) -> Array:
        """Return sums of products of rows that are 0, 1, ... apart (`residuals.lagged`)."""

    def memories(self, rows: Array, half_life: float) -> Array:
        """Return how long columns of the first rows remember (`first_look.memories`)."""

    def suspicious(
        self,
        rows: Array,
        there: NDArray[np.bool_] | None,
        centre: Array,
        scale: Array,
        known: Regressions,
        limit: float,
    ) -> NDArray[np.bool_]:
        """Return which rows have a cell that is far off (`outliers.suspicious`)."""

    def fill(self, rows: Array, expected: Expected, row_weights: Array, covariance: Array) -> Array:
        """Return rows with their missing cells filled in (`gaps.fill`)."""

    def init(self, n_columns: int, half_life: float = NEVER) -> Any:
        """Return the state before the first row."""

    def learn(self, state: Any, rows: NDArray[np.floating]) -> Any:
        """Return the state after more rows: whole batches, as `hedge.batch_ends` cuts them."""

    def look_back(
        self, state: Any, rows: NDArray[np.floating], coefficients: csr_array | None = None
    ) -> Any:
        """Return the state with sums over the residuals of all ``rows``, the first and only ones.

        Residuals are those of regressions with these coefficients, or with the learner's own
        weights if there are none.
        From then on `learn` adds those of the rows that it learns from.
        """

    def residuals(self, state: Any) -> Residuals | None:
        """Return sums over residuals; None if `look_back` was never called."""

    def inflation_of(
        self,
        sums: Residuals,
        n_rows: float,
        *,
        tails: bool = True,
        memory: bool = True,
        divided: float = 1.0,
    ) -> Inflation:
        """Return how much less sure tests are, by these sums (`inflation.inflation_of`)."""

    def count(self, state: Any, rows: NDArray[np.floating]) -> Any:
        """Return the state with the rows of an unfinished batch in its moments, and no more."""

    def mean(self, state: Any) -> Array:
        """Return the mean of each column."""

    def moments(self, state: Any) -> Moments:
        """Return the moments of the rows; with as many numbers as there are pairs of columns."""

    def to_numpy(self, state: Any) -> Named:
        """Return all that is kept, by name; ``table`` where that is the rows themselves."""

    def from_numpy(self, arrays: Named) -> Any:
        """Return the state whose `to_numpy` these are. Every engine can begin from a table."""

    def evidence(
        self,
        state: Any,
        rows: NDArray[np.floating],
        inflation: Inflation,
        unknown: Array | None = None,
    ) -> Any:
        """Return what all rows say, those of an unfinished batch (counted before) included.

        Scores of pairs will be as much less sure as ``inflation`` says; ``unknown`` is added to
        sums of products.
        """

    def weights(self, evidence: Any) -> NDArray[np.floating]:
        """Return the matrix of Hedge's average weights: row i holds node i's."""

    def repeats(self, evidence: Any, copy: float) -> Repeats:
        """Compare all columns; a correlation that exceeds ``copy`` makes one repeat the other."""

    def part(self, evidence: Any, columns: Indices, repeats: Repeats) -> Any:
        """Return the evidence on some columns; weight on a repeated one goes to its original."""

    def find_edges(
        self, evidence: Any, error: str, loosest: float, hubs: Indices = NO_HUBS
    ) -> Edges:
        """Test every pair of columns, all of which vary, as `edges.judge_pairs` does."""
