"""Results of the parts, kept in one file."""

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import kept

RESULTS = Path(__file__).resolve().parents[1] / "results" / "stream.json"
PACKAGES = ("hedgerow", "numpy", "numba", "polars", "redis")


def keep(part: str, figures: Any, made: kept.Made | None = None) -> None:
    """Add the figures of a part to those of others, and how they were measured."""
    before = read()
    how = made or kept.made(f"python -m benchmarks.stream {part}")
    RESULTS.parent.mkdir(exist_ok=True)
    now = {part: figures, "setting": setting(), "made": before.get("made", {}) | {part: how}}
    RESULTS.write_text(json.dumps(before | now, indent=1) + "\n")


def read() -> dict[str, Any]:
    """Return the figures of all parts measured so far."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def setting() -> str:
    """Return the machine and the versions that the figures are for."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"{kept.machine()}; {versions}, Python {platform.python_version()}"
