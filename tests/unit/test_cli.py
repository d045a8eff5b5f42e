"""The command-line group: help, version, what it imports, and what it says without its extra."""

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

import hedgerow
from hedgerow.cli import COMMANDS, cli

HEAVY = {"numpy", "scipy", "numba", "sklearn", "polars", "pandas", "pyarrow", "matplotlib"}


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_every_command(flag):
    result = CliRunner().invoke(cli, [flag])
    assert result.exit_code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_explained(name):
    command = cli.get_command(click.Context(cli), name)
    assert isinstance(command, click.Command)
    assert command.name == name
    options = [each for each in command.params if isinstance(each, click.Option)]
    assert options
    assert [each.name for each in options if not each.help] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_and_the_command_say_the_same(name):
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0
    assert COMMANDS[name] in " ".join(result.output.split())


def test_version():
    result = CliRunner().invoke(cli, ["--version"])
    assert result.exit_code == 0
    assert result.output == f"hedgerow, version {hedgerow.__version__}\n"


def test_unknown_command_is_a_usage_error():
    result = CliRunner().invoke(cli, ["nonsense"])
    assert result.exit_code == 2
    assert "No such command 'nonsense'" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)])
def test_help_imports_nothing_heavy(arguments):
    code = f"""
import sys
from hedgerow.__main__ import main
sys.argv = ["hedgerow", *{arguments!r}]
try:
    main()
except SystemExit as done:
    assert not done.code
print("IMPORTED", *{{name.partition(".")[0] for name in sys.modules}})
"""
    result = python(code)
    assert result.returncode == 0, result.stderr
    imported = set(result.stdout.split("IMPORTED ")[1].split())
    assert "click" in imported
    assert not imported & HEAVY


@pytest.mark.parametrize("package", ["click", "rich"])
def test_without_the_extra_it_says_what_to_install(package):
    result = python(
        f"import sys; sys.modules[{package!r}] = None; from hedgerow.__main__ import main; main()"
    )
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == (
        f"hedgerow: the command line needs the package {package!r}; "
        "install it with: pip install 'hedgerow[cli]'\n"
    )
