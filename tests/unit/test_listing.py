"""Cuts that come from a sample of pairs leave room for what the sample missed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.engines.shared.listing import BINS, PER_BIN, covers, plan
from hedgerow.method.groups import GROUP_ENDS

COLUMNS = 400


def counts_of(seed, n_edges):
    """Return the counts of pairs without an edge, and of some clear ones in promising groups."""
    rng = np.random.default_rng(seed)
    groups = len(GROUP_ENDS) + 1
    by_group = np.zeros((groups, BINS), dtype=np.int64)
    n_pairs = COLUMNS * (COLUMNS - 1) // 2
    size = np.minimum(np.abs(rng.standard_normal(n_pairs)) * PER_BIN, BINS - 1).astype(int)
    np.add.at(by_group, (rng.integers(0, groups, n_pairs), size), 1)
    strong = rng.integers(BINS // 2, BINS, n_edges)
    np.add.at(by_group, (rng.integers(0, 5, n_edges), strong), 1)
    return by_group, by_group.sum(axis=0, keepdims=True)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0, 3, 300]),
    st.sampled_from(["fdr", "fwer"]),
    st.floats(1.5, 10.0),
)
def test_slack_lists_all_that_the_counts_themselves_ask_for(seed, n_edges, error, slack):
    counts = counts_of(seed, n_edges)
    final = plan(*counts, COLUMNS, error, 0.5)
    early = plan(*counts, COLUMNS, error, 0.5, slack=slack)
    assert covers(early, final)
    assert np.isfinite(early.cuts).any()
    assert np.isfinite(early.cut)
    np.testing.assert_array_equal(early.priors, final.priors)


@pytest.mark.parametrize("error", ["fdr", "fwer"])
def test_cuts_that_leave_out_pairs_are_found_out(error):
    few = plan(*counts_of(0, 300), COLUMNS, error, 0.5)
    assert covers(few, few)
    assert not covers(few._replace(cut=few.cut + 1.0), few)
    assert not covers(few._replace(cuts=few.cuts + 0.1), few)
