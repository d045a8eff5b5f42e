"""A wheel in an empty environment: does what the README says work there?"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

# Tables that the README's examples read.
TABLES = """
hedgerow simulate cycle -p 6 -n 400 --seed 1 --out measurements.csv
sed -i '1s/.*/age,sex,batch,mood,sleep,pain/' measurements.csv
hedgerow simulate cycle -p 6 -n 300 --seed 2 --out controls.csv
hedgerow simulate chain -p 6 -n 300 --seed 3 --out patients.csv
mkdir -p sensors && cp controls.csv sensors/1.csv
"""
LONGEST = 1800  # seconds that a step may take


def readme_code(text: str) -> str:
    """Return the Python of the README, with the rows that it calls ``more``."""
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    return code.replace("graph.partial_fit(more)", "more = table\ngraph.partial_fit(more)")


def readme_commands(text: str) -> str:
    """Return the commands of the README; the stream ends with its files, and nobody watches it."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    (commands,) = [block for block in blocks if "hedgerow learn" in block]
    return commands.replace(" --follow", "").replace(" --live", "")


def run(python: str, wheel: Path, folder: Path, root: Path) -> Iterator[tuple[str, str]]:
    """Yield what was tried, and what went wrong: nothing, if it works."""
    work = folder / "work"
    work.mkdir(parents=True)
    readme = (root / "README.md").read_text()
    (work / "readme.py").write_text(readme_code(readme))
    (work / "tables.sh").write_text(f"set -eu\n{TABLES}")
    (work / "readme.sh").write_text(f"set -eu\n{readme_commands(readme)}")
    shutil.copy(root / "tests" / "test_sklearn_contract.py", work)
    path = f"{folder / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    steps = {
        "an empty environment": f"{python} -m venv ../env",
        "pip install": f"python -m pip install --quiet --disable-pip-version-check '{wheel}'",
        "requirements": "python -m pip check",
        "hedgerow demo": "hedgerow demo && test -s hedgerow-demo.html",
        "tables for the README": "bash tables.sh",
        "the README's commands": "bash readme.sh",
        "the README's Python": (
            "python -m pip install --quiet --disable-pip-version-check pandas pytest"
            " && python readme.py"
        ),
        "scikit-learn's checks": "python -m pytest -q -c /dev/null test_sklearn_contract.py",
    }
    for what, command in steps.items():
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=work,
            env={**_plain(os.environ), "PATH": path},
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
        trouble = (done.stderr.strip() or done.stdout.strip() or "failed")[-2000:]
        yield what, "" if done.returncode == 0 else trouble
        if done.returncode:
            return


def _plain(environment: "os._Environ[str]") -> dict[str, str]:
    """Return the environment without what would let this tree, or another one, be imported."""
    return {k: v for k, v in environment.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
