"""Is this tree fit for release? Builds the archives, looks into them, and tries the wheel out.

    python -m release.check [PYTHON ...]

tries every Python from 3.11 on that is found, or those named, and builds images and the conda
package where there is Docker and rattler-build. Nothing is uploaded.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from release import archives, containers, trial

ROOT = Path(__file__).resolve().parents[1]
OLDEST, NEWEST = 11, 20  # minor versions of Python 3 that are looked for


def pythons(named: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each Python that starts, with its version."""
    names = [f"python3.{minor}" for minor in range(OLDEST, NEWEST)]
    managed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = [*map(Path, os.get_exec_path()), *managed.glob("*/bin")]
    there = [str(folder / name) for name in names for folder in folders]
    seen = set()
    for command in named or there:
        try:
            code = "import sys; print(*sys.version_info[:3], sep='.')"
            done = subprocess.run([command, "-c", code], capture_output=True, text=True)
        except OSError:
            continue
        version = done.stdout.strip()
        if done.returncode == 0 and version not in seen:
            seen.add(version)
            yield command, version


def main(named: list[str]) -> int:
    problems = list(archives.texts(ROOT))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sdist, wheel = archives.build(ROOT, folder)
        problems += archives.contents(sdist, wheel, ROOT)
        print(
            f"{sdist.name}, {wheel.name}: {'; '.join(problems) or 'as they should be'}", flush=True
        )
        found = list(pythons(named))
        if not found:
            problems.append("no Python was found to try the wheel with")
        for command, version in found:
            for what, trouble in trial.run(command, wheel, folder / version, ROOT):
                print(f"Python {version}, {what}: {trouble or 'works'}", flush=True)
                problems += [f"Python {version}, {what}"] if trouble else []
    for what, trouble in containers.run(ROOT, archives.version_of(ROOT)):
        print(f"{what}: {'not tried here' if trouble is None else trouble or 'works'}", flush=True)
        problems += [what] if trouble else []
    print(f"NOT fit for release: {'; '.join(problems)}" if problems else "Fit for release.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
