"""The tour of the README: a terminal, recorded while the commands ran.

    python -m benchmarks.tour

runs them in a terminal of its own, on the survey of docs/survey.md, and writes
docs/images/tour.svg. Lines appear in the order and at the pace in which they came, but for waits,
which are cut short; and without how long it took, because a picture is no measurement.
"""

import inspect
import io
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "tour.svg"
COLUMNS, ROWS = 100, 50
TYPING, LONGEST = 1.5, 2.0  # seconds that a command is typed, and that anything is waited for
COMMANDS = (
    "hedgerow learn survey.csv --id id --na -99 --html network.html",
    "hedgerow learn survey.csv --id id --na -99 --explain mood_low,energy_start | tail -n 6",
)


def record(command: str, folder: Path) -> list[tuple[float, str]]:
    """Run a command in a terminal; return its lines, each with the seconds after which it came."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "LINES": str(ROWS), "TERM": "xterm"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    running = subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env={**environment, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    begun, text, lines = time.monotonic(), b"", []
    while select.select([ours], [], []):
        try:
            text += os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        *whole, text = text.split(b"\n")
        after = time.monotonic() - begun
        for line in map(bytes.decode, whole):
            del lines[len(lines) - erased(line) :]
            lines.append((after, last_look(line)))
    if running.wait():
        raise SystemExit(f"{command} failed: {lines}")
    return [(after, line) for after, line in lines if "Took " not in line]


def erased(line: str) -> int:
    r"""Return how many lines above it a line writes over.

    >>> erased("\x1b[1A\x1b[2Kdone")
    1
    """
    return sum(int(number or 1) for number in re.findall(r"\x1b\[(\d*)A", line))


def last_look(line: str) -> str:
    r"""Return what is left of a line that was written over, and not erased.

    >>> last_look("Learning 10 %\r\x1b[2Kdone\r")
    'done'
    """
    written = re.split(r"\r|\x1b\[\d*[AKJ]|\x1b\[\?25[lh]", line)
    return next((part for part in reversed(written) if part), "")


def draw(sessions: list[tuple[str, list[tuple[float, str]]]]) -> str:
    """Return the picture: every line with the moment at which it appears."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="256")
    moments, now = [], 0.0
    for command, lines in sessions:
        now += TYPING
        console.print(Text.assemble(("$ ", "green"), (command, "bold")), soft_wrap=True)
        moments.append(now)
        before = 0.0
        for after, line in lines:
            now += min(after - before, LONGEST)
            before = after
            shown = Text.from_ansi(line)
            console.print(shown)
            moments += [now] * max(len(shown.wrap(console, COLUMNS)), 1)
    usual = inspect.signature(console.export_svg).parameters["code_format"].default
    look = re.sub(r"@font-face \{\{.*?\}\}\n", "", usual, flags=re.S)  # fonts from elsewhere
    look = look.replace("{styles}", "{styles}\n" + MOTION)
    picture = console.export_svg(
        title="Hedgerow", theme=DIMMED_MONOKAI, code_format=look, unique_id="tour"
    )
    return re.sub(
        r'clip-path="url\(#tour-line-(\d+)\)"',
        lambda found: f'{found[0]} style="animation-delay:{moments[int(found[1])]:.2f}s"',
        picture,
    )


MOTION = """
    @media (prefers-reduced-motion: no-preference) {{
        .tour-matrix text {{ animation: tour-appear 0.1s both; }}
    }}
    @keyframes tour-appear {{ from {{ opacity: 0; }} to {{ opacity: 1; }} }}
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(ROOT / "docs" / "examples" / "survey.csv", name)
        record(COMMANDS[0], Path(name))  # compiles what a machine compiles once
        sessions = [(command, record(command, Path(name))) for command in COMMANDS]
    PICTURE.write_text(draw(sessions))


if __name__ == "__main__":
    main()
