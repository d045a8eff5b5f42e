"""What a run would tell its watchers, made up; and a port to tell it at."""

import socket

import numpy as np

from hedgerow.changes import Change
from hedgerow.method.graph import OF_EDGES, Graph
from hedgerow.stream import Look, Saved, Status


def free_port():
    """Return a port that nobody else will take, unlike the first ones that pages try."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def look(names, edges, rows=400, level=0.05, q_value=1e-6, warnings=()):
    """Make a look; edges are (source, target, partial_corr), or with a q-value after that."""
    edges = [(*edge, q_value)[:4] for edge in edges]
    edges.sort(key=lambda edge: edge[3])
    source, target, corr, q = np.array(edges, dtype=float).reshape(-1, 4).T
    findings = {name: np.empty(0, dtype=np.intp) for name in Graph._fields[OF_EDGES:]}
    graph = Graph(
        source=source.astype(np.intp),
        target=target.astype(np.intp),
        partial_corr=corr,
        z=corr * np.sqrt(rows),
        p_value=q / 10,
        q_value=q,
        spread=np.full(len(corr), 1 / np.sqrt(rows)),
        **findings,
    )
    return Look(rows, tuple(names), graph, "fdr", level, tuple(warnings))


def random_look(n, edges, rows=400, seed=None, names=None):
    """Make a look with random edges, some of them above the level."""
    rng = np.random.default_rng(seed)
    source, target = np.triu_indices(n, 1)
    chosen = rng.choice(len(source), edges, replace=False)
    corr = rng.uniform(0.05, 0.7, edges) * rng.choice([-1, 1], edges)
    q = 10 ** rng.uniform(-7, np.log10(0.06), edges)
    names = names or [f"v{i}" for i in range(n)]
    return look(names, list(zip(source[chosen], target[chosen], corr, q)), rows)


def status(rows=0, phase="running", look=None, changes=(), **more):
    """Make a status; ``checkpoint`` is a pair of row and time."""
    saved = more.pop("checkpoint", None)
    return Status(
        phase=phase,
        rows=rows,
        bad_rows=more.pop("bad_rows", 0),
        rows_per_second=more.pop("rows_per_second", 100.0),
        checkpoint=saved and Saved(*saved),
        changes=tuple(changes),
        look=look,
        **more,
    )


def change(row, kind, source, target, corr=0.25):
    """Make a change."""
    return Change(row, kind, source, target, corr, corr * 20, 1e-7, 1e-6, row)
