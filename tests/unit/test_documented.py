"""Every command and option is documented, and what the guide says can be done can be done."""

import re
import subprocess
import sys
from pathlib import Path

import click
import matplotlib
import pytest

from hedgerow.cli import COMMANDS, cli
from hedgerow.io import FORMATS
from hedgerow.io.opening import READABLE

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = (DOCS / "cli.md").read_text()
GUIDE = (DOCS / "guide.md").read_text()


PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def section(command):
    found = re.search(rf"^## `hedgerow {command}`$(.*?)(?=^## |\Z)", REFERENCE, re.M | re.S)
    assert found, f"docs/cli.md has no section on hedgerow {command}"
    return found[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name):
    command = cli.get_command(click.Context(cli), name)
    text = section(name)
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            assert f"`{parameter.human_readable_name}`" in text
            continue
        for flag in (*parameter.opts, *parameter.secondary_opts):
            assert re.search(rf"`{re.escape(flag)}[ `]", text), f"{flag} is not documented"


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_else_is_documented(name):
    command = cli.get_command(click.Context(cli), name)
    known = {flag for each in command.params for flag in (*each.opts, *each.secondary_opts)}
    tables = "\n".join(line for line in section(name).splitlines() if line.startswith("| `-"))
    assert set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", tables)) <= known


def test_every_command_is_listed():
    listed = re.findall(r"^\| \[`hedgerow (\w+)`\]", REFERENCE, re.M)
    assert sorted(listed) == sorted(COMMANDS)


def test_every_format_is_documented():
    text = section("learn")
    for name, kind in FORMATS.items():
        assert f"`{name}`" in text
        assert kind.suffix is None or f"`{kind.suffix}`" in text
    for suffix in READABLE:
        assert f"`{suffix.removesuffix('.gz')}`" in text


@pytest.mark.parametrize("document", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#:]+\.md)", document.read_text()):
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_every_picture_is_shown_somewhere_and_exists():
    shown = {
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(r"!\[[^]]*\]\(([^):]+)\)", page.read_text())
    }
    kept = {path.resolve() for path in (DOCS / "images").iterdir()}
    assert kept - shown == set(), "pictures that no page shows"
    assert {path for path in shown if not path.exists()} == set(), "pictures that are missing"


def test_the_guide_runs(tmp_path, monkeypatch):
    """Run its commands and code in order, in one folder and one namespace."""
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    commands = f'hedgerow() {{ "{sys.executable}" -m hedgerow "$@"; }}; set -eu\n'
    space = {}
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```$", GUIDE, re.M | re.S)
    assert len(blocks) > 8
    for language, text in blocks:
        if language == "python":
            exec(compile(text, "guide.md", "exec"), space)
        else:
            done = subprocess.run(["bash", "-c", commands + text], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
    names = {path.name for path in tmp_path.iterdir()}
    assert names >= {"network.html", "network.pdf", "edges.parquet", "result.json", "matrices.npz"}
