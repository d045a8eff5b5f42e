"""Error rates on columns of steps, yes or no, counts and zeros, from enough data sets to be sure.

As in `test_kinds_smoke`: a program that keeps its promises fails any test here with a probability
of at most FALSE_ALARM, and one whose error rate is doubled passes it with 1 % at most.
"""

from zlib import crc32

import numpy as np
from scipy import special

from benchmarks.quality.kinds import FAMILIES
from benchmarks.quality.kinds import rows_of as normal_rows
from tests.reference.error_rates import (
    FALSE_ALARM,
    MOST,
    assert_doubled_would_be_noticed,
    assert_kept,
)

P = 16
ROWS = (10 * P, 40 * P)
ALONE = FALSE_ALARM / 2  # for each promise


def cut(z, rng, n_steps):
    """Return steps whose shares are random, none of them below a twentieth or so."""
    shares = np.maximum(rng.dirichlet(np.full(n_steps, 3.0)), 0.05)
    return np.searchsorted(special.ndtri(np.cumsum(shares / shares.sum())[:-1]), z)


def yes_or_no(z, rng):
    return z > special.ndtri(rng.uniform(0.1, 0.9))


def zeros(z, rng):
    return np.maximum(z - special.ndtri(rng.uniform(0.3, 0.7)), 0.0)


def counts(z, rng):
    rate, spread = np.exp(rng.uniform(np.log(0.5), np.log(20))), rng.uniform(0.5, 1.0)
    return rng.poisson(rate * np.exp(spread * z - spread**2 / 2))


SHAPES = (
    lambda z, rng: cut(z, rng, 5),
    lambda z, rng: cut(z, rng, 7),
    yes_or_no,
    zeros,
    counts,
    lambda z, rng: np.exp(z),
)


def mixed(family, n_rows, seed):
    """Return a model and rows whose columns have shapes drawn at random."""
    model, z = normal_rows("normal", family, P, n_rows, seed)
    rng = np.random.default_rng([crc32(family.encode()), n_rows, seed, 1])
    shapes = rng.integers(len(SHAPES), size=P)
    columns = [SHAPES[shape](column, rng) for shape, column in zip(shapes, z.T, strict=True)]
    return model, np.column_stack(columns).astype(float)


def test_error_rates_are_kept_in_mixed_tables():
    drawn = np.random.default_rng(0)
    data_sets = (mixed(drawn.choice(FAMILIES), drawn.choice(ROWS), seed) for seed in range(MOST))
    assert_kept(data_sets, ALONE)


def test_a_doubled_error_rate_would_be_noticed():
    assert_doubled_would_be_noticed(ALONE)
