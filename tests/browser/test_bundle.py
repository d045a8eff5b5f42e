"""The committed bundles are those that the sources in `frontend/` build."""

import hashlib
import re
from pathlib import Path

import pytest

import hedgerow

FRONTEND = Path(__file__).parents[2] / "frontend"
PACKAGE = Path(hedgerow.__file__).parent
SCRIPTS = ["report/bundle.js", "live/bundle.js"]
STYLES = ["report/bundle.css", "live/bundle.css"]


def digest_of_sources():
    """Do what `frontend/build.mjs` does."""
    paths = [path.relative_to(FRONTEND).as_posix() for path in (FRONTEND / "src").rglob("*.*")]
    digest = hashlib.sha256()
    for path in sorted([*paths, "build.mjs", "package.json", "tsconfig.json"]):
        digest.update(path.encode() + b"\0" + (FRONTEND / path).read_bytes() + b"\0")
    return digest.hexdigest()


@pytest.mark.parametrize("name", SCRIPTS + STYLES)
def test_the_bundle_is_built_from_these_sources(name):
    found = re.search(r"from sources ([0-9a-f]{64})", (PACKAGE / name).read_text(encoding="utf-8"))
    assert found, f"{name} has no digest"
    assert found[1] == digest_of_sources(), "run: cd frontend && npm install && npm run build"


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_bundle_can_stand_inside_a_script_element(name):
    script = (PACKAGE / name).read_text(encoding="utf-8")
    assert not re.search(r"</script|<!--", script, re.IGNORECASE)


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_bundle_carries_the_licences_of_what_it_contains(name):
    script = (PACKAGE / name).read_text(encoding="utf-8")
    for package in ("sigma", "graphology", "graphology-layout-forceatlas2", "graphology-utils"):
        assert re.search(rf"^{package} \d+\.\d+\.\d+$", script, re.MULTILINE), package
    assert script.count("Permission is hereby granted, free of charge") >= 4


def test_versions_are_pinned_and_no_lock_file_is_kept():
    text = (FRONTEND / "package.json").read_text()
    assert not re.search(r'"[\^~]\d', text)
    assert not (FRONTEND / "package-lock.json").exists()
