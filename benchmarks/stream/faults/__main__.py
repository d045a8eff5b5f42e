"""Do faults to streams until there were enough.

python -m benchmarks.stream.faults --faults 1000 [--seed N] [--minutes M]
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import kept
from benchmarks.stream import store
from benchmarks.stream.faults import rows as tables
from benchmarks.stream.faults.runs import Difference
from benchmarks.stream.faults.sequence import LABELS, Sequence, unbroken
from benchmarks.stream.faults.worlds import Arriving, Entries, Growing, Pipe, World
from benchmarks.stream.server import RedisServer
from hedgerow import HedgeGraph

WORLDS = (Growing, Arriving, Entries, Pipe)


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.stream.faults", description=__doc__)
    parser.add_argument("--faults", type=int, default=1000, help="how many, at least")
    parser.add_argument("--seed", type=int, help="decides rows and faults, not what time does")
    parser.add_argument("--minutes", type=float, help="no new sequence after so long")
    parser.add_argument("--first", type=int, default=0, help="number of the first sequence")
    parser.add_argument("--in-each", type=int, default=18, help="faults in a sequence, at most")
    parser.add_argument("--print-only", action="store_true", help="keep no figures")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    # At the commit of what is about to be imported and run, whatever is done meanwhile.
    command = f"python -m benchmarks.stream.faults --faults {options.faults} --seed {seed}"
    made = kept.made(command)
    print(f"seed {seed}, commit {made.commits[0]}", flush=True)
    warm_up()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "server").mkdir()
        with RedisServer(Path(folder, "server")) as server:
            found = _play(options, seed, Path(folder), server)
    figures = {
        **found,
        "seed": seed,
        "seconds": time.monotonic() - begun,
    }
    for label, count in figures["kinds"].items():
        print(f"{count:6}  {label}")
    print(f"{figures['faults']} faults, {len(figures['differences'])} differences, seed {seed}")
    if not options.print_only:
        store.keep("faults", figures, made)
    sys.exit(bool(figures["differences"]))


def warm_up() -> None:
    """Import and compile everything before the first fork."""
    HedgeGraph(half_life=200).fit(np.random.default_rng(0).standard_normal((2000, 4)))


def _play(
    options: argparse.Namespace, seed: int, folder: Path, server: RedisServer
) -> dict[str, Any]:
    limit = time.monotonic() + 60 * (options.minutes or float("inf"))
    counts: Counter[str] = Counter()
    worlds: Counter[str] = Counter()
    differences: list[str] = []
    number, turn = options.first, 0
    while counts.total() < options.faults and time.monotonic() < limit:
        chance = random.Random(f"{seed} {number}")
        home = folder / str(number)
        home.mkdir()
        world = _world(WORLDS[number % len(WORLDS)], home, seed, number, chance, server)
        sequence = Sequence(world, home, chance, turn)
        wanted = min(chance.randint(options.in_each // 2, options.in_each), options.faults)
        try:
            unbroken(world.rows, home / "unbroken")
            sequence.play(wanted)
            sequence.check()
        except Difference as difference:
            differences.append(f"seed {seed}, sequence {number}, {world.name}: {difference}")
            print(f"DIFFERENCE {differences[-1]}\n  after {sequence.history}", flush=True)
        finally:
            sequence.close()
        counts += sequence.counts
        worlds[world.name] += sequence.counts.total()
        print(f"sequence {number}, {world.name}: {counts.total()} faults so far", flush=True)
        shutil.rmtree(home)
        number, turn = number + 1, sequence.turn
    return {
        "faults": counts.total(),
        "sequences": number - options.first,
        "kinds": {label: counts[kind] for kind, label in LABELS.items()},
        "worlds": dict(worlds),
        "differences": differences,
    }


def _world(
    kind: type[World],
    home: Path,
    seed: int,
    number: int,
    chance: random.Random,
    server: RedisServer,
) -> World:
    rows = tables.draw([seed, number])
    if kind is Entries:
        return Entries(home, rows, chance, server)
    return kind(home, rows, chance)


if __name__ == "__main__":
    main()
