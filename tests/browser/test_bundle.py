"""The committed bundles are those that the sources in `frontend/` build."""

import hashlib
import re
from pathlib import Path

import pytest

import hedgerow.report

FRONTEND = Path(__file__).parents[2] / "frontend"
REPORT = Path(hedgerow.report.__file__).parent


def digest_of_sources():
    """Do what `frontend/build.mjs` does."""
    paths = [path.relative_to(FRONTEND).as_posix() for path in (FRONTEND / "src").rglob("*.*")]
    digest = hashlib.sha256()
    for path in sorted([*paths, "build.mjs", "package.json", "tsconfig.json"]):
        digest.update(path.encode() + b"\0" + (FRONTEND / path).read_bytes() + b"\0")
    return digest.hexdigest()


@pytest.mark.parametrize("name", ["bundle.js", "bundle.css"])
def test_the_bundle_is_built_from_these_sources(name):
    found = re.search(r"from sources ([0-9a-f]{64})", (REPORT / name).read_text(encoding="utf-8"))
    assert found, f"{name} has no digest"
    assert found[1] == digest_of_sources(), "run: cd frontend && npm install && npm run build"


def test_the_bundle_can_stand_inside_a_script_element():
    script = (REPORT / "bundle.js").read_text(encoding="utf-8")
    assert not re.search(r"</script|<!--", script, re.IGNORECASE)


def test_the_bundle_carries_the_licences_of_what_it_contains():
    script = (REPORT / "bundle.js").read_text(encoding="utf-8")
    for package in ("sigma", "graphology", "graphology-layout-forceatlas2", "graphology-utils"):
        assert re.search(rf"^{package} \d+\.\d+\.\d+$", script, re.MULTILINE), package
    assert script.count("Permission is hereby granted, free of charge") >= 4


def test_versions_are_pinned_and_no_lock_file_is_kept():
    text = (FRONTEND / "package.json").read_text()
    assert not re.search(r'"[\^~]\d', text)
    assert not (FRONTEND / "package-lock.json").exists()
