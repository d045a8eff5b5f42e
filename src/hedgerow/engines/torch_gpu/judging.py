"""The tests of `hedgerow.method.edges` on all pairs, with no more of them listed than can be edges.

Sums and counts over all pairs give the weights of the groups of pairs. Then the pairs beyond a cut
are listed, tested again one by one from the rows, and corrected for the number of all pairs.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from hedgerow.engines.torch_gpu import pairs, selection
from hedgerow.engines.torch_gpu.layout import Settings, padded
from hedgerow.engines.torch_gpu.learning import Weights
from hedgerow.engines.torch_gpu.scores import two_sided, z_at
from hedgerow.method.groups import CENTRE, GROUP_ENDS, merged_labels, smallest_group
from hedgerow.method.levels import agreement_margins, asks_both
from hedgerow.method.multiplicity import group_priors, null_shares_of_counts
from hedgerow.method.neighbours import MOST_NEIGHBOURS, SELECTION_LEVEL
from hedgerow.method.promises import BALANCED
from hedgerow.progress import report

# For the false discovery rate, pairs are listed down to a p-value at which about this many nulls
# per column are, but not beyond the other; and if need be so many that no edge is missed.
_LISTED_PER_COLUMN = 2
_LEAST_STRICT = 0.25
_FEW_PAIRS = 1 << 20  # up to this many, all can be listed
# For the familywise error, about this many nulls are listed in all.
_LISTED_FOR_FWER = 100


class PairTests(NamedTuple):
    """Tests of the pairs that may be edges; the others have larger q-values."""

    source: Tensor
    target: Tensor
    partial_corr: Tensor
    z: Tensor
    p_value: Tensor
    q_value: Tensor
    unexplained: Tensor  # for each node: share of its variance its neighbours do not explain


def judge_pairs(
    columns: Tensor, weights: Weights, error: str, settings: Settings, loosest: float
) -> PairTests:
    """Test every pair of variables; return those that may be edges.

    Parameters
    ----------
    columns : (p, m), each with mean 0 and mean square 1, in float32
    weights : Hedge's
    error : "fdr", "fwer" or "balanced", as in `hedgerow.method.edges.judge_pairs`
    settings : those that the weights were learned with
    loosest : level up to which q-values are of interest
    """
    fast = padded(columns, settings.dtype)
    rules = selection.Rules(SELECTION_LEVEL, MOST_NEIGHBOURS)
    refit = selection.refit(columns, fast, rules, settings)
    evidence = pairs.gather(columns, fast, refit, weights, settings)
    test = _Test(evidence, error, both=False)
    report("asking Hedge", 2 / 3)  # two of three sweeps over all pairs
    listed, q_value, z = test.judge(loosest)
    report("asking Hedge", 1.0)
    p, m = columns.shape
    if asks_both(p, m, error):
        also, q_both, _ = _Test(evidence, error, both=True).judge(loosest)
        q_value = torch.maximum(q_value, _looked_up(listed, also, q_both))
    return PairTests(
        source=listed // p,
        target=listed % p,
        partial_corr=pairs.estimates(evidence, listed),
        z=z,
        p_value=two_sided(z),
        q_value=q_value,
        unexplained=refit.unexplained,
    )


class _Test:
    """One of the two statistics of all pairs, with Hedge as its witness."""

    def __init__(self, evidence: pairs.Evidence, error: str, *, both: bool) -> None:
        self.evidence, self.error, self.both = evidence, error, both
        self.p, self.m = evidence.columns.shape
        self.n_pairs = self.p * (self.p - 1) // 2
        self.ends = torch.tensor(GROUP_ENDS, device=evidence.columns.device)
        self.joined = pairs.joined(evidence.refit)
        self.tiles = pairs.Tiles(evidence, self.joined, both=both)
        self.joined_scores = self._one_by_one(self.joined)
        self.shared = self._shared(self.joined_scores)
        counts = self.tiles.group_counts(self.shared, z_at(0.5), self.ends)
        self.weights = self._weights(counts + self._counts(self.joined_scores))

    def judge(self, loosest: float) -> tuple[Tensor, Tensor, Tensor]:
        """Return the pairs that may be edges, in order, with their q-values and z."""
        cut = 2 * _LISTED_PER_COLUMN / self.p
        if self.error == "fwer":
            cut = _LISTED_FOR_FWER / self.n_pairs
        last = max(_LEAST_STRICT, min(1.0, _FEW_PAIRS / self.n_pairs))
        cut = min(cut, last)
        while True:
            listed, scores = self._listed(cut)
            q_value, reached = self._judged(scores, cut)
            # Pairs that are not listed can only make q-values too large, and hardly any of
            # interest if at the cut more than this share of the pairs must be expected false.
            complete = self.error == "fwer" or cut * self.n_pairs > loosest * reached
            if complete or cut == last:
                return listed, q_value, scores.z
            cut = min(4 * cut, last)

    def _one_by_one(self, some: Tensor) -> pairs.Scores:
        careful = self.error == "fwer"
        return pairs.one_by_one(self.evidence, some, both=self.both, careful=careful)

    def _shared(self, joined: pairs.Scores) -> float:
        products, squares = self.tiles.shared(CENTRE)
        z = torch.where(joined.z.abs() < CENTRE, joined.z, 0.0)
        products += float((joined.witness * z).sum())
        return products / max(squares + float(z @ z), 1e-12)

    def _groups(self, scores: pairs.Scores) -> Tensor:
        surplus = torch.sign(scores.z) * (scores.witness - self.shared * scores.z)
        return torch.searchsorted(-self.ends, -surplus)

    def _counts(self, scores: pairs.Scores) -> Tensor:
        """Return sizes and numbers of large p-values of the groups that these pairs are in."""
        group = self._groups(scores)
        n_groups = len(self.ends) + 1
        large = group[two_sided(scores.z) > 0.5]
        return torch.stack([torch.bincount(g, minlength=n_groups) for g in (group, large)], dim=1)

    def _weights(self, counts: Tensor) -> Tensor:
        """Return the weight of the pairs of each group."""
        size, above = counts.cpu().numpy().T
        label = merged_labels(size, smallest_group(self.p))
        size, above = np.bincount(label, weights=size), np.bincount(label, weights=above)
        share = null_shares_of_counts(size.astype(np.int64), above)
        weights = group_priors(share, size, count_nulls_only=self.error != "fwer")
        return torch.tensor(weights[label], device=counts.device)

    def _listed(self, cut: float) -> tuple[Tensor, pairs.Scores]:
        """Return the pairs beyond the cut, and those that the refit joins, with their scores."""
        cuts = torch.tensor([z_at(cut * max(w, 1.0)) for w in self.weights.tolist()])
        agreement = (z_at(cut), *agreement_margins(self.p, self.m, self.error))
        capacity, number = 0, 64 * self.p
        while number > capacity:
            capacity = number
            found, number = self.tiles.listed(
                self.shared, self.ends, cuts.to(self.ends.device), agreement, capacity
            )
        scores = self._one_by_one(found)
        listed, order = torch.cat([found, self.joined]).sort()
        together = (torch.cat(parts)[order] for parts in zip(scores, self.joined_scores))
        return listed, pairs.Scores(*together)

    def _judged(self, scores: pairs.Scores, cut: float) -> tuple[Tensor, int]:
        """Return the q-values of listed pairs, and how many of them are beyond the cut."""
        weighted = (two_sided(scores.z) / self.weights[self._groups(scores)]).clamp(max=1.0)
        q_value, beyond = self._adjust(weighted), int((weighted <= cut).sum())
        if self.error == BALANCED:
            return q_value, beyond
        off_witness, off_z = agreement_margins(self.p, self.m, self.error)
        agreement = torch.maximum(
            torch.sign(scores.z) * scores.witness - off_witness, scores.z.abs() - off_z
        )
        agreed = two_sided(agreement.clamp(min=0.0))
        return torch.maximum(q_value, self._adjust(agreed)), beyond

    def _adjust(self, p_value: Tensor) -> Tensor:
        """Return adjusted p-values, where all pairs that are not listed have larger p-values."""
        rank = torch.arange(len(p_value), device=p_value.device)
        value, order = torch.sort(p_value)
        if self.error == "fwer":
            value = torch.cummax(value * (self.n_pairs - rank), 0).values
        else:
            value = value * self.n_pairs / (rank + 1)
            value = torch.cummin(value.flip(0), 0).values.flip(0)
        return torch.empty_like(value).index_copy_(0, order, value.clamp(max=1.0))


def _looked_up(wanted: Tensor, listed: Tensor, q_value: Tensor) -> Tensor:
    """Return the q-values of wanted pairs, one for those not in the list; both are in order."""
    place = torch.searchsorted(listed, wanted).clamp(max=len(listed) - 1)
    return torch.where(listed[place] == wanted, q_value[place], 1.0)
