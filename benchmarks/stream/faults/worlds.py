"""Sources that rows are fed into, piece by piece, and what can happen to them."""

import fcntl
import json
import os
import random
import shutil
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.stream.faults import rows as tables
from benchmarks.stream.faults.rows import Rows
from benchmarks.stream.server import RedisServer
from hedgerow import stream
from hedgerow.io.choose import Wish
from hedgerow.io.opening import Reading
from hedgerow.stream._files import Piped

GROWN = ".csv", ".ndjson", ".tsv"  # kinds of text that may grow
OTHER = ("must be the one read before", "the file must only grow")


class World:
    """A source, how much has been fed into it, and the faults that it knows of its own."""

    name = ""
    own: tuple[str, ...] = ()  # faults, by the names of methods of `Sequence`
    waits_for_it = True  # a run that starts while the source is away
    away = ""  # what a run that does not wait says instead
    refusals: tuple[str, ...] = OTHER  # what a run says of another source in its place

    def __init__(self, folder: Path, rows: Rows, chance: random.Random) -> None:
        self.folder, self.rows, self.chance = folder, rows, chance
        self.fed = 0

    def opened(self) -> stream.Source:
        """Open the source, in a run."""
        raise NotImplementedError

    def begin(self, at: int) -> None:
        """A run is about to start, after so many rows."""

    def feed(self, count: int, slowly: bool = False) -> None:
        """Give some more rows; slowly is byte by byte."""
        raise NotImplementedError

    def end(self) -> None:
        """All rows have been given."""

    def leave(self) -> None:
        """Let the source vanish."""

    def come_back(self) -> None:
        """Bring it back as it was."""

    def can_be_replaced(self) -> bool:
        """Return whether there is enough of it to tell it from another."""
        return True

    def replace(self) -> None:
        """Put another source in its place; no run may be going on."""

    def restore(self) -> None:
        """Bring back the right one."""

    def pause(self) -> None:
        time.sleep(self.chance.choice((0, 0, 0.001, 0.01)))

    def append(self, path: Path, data: bytes, slowly: bool) -> None:
        """Write to the end of a file in some pieces, which tear lines."""
        with path.open("ab", buffering=0) as file:
            for piece in self.pieces(data, slowly):
                file.write(piece)
                self.pause()

    def pieces(self, data: bytes, slowly: bool) -> list[bytes]:
        count = len(data) // 5 if slowly else 3
        cuts = sorted(self.chance.choices(range(len(data) + 1), k=count))
        return [data[a:b] for a, b in pairwise([0, *cuts, len(data)])]


class Growing(World):
    """One file of text that grows, and is rotated."""

    name = "a file that grows"
    own = ("gone", "replaced", "cut", "replaced_below_it", "rotated", "rotated_and_killed")

    def __init__(self, folder: Path, rows: Rows, chance: random.Random) -> None:
        super().__init__(folder, rows, chance)
        self._suffix = chance.choice(GROWN)
        self.path = self._where = folder / f"rows{self._suffix}"
        self._content, self._old = b"", 0
        self.base = 0  # rows in the files before

    def opened(self) -> stream.Source:
        return stream.open_source(self.path, follow=True)

    def feed(self, count: int, slowly: bool = False) -> None:
        stop = min(self.fed + count, len(self.rows))
        data = b"" if self._content else tables.head(self.rows, self._suffix)
        data += b"".join(self.rows.line(k, self._suffix) for k in range(self.fed, stop))
        self._content += data
        self.append(self._where, data, slowly)
        self.fed = stop

    def leave(self) -> None:
        self._where = self.folder / "away"
        self.path.rename(self._where)

    def come_back(self) -> None:
        if self.chance.random() < 0.5:
            self._where.rename(self.path)
        else:  # as those do who write a copy and rename it
            shutil.copyfile(self._where, self.folder / "copy")
            (self.folder / "copy").rename(self.path)
            self._where.unlink()
        self._where = self.path

    def can_be_replaced(self) -> bool:
        return self.fed - self.base >= 8

    def replace(self) -> None:
        self.leave()
        self.path.write_bytes(self._impostor())

    def restore(self) -> None:
        self.come_back()

    def cut(self) -> None:
        """Lose more than half of the file."""
        os.truncate(self.path, self.chance.randrange(len(self._content) // 2))

    def replace_below(self) -> None:
        """Put other rows over those that are there, and after them."""
        with self.path.open("r+b", buffering=0) as file:
            file.write(self._impostor())

    def mend(self) -> None:
        """Undo both."""
        with self.path.open("r+b", buffering=0) as file:
            file.write(self._content)
            file.truncate()

    def rotate(self) -> None:
        """Give the name to a new file."""
        self._old += 1
        self.path.rename(self._rotated())
        self._content, self.base = b"", self.fed

    def unrotate(self) -> None:
        """Put the old file back, with the new one aside."""
        self.path.rename(self.folder / "newer")
        self._rotated().rename(self.path)

    def rotate_again(self) -> None:
        self.path.rename(self._rotated())
        (self.folder / "newer").rename(self.path)

    def _rotated(self) -> Path:
        return self.folder / f"rows.{self._old}"

    def _impostor(self) -> bytes:
        """Return a file of the same rows in another order, perhaps twice."""
        keep = len(tables.head(self.rows, self._suffix))
        lines = self._content[keep:].splitlines(True)
        self.chance.shuffle(lines)
        shuffled = b"".join(lines)
        longer = shuffled[: self.chance.choice((0, len(shuffled)))]
        return self._content[:keep] + shuffled + longer


class Arriving(World):
    """A folder: whole files of all kinds are moved in, files of text also grow in it."""

    name = "a folder"
    own = ("gone", "replaced")
    waits_for_it = False
    away = "No such file or directory"
    refusals = (*OTHER, "must be there until all of it is read")

    def __init__(self, folder: Path, rows: Rows, chance: random.Random) -> None:
        super().__init__(folder, rows, chance)
        self.path = folder / "in"
        self.path.mkdir()
        self._number = self._stop = 0
        self._growing: Path | None = None

    def opened(self) -> stream.Source:
        return stream.open_source(self.path, follow=True)

    def feed(self, count: int, slowly: bool = False) -> None:
        goal = min(self.fed + count, len(self.rows))
        while self.fed < goal:
            if self.fed == self._stop:
                self._next()
            if self._growing:
                stop = min(goal, self._stop)
                lines = (self.rows.line(k, self._growing.suffix) for k in range(self.fed, stop))
                self.append(self._growing, b"".join(lines), slowly)
                self.fed = stop

    def leave(self) -> None:
        self.path.rename(self.folder / "away")

    def come_back(self) -> None:
        """Bring the folder back, perhaps with a copy of its last file."""
        last = self._last(self.folder / "away")
        if self.chance.random() < 0.5:
            shutil.copyfile(last, self.folder / "copy")
            (self.folder / "copy").rename(last)
        (self.folder / "away").rename(self.path)

    def can_be_replaced(self) -> bool:
        return (
            self._number > 0 and self._last().suffix in GROWN and self._last().stat().st_size > 2000
        )

    def replace(self) -> None:
        """Take the last file away, or change the order of its rows."""
        self._kept = self._last()
        shutil.copyfile(self._kept, self.folder / "kept")
        if self.chance.random() < 0.7:
            first, *lines = self._kept.read_bytes().splitlines(True)
            lines.sort(reverse=True)
            self._kept.write_bytes(b"".join([first, *lines, *lines]))
        else:
            self._kept.unlink()

    def restore(self) -> None:
        (self.folder / "kept").rename(self._kept)

    def _next(self) -> None:
        self._number += 1
        self._stop = min(self.fed + self.chance.randrange(1, 80), len(self.rows))
        suffix = self.chance.choice(tables.KINDS)
        path = self.path / f"{self._number}{suffix}"
        if suffix in GROWN and self.chance.random() < 0.6:
            self._growing = path
            path.write_bytes(tables.head(self.rows, suffix))
            return
        hidden = self.path / f".{self._number}{suffix}"
        tables.write(hidden, self.rows, self.fed, self._stop, suffix)
        hidden.rename(path)
        self._growing, self.fed = None, self._stop

    def _last(self, folder: Path | None = None) -> Path:
        (path,) = (folder or self.path).glob(f"{self._number}.*")
        return path


class Entries(World):
    """A Redis stream on a server that keeps what it was told."""

    name = "a Redis stream"
    own = ("gone", "replaced", "replaced_below_it")
    waits_for_it = False
    away = "Redis: "

    def __init__(
        self, folder: Path, rows: Rows, chance: random.Random, server: RedisServer
    ) -> None:
        super().__init__(folder, rows, chance)
        self._server, self._json = server, chance.random() < 0.5
        self._key = f"rows-{folder.name}"

    def opened(self) -> stream.Source:
        return stream.open_source(f"{self._server.address}?stream={self._key}", follow=True)

    def feed(self, count: int, slowly: bool = False) -> None:
        stop = min(self.fed + count, len(self.rows))
        for k in range(self.fed, stop):
            self._server.client.xadd(self._key, self._entry(k))
            if slowly:
                time.sleep(self.chance.uniform(0, 0.02))
        self.fed = stop

    def leave(self) -> None:
        self._server.stop()

    def come_back(self) -> None:
        self._server.start()

    def replace(self) -> None:
        """Let another stream have the name, or none."""
        self._server.client.rename(self._key, "kept")
        for k in range(self.chance.choice((0, self.fed, 2 * self.fed))):
            self._server.client.xadd(self._key, self._entry(k % self.fed))

    replace_below = replace

    def restore(self) -> None:
        self._server.client.rename("kept", self._key)

    mend = restore

    def _entry(self, k: int) -> dict[str, Any]:
        cells = self.rows.cells(k)
        return {"json": json.dumps(cells)} if self._json else cells


class Pipe(World):
    """A pipe; its writer sends again what is in no checkpoint, since nobody else can."""

    name = "a pipe"

    def __init__(self, folder: Path, rows: Rows, chance: random.Random) -> None:
        super().__init__(folder, rows, chance)
        self._ends: tuple[int, int] | None = None

    def begin(self, at: int) -> None:
        self._close()
        self._ends = os.pipe()
        fcntl.fcntl(self._ends[1], fcntl.F_SETPIPE_SZ, 1 << 20)  # nobody reads yet
        self._reads = True
        again, self.fed = self.fed - at, at
        self._write(self.rows.header(), slowly=False)
        self.feed(again)

    def opened(self) -> stream.Source:
        assert self._ends is not None
        reads, writes = self._ends
        os.close(writes)
        return Piped("pipe", os.fdopen(reads, "rb"), Reading(), Wish())

    def started(self) -> None:
        """The run has the reading end now."""
        assert self._ends is not None
        os.close(self._ends[0])
        self._reads = False

    def feed(self, count: int, slowly: bool = False) -> None:
        stop = min(self.fed + count, len(self.rows))
        self._write(b"".join(self.rows.line(k) for k in range(self.fed, stop)), slowly)
        self.fed = stop

    def end(self) -> None:
        self._close()

    def _write(self, data: bytes, slowly: bool) -> None:
        if self._ends is None:
            return
        try:
            for piece in self.pieces(data, slowly):
                os.write(self._ends[1], piece)
                self.pause()
        except BrokenPipeError:
            pass  # the run has died, and is sent this once more

    def _close(self) -> None:
        if self._ends is not None:
            os.close(self._ends[1])
            if self._reads:
                os.close(self._ends[0])
        self._ends = None
