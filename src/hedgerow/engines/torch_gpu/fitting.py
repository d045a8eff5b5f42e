"""The whole method on a GPU: rows in, tested edges out.

The learner and the refit are those of `method.hedge` and `method.neighbours`, and the tests
those of `method.edges`. docs/gpu.md lists where the computation departs from the reference, and
by how much.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hedgerow.engines.torch_gpu import learning
from hedgerow.engines.torch_gpu.copies import originals
from hedgerow.engines.torch_gpu.devices import free_bytes
from hedgerow.engines.torch_gpu.judging import judge_pairs
from hedgerow.engines.torch_gpu.kept import Kept, kept_part, learn_kept
from hedgerow.engines.torch_gpu.layout import HALF, SINGLE, Settings, padded, whole
from hedgerow.engines.torch_gpu.learning import Weights
from hedgerow.engines.torch_gpu.looking_back import sums_of
from hedgerow.engines.torch_gpu.memory import check_memory, needed_bytes
from hedgerow.engines.torch_gpu.table import Table
from hedgerow.method.engine import Edges, Indices, Repeats
from hedgerow.method.hedge import batch_ends
from hedgerow.method.inflation import Inflation, no_inflation
from hedgerow.method.moments import SMALLEST_SPREAD, so_small
from hedgerow.method.neighbours import NO_HUBS
from hedgerow.method.residuals import Residuals

# Up to this many columns the products are float32's; beyond, float16's with float32 sums.
SINGLE_UP_TO = 8192
_ROUNDING = 1e-13  # relative spread below which a column is constant


class Evidence(NamedTuple):
    """What the tests are made from."""

    columns: Tensor  # (p, m), float64; mean 0 and mean square 1, or zeros
    varies: Tensor  # which columns are not zeros
    too_small: Tensor  # which of the others have numbers too small to tell if they vary
    weights: Weights | Kept
    settings: Settings
    inflation: Inflation


def settings_for(rows: Tensor) -> Settings:
    """Return how the numbers of a problem are held: all pairs, if there is memory for that."""
    n_rows, n_columns = rows.shape
    settings = SINGLE if n_columns <= SINGLE_UP_TO else HALF
    needed = needed_bytes(n_columns, n_rows, settings)
    return settings._replace(held=needed <= free_bytes(rows.device))


def ends_of_batches(n_rows: int) -> list[int]:
    """Return where the learner's batches end, the last of which may be unfinished.

    >>> ends_of_batches(300)[-3:]
    [272, 288, 300]
    """
    ends = batch_ends(0, n_rows)
    return ends if ends and ends[-1] == n_rows else [*ends, n_rows]


def residuals(state: Table) -> Residuals | None:
    """Return sums over the residuals of all rows; None if `look_back` was never called.

    The weights that this takes stay with the rows until the `evidence` is asked for, and the sums
    until there are more rows.
    """
    known = state.learned
    if state.looks_back and known.residuals is None:
        rows = state.rows()
        settings = settings_for(rows)
        known.weights = known.weights or learn(rows, settings)
        columns = standard_columns(rows)[0].float()
        del rows  # errors take as much memory again
        known.residuals = sums_of(known.weights.left(columns, padded(columns, settings.dtype)))
    return known.residuals


def evidence(
    state: Table,
    rows: NDArray[np.floating],
    inflation: Inflation,
    unknown: NDArray[np.float64] | None = None,
) -> Evidence:
    """Return what all rows say; those of an unfinished batch were counted before."""
    if unknown is not None:
        raise ValueError('X must have no missing cells with device="cuda"; device="cpu" fills them')
    every = state.rows()
    settings = settings_for(every)
    weights = state.learned.weights or learn(every, settings)
    settings = settings._replace(held=isinstance(weights, Weights))
    state.learned.weights = None
    return Evidence(*standard_columns(every), weights, settings, inflation)


def evidence_of_rows(rows: Tensor, settings: Settings | None = None) -> Evidence:
    """Learn from independent normal rows of shape (n_samples, n_features), where they are.

    Numbers are held as the settings say; by default, as suits the number of columns.
    """
    n_columns = rows.shape[1]
    settings = settings or settings_for(rows)
    weights = learn(rows, settings)
    return Evidence(*standard_columns(rows), weights, settings, no_inflation(n_columns))


def learn(rows: Tensor, settings: Settings) -> Weights | Kept:
    """Return Hedge's average weights after one pass over the rows.

    If the device has too little memory free for this and the tests, a MemoryError says how much is
    needed.
    """
    n_rows, n_columns = rows.shape
    needed = needed_bytes(n_columns, n_rows, settings)
    check_memory(needed, n_columns, n_rows, rows.device)
    batches = ends_of_batches(n_rows)
    standard = learning.standardise(rows, batches, settings.dtype)
    if settings.held:
        return learning.learn(standard, n_columns, batches, settings)
    return learn_kept(standard, standard_columns(rows)[0].float(), batches, settings)


def standard_columns(rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the columns, as rows, with mean 0 and mean square 1, which vary, which are too small.

    Columns that do not vary by more than rounding are zero.
    """
    columns = rows.T.contiguous().double()
    mean = columns.mean(1, keepdim=True)
    columns -= mean
    spread = columns.square().mean(1, keepdim=True).sqrt()
    varies = spread > torch.clamp(_ROUNDING * mean.abs(), min=SMALLEST_SPREAD)
    columns /= torch.where(varies, spread, torch.inf)
    tiny = so_small(mean[:, 0].cpu().numpy(), spread[:, 0].cpu().numpy())
    return columns, varies[:, 0], torch.tensor(tiny, device=columns.device)


def weights(evidence: Evidence) -> NDArray[np.float32]:
    """Return the matrix of Hedge's average weights: row i holds node i's."""
    p = len(evidence.columns)
    if isinstance(evidence.weights, Kept):
        raise MemoryError(
            f"the weights of {p} columns on each other need {4 * p**2 / 2**30:.0f} GiB; only those "
            f"that matter to the graph were kept"
        )
    values, unit = evidence.weights
    result: NDArray[np.float32] = (values[:p, :p].float() / unit).cpu().numpy()
    return result


def repeats(evidence: Evidence, copy: float) -> Repeats:
    """Compare all columns; a correlation that exceeds ``copy`` makes one repeat the other."""
    columns, varies = evidence.columns, evidence.varies
    alive = torch.nonzero(varies)[:, 0]
    original = torch.arange(len(columns), device=columns.device)
    original[alive] = alive[originals(columns[alive], copy)]
    copies = torch.nonzero(original != torch.arange(len(columns), device=columns.device))[:, 0]
    sign = torch.ones(len(columns), dtype=torch.float64, device=columns.device)
    sign[copies] = torch.sign((columns[copies] * columns[original[copies]]).sum(1))
    found = (varies, original, sign, evidence.too_small)
    return Repeats(*(each.cpu().numpy() for each in found))


def part(evidence: Evidence, columns: Indices, repeats: Repeats) -> Evidence:
    """Return the evidence on some columns; weight on a repeated one goes to its original."""
    kept = torch.tensor(columns, device=evidence.columns.device)
    about = (evidence.columns[kept], evidence.varies[kept], evidence.too_small[kept])
    inflation = evidence.inflation.part(columns)
    return Evidence(*about, _folded(evidence, kept, repeats), evidence.settings, inflation)


def _folded(evidence: Evidence, kept: Tensor, repeats: Repeats) -> Weights | Kept:
    if isinstance(evidence.weights, Kept):
        original, sign = (
            torch.tensor(each, device=kept.device) for each in (repeats.original, repeats.sign)
        )
        return kept_part(evidence.weights, evidence.columns, kept, original, sign)
    values, unit = evidence.weights
    columns = kept.cpu().numpy()
    size = whole(len(kept))
    result = torch.zeros((size, size), dtype=values.dtype, device=values.device)
    folded = result[: len(kept), : len(kept)]
    folded.copy_(values[kept][:, kept])
    place = dict(zip(columns.tolist(), range(len(columns))))
    for copy in np.flatnonzero(repeats.original != np.arange(len(repeats.original))):
        folded[:, place[int(repeats.original[copy])]] += repeats.sign[copy] * values[kept, copy]
    folded.fill_diagonal_(0)
    return Weights(result, unit)


def find_edges(evidence: Evidence, error: str, loosest: float, hubs: Indices = NO_HUBS) -> Edges:
    """Test every pair of columns, all of which vary (`edges.judge_pairs`)."""
    columns, weights, settings = evidence.columns.float(), evidence.weights, evidence.settings
    return judge_pairs(columns, weights, error, settings, loosest, evidence.inflation, hubs)
