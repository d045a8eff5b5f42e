"""A run that meets one fault after another, and what must be left of it in the end."""

import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from benchmarks.stream.faults.rows import Rows, write
from benchmarks.stream.faults.runs import (
    EVERY,
    LONGEST,
    Difference,
    Outcome,
    Run,
    last_checkpoint,
    result,
)
from benchmarks.stream.faults.trouble import CALLS, Death, FullDisk, Trouble
from benchmarks.stream.faults.worlds import Growing, Pipe, World
from hedgerow import stream
from hedgerow.io import DataError

SURE = 120  # rows by which every source knows its columns, also if some cells are no numbers
OWN = 0.6  # share of faults that a kind of source has of its own, once there are enough rows
SIMPLE = ("killed", "killed_at_a_call", "stopped", "full_disk")
SHARED = (
    *("killed", "killed_at_a_call", "killed_at_a_call", "stopped", "full_disk", "slow"),
    *("second_run", "second_writer", "damaged", "all_damaged", "events_rotated", "lock_removed"),
)
LABELS = {
    "killed": "killed at any moment",
    "killed_at_a_call": "killed at a write, sync, rename or removal",
    "stopped": "asked to stop (SIGTERM)",
    "full_disk": "full disk",
    "slow": "slow source, torn lines",
    "second_run": "a second run on the same checkpoints",
    "second_writer": "a second run on the same events",
    "damaged": "newest checkpoint damaged",
    "all_damaged": "all checkpoints damaged",
    "events_rotated": "events rotated",
    "lock_removed": "the lock of the checkpoints removed",
    "gone": "source away for a while",
    "replaced": "source replaced between two runs",
    "replaced_below_it": "source replaced during a run",
    "cut": "file cut short",
    "rotated": "file rotated",
    "rotated_and_killed": "file rotated, then killed",
}


class Sequence:
    """One world, its rows, and the faults that were done to it."""

    def __init__(self, world: World, folder: Path, chance: random.Random, turn: int) -> None:
        self.world, self._folder, self._chance = world, folder, chance
        self.turn = turn  # how many deaths at a call were tried
        self._run: Run | None = None
        self._events_moved = False
        self.history: list[str] = []
        self.counts: Counter[str] = Counter()

    def play(self, faults: int) -> None:
        """Do some faults, then let the run end in peace; raise `Difference` if it is wrong."""
        share = len(self.world.rows) // (faults + 1)
        for _ in range(faults):
            pool = self.world.own if self._chance.random() < OWN else SHARED
            kinds = [kind for kind in pool if self._is_possible(kind)]
            kind = self._chance.choice(kinds or SIMPLE)
            self.history.append(kind)
            done = getattr(self, f"_{kind}")()
            self.counts[done or kind] += 1
            self._feed(self._chance.randrange(2 * share))
        self._finish()

    def close(self) -> None:
        """Leave no process behind."""
        if self._run is not None:
            self._run.send(signal.SIGKILL)
            self._run.end()
        self.world.end()

    def check(self) -> None:
        """Compare with a run that nothing happened to, over the same rows in one file."""
        expected = result(self._folder / "unbroken", self._events_moved)
        found = result(self._folder, self._events_moved)
        for name, value in expected._asdict().items():
            if getattr(found, name) != value:
                shown = f": {value!r:.60}, got {getattr(found, name)!r:.60}"
                raise Difference(f"{name} differ from the unbroken run{shown}")

    def _is_possible(self, kind: str) -> bool:
        world = self.world
        if kind in world.own:
            enough = SURE <= world.fed < len(world.rows)
            return enough and (kind == "gone" or world.can_be_replaced())
        if kind == "events_rotated":
            return (self._folder / "events").exists()
        if kind in ("damaged", "all_damaged", "lock_removed"):
            return world.fed >= SURE
        return True

    # What the faults are made of.

    def _start(self, trouble: Trouble | None = None) -> Run:
        world = self.world
        if isinstance(world, Pipe):
            world.begin(self._rows_saved())
        self._run = Run(world.opened, self._folder, trouble)
        if isinstance(world, Pipe):
            world.started()
        return self._run

    def _rows_saved(self) -> int:
        """Return from where a writer has to send again; nothing is taken without checkpoints."""
        try:
            last = last_checkpoint(self._folder / "saved")
        except DataError:
            return self.world.fed
        return last.rows + last.bad_rows if last else 0

    def _going(self) -> Run:
        """Return the run that is going on, or a new one."""
        if self._run is None:
            return self._start()
        if not self._run.is_alive:
            raise Difference(f"the run ended by itself: {self._run.end()}")
        return self._run

    def _wait(self, is_so: Callable[[Run], bool]) -> bool:
        """Wait until something is so; return whether the run still goes on."""
        run, limit = self._run or self._going(), time.monotonic() + LONGEST
        while not is_so(run):
            if not run.is_alive:
                return False
            if time.monotonic() > limit:
                fed = self.world.fed
                raise Difference(f"of {fed} rows {run.shared.read} were read, then no more")
            time.sleep(0.002)
        return True

    def _catch_up(self) -> bool:
        """Wait until all rows have been read, if it can be known that they are."""
        fed = self.world.fed
        return self._wait(lambda run: run.shared.read >= fed) if fed >= SURE else True

    def _settled(self) -> Run:
        """Return a run that has read all, and saved some of it."""
        run = self._going()
        if not (self._catch_up() and self._wait(lambda run: run.shared.saved > 0)):
            raise Difference(f"the run ended by itself: {run.end()}")
        return run

    def _feed(self, count: int, slowly: bool = False) -> None:
        self.world.feed(count, slowly)

    def _end(self, number: int | None = None) -> Outcome:
        """Let the run end; forget it."""
        run = self._going() if number == signal.SIGTERM else self._run
        assert run is not None
        if number is not None:
            run.send(number)
        outcome, self._run = run.end(), None
        return outcome

    def _leave(self) -> Outcome:
        """Stop politely; return what was said."""
        outcome = self._end(signal.SIGTERM)
        _expect(outcome.how == "done", "a run that is asked to stop stops", outcome)
        return outcome

    def _rest(self) -> None:
        """Make sure that no run is going on."""
        if self._run is not None:
            self._leave()

    def _refused(self, words: tuple[str, ...], outcome: Outcome | None = None) -> None:
        """The run must end by itself, with one of these messages."""
        outcome = outcome or self._end()
        is_said = any(each in outcome.message for each in words)
        refused = outcome.how in ("DataError", "FileNotFoundError") and is_said
        _expect(refused, f"the run is refused with {words}", outcome)

    def _moment(self, longest: float = 0.08) -> None:
        time.sleep(self._chance.uniform(0, longest))

    # The faults.

    def _killed(self) -> None:
        self._going()
        self._feed(self._chance.randrange(2 * EVERY))
        self._moment()
        outcome = self._end(signal.SIGKILL)
        _expect(outcome.how == "killed", "a kill kills", outcome)

    def _killed_at_a_call(self) -> str | None:
        """The calls take turns, before and after, and deeper each time."""
        self._rest()
        turn, before = divmod(self.turn, 2)
        depth, which = divmod(turn, len(CALLS))
        self.turn += 1
        call, most = [*CALLS.items()][which]
        run = self._start(Death(call, 1 + depth % most, not before))
        self._feed(self._chance.randrange(EVERY, 3 * EVERY))
        is_left = self._catch_up()
        if is_left:
            self._moment()
            is_left = run.is_alive
        outcome = self._end(signal.SIGKILL)
        _expect(outcome.how == "killed", "a kill kills", outcome)
        return "killed" if is_left else None

    def _stopped(self) -> None:
        self._going()
        self._feed(self._chance.randrange(EVERY))
        self._moment()
        self._leave()

    def _full_disk(self) -> str | None:
        self._rest()
        lasts = self._chance.choice((1, 2, 5, float("inf")))
        run = self._start(FullDisk(self._chance.choice((0, 100, 5000, 20_000)), lasts))
        self._feed(self._chance.randrange(2 * EVERY, 4 * EVERY))
        if not (self._wait(lambda run: run.shared.looks > 0) and self._catch_up()):
            self._refused(("No space left on device",))  # there was not even room to begin
            return None
        failed = run.shared.failed
        if self._chance.random() < 0.3:
            self._end(signal.SIGKILL)
            return None if failed else "killed"
        outcome = self._leave()
        if failed and not (outcome.told("No space left") or outcome.told("could not be removed")):
            raise Difference(f"a full disk is told: {outcome}")
        return None if failed else "stopped"

    def _slow(self) -> None:
        self._going()
        self._feed(self._chance.randrange(2, 8), slowly=True)

    def _second_run(self) -> None:
        self._wait(lambda run: run.shared.looks > 0)
        self._other_is_refused("saved", "one process at a time can use")

    def _second_writer(self) -> None:
        self._wait(lambda run: run.shared.looks > 0)
        self._other_is_refused("second", "one run at a time can write events to")
        shutil.rmtree(self._folder / "second", ignore_errors=True)

    def _other_is_refused(self, saved: str, words: str) -> None:
        """Start another run of rows that lie in a file; it must not get anything."""
        lying = self._folder / "unbroken" / "rows.csv"
        if not self._run or not self._run.is_alive:
            return
        outcome = Run(lambda: stream.open_source(lying), self._folder, saved=saved).end()
        self._refused((words,), outcome)

    def _damaged(self) -> str | None:
        self._settled()
        self._leave()
        files = sorted((self._folder / "saved").glob("checkpoint-*"))
        if len(files) < 2:
            return "stopped"
        whole = files[-1].read_bytes()
        self._damage(files[-1])
        last = last_checkpoint(self._folder / "saved")
        world = self.world
        if isinstance(world, Growing) and last and last.rows <= world.rows.good(world.base):
            files[-1].write_bytes(whole)  # the older one is of a file that was rotated away
            return "stopped"
        self._start()
        self._catch_up()
        outcome = self._leave()
        _expect(outcome.told("an older checkpoint is used"), "a damaged file is told", outcome)
        return None

    def _all_damaged(self) -> None:
        self._settled()
        self._leave()
        files = sorted((self._folder / "saved").glob("checkpoint-*"))
        whole = [path.read_bytes() for path in files]
        for path in files:
            self._damage(path)
        self._start()
        self._refused(("no checkpoint in",))
        for path, data in zip(files, whole):
            path.write_bytes(data)

    def _damage(self, path: Path) -> None:
        """Turn a bit, or lose the end."""
        data = bytearray(path.read_bytes())
        if self._chance.random() < 0.3:
            del data[self._chance.randrange(len(data)) :]
        else:
            data[self._chance.randrange(len(data))] ^= 1 << self._chance.randrange(8)
        path.write_bytes(data)

    def _events_rotated(self) -> None:
        if self._chance.random() < 0.5:
            self._rest()
        events = self._folder / "events"
        events.rename(self._folder / f"events.{len(self.history)}")
        self._events_moved = True

    def _lock_removed(self) -> None:
        self._settled()
        (self._folder / "saved" / "lock").unlink()
        self._feed(self._chance.randrange(2 * EVERY, 3 * EVERY))
        self._catch_up()
        saved = self.world.fed < len(self.world.rows)
        outcome = self._leave()
        _expect(outcome.told("or its lock was") or not saved, "a lost lock is told", outcome)

    def _gone(self) -> None:
        world = self.world
        self._settled()
        if self._chance.random() < 0.5:
            self._leave()
            world.leave()
            self._start()
            if not world.waits_for_it:
                self._refused((world.away,))
        else:
            world.leave()
        self._moment(0.2)
        world.come_back()
        self._feed(self._chance.randrange(EVERY))
        self._settled()

    def _replaced(self) -> None:
        self._settled()
        self._leave()
        self.world.replace()
        self._start()
        self._refused(self.world.refusals)
        self.world.restore()

    def _replaced_below_it(self) -> None:
        self._settled()
        self.world.replace_below()  # type: ignore[attr-defined]
        self._refused(self.world.refusals)
        self.world.mend()  # type: ignore[attr-defined]

    def _cut(self) -> None:
        self._settled()
        is_going = self._chance.random() < 0.5
        if not is_going:
            self._leave()
        self.world.cut()  # type: ignore[attr-defined]
        if not is_going:
            self._start()
        self._refused(self.world.refusals)
        self.world.mend()  # type: ignore[attr-defined]

    def _rotated(self) -> None:
        self._settled()
        self._rotate()
        self._on_the_new_file()

    def _rotated_and_killed(self) -> None:
        self._settled()
        world = self._rotate()
        self._moment(0.05)
        self._end(signal.SIGKILL)
        self._start()
        if self._wait(lambda run: run.shared.read > world.base):
            self._on_the_new_file()
            return
        self._refused(world.refusals)  # nobody was there to follow; so the old file must be
        world.unrotate()
        self._start()
        self._wait(lambda run: run.shared.read >= world.base)
        world.rotate_again()
        self._on_the_new_file()

    def _rotate(self) -> Growing:
        world = self.world
        assert isinstance(world, Growing)
        world.rotate()
        self._feed(self._chance.randrange(EVERY + 1, 2 * EVERY))
        return world

    def _on_the_new_file(self) -> None:
        """Wait until a checkpoint needs the old file no more."""
        world = self.world
        assert isinstance(world, Growing)
        done = world.rows.good(world.base) + 1
        self._feed(EVERY)
        self._settled()
        if world.fed == len(world.rows):  # perhaps too few for a checkpoint to be due
            self._leave()
            return
        if not self._wait(lambda run: run.shared.saved >= done):
            raise Difference(f"the run ended by itself: {self._end()}")

    def _finish(self) -> None:
        run = self._going()
        self._feed(len(self.world.rows))
        self.world.end()
        run.shared.put(total=len(self.world.rows))
        outcome = self._end()
        _expect(outcome.how == "done", "the last run ends well", outcome)


def _expect(is_so: bool, promise: str, outcome: Outcome) -> None:
    if not is_so:
        raise Difference(f"promised: {promise}; got {outcome}")


def unbroken(rows: Rows, folder: Path) -> None:
    """Let a run over the same rows end without a fault."""
    folder.mkdir()
    write(folder / "rows.csv", rows, 0, len(rows), ".csv")
    outcome = Run(lambda: stream.open_source(folder / "rows.csv"), folder).end()
    _expect(outcome.how == "done", "an unbroken run ends well", outcome)
