"""``import hedgerow`` is cheap, and every public name can be had."""

import re
import subprocess
import sys
from importlib.metadata import version

import pytest

import hedgerow


def modules_after(code):
    """Top-level packages that a fresh interpreter has imported after running ``code``."""
    report = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    result = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, check=True, text=True
    )
    return set(result.stdout.split())


def test_import_loads_no_other_package():
    before = modules_after("pass")
    after = modules_after("import hedgerow")
    assert "hedgerow" in after
    installed = after - before - set(sys.stdlib_module_names)
    assert installed == {"hedgerow"}


def test_theory_needs_only_numpy_and_scipy():
    loaded = modules_after("import hedgerow.theory")
    assert {"numpy", "scipy"} <= loaded
    assert not loaded & {"numba", "sklearn", "click", "rich", "pandas", "polars", "matplotlib"}


@pytest.mark.parametrize("name", hedgerow.__all__)
def test_public_names_resolve(name):
    assert getattr(hedgerow, name) is not None
    assert name in dir(hedgerow)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="module 'hedgerow' has no attribute 'nonsense'"):
        hedgerow.nonsense  # noqa: B018


def test_version_is_the_installed_one():
    assert hedgerow.__version__ == version("hedgerow")
    assert re.fullmatch(r"\d+\.\d+\.\d+([.a-z]+\d+)?", hedgerow.__version__)
