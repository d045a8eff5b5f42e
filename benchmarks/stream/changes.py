"""Forgetting and the change log: error rates, false alarms, and how soon a change is noticed.

    python -m benchmarks.stream.changes

fills in the tables of docs/streams.md and draws its picture: a few minutes on one core.
"""

import warnings
from typing import NamedTuple

import numpy as np

from benchmarks import kept
from benchmarks.document import publish, table
from benchmarks.pictures import plt, save
from benchmarks.stream.worlds import FAMILIES, Pairs, changed, edges_in, true_edges, world
from hedgerow import HedgeGraph, changes
from hedgerow.changes import level_to_stay, next_look
from hedgerow.datasets import Model

LEVEL, ERRORS = 0.05, ("fdr", "fwer")
HALF_LIVES = (100, 500)  # two and ten rows for each column
SETTLED = 8  # half-lives after which a stream has forgotten how it began
AFTER = 12  # half-lives for which a change is followed
COLOURS = {"fdr": "#0072b2", "fwer": "#d55e00"}


class Shares(NamedTuple):
    """Of the edges found, those that are false; whether any is; of the true ones, those found."""

    false: float
    any: float
    power: float


def shares(found: Pairs, true: Pairs) -> Shares:
    """Compare the edges found with the true ones."""
    wrong = len(found - true)
    power = len(found & true) / len(true) if true else np.nan
    return Shares(wrong / max(len(found), 1), float(wrong > 0), power)


def error_rates(
    family: str, error: str, half_life: int, streams: int = 24, looks: int = 8
) -> tuple[Shares, Shares]:
    """Return means with forgetting, and with as many rows as it leaves, all counting the same."""
    rng = np.random.default_rng([half_life, FAMILIES.index(family)])
    forgetting, plain = [], []
    for _ in range(streams):
        model = world(family, rng)
        true = true_edges(model)
        graph = HedgeGraph(error, LEVEL, half_life=half_life)
        graph.partial_fit(model.sample((SETTLED - 4) * half_life, rng))
        for _ in range(looks):
            graph.partial_fit(model.sample(4 * half_life, rng))
            forgetting.append(shares(edges_in(graph.edges_), true))
            rows = model.sample(round(graph.n_samples_effective_), rng)
            plain.append(shares(edges_in(HedgeGraph(error, LEVEL).fit(rows).edges_), true))
    return Shares(*np.mean(forgetting, axis=0)), Shares(*np.mean(plain, axis=0))


class Look(NamedTuple):
    """What one look at a stream showed."""

    lives: float  # half-lives in this world
    edges: Pairs
    log: list[changes.Change]


def watched(error: str, half_life: int, worlds: list[tuple[int, Model]], seed: int) -> list[Look]:
    """Return the looks at a stream through worlds, each with its length in half-lives."""
    rng = np.random.default_rng([seed, half_life])
    graph = HedgeGraph(error, LEVEL, half_life=half_life)
    watch, looks, row, end = changes.start(LEVEL), [], 0, 0
    for lives, model in worlds:
        begin, end = end, end + lives * half_life
        while row < end:
            due = next_look(row, half_life)
            graph.partial_fit(model.sample(due - row, rng))
            row = due
            watch, log = changes.look(watch, row, graph.edges_up_to(level_to_stay(LEVEL)))
            looks.append(Look((row - begin) / half_life, edges_in(graph.edges_), log))
    return looks


class Alarms(NamedTuple):
    """Edges that came or went in a half-life though nothing changed."""

    edges: int  # in the model
    false: float  # pairs that appeared and are no edge
    lost: float  # true edges that vanished
    false_between: float  # the same from one look to the next, without a log
    lost_between: float


def alarms(
    family: str, error: str, half_life: int = 250, lives: int = 60, streams: int = 3
) -> Alarms:
    """Return what is told, and would be told without a log, on streams without change."""
    rates = []
    for seed in range(streams):
        model = world(family, np.random.default_rng(seed))
        true = true_edges(model)
        looks = watched(error, half_life, [(SETTLED + lives, model)], seed)
        late = [k for k, look in enumerate(looks) if look.lives > SETTLED]
        told = [
            (change.kind, (change.source, change.target) in true)
            for k in late
            for change in looks[k].log
        ]
        came = sum(len(looks[k].edges - looks[k - 1].edges - true) for k in late)
        went = sum(len((looks[k - 1].edges - looks[k].edges) & true) for k in late)
        counts = told.count(("appeared", False)), told.count(("vanished", True)), came, went
        rates.append(np.array(counts) / lives)
    return Alarms(len(true), *np.mean(rates, axis=0))


class Delays(NamedTuple):
    """Half-lives from a change until the log tells of an edge; infinite if it never does."""

    appeared: np.ndarray
    vanished: np.ndarray
    false: float  # pairs told after a change that are no edges of the new world


def delays(family: str, error: str, half_life: int = 250, streams: int = 8) -> Delays:
    """Return how long the log takes to tell of new edges, and of old ones that it knew."""
    appeared, vanished, false = [], [], 0
    for seed in range(streams):
        rng = np.random.default_rng(seed)
        before = world(family, rng)
        after = changed(before, rng)
        looks = watched(error, half_life, [(SETTLED, before), (AFTER, after)], seed)
        first = next(k for k in range(1, len(looks)) if looks[k].lives < looks[k - 1].lives)
        known = {(edge.source, edge.target) for look in looks[:first] for edge in look.log}
        old, new = true_edges(before), true_edges(after)
        came, went = (_when_told(looks[first:], kind) for kind in ("appeared", "vanished"))
        appeared += [came.get(pair, np.inf) for pair in new - old]
        vanished += [went.get(pair, np.inf) for pair in (old - new) & known]
        false += len(came.keys() - new)
    return Delays(np.array(appeared), np.array(vanished), false / streams)


def _when_told(looks: list[Look], kind: str) -> dict[tuple[int, int], float]:
    return {
        (change.source, change.target): look.lives
        for look in reversed(looks)
        for change in look.log
        if change.kind == kind
    }


def draw(results: dict[tuple[str, str], Delays]) -> None:
    """Draw the share of edges that the log has told of, by half-lives since the change."""
    families = list(dict.fromkeys(family for family, _ in results))
    figure, panels = plt.subplots(
        1, len(families), figsize=(10, 3.2), sharey=True, layout="constrained"
    )
    for panel, family in zip(panels, families):
        for error in ERRORS:
            for style, kind in (("-", "appeared"), ("--", "vanished")):
                times = getattr(results[family, error], kind)
                told = np.sort(times[np.isfinite(times)])
                shares = np.arange(len(told) + 1) / len(times)
                label = f"{'new' if kind == 'appeared' else 'old'} edges, error={error!r}"
                panel.step([0, *told], shares, style, where="post", c=COLOURS[error], label=label)
        panel.set_title(family, loc="left")
        panel.set_xlabel("half-lives since the change")
        panel.set_xlim(0, 8)
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("share that the log has told of")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    save(figure, "stream_changes")


def _error_table() -> str:
    rows = []
    for half_life in HALF_LIVES:
        for family in FAMILIES:
            (fdr, fdr_plain), (fwer, fwer_plain) = (
                error_rates(family, error, half_life) for error in ERRORS
            )
            numbers = fdr.false, fdr_plain.false, fwer.any, fwer_plain.any, fdr.power
            cells = ["–" if np.isnan(x) else f"{x:.3f}" for x in (*numbers, fdr_plain.power)]
            rows.append([str(half_life), family, *cells])
            print(*rows[-1], flush=True)
    plain = "rows all equal"
    titles = "false share, FDR", plain, "any false, FWER", plain, "power, FDR", plain
    return table(["half-life", "family", *titles], rows)


def _alarm_table() -> str:
    rows = []
    for family in FAMILIES:
        for error in ERRORS:
            found = alarms(family, error)
            rows.append([family, error, *(f"{x:.2f}" if x % 1 else f"{x:.0f}" for x in found)])
            print(*rows[-1], flush=True)
    plain = "look to look"
    titles = "edges", "false edges told", plain, "true edges lost", plain
    order = [0, 1, 2, 3, 5, 4, 6]
    return table(["family", "error", *titles], [[row[k] for k in order] for row in rows])


def _delay_table(results: dict[tuple[str, str], Delays]) -> str:
    rows = []
    for (family, error), found in results.items():
        *times, false = found
        delays = [np.quantile(t, q, method="higher") for t in times for q in (0.5, 0.95)]
        rows.append([family, error, *(f"{number:.1f}" for number in (*delays, false))])
    titles = "half of the new edges", "95 %", "half of the old edges", "95 %", "false edges told"
    return table(["family", "error", *titles], rows)


def main() -> None:
    """Run all studies."""
    warnings.simplefilter("ignore")  # about the first rows of each stream
    made = kept.made("python -m benchmarks.stream.changes")
    results = {
        (family, error): delays(family, error)
        for family in ("chain", "grid", "hubs")
        for error in ERRORS
    }
    draw(results)
    blocks = {
        "change-delays": _delay_table(results),
        "change-alarms": _alarm_table(),
        "forgetting-errors": _error_table(),
    }
    publish("streams", made, blocks)


if __name__ == "__main__":
    main()
