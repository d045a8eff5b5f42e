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


FILES = {
    "use.py": USE,
    "public.py": "\n".join(f"from hedgerow import {name} as {name}" for name in hedgerow.__all__),
    "absent.py": "from hedgerow import grasshopper",
}


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """Return what mypy says about each of the files.

    It is lent what it found out about NumPy when it checked the package, if it did: mypy looks
    whether that still holds.
    """
    folder = tmp_path_factory.mktemp("types")
    if (ROOT / ".mypy_cache").exists():
        shutil.copytree(ROOT / ".mypy_cache", folder / ".mypy_cache")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    rules = ["--config-file", str(ROOT / "pyproject.toml")]
    command = [sys.executable, "-m", "mypy", *rules, *FILES]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert "(checked 3 source files)" in done.stdout, done.stderr
    lines = done.stdout.splitlines()
    return {
        name: "\n".join(line for line in lines if line.startswith(f"{name}:")) for name in FILES
    }


def test_public_names_have_their_types(said):
    said = said["use.py"]
    types = re.findall(r'Revealed type is "([^"]*)"', said)
    assert types == [
        f"{hedgerow.HedgeGraph.__module__}.HedgeGraph",
        f"{hedgerow.HedgeGraph.__module__}.HedgeGraph",
        f"{EdgeTable.__module__}.EdgeTable",
        f"{hedgerow.Comparison.__module__}.Comparison",
        "Any",
    ], said
    assert 'Module has no attribute "grasshopper"' in said


def test_every_public_name_is_known_and_no_other(said):
    assert said["public.py"] == ""
    assert 'has no attribute "grasshopper"' in said["absent.py"]


def test_checks_are_strict_but_for_compiled_kernels():
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    overrides = rules.pop("overrides")
    assert rules.pop("strict")
    assert not [name for name, value in rules.items() if value is False]
    *others, kernels = overrides
    for untyped in others:
        assert {*untyped} <= {"module", "ignore_missing_imports", "follow_imports"}
        assert not [name for name in untyped["module"] if name.startswith("hedgerow")]
    for name in kernels["module"]:
        text = (ROOT / "src" / name.replace(".", "/")).with_suffix(".py").read_text()
        assert re.search(r"^@(njit|triton\.jit)", text, re.MULTILINE), f"{name} compiles nothing"
