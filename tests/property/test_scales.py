"""Units that differ by hundreds of powers of two change no bit, or are refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import HedgeGraph
from hedgerow.base.table import EdgeTable
from hedgerow.estimators import GuaranteeWarning

pytestmark = pytest.mark.filterwarnings(
    f"ignore::{GuaranteeWarning.__module__}.{GuaranteeWarning.__name__}"
)


def walk(n_rows, n_columns, seed):
    return np.cumsum(np.random.default_rng(seed).standard_normal((n_rows, n_columns)), axis=1)


@settings(max_examples=30, deadline=None)
@given(
    powers=st.lists(st.integers(-400, 400), min_size=2, max_size=8),
    n_rows=st.integers(60, 700),
    seed=st.integers(0, 2**32 - 1),
    half_life=st.sampled_from([None, 40, 500]),
)
def test_powers_of_two_change_no_bit(powers, n_rows, seed, half_life):
    rows = walk(n_rows, len(powers), seed)
    plain = HedgeGraph(half_life=half_life).fit(rows)
    scaled = HedgeGraph(half_life=half_life).fit(np.ldexp(rows, powers))
    one, other = plain.edges_, scaled.edges_
    for column in EdgeTable.COLUMNS:
        assert np.array_equal(one[column], other[column])
    unit = np.ldexp(1.0, powers)
    assert np.array_equal(plain.location_ * unit, scaled.location_)
    assert np.array_equal(plain.precision_, scaled.precision_ * unit * unit[:, None])


@settings(max_examples=40, deadline=None)
@given(
    powers=st.lists(st.integers(-1000, 1000), min_size=3, max_size=6).filter(
        lambda powers: not 470 < max(map(abs, powers)) <= 485
    ),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_scale_gives_the_same_edges_or_an_error_that_names_a_column(powers, seed):
    rows = walk(300, len(powers), seed)
    expected = HedgeGraph().fit(rows).edges_
    scaled = np.ldexp(rows, powers)
    if max(np.abs(powers)) > 485:
        with pytest.raises(ValueError, match="in column"):
            HedgeGraph().fit(scaled)
        return
    found = HedgeGraph().fit(scaled).edges_
    assert np.array_equal(found.source, expected.source)
    assert np.array_equal(found.target, expected.target)
    assert np.array_equal(found.z, expected.z)
    assert np.isfinite(found.partial_corr).all()
