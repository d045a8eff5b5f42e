"""Kills runs of a stream until enough have died, and tells whether what is left is right.

    python stream_killer.py SOURCE FOLDER SEED KILLS [rotate]

Called by `test_stream_kill.py`. A % in the source stands for the number of the round. Everything is
imported and compiled once; each run is a fork, so that it starts in no time. The first of each
round dies between write and rename. Half of the others are killed by the clock, half by themselves,
just before or just after a call that a checkpoint is made of: a write, an fsync, the rename, the
removal of an old file. With ``rotate``, the events file is also renamed, before and
during runs; an event may then be in two files, if a kill came between it and its checkpoint.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np
import polars  # noqa: F401 - or each run would import it

from hedgerow import HedgeGraph, stream
from hedgerow.io import raw as _bytes
from hedgerow.stream import _redis
from hedgerow.stream._checkpoint import Checkpoints

CALLS = ("replace", "fsync", "write", "ftruncate", "unlink", "open")


def main(source: str, folder: Path, seed: int, kills: int, rotated: bool) -> None:
    chance = random.Random(seed)
    HedgeGraph(half_life=200).fit(np.random.default_rng(0).standard_normal((2000, 4)))  # compiles
    begun = time.monotonic()
    assert died(run(source, folder / "0", None)) is False
    lasts = time.monotonic() - begun
    expected = result(folder / "0", rotated)
    killed = rounds = torn = 0
    while killed < kills:
        rounds += 1
        target = folder / str(rounds)
        dead = died(run(source, target, ("replace", chance.randrange(1, 9), True)))
        while dead:
            killed += 1
            torn += any((target / "saved").glob(".checkpoint-*"))
            if rotated:
                rotate(target, chance)
            dead = attempt(source, target, chance, lasts, rotated)
        assert result(target, rotated) == expected, f"round {rounds} differs, seed {seed}"
    print(json.dumps({"killed": killed, "rounds": rounds, "torn": torn}))


def attempt(source: str, target: Path, chance: random.Random, lasts: float, rotated: bool) -> bool:
    """Start a run and kill it, unless it is done before."""
    if chance.random() < 0.5:
        fatal = chance.choice(CALLS), chance.randrange(1, 20), chance.random() < 0.5
        return died(run(source, target, fatal))
    child = run(source, target, None)
    for _ in range(3):
        time.sleep(chance.uniform(0, lasts / 3))
        if rotated:
            rotate(target, chance)
    os.kill(child, signal.SIGKILL)
    return died(child)


def run(source: str, target: Path, fatal: tuple[str, int, bool] | None) -> int:
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        if fatal:
            make_fatal(*fatal)
        _bytes.BLOCK, _redis._FEWEST, _redis._MOST = 4000, 50, 50
        target.mkdir(exist_ok=True)
        stream.run(
            source.replace("%", target.name),
            HedgeGraph(half_life=200),
            checkpoint=target / "saved",
            every=100,
            bad_rows="skip",
            events=target / "events",
        )
        status = 0
    finally:
        os._exit(status)


def rotate(target: Path, chance: random.Random) -> None:
    """Do what programs that rotate logs do."""
    events = target / "events"
    if events.exists() and chance.random() < 0.5:
        events.rename(target / f"events.{len([*target.glob('events*')])}")


def make_fatal(name: str, count: int, before: bool) -> None:
    """Let the ``count``-th call of a function of `os` be the last thing that happens."""
    function = getattr(os, name)
    left = count

    def call(*args, **kwargs):
        nonlocal left
        left -= 1
        if left == 0 and before:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = function(*args, **kwargs)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    setattr(os, name, call)


def died(child: int) -> bool:
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0
    return False


def result(target: Path, rotated: bool) -> tuple:
    """All that a run leaves: its last checkpoint to the last bit, and the events."""
    saves = Checkpoints(target / "saved")
    last = saves.latest()
    saves.close()
    arrays = {name: (array.dtype.str, array.tobytes()) for name, array in last.arrays.items()}
    passing = ("file", "bytes", "tail") if rotated else ("file",)
    changes = {name: value for name, value in last.changes.items() if name not in passing}
    events = b"".join(path.read_bytes() for path in target.glob("events*"))
    if rotated:
        events = sorted({*events.splitlines(keepends=True)})
    return last._replace(arrays=arrays, changes=changes), events


if __name__ == "__main__":
    rotated = sys.argv[5:] == ["rotate"]
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), rotated)
