"""Arithmetic made worse on purpose is noticed, by the comparisons that engines are tested by."""

import numpy as np
import pytest

from hedgerow.datasets import make
from hedgerow.engines import numba_cpu
from hedgerow.method import numpy_ref
from hedgerow.method.forgetting import NEVER
from hedgerow.method.hedge import batch_ends
from hedgerow.method.moments import Moments
from tests.engines import distances
from tests.engines.distances import beyond_rounding, learned

HALF, SINGLE = 11, 24  # bits of a number
MILLIONTH = 20
EXAMPLES = 25


def rounded(numbers, bits):
    """Return the numbers with fewer bits."""
    mantissa, exponent = np.frexp(np.asarray(numbers, dtype=np.float64))
    return np.ldexp(np.round(np.ldexp(mantissa, bits)), exponent - bits)


class Worse:
    """The compiled engine, but something in its state loses bits after every batch."""

    def __init__(self, name, bits):
        self._name, self._bits = name, bits

    def __getattr__(self, name):
        return getattr(numba_cpu, name)

    def learn(self, state, rows):
        start = 0
        for end in batch_ends(0, len(rows), float(numba_cpu.to_numpy(state)["half_life"])):
            kept = numba_cpu.to_numpy(numba_cpu.learn(state, rows[start:end]))
            worse = rounded(kept[self._name], self._bits).astype(kept[self._name].dtype)
            state, start = numba_cpu.from_numpy(kept | {self._name: worse}), end
        return state


def noticed(check, wanted=None):
    """Return what is beyond rounding in some example; look no further if all ``wanted`` is."""
    rng, found = np.random.default_rng(), set()
    for _ in range(EXAMPLES):
        found |= beyond_rounding(check(rng)).keys()
        if wanted is not None and wanted <= found:
            break
    return found


def table(rng):
    n_rows, n_columns = rng.integers(200, 700), rng.integers(5, 40)
    mixing = np.eye(n_columns) + rng.uniform() * rng.standard_normal((n_columns, n_columns))
    rows = rng.standard_normal((n_rows, n_columns)) @ mixing
    return rows * 10.0 ** rng.uniform(-5, 5, n_columns) + rng.standard_normal(n_columns)


def learning(engine):
    def check(rng):
        rows, half_life = table(rng), rng.choice([NEVER, 100.0])
        fast, slow = (learned(e, rows, half_life)[1] for e in (engine, numpy_ref))
        return distances.of_learning(fast, slow, rows, half_life)

    return check


@pytest.mark.parametrize(
    ("name", "bits", "seen_in"),
    [
        ("average", HALF, "weights"),
        ("gradient", HALF, "weights"),
        ("gradient", HALF, "gradient"),
        ("curvature", HALF, "curvature"),
        ("column_mean", SINGLE, "column_mean"),
        ("column_squares", SINGLE, "column_squares"),
    ],
)
def test_learning_with_fewer_bits_is_noticed(name, bits, seen_in):
    assert seen_in in noticed(learning(Worse(name, bits)), {seen_in})


def sums_about_zero(rows):
    """Moments whose sums are not kept about the running mean."""
    mean = rows.mean(axis=0)
    return Moments(len(rows), mean, rows.T @ rows - len(rows) * np.outer(mean, mean), len(rows), 0)


def moments_of_state(engine):
    return lambda rows: engine.moments(learned(engine, rows)[0])


@pytest.mark.parametrize(
    ("moments", "seen_in"),
    [
        (moments_of_state(Worse("mean", SINGLE)), "mean"),
        (moments_of_state(Worse("products", SINGLE)), "covariance"),
        (lambda rows: moments_of_state(numba_cpu)(rounded(rows, MILLIONTH)), "covariance"),
        (sums_about_zero, "covariance"),
    ],
    ids=["means in single precision", "products too", "rows to a millionth", "sums about zero"],
)
def test_worse_moments_are_noticed(moments, seen_in):
    def check(rng):
        rows = table(rng)
        return distances.of_moments(moments(rows), rows, NEVER)

    assert seen_in in noticed(check, {seen_in})


def edges(evidence_with, rows_bits, weights_bits):
    def check(rng):
        model = make(rng.choice(["grid", "hubs", "ar1", "erdos_renyi"]), 36, seed=rng)
        rows = model.sample(rng.integers(40, 600), rng)
        weights = distances.any_weights(rng, model.size, 0.2)
        if distances.in_doubt(rows, weights, "fdr", 1e-8):
            return check(rng)
        worse = rounded(rows, rows_bits), rounded(weights, weights_bits)
        found = numba_cpu.find_edges(evidence_with(numba_cpu, *worse), "fdr", 0.5)
        return {
            **distances.of_edges(found, rows, weights, "fdr", 0.5, 1e-8),
            **distances.of_unexplained(found, rows, 1e-8),
        }

    return check


@pytest.mark.parametrize(
    ("rows_bits", "weights_bits", "seen_in"),
    [
        (MILLIONTH, 53, {"estimate", "z", "p_value", "unexplained"}),
        (53, HALF, {"q_value"}),
    ],
    ids=["rows to a millionth", "weights in half precision"],
)
def test_worse_edges_are_noticed(evidence_with, rows_bits, weights_bits, seen_in):
    assert seen_in <= noticed(edges(evidence_with, rows_bits, weights_bits), seen_in)


def test_nothing_is_noticed_where_nothing_is_worse(evidence_with):
    assert not noticed(learning(numba_cpu))
    assert not noticed(edges(evidence_with, 53, 53))
