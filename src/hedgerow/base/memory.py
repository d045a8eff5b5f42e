"""How much memory there is, asked before much of it is taken.

Large arrays are handed out by most systems whether there is memory for them or not, and a process
that then fills them is ended without a word. So what is needed is compared with what is free first.
"""

import os
from collections.abc import Iterator
from math import inf
from pathlib import Path

_WORTH_ASKING = 64 << 20  # bytes; with less, the answer would take longer than it is worth
_MACHINE = Path("/proc/meminfo")
_GROUPS_OF_PROCESS = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")
# Where a group of processes tells its limit and its use, in the two versions of such groups.
_SECOND = ("memory.max", "memory.current", "inactive_file")
_FIRST = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def check_memory(needed: float, n_columns: int, purpose: str) -> None:
    """Raise MemoryError if so many bytes, more than a few, are not free."""
    if needed < _WORTH_ASKING:
        return
    free = free_bytes()
    if needed > free:
        raise MemoryError(
            f"{n_columns:,} columns need about {_gibibytes(needed)} {purpose}, and "
            f"{_gibibytes(free)} are free; choose columns, or take a machine with more memory"
        )


def free_bytes() -> float:
    """Return how much memory this process can still take; infinity where that is not told."""
    return min(_of_machine(), *_of_groups(), inf)


def _of_machine() -> float:
    try:
        lines = dict(line.split(":") for line in _MACHINE.read_text().splitlines())
        return float(sum(1024 * int(lines[k].split()[0]) for k in ("MemAvailable", "SwapFree")))
    except (OSError, ValueError, KeyError, IndexError):  # not Linux, or a very old one
        return _whole_machine()


def _whole_machine() -> float:
    """Return all the memory of the machine: less than is needed is surely too little."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return inf


def _of_groups() -> Iterator[float]:
    """Yield what each group that the process is in leaves it, as containers have limits."""
    try:
        groups = [line.split(":", 2) for line in _GROUPS_OF_PROCESS.read_text().splitlines()]
    except OSError:
        return
    for _, controllers, path in groups:
        if not controllers:
            yield from _left(_GROUPS, path, _SECOND)
        elif "memory" in controllers.split(","):
            yield from _left(_GROUPS / "memory", path, _FIRST)


def _left(root: Path, path: str, names: tuple[str, str, str]) -> Iterator[float]:
    limit, use, idle = names
    folder = root / path.lstrip("/")
    # Seen from inside a container, a group's own folder may be the root.
    for place in [folder, *folder.parents]:
        if not place.is_relative_to(root):
            return
        try:
            most = int((place / limit).read_text())
            used = int((place / use).read_text())
            stat = dict(line.split() for line in (place / "memory.stat").read_text().splitlines())
            yield float(most - used + int(stat.get(idle, 0)))  # files kept in memory can go
        except (OSError, ValueError):  # no such group here, or no limit
            continue


def _gibibytes(size: float) -> str:
    return f"{size / 2**30:.3g} GiB"
