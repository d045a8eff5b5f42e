"""The whole method on a GPU: rows in, tested edges out.

The learner and the refit are those of `hedgerow.hedge` and `hedgerow.neighbours`, and the tests
those of `hedgerow.edges`. docs/gpu.md lists where the computation departs from the reference, and
by how much.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from hedgerow.edges import MIN_ROWS
from hedgerow.engines.torch_gpu import learning
from hedgerow.engines.torch_gpu.copies import originals
from hedgerow.engines.torch_gpu.judging import PairTests, judge_pairs
from hedgerow.engines.torch_gpu.layout import HALF, SINGLE, Settings, whole
from hedgerow.engines.torch_gpu.learning import Weights
from hedgerow.engines.torch_gpu.memory import check_memory
from hedgerow.hedge import batch_size

# Up to this many columns the products are float32's; beyond, float16's with float32 sums.
SINGLE_UP_TO = 8192
COPY = 1.0 - 1e-10  # a larger correlation than this is rounding away from one
ROUNDING = 1e-13  # relative spread below which a column is constant


class Found(NamedTuple):
    """What the rows say about the graph."""

    tests: PairTests
    constant: Tensor  # columns that never varied
    copies: Tensor  # columns that repeat an earlier one ...
    originals: Tensor  # ... and that one
    tested: Tensor  # the columns that ``tests.unexplained`` speaks of


def settings_for(n_columns: int) -> Settings:
    """Return how the numbers of a problem of this size are held."""
    return SINGLE if n_columns <= SINGLE_UP_TO else HALF


def ends_of_batches(n_rows: int) -> list[int]:
    """Return where the learner's batches end.

    >>> ends_of_batches(300)[-3:]
    [272, 288, 300]
    """
    ends = [0]
    while ends[-1] < n_rows:
        ends.append(min(ends[-1] + batch_size(ends[-1]), n_rows))
    return ends[1:]


def edges_of_rows(rows: Tensor, error: str, settings: Settings | None = None) -> Found:
    """Learn from the rows and test all pairs of columns, on the device where the rows are.

    Constant columns and copies of earlier columns are not tested.

    Parameters
    ----------
    rows : tensor of shape (n_samples, n_features), at least five rows
    error : "fdr" for the false discovery rate, "fwer" for the familywise error rate
    settings : how numbers are held; by default, what suits the number of columns

    Raises
    ------
    MemoryError
        If the device has too little memory free; it says how much is needed.
    """
    m, p = rows.shape
    if m < MIN_ROWS:
        raise ValueError(f"rows must be at least {MIN_ROWS}, got {m}")
    settings = settings or settings_for(p)
    check_memory(p, m, settings, rows.device)
    weights = learn(rows, settings)
    columns, varies = standard_columns(rows)
    original = torch.arange(p, device=rows.device)
    original[varies] = torch.nonzero(varies)[:, 0][originals(columns[varies], COPY)]
    tested = torch.nonzero(varies & (original == torch.arange(p, device=rows.device)))[:, 0]
    copies = torch.nonzero(original != torch.arange(p, device=rows.device))[:, 0]
    if len(tested) < p:
        weights = _part(weights, columns, original, copies, tested)
        columns = columns[tested]
    tests = judge_pairs(columns.float(), weights, error, settings)
    tests = tests._replace(source=tested[tests.source], target=tested[tests.target])
    return Found(tests, torch.nonzero(~varies)[:, 0], copies, original[copies], tested)


def learn(rows: Tensor, settings: Settings) -> Weights:
    """Return Hedge's average weights after one pass over the rows."""
    batches = ends_of_batches(len(rows))
    standard = learning.standardise(rows, batches, settings.dtype)
    return learning.learn(standard, rows.shape[1], batches, settings)


def standard_columns(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return the columns, as rows, with mean 0 and mean square 1, and which of them vary.

    Columns that do not vary by more than rounding are zero.
    """
    columns = rows.T.contiguous().double()
    mean = columns.mean(1, keepdim=True)
    columns -= mean
    spread = columns.square().mean(1, keepdim=True).sqrt()
    varies = spread > ROUNDING * mean.abs()
    columns /= torch.where(varies, spread, torch.inf)
    return columns, varies[:, 0]


def _part(
    weights: Weights, columns: Tensor, original: Tensor, copies: Tensor, tested: Tensor
) -> Weights:
    """Return the weights of the tested columns; what was put on a copy goes to its original."""
    sign = torch.sign((columns[copies] * columns[original[copies]]).sum(1))
    values = weights.values
    for copy, first, turned in zip(copies.tolist(), original[copies].tolist(), sign.tolist()):
        values[:, first] += turned * values[:, copy]
    values.fill_diagonal_(0)
    size = whole(len(tested))
    part = torch.zeros((size, size), dtype=values.dtype, device=values.device)
    part[: len(tested), : len(tested)] = values[tested][:, tested]
    return Weights(part, weights.unit)
