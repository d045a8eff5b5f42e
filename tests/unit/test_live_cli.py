"""What `hedgerow stream --live` says when there can be no page."""

import socket
import sys

import pytest
from click.testing import CliRunner

from hedgerow.cli import cli


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n")
    return str(path)


def test_a_port_in_use_is_one_line(rows):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = CliRunner().invoke(cli, ["stream", rows, "--live", str(port)])
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: --live: port {port} of 127.0.0.1 is in use; choose another, or 0 for a free one\n"
    )


def test_a_port_out_of_range_is_misuse(rows):
    result = CliRunner().invoke(cli, ["stream", rows, "--live", "65536"])
    assert result.exit_code == 2
    assert "65536 is not in the range 0<=x<=65535" in result.stderr


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_a_missing_package_is_named_with_the_way_to_get_it(rows, monkeypatch, package):
    for name in [name for name in sys.modules if name.startswith(("hedgerow.live.", package))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    result = CliRunner().invoke(cli, ["stream", rows, "--live"])
    assert result.exit_code == 1
    assert "pip install 'hedgerow[live]'" in result.stderr
    assert package in result.stderr
