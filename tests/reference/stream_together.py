"""Two runs on one Redis stream, while it grows and one of them is killed now and then.

    python stream_together.py ADDRESS FOLDER SEED ROUNDS

Called by `test_stream_together.py`. The runs have checkpoints of their own and share a group. Each
round prints a line: kills, and whether both ended with the bits of one run that was alone.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np
import redis

from hedgerow import HedgeGraph, stream
from hedgerow.stream import _redis
from hedgerow.stream._checkpoint import Checkpoints

ROWS, IDLE = 1000, 20  # chunks without a row, when all were added, that end a run


def main(address: str, folder: Path, seed: int, rounds: int) -> None:
    rows = np.random.default_rng(seed).standard_normal((ROWS, 4)) @ np.triu(np.ones((4, 4)))
    expected = arrays_of(HedgeGraph(half_life=200).fit(rows))
    chance = random.Random(seed)
    for number in range(rounds):
        source, target = f"{address}?stream=rows{number}", folder / str(number)
        target.mkdir()
        producer = fork(produce, address, f"rows{number}", rows, target / "all")
        steady = fork(learn, source, target / "steady")
        kills, unlucky = 0, fork(learn, source, target / "unlucky")
        while kills < 3:
            time.sleep(chance.uniform(0.1, 0.6))
            os.kill(unlucky, signal.SIGKILL)
            kills += died(unlucky)
            unlucky = fork(learn, source, target / "unlucky")
        assert not any(map(died, (producer, steady, unlucky)))
        same = [saved(target / name) == expected for name in ("steady", "unlucky")]
        print(json.dumps({"kills": kills, "same": same}), flush=True)


def produce(address: str, key: str, rows: np.ndarray, done: Path) -> None:
    client = redis.Redis.from_url(address)
    for row in rows.tolist():
        client.xadd(key, dict(zip("abcd", map(repr, row))))
        time.sleep(0.001)
    done.touch()


def learn(source: str, folder: Path) -> None:
    _redis._FEWEST, _redis._MOST, _redis.PAUSE = 20, 20, 0.02
    opened = stream.open_source(source, follow=True)
    real, idle = opened.chunks, 0

    def chunks():
        nonlocal idle
        for chunk in real():
            waiting = not len(chunk.rows) and (folder.parent / "all").exists()
            idle = idle + 1 if waiting else 0
            yield chunk

    opened.chunks = chunks
    model = HedgeGraph(half_life=200)
    stream.run(opened, model, checkpoint=folder, every=50, stop=lambda: idle >= IDLE)


def fork(job, *args) -> int:
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        job(*args)
        status = 0
    finally:
        os._exit(status)


def died(child: int) -> bool:
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0
    return False


def arrays_of(model: HedgeGraph) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in model.parts()[1].items()}


def saved(folder: Path) -> dict[str, bytes]:
    saves = Checkpoints(folder)
    last = saves.latest()
    saves.close()
    return {name: array.tobytes() for name, array in last.arrays.items()}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
