"""The GPU engine without arrays of all pairs, beside the same with them."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: make test-gpu tests this")
pytest.importorskip("triton", reason="triton is not installed: make test-gpu tests this")

import torch

from hedgerow.base.parts import keeping
from hedgerow.datasets import make
from hedgerow.engines.torch_gpu import (
    devices,
    fitting,
    kept,
    learning,
    memory,
    pairs,
    selection,
    tiles,
)
from hedgerow.engines.torch_gpu.layout import HALF, padded
from hedgerow.method.engine import Repeats
from hedgerow.method.inflation import no_inflation
from hedgerow.method.neighbours import MOST_NEIGHBOURS, SELECTION_LEVEL
from hedgerow.progress import watching

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
AGAIN = HALF._replace(held=False)


def on_device(rows):
    return torch.tensor(rows, device=DEVICE)


def few_weights(p, rng):
    """Return weights of which most are zero, so that these are all that matter."""
    values = np.where(rng.random((p, p)) < 0.05, rng.uniform(-0.2, 0.2, (p, p)), 0.0)
    np.fill_diagonal(values, 0.0)
    return np.round(values * 1024) / 1024  # the same in half precision


def held(values):
    width = -(-len(values) // 128) * 128
    every = np.zeros((width, width))
    every[: len(values), : len(values)] = values * HALF.weight_unit
    return learning.Weights(on_device(every).half(), HALF.weight_unit)


def of_those(values, columns):
    """Return the same weights, of which only those that are not zero are kept."""
    every = held(values)
    i, j = torch.nonzero(on_device(values), as_tuple=True)
    left = every.left(columns, padded(columns, HALF.dtype))
    return kept.Kept(i * len(values) + j, every.at(i, j).float(), left)


def standard(rows):
    return fitting.standard_columns(on_device(rows))


def test_memory_decides_whether_all_pairs_are_held(monkeypatch):
    rows = torch.empty((1000, 50_000), device="meta")
    needed = memory.needed_bytes(50_000, 1000, HALF)
    monkeypatch.setattr(fitting, "free_bytes", lambda device: needed)
    assert fitting.settings_for(rows) == HALF
    monkeypatch.setattr(fitting, "free_bytes", lambda device: needed - 1)
    assert fitting.settings_for(rows) == AGAIN
    assert memory.needed_bytes(1_000_000, 1000, AGAIN) < 100 * 2**30


def test_learning_keeps_the_weights_that_matter_and_what_all_leave(monkeypatch, large_blocks):
    p, m = 150, 120
    rows = on_device(make("grid", p).sample(m))
    monkeypatch.setattr(learning, "STRIP_BYTES", 1)
    monkeypatch.setattr(kept, "_ENTRIES", 50 * 256)
    monkeypatch.setattr(kept, "bound_on_others", lambda n_rows, settings: 40 / 4096)
    every, few = (fitting.learn(rows, settings) for settings in (HALF, AGAIN))
    i, j = (on_device(index) for index in np.indices((p, p)).reshape(2, -1))
    weights = every.at(i, j)
    matters = weights.abs() > 40 / 4096  # the same in half precision
    assert 0 < matters.sum() < p * p / 2
    expected = torch.where(matters, weights, 0.0)
    torch.testing.assert_close(few.at(i, j), expected, rtol=0, atol=1e-7)
    columns = standard(rows.cpu().numpy())[0].float()
    left = every.left(columns, padded(columns, HALF.dtype))
    torch.testing.assert_close(few.left(columns, columns), left, rtol=0, atol=1e-5)
    assert few.pairs().tolist() == sorted(
        {min(a, b) * p + max(a, b) for a, b in zip(i[matters].tolist(), j[matters].tolist())}
    )


def test_what_does_not_matter_is_less_than_rounding():
    m, ratio = 1000, 1.0
    bound = kept.bound_on_others(m, HALF)
    assert m**0.5 * 2 * bound * ratio <= HALF.rounding / 2


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_weights_on_copies_go_to_their_originals(sign):
    p, m = 40, 90
    rng = np.random.default_rng()
    rows = rng.standard_normal((m, p))
    rows[:, 30] = sign * rows[:, 3]
    values = few_weights(p, rng)
    values[3, 30], values[7, 30], values[7, 3] = 0.5, 0.25, 0.125
    columns, varies, small = standard(rows)
    original = np.arange(p)
    original[30] = 3
    signs = np.ones(p)
    signs[30] = sign
    repeats = Repeats(np.ones(p, bool), original, signs, np.zeros(p, bool))
    tested = np.flatnonzero(original == np.arange(p))
    single = columns.float()
    parts = []
    for weights, settings in ((held(values), HALF), (of_those(values, single), AGAIN)):
        evidence = fitting.Evidence(columns, varies, small, weights, settings, no_inflation(p))
        parts.append(fitting.part(evidence, tested, repeats))
    every, few = (each.weights for each in parts)
    i, j = (on_device(index) for index in np.indices((p - 1, p - 1)).reshape(2, -1))
    torch.testing.assert_close(few.at(i, j), every.at(i, j), rtol=0, atol=1e-6)
    assert float(few.at(on_device([7]), on_device([3]))) == pytest.approx(0.125 + sign * 0.25)
    some = parts[0].columns.float()
    fast = padded(some, HALF.dtype)
    torch.testing.assert_close(few.left(some, fast), every.left(some, fast), rtol=0, atol=5e-3)


def of_both_ways(p, m):
    """Return what pairs are tested from, with weights and scores of all pairs held and not."""
    rng = np.random.default_rng()
    columns = standard(make("grid", p).sample(m))[0].float()
    fast, values = padded(columns, HALF.dtype), few_weights(p, rng)
    rules = selection.Rules(SELECTION_LEVEL, MOST_NEIGHBOURS, float(m))
    result = []
    for weights, settings in ((held(values), HALF), (of_those(values, columns), AGAIN)):
        refit = selection.refit(columns, fast, rules, settings)
        result.append(pairs.gather(columns, fast, refit, weights, settings))
    return result


def test_scores_of_all_pairs_are_made_again(large_blocks, monkeypatch):
    """Pairs are counted alike, but for those within rounding of the end of a bin."""
    p, shared, margins = 300, 0.3, (0.2, 1.1)
    monkeypatch.setattr(tiles, "_CHUNK_BYTES", 4 * 384 * 128)
    every, few = of_both_ways(p, 400)
    apart = pairs.told_apart(few.refit, few.weights)
    assert len(apart) > len(pairs.joined(few.refit)) > 0
    counted = [
        tiles.Tiles(material, apart, both=False).count(shared, margins, 0.0)
        for material in (every, few)
    ]
    sizes = [groups.sum(axis=0) for groups, _ in counted]
    assert sizes[0].sum() == sizes[1].sum() == p * (p - 1) // 2 - len(apart)
    # Scores of the two ways differ by what half precision does to a correlation: a hundredth of
    # the 0.05 that pairs are listed within is enough.
    reached = [size[::-1].cumsum()[::-1] for size in sizes]
    width = int(0.05 * tiles.PER_BIN) + 1
    assert (reached[0][width:] <= reached[1][:-width]).all()
    assert (reached[1][width:] <= reached[0][:-width]).all()
    assert np.abs(reached[0] - reached[1]).max() < 0.02 * sizes[0].sum()


def test_pairs_are_listed_while_they_are_counted(large_blocks, monkeypatch):
    shared, margins, cut = 0.3, (0.2, 1.1), 2.5
    monkeypatch.setattr(tiles, "_CHUNK_BYTES", 4 * 384 * 128)
    monkeypatch.setattr(tiles, "_SAMPLE", 1)
    _, few = of_both_ways(300, 400)
    every = tiles.Tiles(few, pairs.told_apart(few.refit, few.weights), both=False)
    assert every.every > 1
    cuts = np.linspace(1.5, 2.5, tiles._N_ENDS + 1)
    counts, found = every.count_and_list(shared, margins, 0.0, cuts, cut)
    for mine, alone in zip(counts, every.count(shared, margins, 0.0)):
        np.testing.assert_array_equal(mine, alone)
    assert found.tolist() == every.listed(shared, margins, cuts, cut).tolist()
    assert len(found) > 100
    sampled = every.count(shared, margins, 0.0, sample=True)[0].sum()
    assert sampled == pytest.approx(counts[0].sum(), rel=0.3)  # a third of the nodes, by size


@pytest.mark.parametrize("error", ["fdr", "fwer"])
def test_edges_do_not_depend_on_whether_a_sample_foresaw_them(large_blocks, monkeypatch, error):
    rows = on_device(make("grid", 300).sample(400))
    evidence = fitting.evidence_of_rows(rows, AGAIN)
    monkeypatch.setattr(tiles, "_CHUNK_BYTES", 4 * 384 * 128)
    monkeypatch.setattr(tiles, "_SAMPLE", 1)
    found = fitting.find_edges(evidence, error, 0.5)
    monkeypatch.setattr("hedgerow.engines.torch_gpu.judging.covers", lambda early, final: False)
    again = fitting.find_edges(evidence, error, 0.5)
    assert len(found.source) > 100
    for mine, theirs in zip(found[:6], again[:6]):
        np.testing.assert_array_equal(mine, theirs)


def test_weights_that_were_not_kept_are_refused():
    p = 30
    columns, varies, small = standard(np.random.default_rng().standard_normal((60, p)))
    weights = of_those(few_weights(p, np.random.default_rng()), columns.float())
    evidence = fitting.Evidence(columns, varies, small, weights, AGAIN, no_inflation(p))
    with pytest.raises(MemoryError, match="30 columns"):
        fitting.weights(evidence)


class TestInterrupted:
    """Learning goes on with the strip after the last one that was done."""

    @pytest.fixture(autouse=True)
    def strips(self, monkeypatch, large_blocks):
        monkeypatch.setattr(learning, "STRIP_BYTES", 1)
        monkeypatch.setattr(kept, "_LONG", 0.0)

    @pytest.fixture
    def learned(self, monkeypatch):
        """Note which strips are learned."""
        noted, learn_strip = [], learning.learn_strip

        def note(rows, average, first, *rest):
            noted.append(first)
            learn_strip(rows, average, first, *rest)

        monkeypatch.setattr(learning, "learn_strip", note)
        return noted

    @staticmethod
    def interrupted(rows, folder):
        def stop(stage, done):
            if done > 0.5:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt), keeping(folder), watching(stop):
            fitting.learn(rows, AGAIN)

    def test_what_is_done_is_not_done_again(self, tmp_path, learned):
        rows, folder = on_device(make("grid", 300).sample(40)), tmp_path / "strips"
        whole = fitting.learn(rows, AGAIN)
        learned.clear()
        self.interrupted(rows, folder)
        assert learned[:2] == [0, 128]
        learned.clear()
        with keeping(folder):
            resumed = fitting.learn(rows, AGAIN)
        assert learned == [256]
        assert all(torch.equal(mine, other) for mine, other in zip(resumed, whole))
        assert not folder.exists()

    def test_what_is_damaged_or_of_other_rows_is_done_again(self, tmp_path, learned):
        rows, folder = on_device(make("grid", 300).sample(40)), tmp_path / "strips"
        self.interrupted(rows, folder)
        damaged = folder / "nodes-0-128.part"
        damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
        learned.clear()
        with keeping(folder):
            fitting.learn(rows, AGAIN)
        assert learned == [0, 256]
        self.interrupted(rows, folder)
        learned.clear()
        other = rows.clone()
        other[-1, -1] += 1.0
        with keeping(folder):
            fitting.learn(other, AGAIN)
        assert learned == [0, 128, 256]


@pytest.mark.parametrize("number", [2, 3])
def test_several_devices_come_to_the_same_to_the_last_bit(large_blocks, monkeypatch, number):
    """The one device that there is, listed several times: its strips are those of as many."""
    monkeypatch.setattr(learning, "STRIP_BYTES", 1)
    monkeypatch.setattr(selection, "STRIP_BYTES", 1)
    rows, results = on_device(make("grid", 300).sample(40)), []
    one = devices.every()[:1]
    rooms, learn_strip = [], learning.learn_strip

    def note(rows, average, *rest):
        rooms[-1].add(average.untyped_storage().data_ptr())
        learn_strip(rows, average, *rest)

    monkeypatch.setattr(learning, "learn_strip", note)
    for times in (1, number):
        monkeypatch.setattr(devices, "every", lambda times=times: one * times)
        rooms.append(set())
        evidence = fitting.evidence_of_rows(rows, AGAIN)
        columns = evidence.columns.float()
        rules = selection.Rules(SELECTION_LEVEL, MOST_NEIGHBOURS, 40.0)
        found = selection.refit(columns, padded(columns, AGAIN.dtype), rules, AGAIN)
        assert found.neighbours.shape[1] > 0
        steps = [each for step in found.steps for each in step]
        results.append([*evidence.weights, *found[:4], *steps])
    assert list(map(len, rooms)) == [1, number]
    assert len(results[0]) == len(results[1])
    assert all(torch.equal(mine, other) for mine, other in zip(*results))


def test_a_device_without_room_takes_no_part(monkeypatch):
    one = devices.every()[:1]
    free = iter([10, 9, 11])
    monkeypatch.setattr(devices, "every", lambda: one * 4)
    monkeypatch.setattr(devices, "free_bytes", lambda device: next(free))
    assert devices.with_room(10) == one * 3  # the first one is not asked


def test_what_fails_on_one_of_several_devices_is_told(monkeypatch):
    def fail(worker, job):
        if job == 1:
            raise MemoryError("none left")
        return job

    who = [on_device(np.zeros(1)), on_device(np.zeros(1))]
    results = devices.in_turn(who, fail, 4)
    assert next(results) == 0
    with pytest.raises(MemoryError, match="none left"):
        next(results)


@pytest.mark.skipif(DEVICE == "cpu", reason="needs a GPU")
@pytest.mark.parametrize("error", ["fdr", "fwer"])
def test_both_ways_find_the_same_edges_among_many_columns(error):
    p = 20_000
    rows = torch.randn((600, p), device=DEVICE, generator=torch.Generator(DEVICE).manual_seed(0))
    rows[:, 1::2] += 0.5 * rows[:, ::2]
    found = []
    for settings in (HALF, AGAIN):
        edges = fitting.find_edges(fitting.evidence_of_rows(rows, settings), error, 0.5)
        sure = edges.q_value < 0.05
        found.append(set((edges.source[sure] * p + edges.target[sure]).tolist()))
    assert len(found[0]) > 9_000
    assert len(found[0] ^ found[1]) < 0.002 * len(found[0])
