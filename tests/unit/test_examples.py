"""Every example in the package and the documents runs and gives what it says."""

import doctest
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import matplotlib
import pytest

import hedgerow

PACKAGE = Path(hedgerow.__file__).parent
ROOT = Path(__file__).parents[2]
NEEDS = {
    "hedgerow.engines.torch_gpu": ("torch", "triton"),
    "hedgerow.progress": ("IPython",),
    "hedgerow.river": ("river",),
}


def module_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def examples_in(path):
    """Count examples as a reader would: lines that begin with a prompt."""
    return len(re.findall(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.M))


WITH_EXAMPLES = {
    module_of(path): examples_in(path) for path in PACKAGE.rglob("*.py") if examples_in(path)
}


PAGES = [page for page in (ROOT / "README.md", *ROOT.glob("docs/*.md")) if examples_in(page)]


def test_examples_were_found():
    assert sum(WITH_EXAMPLES.values()) > 300
    assert "hedgerow.estimators._hedge" in WITH_EXAMPLES
    assert ROOT / "docs/data.md" in PAGES


@pytest.mark.parametrize("name", sorted(WITH_EXAMPLES))
@pytest.mark.filterwarnings("ignore::hedgerow.estimators.GuaranteeWarning")
@pytest.mark.filterwarnings("ignore::hedgerow.estimators.DataWarning")
def test_examples_run(name, tmp_path, monkeypatch):
    for whole, needed in NEEDS.items():
        missing = [package for package in needed if find_spec(package) is None]
        if name.startswith(whole) and missing:
            pytest.skip(f"examples of {name} need {', '.join(missing)}")
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    result = doctest.testmod(import_module(name))
    assert result.failed == 0
    assert result.attempted == WITH_EXAMPLES[name], "some examples were not found, and never run"


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda page: page.name)
def test_examples_of_documents_run(page):
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.failed == 0
    assert result.attempted == examples_in(page)
