"""The archives of a release: what is in them, and what they say about themselves."""

import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from packaging.metadata import Metadata

BUNDLED = ("sigma", "graphology", "graphology-layout-forceatlas2", "graphology-utils")
PICTURES = (".png", ".gif", ".jpg", ".jpeg", ".svg")


def version_of(root: Path) -> str:
    found = re.search(r'"(.+)"', (root / "src" / "hedgerow" / "_version.py").read_text())
    assert found
    return found[1]


def texts(root: Path) -> Iterator[str]:
    """Yield what the texts of a release lack."""
    version, changes = version_of(root), (root / "CHANGELOG.md").read_text()
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changes, re.M):
        yield f"CHANGELOG.md has no dated section on {version}"


def build(root: Path, folder: Path) -> tuple[Path, Path]:
    """Build the archive of sources, and the wheel from it, as an installer would."""
    _hatch(root, "sdist", folder)
    (sdist,) = folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as name, tarfile.open(sdist) as archive:
        archive.extractall(name, filter="data")
        (sources,) = Path(name).iterdir()
        _hatch(sources, "wheel", folder)
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


def _hatch(root: Path, target: str, folder: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


def contents(sdist: Path, wheel: Path, root: Path) -> Iterator[str]:
    """Yield what is wrong with two archives."""
    with tarfile.open(sdist) as archive:
        sources = {name.partition("/")[2] for name in archive.getnames()}
    with zipfile.ZipFile(wheel) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    package = {name for name in packed if ".dist-info/" not in name}
    here = {
        path.relative_to(root / "src").as_posix()
        for path in (root / "src" / "hedgerow").rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".nbi", ".nbc")
    }
    for name in sorted(here ^ package):
        yield f"{name} is {'missing from' if name in here else 'not wanted in'} the wheel"
    for name in sorted(sources | package):
        if name.startswith(("tests/", "docs/", "benchmarks/")) or name.endswith(PICTURES):
            yield f"{name} is in an archive"
    yield from _licences(packed)
    (metadata,) = (text for name, text in packed.items() if name.endswith("dist-info/METADATA"))
    yield from said(metadata, version_of(root))


def _licences(packed: dict[str, bytes]) -> Iterator[str]:
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in packed):
        yield "the wheel has no LICENSE"
    script = packed["hedgerow/report/bundle.js"].decode()
    for name in BUNDLED:
        if not re.search(rf"^{name} \d+\.\d+\.\d+\n\n.*?Copyright", script, re.M | re.S):
            yield f"{name} is bundled without its licence"


def said(metadata: bytes, version: str) -> Iterator[str]:
    """Yield what is wrong with the metadata of a wheel.

    >>> lines = "Metadata-Version: 2.4", "Name: a", "Version: 2", "Requires-Python: >=3.11"
    >>> list(said("\\n".join(lines).encode(), "1"))
    ['the wheel is of version 2, not 1', 'no summary', 'no license_expression', 'no description']
    """
    found = Metadata.from_email(metadata, validate=True)  # raises where the standard is broken
    if str(found.version) != version:
        yield f"the wheel is of version {found.version}, not {version}"
    for name in ("summary", "license_expression", "description"):
        if not getattr(found, name):
            yield f"no {name}"
    for address in re.findall(r"\]\((?![a-z]+:|#)([^)]*)\)", found.description or ""):
        yield f"the description points to {address}, a file that an index does not have"
    if str(found.requires_python) != ">=3.11":
        yield f"Requires-Python is {found.requires_python}"
    for each in found.requires_dist or []:
        if each.url or not (each.specifier or each.extras):
            yield f"{each} has no lower bound"
