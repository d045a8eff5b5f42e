"""What a type checker sees of the package: the same names as Python, with their types."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hedgerow
from hedgerow.base.table import EdgeTable

ROOT = Path(__file__).parents[2]
USE = """
import hedgerow
import numpy as np
from hedgerow import HedgeGraph, compare

model = HedgeGraph().fit(np.zeros((3, 3)))
reveal_type(HedgeGraph(level=0.1))
reveal_type(model)
reveal_type(model.edges_)
reveal_type(compare(np.zeros((3, 3))))
reveal_type(hedgerow.theory.grasshopper)
"""


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """Return a function that returns what mypy says about some lines.

    It is lent what it found out about NumPy when it checked the package, if it did: mypy looks
    whether that still holds.
    """
    folder = tmp_path_factory.mktemp("types")
    if (ROOT / ".mypy_cache").exists():
        shutil.copytree(ROOT / ".mypy_cache", folder / ".mypy_cache")

    def checked(text):
        (folder / "use.py").write_text(text)
        rules = ["--config-file", str(ROOT / "pyproject.toml")]
        command = [sys.executable, "-m", "mypy", *rules, "use.py"]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout

    return checked


def test_public_names_have_their_types(check):
    said = check(USE)
    types = re.findall(r'Revealed type is "([^"]*)"', said)
    assert types == [
        f"{hedgerow.HedgeGraph.__module__}.HedgeGraph",
        f"{hedgerow.HedgeGraph.__module__}.HedgeGraph",
        f"{EdgeTable.__module__}.EdgeTable",
        f"{hedgerow.Comparison.__module__}.Comparison",
        "Any",
    ], said
    assert 'Module has no attribute "grasshopper"' in said


def test_every_public_name_is_known_and_no_other(check):
    lines = [f"from hedgerow import {name} as {name}" for name in hedgerow.__all__]
    assert "Success" in check("\n".join(lines))
    assert 'has no attribute "grasshopper"' in check("from hedgerow import grasshopper")


def test_checks_are_strict_but_for_compiled_kernels():
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    overrides = rules.pop("overrides")
    assert rules.pop("strict")
    assert not [name for name, value in rules.items() if value is False]
    untyped, kernels = overrides
    assert {*untyped} == {"module", "ignore_missing_imports"}
    assert not [name for name in untyped["module"] if name.startswith("hedgerow")]
    for name in kernels["module"]:
        text = (ROOT / "src" / name.replace(".", "/")).with_suffix(".py").read_text()
        assert re.search(r"^@(njit|triton\.jit)", text, re.MULTILINE), f"{name} compiles nothing"
