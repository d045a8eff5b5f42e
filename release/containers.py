"""Images and the conda package: built where there is something to build them with."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

IMAGES = ("release/Dockerfile", "release/Dockerfile.cuda")


def run(root: Path, version: str) -> Iterator[tuple[str, str | None]]:
    """Yield what was tried, and what went wrong: nothing, or None where it could not be tried."""
    docker = shutil.which("docker") and _run(["docker", "info"], root) == ""
    for file in IMAGES:
        if not docker:
            yield file, None
            continue
        tag = re.sub(r"\W+", "-", file).lower()
        trouble = _run(["docker", "build", "-f", file, "-t", tag, "."], root)
        yield file, trouble or _run(["docker", "run", "--rm", tag, "--version"], root)
    if not shutil.which("rattler-build"):
        yield "release/conda", None
        return
    command = ["rattler-build", "build", "--recipe", "release/conda"]
    yield "release/conda", _run(command, root, HEDGEROW_VERSION=version)


def _run(command: list[str], root: Path, **more: str) -> str:
    done = subprocess.run(
        command, cwd=root, env={**os.environ, **more}, capture_output=True, text=True
    )
    return "" if done.returncode == 0 else (done.stderr.strip() or "failed")[-2000:]
