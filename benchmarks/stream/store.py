"""Results of the parts, kept in one file."""

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.speed.clock import cores, processor

RESULTS = Path(__file__).resolve().parents[1] / "results" / "stream.json"
PACKAGES = ("hedgerow", "numpy", "numba", "polars", "redis")


def keep(part: str, figures: Any) -> None:
    """Add the figures of a part to those of others."""
    kept = read() | {part: figures, "setting": setting()}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


def read() -> dict[str, Any]:
    """Return the figures of all parts measured so far."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def setting() -> str:
    """Return the machine and the versions that the figures are for."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"{processor()}, {cores()} cores; {versions}, Python {platform.python_version()}"
