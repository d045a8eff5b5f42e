"""What was aimed at, what was measured, and whether that is enough."""

from typing import Any, NamedTuple

from benchmarks.speed import growth, memory, peers, start, targets, treated


class Aim(NamedTuple):
    """One aim, with its value and ours; ``least`` if ours must not be smaller.

    ``doubt`` is the standard error of what was measured, where it is a mean of few.
    """

    what: str
    aim: float
    measured: float
    least: bool = False
    doubt: float = 0.0

    @property
    def verdict(self) -> str:
        """Whether the measured value is on the right side."""
        excess = self.measured - self.aim if self.least else self.aim - self.measured
        if excess >= 0:
            return "yes"
        return "within doubt" if excess >= -2 * self.doubt else "**no**"


def all_aims(figures: dict[str, Any]) -> list[Aim]:
    """Return the aims of every part that has been measured."""
    return [aim for part, aims in PARTS.items() if part in figures for aim in aims(figures[part])]


def _targets(figures: list[dict[str, Any]]) -> list[Aim]:
    most = max(f["cores"] for f in figures)
    aims = [
        Aim(
            f"{kind} / np.cov, {f['columns']:,} columns, cores: {f['cores']}",
            aim,
            f[kind] / f["cov"],
        )
        for kind, aim in targets.AIMS.items()
        for f in figures
    ]
    one = {f["columns"]: f["fit"] for f in figures if f["cores"] == 1}
    return aims + [
        Aim(
            f"fit, gain of {most} cores, {f['columns']:,} columns",
            targets.GAIN,
            one[f["columns"]] / f["fit"],
            least=True,
        )
        for f in figures
        if f["cores"] == most > 1
    ]


def _treated(figures: list[dict[str, Any]]) -> list[Aim]:
    return [
        Aim(
            f"fit / rows known to be normal, {f['columns']:,} × {f['rows']:,}, cores: {f['cores']}",
            treated.AIM,
            treated.times(f["processor"]),
        )
        for f in figures
    ]


def _growth(figures: dict[str, Any]) -> list[Aim]:
    return [
        Aim(f"fit, exponent of {axis}", aim, figures[axis]["slopes"]["fit"])
        for axis, aim in growth.AIMS.items()
    ]


def _peers(figures: list[dict[str, Any]]) -> list[Aim]:
    aims = []
    for f in figures:
        name, size = peers.LABELS[f["peer"]], f"{f['columns']:,} columns"
        ratio = f["theirs_seconds"] / f["ours_seconds"]
        aims.append(Aim(f"times as fast as {name}, {size}", peers.AIMS[f["peer"]], ratio, True))
        if f["theirs_f1"] is not None:
            right = f["theirs_f1"], f["ours_f1"]
            aims.append(Aim(f"F1 beside {name}, {size}", *right, True, f["f1_doubt"]))
    return aims


def _memory(figures: list[dict[str, Any]]) -> list[Aim]:
    aims = [
        Aim(f"memory in matrices, {f['columns']:,} columns", memory.AIM + f["chunk"], f["matrices"])
        for f in figures
    ]
    largest = figures[-1]
    what = f"peak GiB, {largest['columns']:,} columns"
    return [*aims, Aim(what, memory.AIM_LARGE, largest["peak"] / 2**30)]


def _start(figures: dict[str, float]) -> list[Aim]:
    return [Aim(f"seconds of {name}", aim, figures[name]) for name, aim in start.AIMS.items()]


PARTS = {
    "targets": _targets,
    "treated": _treated,
    "growth": _growth,
    "peers": _peers,
    "lasso": _peers,
    "memory": _memory,
    "start": _start,
}
