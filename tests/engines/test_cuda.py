"""HedgeGraph(device="cuda") behaves as on the processor; without a GPU, torch computes there."""

import re
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="torch is not installed: make test-gpu tests this")
pytest.importorskip("triton", reason="triton is not installed: make test-gpu tests this")

from hedgerow import HedgeGraph, engines
from hedgerow.cli import cli
from hedgerow.datasets import make
from hedgerow.progress import watching


@pytest.fixture(autouse=True)
def gpu(monkeypatch, large_blocks):
    """Pretend that torch has found a GPU."""
    monkeypatch.setattr(engines, "_why_no_gpu", lambda: None)


def frame(n_rows=88):
    """Two walks, a constant and a copy, in very different units.

    Rows are whole batches: of the rows of an unfinished one, the processor has not learned when it
    looks back.
    """
    rows = np.random.default_rng().standard_normal((n_rows, 12))
    rows[:, :4], rows[:, 4:8] = np.cumsum(rows[:, :4], axis=1), np.cumsum(rows[:, 4:8], axis=1)
    rows[:, 9] = 3.0
    rows[:, 10] = 5.0 - 2.0 * rows[:, 2]
    return pd.DataFrame(rows * 10.0 ** np.arange(-6, 6), columns=list("abcdefghijkl"))


def numbers(graph):
    return {(edge.source, edge.target): edge[2:] for edge in graph.edges_up_to(0.5)}


def fitted(rows, **parameters):
    """Return a fitted model, and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph = HedgeGraph(**parameters).fit(rows)
    # Where memory is freed, Python may warn of files that earlier tests have left.
    told = [warning for warning in caught if issubclass(warning.category, UserWarning)]
    return graph, [str(warning.message) for warning in told]


@pytest.mark.usefixtures("by_surplus_alone")
@pytest.mark.parametrize("asked", [{"error": "fdr"}, {"error": "fwer"}, {"level": "balanced"}])
def test_results_and_warnings_are_those_of_the_processor(asked):
    rows = frame()
    gpu, told = fitted(rows, device="cuda", **asked)
    cpu, told_there = fitted(rows, device="numpy", **asked)
    assert gpu._stream.engine_name == "torch_gpu"
    assert told == told_there
    assert {"'j'", "'k' of 'c'"} <= {message.rpartition(": ")[2] for message in told}
    mine, theirs = numbers(gpu), numbers(cpu)
    assert mine.keys() == theirs.keys()
    for pair in mine:
        np.testing.assert_allclose(mine[pair], theirs[pair], rtol=5e-3)
    assert gpu.level_ == pytest.approx(cpu.level_, rel=5e-3)
    assert (gpu.adjacency_ != cpu.adjacency_).nnz == 0
    np.testing.assert_allclose(gpu.partial_corr_, cpu.partial_corr_, atol=1e-5)


def remembering(rows):
    """Return rows of which each resembles the one before."""
    result = np.array(rows)
    for before, row in pairwise(result):
        row *= 0.6
        row += 0.8 * before
    return result


def of_unlike_size(rows):
    """Return rows with the tails of a t distribution."""
    return rows / np.sqrt(np.random.default_rng().chisquare(3, (len(rows), 1)) / 3)


KINDS = {"normal": np.copy, "t": of_unlike_size, "autoregressive": remembering}


@pytest.mark.usefixtures("by_surplus_alone")
@pytest.mark.parametrize("kind", KINDS)
def test_up_to_the_first_rows_factors_are_those_of_the_processor(kind):
    rows = KINDS[kind](make("grid", 25).sample(256))
    gpu, cpu = (fitted(rows, device=device)[0] for device in ("cuda", "numpy"))
    assert gpu.n_samples_effective_ == pytest.approx(cpu.n_samples_effective_, rel=1e-5)
    assert (kind == "normal") or cpu.n_samples_effective_ < 220
    mine, theirs = numbers(gpu), numbers(cpu)
    alone = [(mine | theirs)[pair] for pair in mine.keys() ^ theirs.keys()]
    assert all(q_value > 0.49 for *_, q_value in alone)
    assert len(mine.keys() & theirs.keys()) > 10
    for pair in mine.keys() & theirs.keys():
        np.testing.assert_allclose(mine[pair], theirs[pair], rtol=5e-3)
    assert gpu.summary() == cpu.summary()


@pytest.mark.parametrize("kind", KINDS)
def test_later_rows_are_judged_by_other_weights_and_count_nearly_as_much(kind):
    """The ratio had standard deviations of up to .015, over 60 data sets: the bound is five."""
    rows = KINDS[kind](make("grid", 25).sample(600))
    gpu, cpu = (fitted(rows, device=device)[0] for device in ("cuda", "cpu"))
    assert gpu.n_samples_effective_ == pytest.approx(cpu.n_samples_effective_, rel=0.08)
    assert (kind == "normal") or cpu.n_samples_effective_ < 500


def test_a_fit_learns_once(monkeypatch):
    from hedgerow.engines.torch_gpu import learning

    passes = []
    monkeypatch.setattr(
        learning, "learn", lambda *some, real=learning.learn: passes.append(1) or real(*some)
    )
    rows = remembering(frame(530).to_numpy())
    graph = fitted(rows[:520], device="cuda")[0]
    assert graph.n_samples_effective_ < 520
    assert "related to those before" in graph.summary()
    assert len(passes) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        effective = graph.partial_fit(rows[520:]).n_samples_effective_
        assert len(passes) == 2
        assert len(graph.edges_)
        assert len(passes) == 2
        assert effective == fitted(rows, device="cuda")[0].n_samples_effective_


def test_columns_that_others_determine_are_told():
    rows = frame()
    rows["l"] = rows["a"] / rows["a"].std() + rows["i"] / rows["i"].std()
    told = fitted(rows, device="cuda")[1]
    assert told == fitted(rows)[1]
    assert any(message.startswith("columns that others determine") for message in told)


@pytest.mark.usefixtures("by_surplus_alone")
def test_moments_and_likelihood_are_those_of_the_processor():
    rows = frame().drop(columns=["j", "k"])
    gpu, cpu = (fitted(rows, device=device)[0] for device in ("cuda", "numpy"))
    np.testing.assert_allclose(gpu.location_, cpu.location_, rtol=1e-9)
    np.testing.assert_allclose(gpu.precision_, cpu.precision_, rtol=1e-6)
    np.testing.assert_allclose(gpu.covariance_, cpu.covariance_, rtol=1e-6)
    assert gpu.score(rows) == pytest.approx(cpu.score(rows))


@settings(
    max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cuts=st.lists(st.integers(1, 79), max_size=4), single=st.booleans(), asked=st.booleans())
def test_no_cut_changes_a_bit(cuts, single, asked):
    rows = frame(80).to_numpy(np.float32 if single else np.float64)
    whole, parts = fitted(rows, device="cuda")[0], HedgeGraph(device="cuda")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for chunk in np.split(rows, sorted(set(cuts))):
            parts.partial_fit(chunk)
            if asked and parts.n_samples_seen_ < 40:
                assert len(parts.location_) == 12
        assert parts.n_samples_seen_ == 80
        assert numbers(whole) == numbers(parts)


def test_rows_can_be_changed_once_they_are_learned():
    rows = frame().to_numpy(copy=True)
    kept = rows.copy()
    graph = fitted(rows, device="cuda")[0]
    rows[:] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert numbers(graph.set_params(error="fwer")) == numbers(
            fitted(kept, device="cuda", error="fwer")[0]
        )


@pytest.mark.parametrize("n_rows", [90, 530])
def test_a_saved_model_goes_on_with_and_without_a_gpu(monkeypatch, tmp_path, n_rows):
    rows = remembering(frame(n_rows))
    graph = fitted(rows, device="cuda")[0]
    graph.save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert numbers(HedgeGraph.load(tmp_path / "model")) == numbers(graph)
        monkeypatch.setattr(engines, "_why_no_gpu", lambda: "there is none")
        with pytest.warns(UserWarning, match="moves to the CPU: there is none"):
            moved = HedgeGraph.load(tmp_path / "model")
        assert moved._stream.engine_name == "numba_cpu"
        assert numbers(moved) == numbers(fitted(rows)[0])
        assert moved.partial_fit(rows).n_samples_seen_ == 2 * len(rows)
        moved.save(tmp_path / "moved")
        monkeypatch.setattr(engines, "_why_no_gpu", lambda: None)
        assert HedgeGraph.load(tmp_path / "moved")._stream.engine_name == "numba_cpu"


def test_too_little_memory_is_told_with_what_is_needed(monkeypatch, tmp_path):
    from hedgerow.engines.torch_gpu import memory

    monkeypatch.setattr(memory, "free_bytes", lambda device: 1.0)
    told = r"12 columns and 88 rows need about 0.\d GiB of GPU memory, .* use device=\"cpu\""
    with pytest.raises(MemoryError, match=told):
        HedgeGraph(device="cuda").fit(frame())
    frame().to_csv(tmp_path / "rows.csv", index=False)
    result = CliRunner().invoke(cli, ["learn", str(tmp_path / "rows.csv"), "--device", "cuda"])
    assert result.exit_code == 1
    assert re.search(f"rows.csv: not enough memory: {told}", result.output)


def test_the_command_line_takes_the_gpu_too(tmp_path):
    rows, out = frame(), tmp_path / "edges.csv"
    rows.to_csv(tmp_path / "rows.csv", index=False)
    call = ["learn", str(tmp_path / "rows.csv"), "--device", "cuda", "--out", str(out), "--quiet"]
    assert CliRunner().invoke(cli, call).exit_code == 0
    written = pd.read_csv(out)
    graph = fitted(rows)[0]
    assert set(zip(written["source"], written["target"])) == {
        (edge.source, edge.target) for edge in graph.edges_
    }


def test_progress_is_told():
    stages = {}
    with watching(stages.__setitem__):
        fitted(frame(), device="cuda")
    assert stages == {"learning": 1.0, "choosing neighbours": 1.0, "asking Hedge": 1.0}


@pytest.mark.parametrize("n_rows", [2, 4, 5, 9])
def test_few_rows_are_no_problem(n_rows):
    rows = np.random.default_rng().standard_normal((n_rows, 3))
    assert numbers(fitted(rows, device="cuda")[0]).keys() == numbers(fitted(rows)[0]).keys()
