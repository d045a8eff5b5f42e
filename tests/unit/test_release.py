"""What a release is made of: each requirement stands in one place, and examples are found."""

import doctest
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from benchmarks import tour
from release import archives, check, description, trial

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
README = (ROOT / "README.md").read_text()


def test_the_texts_of_this_version_are_there():
    assert list(archives.texts(ROOT)) == []


def test_archives_are_as_they_should_be(tmp_path):
    assert list(archives.contents(*archives.build(ROOT, tmp_path), ROOT)) == []


def test_the_conda_recipe_requires_what_the_package_does():
    text = (ROOT / "release" / "conda" / "recipe.yaml").read_text()
    recipe = yaml.safe_load(text)
    wanted = {str(Requirement(each)) for each in PROJECT["dependencies"]}
    python, *run = recipe["requirements"]["run"]
    assert python == f"python {PROJECT['requires-python']}"
    assert {str(Requirement(each)) for each in run} == wanted
    (command,) = recipe["build"]["python"]["entry_points"]
    assert dict([command.split(" = ")]) == PROJECT["scripts"]


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.cuda"])
def test_images_install_extras_that_exist(name):
    text = (ROOT / "release" / name).read_text()
    (extras,) = re.findall(r'pip install --no-cache-dir "/sources\[(.*)\]"', text)
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    for copied in re.search(r"^COPY (.*) /sources/$", text, re.M)[1].split():
        assert (ROOT / copied).exists()


def test_examples_of_the_readme_are_found():
    assert compile(trial.readme_code(README), "README.md", "exec")
    commands = [line.split()[:2] for line in trial.readme_commands(README).splitlines()]
    assert ["hedgerow", "learn"] in commands
    assert "--live" not in trial.readme_commands(README)


def test_every_python_is_found_once(tmp_path, monkeypatch):
    found = {"a/python3.11": "3.11.2", "b/python3.11": "3.11.7", "c/python3.12": "3.11.7"}
    of_a_manager = {"versions/d/bin/python3.13": "3.13.0", "versions/e/bin/python3.10": "3.10.1"}
    for name, version in (found | of_a_manager).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\necho {version}\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", ":".join(str(tmp_path / name) for name in "abcz"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert [version for _, version in check.pythons([])] == ["3.11.2", "3.11.7", "3.13.0"]
    named = str(tmp_path / "versions/e/bin/python3.10")
    assert list(check.pythons([named])) == [(named, "3.10.1")]


def test_the_version_stands_in_one_place():
    version = re.escape(archives.version_of(ROOT))
    told = ["pyproject.toml", "CITATION.cff", "release/conda/recipe.yaml", "docs/conf.py"]
    for name in told:
        assert not re.search(rf"(?<![\w.]){version}(?![\w.])", (ROOT / name).read_text()), name


def test_a_description_that_needs_files_is_noticed():
    about = "Metadata-Version: 2.4", "Name: a", "Version: 1", "Summary: b"
    terms = "License-Expression: MIT", "Requires-Python: >=3.11"
    text = "", "![A picture](docs/a.png) [b](#b) [c](https://c.org)"
    assert list(archives.said("\n".join(about + terms + text).encode(), "1")) == [
        "the description points to docs/a.png, a file that an index does not have"
    ]


@pytest.mark.parametrize(
    "module", [archives, description, tour], ids=lambda module: module.__name__
)
def test_examples_run(module):
    result = doctest.testmod(module)
    assert result.failed == 0
    assert result.attempted > 0


def test_the_recording_shows_what_is_run_now():
    text = re.sub(r"<[^>]*>", "", tour.PICTURE.read_text()).replace("&#160;", " ")
    for command in tour.COMMANDS:
        assert f"$ {command}" in text
