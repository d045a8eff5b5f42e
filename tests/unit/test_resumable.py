"""What a command has done on a GPU is kept beside its output until that is complete."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from hedgerow.base.parts import parts_of
from hedgerow.cli._errors import Interrupted
from hedgerow.cli._resumable import resumable

ON_GPU = SimpleNamespace(device="cuda")


def test_nothing_stays_where_all_went_well(tmp_path):
    out = tmp_path / "edges.parquet"
    with resumable(ON_GPU, [out]):
        parts_of("this").keep("first", {"sum": np.arange(3)})
        assert (tmp_path / "edges.parquet.strips").is_dir()
    assert not list(tmp_path.iterdir())


def stopped(out, error):
    """Do the first part, and then fail."""
    with resumable(ON_GPU, [out]):
        parts_of("this").keep("first", {"sum": np.arange(3)})
        raise error


def test_an_interrupted_command_says_where_it_goes_on(tmp_path):
    out = tmp_path / "edges.parquet"
    with pytest.raises(Interrupted, match=r"edges\.parquet\.strips, and the same command goes on"):
        stopped(out, KeyboardInterrupt)
    with resumable(ON_GPU, [out]):
        np.testing.assert_array_equal(parts_of("this").found("first")["sum"], np.arange(3))
        assert parts_of("that").found("first") is None
        assert parts_of("this").found("second") is None


def test_parts_survive_other_errors(tmp_path):
    out = tmp_path / "edges.parquet"
    with pytest.raises(MemoryError):
        stopped(out, MemoryError)
    assert (tmp_path / "edges.parquet.strips" / "first.part").exists()


def test_files_of_others_are_left_alone(tmp_path):
    folder = tmp_path / "edges.parquet.strips"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with resumable(ON_GPU, [tmp_path / "edges.parquet"]):
        parts_of("this").keep("first", {"sum": np.arange(3)})
    assert [file.name for file in folder.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("model", "targets"),
    [(SimpleNamespace(device="cpu"), [Path("edges.csv")]), (ON_GPU, []), (SimpleNamespace(), [])],
)
def test_nothing_is_kept_without_a_gpu_or_an_output(model, targets):
    with resumable(model, targets):
        assert parts_of("this") is None
    with pytest.raises(KeyboardInterrupt), resumable(model, targets):
        raise KeyboardInterrupt
