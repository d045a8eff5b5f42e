"""The command-line group: help, version, what it imports, and what its options have in common."""

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


def kind_of(option):
    """Return what a reader must know to use an option: flag or not, type, word for the value."""
    choices = tuple(getattr(option.type, "choices", ()))
    types = {click.Path: "path"}
    kind = next((name for base, name in types.items() if isinstance(option.type, base)), None)
    return option.is_flag, kind or option.type.name, choices, option.metavar, tuple(option.opts)


def test_an_option_is_of_the_same_kind_in_every_command():
    kinds = {}
    for name in COMMANDS:
        for option in cli.get_command(click.Context(cli), name).params:
            if isinstance(option, click.Option):
                for flag in (*option.opts, *option.secondary_opts):
                    kinds.setdefault(flag, {})[name] = kind_of(option)
    shared = {flag: found for flag, found in kinds.items() if len(found) > 1}
    assert {"--json", "--out", "--html", "-p", "--seed", "--truth", "--list"} <= set(shared)
    # Rivals need complete rows: to learn from the others is no choice there.
    of_rivals = shared["--missing"].pop("compare")[2]
    assert set(of_rivals) == set(shared["--missing"]["learn"][2]) - {"use"}
    for flag, found in shared.items():
        assert len(set(found.values())) == 1, f"{flag} differs: {found}"
        assert f"-{flag}" not in kinds, f"{flag} and -{flag} would be mixed up"
