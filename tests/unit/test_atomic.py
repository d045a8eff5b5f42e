"""A file is complete or absent, whatever happens while it is written."""

import os
import stat
import threading

import pytest

from hedgerow.base.atomic import atomic_path


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_file_appears_only_at_the_end(tmp_path):
    with atomic_path(tmp_path / "table.csv") as temporary:
        temporary.write_text("whole")
        assert not (tmp_path / "table.csv").exists()
        assert temporary.suffix == ".csv"
    assert files(tmp_path) == ["table.csv"]
    assert (tmp_path / "table.csv").read_text() == "whole"


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, failure):
    target = tmp_path / "table.csv"
    target.write_text("old")

    def write_half():
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise failure

    with pytest.raises(failure):
        write_half()
    assert files(tmp_path) == ["table.csv"]
    assert target.read_text() == "old"


def test_links_are_followed_and_permissions_kept(tmp_path):
    target, link = tmp_path / "table.csv", tmp_path / "link.csv"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    with atomic_path(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    with atomic_path(pipe) as temporary, temporary.open("w") as stream:
        stream.write("through")
    reader.join(timeout=10)
    assert received == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_impossible_targets_fail_before_any_work(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder"), atomic_path(tmp_path):
        pytest.fail("the block must not run")
    with (
        pytest.raises(FileNotFoundError, match="folder does not exist"),
        atomic_path(tmp_path / "absent" / "a.csv"),
    ):
        pytest.fail("the block must not run")
