"""The plain install, without any extra, has a command that reads a table and draws a page."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
# Runs the command as if nothing were installed but the wheel and what it requires.
ISOLATED = """
import sys
absent = set(sys.argv.pop(1).split(","))

class Others:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"{name!r} is not among the requirements", name=name)

sys.meta_path.insert(0, Others())
import hedgerow
assert hedgerow.__file__.startswith(sys.argv.pop(1)), hedgerow.__file__
from hedgerow.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / "site")
    _lend_compiled_code(ROOT / "src", folder / "site")
    return folder / "site"


def _lend_compiled_code(ours, theirs):
    """Spare numba a minute: the same sources with the same dates compile to the same code."""
    for source in ours.rglob("*.py"):
        copy = theirs / source.relative_to(ours)
        assert copy.read_bytes() == source.read_bytes(), f"{copy.name} is not what was built from"
        shutil.copystat(source, copy)
    for compiled in ours.rglob("__pycache__/*.nb[ic]"):
        target = theirs / compiled.relative_to(ours)
        target.parent.mkdir(exist_ok=True)
        shutil.copy2(compiled, target)


def requirements(metadata):
    """Return what is needed without any extra, for this Python."""
    found = re.findall(r"^Requires-Dist: (.*)$", metadata, re.M)
    parsed = [Requirement(text) for text in found]
    return [each for each in parsed if not each.marker or each.marker.evaluate({"extra": ""})]


def with_their_own(wanted):
    """Return the names of packages, and of all that they need in turn."""
    names = set()
    while wanted:
        name = re.sub(r"[-_.]+", "-", wanted.pop().name).lower()
        if name not in names:
            names.add(name)
            text = "\n".join(f"Requires-Dist: {each}" for each in distribution(name).requires or [])
            wanted += requirements(text)
    return names


@pytest.fixture(scope="module")
def absent(wheel):
    """Return the modules that are here but that a plain install does not bring."""
    (metadata,) = wheel.glob("*.dist-info/METADATA")
    names = with_their_own(requirements(metadata.read_text().split("\n\n")[0]))
    assert {"click", "rich", "polars", "numpy"} <= names
    assert not names & {"pandas", "pyarrow", "matplotlib", "networkx", "uvicorn", "h5py"}
    return {
        module
        for module, owners in packages_distributions().items()
        if not (names | {"hedgerow"}) & {re.sub(r"[-_.]+", "-", each).lower() for each in owners}
    }


def run(wheel, absent, folder, *arguments):
    return subprocess.run(
        [sys.executable, "-c", ISOLATED, ",".join(sorted(absent)), str(wheel), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(wheel)},
    )


def test_the_command_reads_a_table_and_draws_a_page(wheel, absent, tmp_path):
    walk = np.cumsum(np.random.default_rng(0).standard_normal((200, 4)), axis=1)
    np.savetxt(tmp_path / "walk.csv", walk, delimiter=",", header="a,b,c,d", comments="")
    done = run(wheel, absent, tmp_path, "learn", "walk.csv", "--html", "page.html")
    assert done.returncode == 0, done.stderr
    assert "walk.csv: 200 rows, 4 columns\n3 edges among 6 pairs" in done.stdout
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


def test_the_demo_runs_without_the_repository(wheel, absent, tmp_path):
    done = run(wheel, absent, tmp_path, "demo")
    assert done.returncode == 0, done.stderr
    assert "before: taken to be normal" in done.stdout
    assert "o───o───o" in done.stdout
    assert (tmp_path / "hedgerow-demo.html").stat().st_size > 200_000


def test_licences_of_bundled_code_are_in_the_wheel(wheel):
    (own,) = wheel.glob("*.dist-info/licenses/LICENSE")
    assert own.read_bytes() == (ROOT / "LICENSE").read_bytes()
    bundles = list(wheel.rglob("bundle.*"))
    assert sorted(path.name for path in bundles) == ["bundle.css", "bundle.js"]
    script = next(path for path in bundles if path.suffix == ".js").read_text()
    for package in ("sigma", "graphology", "graphology-layout-forceatlas2", "graphology-utils"):
        notice = re.search(rf"^{package} \d+\.\d+\.\d+\n\n(.*?)^(---|\*/)$", script, re.M | re.S)
        assert notice, f"{package} is bundled without its licence"
        assert "Copyright" in notice[1]


def test_the_wheel_has_the_package_and_no_more(wheel):
    tops = {path.name.partition("-")[0] for path in wheel.iterdir()}
    assert tops == {"hedgerow"}
    assert (wheel / "hedgerow" / "py.typed").exists()


def test_the_guard_of_this_test_works(wheel, absent, tmp_path):
    (tmp_path / "walk.csv").write_text("a,b\n1,2\n")
    done = run(wheel, absent | {"polars"}, tmp_path, "learn", "walk.csv")
    assert done.returncode != 0
    assert "'polars' is not among the requirements" in done.stderr


def test_version_and_old_instructions(wheel, absent, tmp_path):
    done = run(wheel, absent, tmp_path, "--version")
    assert re.fullmatch(r".*, version \d+\.\d+\.\d+\n", done.stdout), done.stderr
    (metadata,) = wheel.glob("*.dist-info/METADATA")
    assert "Provides-Extra: cli\n" in metadata.read_text()  # hedgerow[cli] is no error
    (scripts,) = wheel.glob("*.dist-info/entry_points.txt")
    assert "hedgerow = hedgerow.__main__:main" in scripts.read_text()
