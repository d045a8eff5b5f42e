"""Tables in files that workers read, and what two models have in common."""

import warnings
from pathlib import Path

import dask
import dask.array as da
import numpy as np

from hedgerow import HedgeGraph
from hedgerow.datasets import Model, make

ROWS_OF_A_PARTITION = 500


def write_table(folder: str, n_rows: int, n_columns: int) -> Path:
    """Write rows of a random tree to a file, some at a time."""
    warnings.simplefilter("ignore")
    path = Path(folder) / "rows.npy"
    rows = np.lib.format.open_memmap(path, "w+", np.float64, (n_rows, n_columns))
    model, rng = tree(n_columns), np.random.default_rng(1)
    for start in range(0, n_rows, ROWS_OF_A_PARTITION):
        some = rows[start : start + ROWS_OF_A_PARTITION]
        some[:] = model.sample(len(some), rng)
    rows.flush()
    return path


def tree(n_columns: int) -> Model:
    """Return the model that rows are drawn from."""
    return make("random_tree", n_columns, seed=0)


def on_cluster(path: Path) -> da.Array:
    """Return the rows of a file as a dask array whose blocks workers read."""
    rows = np.load(path, mmap_mode="r")
    starts = range(0, len(rows), ROWS_OF_A_PARTITION)
    return da.concatenate(
        [
            da.from_delayed(
                dask.delayed(_some)(str(path), start),
                (min(ROWS_OF_A_PARTITION, len(rows) - start), rows.shape[1]),
                float,
            )
            for start in starts
        ]
    )


def _some(path: str, start: int) -> np.ndarray:
    return np.array(np.load(path, mmap_mode="r")[start : start + ROWS_OF_A_PARTITION])


def same(one: HedgeGraph, other: HedgeGraph) -> bool:
    """Return whether two models have the same graph, to the last bit."""
    return all(np.array_equal(a, b) for a, b in zip(one._graph(), other._graph()))
