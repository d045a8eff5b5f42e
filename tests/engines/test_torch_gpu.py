"""The GPU engine against the readable reference, on a GPU or in Triton's interpreter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

pytest.importorskip("torch", reason="torch is not installed: make test-gpu tests this")
pytest.importorskip("triton", reason="triton is not installed: make test-gpu tests this")

import torch

from hedgerow.datasets import make
from hedgerow.engines.shared import listing
from hedgerow.engines.torch_gpu import calm as calm_module
from hedgerow.engines.torch_gpu import (
    copies,
    fitting,
    learning,
    looking_back,
    memory,
    pairs,
    scores,
    selection,
    tiles,
)
from hedgerow.engines.torch_gpu.calm import calm_of
from hedgerow.engines.torch_gpu.layout import HALF, SINGLE, padded
from hedgerow.method import edges, hedge, neighbours
from hedgerow.method.groups import GROUP_ENDS
from hedgerow.method.inflation import Inflation, calming, no_inflation, of_pairs
from hedgerow.method.levels import agreement_scores
from hedgerow.method.residuals import first_residuals
from tests.engines.distances import any_weights

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
# Every batch's weights are averaged, as in the reference.
EXACT_HALF = HALF._replace(averages=SINGLE.averages)
BOTH = pytest.mark.parametrize("held", [SINGLE, EXACT_HALF], ids=["single", "half"])
# Weights and scores of all pairs are not held, but made again.
AGAIN = EXACT_HALF._replace(held=False)
ALL = pytest.mark.parametrize("held", [SINGLE, EXACT_HALF, AGAIN], ids=["single", "half", "again"])


def rules(n_rows: float) -> selection.Rules:
    return selection.Rules(neighbours.SELECTION_LEVEL, neighbours.MOST_NEIGHBOURS, n_rows)


def factors(p: int, n_lags: int, seed: int | None = None) -> Inflation:
    """Factors as rows of unlike size that remember have them: some pairs', much above others'."""
    rng = np.random.default_rng(seed)
    echoes = rng.uniform(-0.2, 0.9, (p, 1)) ** np.arange(1, n_lags + 1) * np.sqrt(2.0)
    found = Inflation(rng.uniform(0.9, 1.4, p), echoes, 1.0, common=1.1)
    return found._replace(typical=float(np.median(of_pairs(found, *np.triu_indices(p, 1)))))


def mixed_rows(p: int, m: int, seed: int | None = None) -> np.ndarray:
    """A chain, triangles, and columns of very different scales."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((m, p))
    rows[:, : p // 4] = np.cumsum(rows[:, : p // 4], axis=1)
    for a in range(p // 4, p - 2, 3):
        rows[:, a + 1] += 0.4 * rows[:, a]
        rows[:, a + 2] += 0.4 * rows[:, a] - 0.4 * rows[:, a + 1]
    return rows * 10.0 ** rng.uniform(-3, 3, p) + rng.standard_normal(p)


def reference_average(rows: np.ndarray, averages: int = SINGLE.averages) -> np.ndarray:
    """Average the reference's weights as often as asked; by default, as the reference does."""
    batches = fitting.ends_of_batches(len(rows))
    shares = learning.average_shares(batches, len(rows) // averages)
    state, start, average = hedge.init(rows.shape[1]), 0, 0.0
    for share, stop in zip(shares, batches):
        radius = hedge.unit_radius(state.matched, state.squared)
        weights = radius[:, None] * hedge.unit_weights(state.gradient, state.curvature)
        average = average + share * (weights - average)
        state = hedge.update(state, rows[start:stop])
        start = stop
    if averages == SINGLE.averages:
        np.testing.assert_allclose(average, state.average, atol=1e-12)
    return average


# With half precision, a choice that is a tie to three digits can fall the other way. Such data are
# rare, not absent: tests that compare choices use the same rows every time.
def seed_for(held) -> int | None:
    return None if held is SINGLE else 0


def found(rows: np.ndarray, error: str, held, inflation: Inflation):
    evidence = fitting.evidence_of_rows(on_device(rows), held)
    return fitting.find_edges(evidence._replace(inflation=inflation), error, 0.5)


def on_device(rows: np.ndarray) -> torch.Tensor:
    return torch.tensor(rows, device=DEVICE)


@BOTH
@pytest.mark.usefixtures("large_blocks")
@pytest.mark.parametrize("m", [6, 100, 290])
def test_average_weights_are_those_of_the_reference(held, m):
    rows = mixed_rows(40, m)
    weights = fitting.learn(on_device(rows), held)
    average = weights.values[:40, :40].double().cpu().numpy() / weights.unit
    expected = reference_average(rows)
    error = np.linalg.norm(average - expected) / max(np.linalg.norm(expected), 1e-12)
    assert error < (1e-5 if held is SINGLE else 3e-3)
    assert not weights.values[40:].any()


@pytest.mark.usefixtures("large_blocks")
def test_weights_in_between_are_interpolated():
    rows = mixed_rows(40, 290)
    weights = fitting.learn(on_device(rows), SINGLE._replace(averages=4))
    average = weights.values[:40, :40].double().cpu().numpy()
    np.testing.assert_allclose(average, reference_average(rows, 4), atol=1e-5)


@pytest.mark.parametrize("family", ["grid", "star"])
def test_averaging_less_often_changes_little(family):
    """By what docs/gpu.md says, and a little more for other rows."""
    rows = make(family, 100).sample(2000)
    seldom, always = reference_average(rows, HALF.averages), reference_average(rows)
    assert np.linalg.norm(seldom - always) < 0.02 * np.linalg.norm(always)


@given(st.integers(1, 3000), st.integers(1, 100))
def test_shares_make_an_average_in_which_rows_count_by_their_number(n_rows, averages):
    batches = fitting.ends_of_batches(n_rows)
    total, middle = 0.0, 0.0
    # The average of the row at which each batch begins must not depend on what is left out.
    for share, start in zip(
        learning.average_shares(batches, n_rows // averages), [0, *batches[:-1]]
    ):
        total, middle = total + share * (1.0 - total), middle + share * (start - middle)
    starts, ends = np.array([0, *batches[:-1]]), np.array(batches)
    assert total == pytest.approx(1.0)
    assert middle == pytest.approx((ends**2 - starts**2) @ starts / n_rows**2)


def test_strips_of_nodes_do_not_change_the_weights(monkeypatch):
    rows = on_device(mixed_rows(150, 40))
    whole = fitting.learn(rows, SINGLE)
    monkeypatch.setattr(learning, "STRIP_BYTES", 1)
    torch.testing.assert_close(fitting.learn(rows, SINGLE).values, whole.values, rtol=0, atol=1e-6)


@BOTH
@pytest.mark.parametrize("n_rows", [400.0, 90.5])
def test_refit_is_that_of_the_reference(held, n_rows):
    rows = mixed_rows(60, 400, seed_for(held))
    fitted = neighbours.refit(np.corrcoef(rows.T), n_rows)
    columns = fitting.standard_columns(on_device(rows))[0].float()
    mine = selection.refit(columns, padded(columns, held.dtype), rules(n_rows), held)
    dense = np.zeros((60, 60))
    for node in range(60):
        size = int(mine.sizes[node])
        dense[node, mine.neighbours[node, :size].cpu()] = mine.coefficients[node, :size].cpu()
    np.testing.assert_allclose(dense, fitted.coefficients.toarray(), atol=1e-4)
    np.testing.assert_allclose(mine.unexplained.cpu(), fitted.residual, rtol=1e-4)


@BOTH
def test_hubs_are_given_to_all_as_in_the_reference(held):
    rows = mixed_rows(60, 400, seed_for(held))
    hubs = np.array([3, 41])
    fitted = neighbours.refit(np.corrcoef(rows.T), 400.0, hubs)
    columns = fitting.standard_columns(on_device(rows))[0].float()
    known = rules(400.0)._replace(hubs=(3, 41))
    mine = selection.refit(columns, padded(columns, held.dtype), known, held)
    dense = np.zeros((60, 60))
    for node in range(60):
        size = int(mine.sizes[node])
        dense[node, mine.neighbours[node, :size].cpu()] = mine.coefficients[node, :size].cpu()
    np.testing.assert_allclose(dense, fitted.coefficients.toarray(), atol=1e-4)


@BOTH
@pytest.mark.usefixtures("large_blocks", "by_surplus_alone")
@pytest.mark.parametrize(
    ("error", "m", "calmed"),
    [
        *((error, m, False) for error in ("fdr", "fwer") for m in (70, 160)),
        ("balanced", 70, False),
        *((error, m, True) for error in ("fdr", "fwer") for m in (160, 280)),
    ],
)
def test_edges_are_those_of_the_reference(held, error, m, calmed):
    p = 90
    rows = mixed_rows(p, m, seed_for(held))
    average = reference_average(rows)
    inflation = factors(p, 20, seed_for(held)) if calmed else no_inflation(p)
    expected = edges.judge_pairs(np.corrcoef(rows.T), m, average, error, inflation)
    q_value, z = np.ones((p, p)), np.zeros((p, p))
    upper = np.triu_indices(p, 1)
    q_value[upper], z[upper] = expected.q_value, expected.z

    listed = found(rows, error, held, inflation)
    i, j = listed.source, listed.target
    mine = np.ones((p, p))
    mine[i, j] = listed.q_value
    # A normal tail changes by a factor of at most exp((|z| + 1) dz). With half precision a pair can
    # fall into the next group, and groups this small then change their priors visibly.
    factor = 1 + 1e-4 * (1 + np.abs(z)) ** 2 if held is SINGLE else np.full((p, p), 1.5)
    here, there = mine < 0.5, q_value < 0.5 / factor
    assert (q_value[here] < (factor * mine)[here] + 1e-12).all()
    assert (mine[there] < (factor * q_value)[there] + 1e-12).all()
    surely = np.abs(z[i, j]) < 20
    np.testing.assert_allclose(listed.z[surely], z[i, j][surely], atol=2e-3)


def test_listed_pairs_are_calmed_as_the_reference_does(monkeypatch):
    inflation, (i, j) = factors(50, 70), np.triu_indices(50, 1)
    calm = calm_of(inflation, SINGLE, torch.device(DEVICE))
    monkeypatch.setattr(calm_module, "_CHUNK_BYTES", 10**6)
    mine = calm_module.shares(calm, on_device(i), on_device(j)).cpu().numpy()
    # Factors are in single precision, their products and sums in double; half of that in a root.
    np.testing.assert_allclose(mine, calming(inflation, i, j), rtol=4 * np.finfo(np.float32).eps)
    assert mine.max() <= calm.largest * (1 + 1e-6)
    assert calm_of(no_inflation(50), SINGLE, torch.device(DEVICE)) is None


@BOTH
def test_hedge_leaves_what_its_weights_do_not_explain(held):
    p, m = 60, 300
    rng = np.random.default_rng()
    columns = rng.standard_normal((p, m))
    weights = any_weights(rng, p, 0.1)
    values = np.zeros((128, 128))
    values[:p, :p] = weights
    own = learning.Weights(on_device(values * held.weight_unit).to(held.dtype), held.weight_unit)
    single = on_device(columns).float()
    mine = own.left(single, padded(single, held.dtype)).cpu().numpy()
    # Weights sum to one at most. Both factors are rounded, and so is each of p terms of a sum.
    eps = torch.finfo(held.dtype).eps + p * np.finfo(np.float32).eps
    assert np.abs(mine - (columns - weights @ columns)).max() < 2 * eps * np.abs(columns).max()


@pytest.mark.parametrize("m", [1, 20, 33, 300])
def test_sums_over_residuals_are_those_of_the_reference(monkeypatch, m):
    p, eps = 70, np.finfo(np.float32).eps
    errors = np.random.default_rng().standard_t(3, (p, m)).astype(np.float32)
    errors[:, 1:] += errors[:, :-1]
    errors[7] = 0.0
    expected = first_residuals(errors.T.astype(np.float64), np.ones(m))
    whole = looking_back.sums_of(on_device(errors))
    monkeypatch.setattr(looking_back, "_CHUNK_BYTES", 32 * m * 13)
    strips = looking_back.sums_of(on_device(errors))
    for mine in (whole, strips):
        # Products are rounded to single precision, and added in double.
        assert (np.abs(mine.lags - expected.lags) <= 2 * eps * expected.lags[0]).all()
        np.testing.assert_array_equal(mine.recent, expected.recent)
        np.testing.assert_allclose(mine.scale, expected.scale, rtol=2 * eps)
        np.testing.assert_allclose(mine.beside, expected.beside, rtol=8 * eps, atol=1e-9)
        np.testing.assert_allclose(mine.related, expected.related, atol=2 * (m + 4) * eps)
        assert mine.weight == expected.weight


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), n_copies=st.integers(0, 60))
def test_copies_are_found_however_many(seed, n_copies):
    rng = np.random.default_rng(seed)
    columns = rng.standard_normal((100, 30))
    source = rng.integers(0, 40, n_copies)
    sign = rng.choice([-1.0, 1.0], (n_copies, 1))
    columns[40 : 40 + n_copies] = sign * columns[source]
    columns /= np.sqrt(np.mean(columns**2, axis=1, keepdims=True))
    first = copies.originals(torch.tensor(columns), 1 - 1e-10).numpy()
    expected = np.arange(100)
    expected[40 : 40 + n_copies] = source
    np.testing.assert_array_equal(first, expected)


@given(st.floats(-0.999, 0.999), st.integers(1, 10**5))
def test_scores_are_those_of_the_t_distribution(correlation, freedom):
    tail = stats.t.logsf(abs(correlation) * (freedom / (1 - correlation**2)) ** 0.5, freedom)
    if tail < -700:
        return
    expected = np.sign(correlation) * stats.norm.isf(np.exp(tail))
    mine = scores.z_score(torch.tensor([correlation], dtype=torch.float64), float(freedom))
    assert float(mine) == pytest.approx(expected, abs=1e-7, rel=0 if abs(expected) < 7 else 4e-3)


def reached(counts):
    """Return how many pairs are in each bin or above it, in each group or one before it."""
    return counts.cumsum(axis=0)[:, ::-1].cumsum(axis=1)[:, ::-1]


@BOTH
@pytest.mark.usefixtures("large_blocks")
@pytest.mark.parametrize(
    ("given_both", "n_lags"), [(False, None), (True, None), (True, 0), (True, 40)]
)
def test_all_pairs_are_counted_by_what_the_rows_say_of_each(held, given_both, n_lags):
    p, shared, margins = 150, 0.3, (0.2, 1.1)
    columns = fitting.standard_columns(on_device(make("grid", p).sample(300)))[0].float()
    fast = padded(columns, held.dtype)
    inflation = no_inflation(p) if n_lags is None else factors(p, n_lags)
    refit = selection.refit(columns, fast, rules(300 / inflation.per_effective), held)
    calm = calm_of(inflation, held, columns.device)
    values = np.zeros((len(fast), len(fast)))
    values[:p, :p] = np.random.default_rng().normal(0.0, 0.02, (p, p)) * (1 - np.eye(p))
    weights = learning.Weights(
        on_device(values * held.weight_unit).to(held.dtype), held.weight_unit
    )
    material = pairs.gather(columns, fast, refit, weights, held, calm)
    source, target = np.triu_indices(p, 1)
    every, joined = on_device(source * p + target), pairs.joined(refit)
    exact, known = (
        pairs.one_by_one(material, some, both=given_both, careful=False) for some in (every, joined)
    )
    told = tiles.Tiles(material, joined, both=given_both).count(shared, margins, 0.0)
    by_group, by_agreement = map(np.add, told, listing.count_scores(*known, shared, margins))
    assert len(joined)
    assert by_group.sum() == by_agreement.sum() == len(source)

    def expected(off):
        """Count what is reached if all scores were larger by so much."""
        bins = np.arange(listing.BINS) / listing.PER_BIN
        size, agreed = np.abs(exact.z) + off, agreement_scores(*exact, margins) + off
        surplus = np.sign(exact.z) * (exact.witness - shared * exact.z) + off
        ends = np.append(GROUP_ENDS, -np.inf)
        in_group = surplus[:, None] >= ends
        in_bin = size[:, None] >= np.where(bins > 0, bins, -np.inf)
        agrees = agreed[:, None] >= np.where(bins > 0, bins, -np.inf)
        return in_group.T.astype(int) @ in_bin.astype(int), agrees.sum(axis=0)

    rounding = held.rounding * (1.0 if calm is None else calm.largest)
    few, many = expected(-rounding), expected(rounding)
    groups, agreement = reached(by_group), reached(by_agreement)[0]
    if given_both:
        assert (few[0] <= groups).all()
        assert (groups <= many[0]).all()
        assert (few[1] <= agreement).all()
        assert (agreement <= many[1]).all()
    else:  # of two results that are equally weak, either counts: only its size is the same
        assert (few[0][-1] <= groups[-1]).all()
        assert (groups[-1] <= many[0][-1]).all()


@BOTH
@pytest.mark.usefixtures("large_blocks")
@pytest.mark.parametrize("error", ["fdr", "fwer"])
def test_q_values_do_not_depend_on_how_many_are_of_interest(held, error):
    rows = make("grid", 80).sample(100)
    evidence = fitting.evidence_of_rows(on_device(rows), held)
    many, few = (fitting.find_edges(evidence, error, loosest) for loosest in (0.9, 0.05))
    wanted = dict(zip(zip(many.source, many.target), many.q_value))
    wanted = {pair: q for pair, q in wanted.items() if q <= 0.05}
    mine = dict(zip(zip(few.source, few.target), few.q_value))
    assert mine.keys() == wanted.keys()
    assert [mine[pair] for pair in wanted] == pytest.approx(list(wanted.values()), rel=1e-3)


def test_memory_is_told_before_it_is_taken(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda device: 2.0**30)
    needed = memory.needed_bytes(100_000, 2000, HALF)
    with pytest.raises(MemoryError, match=r"100000 columns and 2000 rows need about \d\d\.\d GiB"):
        memory.check_memory(needed, 100_000, 2000, torch.device("cuda"))
    assert 48 < needed / 2**30 < 80
    memory.check_memory(memory.needed_bytes(100, 2000, SINGLE), 100, 2000, torch.device("cuda"))
