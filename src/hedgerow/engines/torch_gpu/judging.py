"""The tests of `hedgerow.method.edges` on all pairs, with no more of them listed than can be edges.

The device sums and counts over all pairs, and lists those beyond the cuts that follow from the
counts. Listed pairs are tested again one by one from the rows, and their scores are brought to the
host: what is decided about them is decided by the functions that all engines share.
"""

import numpy as np
import torch
from torch import Tensor

from hedgerow.engines.shared.listing import (
    Asked,
    Counts,
    Judged,
    Plan,
    count_scores,
    covers,
    levels_of_listed,
    plan,
    worse,
)
from hedgerow.engines.torch_gpu import pairs, selection, tiles
from hedgerow.engines.torch_gpu.calm import calm_of
from hedgerow.engines.torch_gpu.kept import Kept
from hedgerow.engines.torch_gpu.layout import Settings, padded
from hedgerow.engines.torch_gpu.learning import Weights
from hedgerow.engines.torch_gpu.scores import z_at
from hedgerow.method.engine import Edges, Indices
from hedgerow.method.groups import central_sums, shared_part
from hedgerow.method.inflation import Inflation
from hedgerow.method.intervals import standard_errors
from hedgerow.method.levels import MIN_ROWS, agreement_margins, asks_both
from hedgerow.method.neighbours import MOST_NEIGHBOURS, NO_HUBS, SELECTION_LEVEL
from hedgerow.method.scores import two_sided
from hedgerow.progress import report

# P-values up to so many times what a sample of pairs makes interesting are listed while all are
# counted; if that was too few, all are gone through once more.
_SLACK = 4.0


def judge_pairs(
    columns: Tensor,
    weights: Weights | Kept,
    error: str,
    settings: Settings,
    loosest: float,
    inflation: Inflation,
    hubs: Indices = NO_HUBS,
) -> Edges:
    """Test every pair of variables; return those with q-values up to ``loosest``.

    Parameters
    ----------
    columns : (p, m), each with mean 0 and mean square 1, in float32
    weights : Hedge's
    error : "fdr", "fwer" or "balanced", as in `hedgerow.method.edges.judge_pairs`
    settings : those that the weights were learned with
    loosest : level up to which q-values are of interest
    inflation : how much less sure scores are than those of independent normal rows
    hubs : variables that all others are given as neighbours, before any are chosen
    """
    p, m = columns.shape
    n_rows = max(m / inflation.per_effective, float(MIN_ROWS))
    fast = padded(columns, settings.dtype)
    rules = selection.Rules(SELECTION_LEVEL, MOST_NEIGHBOURS, n_rows, tuple(hubs.tolist()))
    refit = selection.refit(columns, fast, rules, settings)
    calm = calm_of(inflation, settings, columns.device)
    material = pairs.gather(columns, fast, refit, weights, settings, calm)
    judged = _judge(material, error, loosest, both=False)
    sizes = refit.sizes.cpu().numpy()
    if asks_both(p, n_rows, error):
        report("asking Hedge", 0.5)
        judged = worse(judged, _judge(material, error, loosest, both=True), sizes, error)
    report("asking Hedge", 1.0)
    keep = judged.q_value <= loosest
    pair, z = judged.pair[keep], judged.z[keep]
    estimates = pairs.estimates(material, torch.tensor(pair, device=columns.device))
    source, target = np.divmod(pair, p)
    chosen_by = torch.bincount(refit.neighbours[refit.neighbours >= 0], minlength=p)
    used = np.maximum(sizes[source], sizes[target])
    return Edges(
        source,
        target,
        partial_corr=estimates.cpu().numpy(),
        z=z,
        p_value=two_sided(z),
        q_value=judged.q_value[keep],
        spread=standard_errors(m, inflation, source, target, used),
        unexplained=refit.unexplained.cpu().numpy(),
        chosen_by=chosen_by.cpu().numpy(),
    )


def _judge(material: pairs.Material, error: str, loosest: float, *, both: bool) -> Judged:
    """Return all pairs that can have a q-value up to ``loosest``, by one of the two statistics.

    Pairs that the refit joins, or an exceptional weight, are tested one by one from the beginning.
    """
    p, calm = len(material.columns), material.calm
    margins, careful = agreement_margins(p, material.refit.n_rows, error), error == "fwer"
    apart = pairs.told_apart(material.refit, material.weights)
    known = pairs.one_by_one(material, apart, both=both, careful=careful)
    every = tiles.Tiles(material, apart, both=both)
    shared = shared_part(*np.add(every.central_sums(), central_sums(*known)).tolist())
    least = z_at(loosest)  # no adjusted p-value is below the p-value
    of_known = count_scores(*known, shared, margins)
    rounding = material.settings.rounding * (1.0 if calm is None else calm.largest)

    def planned(counts: tuple[Counts, Counts], slack: float = 1.0) -> Plan:
        by_group, by_agreement = map(np.add, counts, of_known)
        return plan(by_group, by_agreement, p, error, loosest, rounding, slack)

    counts, found = every.count(shared, margins, least, sample=True), None
    if every.every > 1:
        early = planned(counts, _SLACK)
        counts, found = every.count_and_list(shared, margins, least, early.cuts, early.cut)
        found = found if covers(early, planned(counts)) else None
    priors, cuts, cut = planned(counts)
    if found is None:
        found = every.listed(shared, margins, cuts, cut)
    tested = pairs.one_by_one(material, found, both=both, careful=careful)
    z, witness = (np.concatenate(parts) for parts in zip(known, tested))
    q_value = levels_of_listed(z, witness, Asked(shared, margins, p, error), priors)
    return Judged(torch.cat([apart, found]).cpu().numpy(), z, q_value)
