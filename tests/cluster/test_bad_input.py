"""What a cluster cannot take is refused with a sentence, and leaves the cluster as it was."""

import copy
import re
from itertools import count

import dask
import dask.array as da
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest

from hedgerow import HedgeGraph
from hedgerow.engines.dask.room import Workers, division_of
from hedgerow.progress import watching
from tests.cluster.conftest import skewed

ROWS = skewed(300, 20)


def parts(*arrays):
    """Return a dask array that says its blocks are as wide as the first."""
    shape = (100, arrays[0].shape[1])
    blocks = [da.from_delayed(dask.delayed(a), shape, float) for a in arrays]
    return da.concatenate(blocks)


def refused(X, message, error=ValueError, **parameters):
    graph = HedgeGraph(**parameters)
    with pytest.raises(error, match=message):
        graph.fit(X)
    assert not hasattr(graph, "_stream")


def test_unequal_columns(threads):
    refused(
        parts(ROWS[:100], ROWS[:100, :19]), "20 columns in all partitions, got 19 in partition 1"
    )


def test_unknown_sizes(threads):
    X = da.from_array(ROWS, chunks=(100, -1))
    refused(X[X[:, 0] > 0], r"known sizes, got 3 of unknown size .*compute_chunk_sizes")


def test_an_empty_partition(threads):
    frame = dd.from_pandas(pd.DataFrame(ROWS), npartitions=3)
    refused(frame[frame[0] > 1e6], r"rows in all partitions, got none in partition \d")


def test_missing_cells_are_named_by_partition_and_row(threads):
    rows = ROWS.copy()
    rows[[150, 152], 3] = np.nan
    message = "no missing cells on a cluster, got 2 in partition 1, in its rows 50, 52"
    refused(da.from_array(rows, chunks=(100, -1)), message)


def test_infinity_is_named_by_partition(threads):
    rows = ROWS.copy()
    rows[250, 3] = np.inf
    refused(da.from_array(rows, chunks=(100, -1)), r"1 inf values in columns: 3 \(1\).*partition 2")


def test_rows_that_are_not_the_same_again(threads):
    calls = count()

    def draw():
        return np.random.default_rng(next(calls)).normal(size=(600, 8))

    X = da.from_delayed(dask.delayed(draw, pure=False)(), (600, 8), float)
    refused(X, "same rows whenever they are read, got others in partition 0")


def test_rows_that_were_persisted(threads):
    refused(da.from_array(ROWS, chunks=(100, -1)).persist(), "must not be persisted")


def test_kinds_and_cells_that_only_one_machine_treats(threads):
    rows = skewed(600, 20)
    rows[:, 4] = rows[:, 4] > 1
    refused(da.from_array(rows), r"continuous columns on a cluster.*4 \(yes/no\)")
    rows = np.repeat(np.random.default_rng(0).standard_normal((700, 3)), 4, axis=1)
    rows += 0.1 * np.random.default_rng(1).standard_normal(rows.shape)
    late = rows.copy()
    rows[7, 3] += 9.0
    refused(da.from_array(rows), "got 1 among the first rows: row 7, column 3")
    late[650, 3] += 9.0
    refused(da.from_array(late), "contradicts, got one among the rows after the first")


def test_what_is_for_one_machine(threads):
    X = da.from_array(ROWS)
    refused(X, "half_life must be None on a cluster, got 100", half_life=100)
    refused(X, "device must be 'dask' for rows on a cluster, got 'numpy'", device="numpy")
    refused(ROWS, "dask array of two dimensions or a dask data frame, got ndarray", device="dask")
    refused(X[:, 0], "got Array", device="dask")
    with pytest.raises(ValueError, match="partial_fit is for one machine"):
        HedgeGraph().partial_fit(X)
    graph = copy.copy(HedgeGraph().fit(X))
    for ask in ("precision_", "covariance_"):
        with pytest.raises(RuntimeError, match="stay there until fit returns"):
            getattr(graph, ask)
    with pytest.raises(RuntimeError, match="no rows can be added"):
        graph.partial_fit(ROWS)
    with pytest.raises(RuntimeError, match="cannot be saved"):
        graph.save("nowhere")
    with pytest.raises(RuntimeError, match="fit again"):
        graph.set_params(error="fwer").edges_  # noqa: B018


def test_a_table_here_is_learned_here_whatever_its_columns_are_called():
    frame = pd.DataFrame(ROWS[:, :3], columns=["partitions", "columns", "blocks"])
    assert HedgeGraph().fit(frame)._stream.engine_name == "numba_cpu"


def test_workers_without_room_are_told_how_many_would_do():
    message = "20,000 columns need about 15.5 GiB .* 2 workers of 4.0 GiB .*; 4 of 4.0 GiB would do"
    with pytest.raises(MemoryError, match=message):
        division_of(Workers(2, 2, 4 << 30), 20_000)
    message = r"workers of 4.0 GiB are there; X.rechunk\(\((\d+), -1\)\)"
    with pytest.raises(
        MemoryError, match=f"0.9 GiB .* partition of 3,000 rows.* {message}"
    ) as told:
        division_of(Workers(4, 8, 4 << 30), 20_000, 3000)
    smaller = int(re.search(message, str(told.value))[1])
    enough = division_of(Workers(4, 8, 4 << 30), 20_000, smaller)
    assert len(enough.layout.strips) >= 8


def test_a_cluster_without_workers_is_told():
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        refused(da.from_array(ROWS), "workers is needed, and this one has none", ConnectionError)


def test_who_stops_a_fit_leaves_the_cluster_usable(threads):
    def stop(stage, share):
        if stage == "learning":
            raise KeyboardInterrupt

    X = da.from_array(skewed(600, 400), chunks=(200, -1))
    with watching(stop), pytest.raises(KeyboardInterrupt):
        HedgeGraph().fit(X)
    assert threads.submit(sum, [1, 2]).result() == 3
    assert not any("strip" in str(key) for key in threads.who_has())
    assert len(HedgeGraph().fit(X[:, :20]).edges_)
