"""The prior of every pair in the correction for many tests: the mean over several groupings.

Pairs are grouped by how much more related Hedge finds them than the refit does, by the part of
their correlation that neighbours explain, and by how many neighbours they have. A pair of a
promising group is given a larger prior. Where a grouping says nothing its priors are all near one,
and the others keep their part of what they say (docs/theory.md, section 11).
"""

import numpy as np
from numpy.typing import NDArray

from hedgerow.method.company import Company, degree_groups, explained_groups
from hedgerow.method.groups import (
    FEWEST_PAIRS,
    central_sums,
    merged_labels,
    shared_part,
    smallest_group,
    surplus_groups,
)
from hedgerow.method.multiplicity import group_priors, null_shares
from hedgerow.method.scores import two_sided

Array = NDArray[np.float64]


def weighs_agreement(n_columns: int, error: str) -> bool:
    """Return whether Hedge's agreement is weighted by the priors, too.

    Measured (docs/theory.md, section 12): where groups can be no smaller, because columns are few,
    the share of false edges rises with it.
    """
    return error == "fdr" and n_columns // 2 >= FEWEST_PAIRS


def pair_priors(
    z: Array,
    witness: Array,
    n_columns: int,
    *,
    count_nulls_only: bool,
    company: Company | None = None,
) -> Array:
    """Return the prior of every pair.

    Without its company, it is that of how much more related Hedge finds it than the refit does.
    """
    groupings = [surplus_groups(z, witness, shared_part(*central_sums(z, witness)))]
    if company is not None:
        of_degree = degree_groups(np.bincount(company.degree), n_columns)
        groupings += [explained_groups(z, company.explained), of_degree[company.degree]]
    p_values = two_sided(z)
    priors = np.zeros(len(z))
    for groups in groupings:
        merged = merged_labels(np.bincount(groups), smallest_group(n_columns))[groups]
        share = null_shares(p_values, merged)
        size = np.bincount(merged)
        priors += group_priors(share, size, count_nulls_only=count_nulls_only)[merged]
    return priors / len(groupings)
