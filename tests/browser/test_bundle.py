"""The committed bundle is the one that the sources in `frontend/` build, byte for byte."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import hedgerow

FRONTEND = Path(__file__).parents[2] / "frontend"
BUNDLE = Path(hedgerow.__file__).parent / "report"


def npm(folder, *arguments):
    return subprocess.run(["npm", *arguments], cwd=folder, capture_output=True, text=True)


def test_the_sources_build_these_bytes(tmp_path):
    if not shutil.which("npm"):
        pytest.skip("npm is not installed: the bundle was not built again")
    work = tmp_path / "frontend"
    shutil.copytree(FRONTEND, work, ignore=shutil.ignore_patterns("node_modules"))
    got = npm(work, "install", "--ignore-scripts", "--no-audit", "--no-fund")
    if got.returncode != 0 and re.search(r"E(NOTFOUND|AI_AGAIN|CONNREFUSED|TIMEDOUT)", got.stderr):
        pytest.skip("npm reaches no registry: the bundle was not built again")
    assert got.returncode == 0, got.stderr
    built = npm(work, "run", "build", "--", str(tmp_path))
    assert built.returncode == 0, built.stdout + built.stderr
    for name in ("bundle.js", "bundle.css"):
        same = (tmp_path / name).read_bytes() == (BUNDLE / name).read_bytes()
        assert same, f"{name} is another: cd frontend && npm install && npm run build"


def test_one_bundle_serves_all_pages():
    found = [path.parent.name for path in BUNDLE.parent.rglob("bundle.*")]
    assert found == ["report", "report"]


def test_the_bundle_can_stand_inside_a_script_element():
    script = (BUNDLE / "bundle.js").read_text(encoding="utf-8")
    assert not re.search(r"</script|<!--", script, re.IGNORECASE)


def test_the_bundle_carries_the_licences_of_what_it_contains():
    script = (BUNDLE / "bundle.js").read_text(encoding="utf-8")
    versions = json.loads((FRONTEND / "package.json").read_text())["devDependencies"]
    for package in ("sigma", "graphology", "graphology-layout-forceatlas2", "graphology-utils"):
        assert f"\n{package} {versions[package]}\n" in script
    assert script.count("Permission is hereby granted, free of charge") >= 4


def test_versions_are_pinned_and_no_lock_file_is_kept():
    versions = json.loads((FRONTEND / "package.json").read_text())["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions.values()), versions
    assert not (FRONTEND / "package-lock.json").exists()
