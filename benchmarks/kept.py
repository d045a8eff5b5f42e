"""Records of measurements, kept in the repository: pages are filled from them and nothing else.

``records/PAGE.json`` holds, for each block of a page, what was measured and how: the command, the
commits it ran at, the day, the machine, and the sentences and tables that came out.
"""

import json
import os
import platform
import re
import subprocess
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).with_name("records")


class Made(NamedTuple):
    """How something was measured.

    ``carried_over``: the commit of the measurement is not known, because there were no records yet.
    What is named instead is the commit that brought its figures to the page.
    """

    command: str
    commits: list[str]
    date: str
    machine: str
    carried_over: bool = False

    def __str__(self) -> str:
        commits = ", ".join(f"`{commit}`" for commit in self.commits)
        since = "on this page since" if self.carried_over else "at"
        return f"*`{self.command}`, {since} commit {commits}, {self.date}, {self.machine}.*"


class Table(NamedTuple):
    """A table of texts."""

    header: list[str]
    rows: list[list[str]]

    def __str__(self) -> str:
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def cell(self, row: str, column: str) -> str:
        """Return a cell; a row goes by its first cells, joined by ``; ``.

        Of several columns with one name, ``name#2`` is the second.
        """
        name, _, number = column.partition("#")
        places = [k for k, title in enumerate(self.header) if title == name]
        found = [cells for cells in self.rows if f"{'; '.join(cells)}; ".startswith(f"{row}; ")]
        if len(found) != 1 or len(places) < int(number or 1):
            raise KeyError(f"no cell, or several, in row {row!r} and column {column!r}")
        return found[0][places[int(number or 1) - 1]]

    def with_others(
        self, older: "Table", measured: Collection[str], order: Sequence[str]
    ) -> "Table":
        """Return this table with the lines that an older one has of kinds not ``measured`` again.

        A line's kind stands in the column of that name, or else in the first. Lines are sorted by
        what stands before it, and by kind in this ``order``.
        """
        place = self.header.index("kind") if "kind" in self.header else 0
        rows = [row for row in older.rows if row[place] not in measured] + self.rows
        rows.sort(key=lambda row: (row[:place], order.index(row[place])))
        return self._replace(rows=rows)


class Block(NamedTuple):
    """Sentences and tables, and how they were measured."""

    made: Made
    parts: list[str | Table]

    def __str__(self) -> str:
        return "\n\n".join(str(part) for part in (*self.parts, self.made))

    @property
    def table(self) -> Table:
        """The first table."""
        return next(part for part in self.parts if isinstance(part, Table))

    @property
    def text(self) -> str:
        """The first sentences."""
        return next(part for part in self.parts if isinstance(part, str))


Blocks = dict[str, Block]


def parts_of(markdown: str) -> list[str | Table]:
    """Return the paragraphs and tables of some Markdown."""
    return [table_of(part) if part.startswith("|") else part for part in markdown.split("\n\n")]


def table_of(markdown: str) -> Table:
    """Return the table that some Markdown is."""
    header, _, *rows = ([c.strip() for c in line.split("|")[1:-1]] for line in markdown.split("\n"))
    return Table(header, rows)


def keep(page: str, made: Made, blocks: dict[str, str]) -> None:
    """Replace some blocks of a page's record."""
    new = {name: Block(made, parts_of(text)) for name, text in blocks.items()}
    write(page, read(page) | new)


def read(page: str) -> Blocks:
    """Return the record of a page."""
    path = FOLDER / f"{page}.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    return {name: _block(**record) for name, record in kept.items()}


def _block(*, parts: list[Any], **made: Any) -> Block:
    return Block(Made(**made), [Table(**p) if isinstance(p, dict) else p for p in parts])


def read_all() -> dict[str, Blocks]:
    """Return all records, by page."""
    return {path.stem: read(path.stem) for path in sorted(FOLDER.glob("*.json"))}


def write(page: str, blocks: Blocks) -> None:
    """Write a page's record: a line for each row of a table, so that changes can be read."""
    plain = {
        name: {
            **block.made._asdict(),
            "parts": [p if isinstance(p, str) else p._asdict() for p in block.parts],
        }
        for name, block in blocks.items()
    }
    text = json.dumps(plain, indent=1, ensure_ascii=False)
    # Lists that hold nothing but texts stand on one line.
    short = re.sub(r'\[\n\s+("[^\n]*"(?:,\n\s+"[^\n]*")*)\n\s+\]', _on_one_line, text)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{page}.json").write_text(short + "\n")


def _on_one_line(found: re.Match[str]) -> str:
    return "[" + re.sub(r"\n\s+", " ", found[1]) + "]"


def made(command: str, commits: Iterable[str] | None = None) -> Made:
    """Return how something was measured, here and today; at this commit unless told otherwise."""
    at = sorted(set(commits)) if commits is not None else [commit()]
    return Made(command, at, datetime.now(UTC).date().isoformat(), machine())


def commit() -> str:
    """Return the commit of the code that runs, marked if files were changed since, if git knows."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=9", "--exclude=*"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent,
    )
    return done.stdout.strip() or "unknown"


def machine() -> str:
    """Return the processor and how many cores may be used."""
    return f"{processor()}, {len(os.sched_getaffinity(0))} cores"


def processor() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")
