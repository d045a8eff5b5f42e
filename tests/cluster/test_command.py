"""``hedgerow learn --cluster``: files that the workers of a cluster read."""

import json
import os

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

distributed = pytest.importorskip("distributed")

from hedgerow.cli import cli  # noqa: E402
from hedgerow.cli._cluster import client_of  # noqa: E402
from tests.cluster.conftest import skewed  # noqa: E402

NAMES = [f"c{j}" for j in range(12)]
ROWS = skewed(700, 12)


@pytest.fixture(scope="module")
def address():
    with distributed.LocalCluster(
        n_workers=1, processes=False, protocol="tcp://", dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    paths = []
    for k, some in enumerate(np.array_split(ROWS, 3)):
        paths.append(folder / f"{k}.parquet")
        pl.DataFrame(some, schema=NAMES).write_parquet(paths[-1])
    return paths


def run(*arguments):
    return CliRunner().invoke(cli, ["learn", *map(str, arguments)])


def test_files_on_a_cluster_give_the_edges_of_one_table(address, files, tmp_path):
    table = tmp_path / "all.csv"
    pl.DataFrame(ROWS, schema=NAMES).write_csv(table)
    there = run(*files, "--cluster", address, "--json", "--html", tmp_path / "page.html")
    assert there.exit_code == 0, there.stderr
    here = json.loads(run(table, "--json").stdout)
    told = json.loads(there.stdout)
    assert told["edges"] == here["edges"]
    assert told["rows"] == here["rows"] == 700
    assert told["treatment"] == here["treatment"]
    assert "<html" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("kind", ["csv", "npy"])
def test_text_and_matrices_are_read_by_the_workers(address, tmp_path, kind):
    def write(name, rows):
        path = tmp_path / f"{name}.{kind}"
        if kind == "npy":
            np.save(path, rows)
        else:
            pl.DataFrame(rows, schema=NAMES).write_csv(path)
        return path

    files = [write(f"part{k}", some) for k, some in enumerate(np.array_split(ROWS, 3))]
    there = run(*files, "--cluster", address, "--json")
    assert there.exit_code == 0, there.stderr
    here = json.loads(run(write("all", ROWS), "--json").stdout)
    assert json.loads(there.stdout)["edges"] == here["edges"]
    assert here["edges"]


def one_line(result, status, text):
    assert (result.exit_code, result.stderr.count("\n")) == (status, 1)
    assert text in result.stderr


def test_files_that_do_not_go_together(address, files, tmp_path):
    other = tmp_path / "other.parquet"
    pl.DataFrame(ROWS, schema=[*NAMES[:-1], "odd"]).write_parquet(other)
    one_line(run(files[0], other, "--cluster", address), 1, "other.parquet got 'odd'")
    gaps = tmp_path / "gaps.csv"
    gaps.write_text(",".join(NAMES) + "\n" + ",".join("1" * 12) + "\n,2" + ",3" * 10 + "\n")
    one_line(
        run(files[0], gaps, "--cluster", address), 1, "gaps.csv, in its rows 1; device='cpu' fills"
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--save", "model"], "--save is for one machine"),
        (["--time", "c1"], "--time is for one machine"),
        (["--missing", "drop"], "--missing drop is for one machine"),
        (["--model", "ising"], "--model is for one machine"),
    ],
)
def test_what_a_cluster_cannot_do_is_misuse(files, options, text):
    one_line(run(files[0], "--cluster", "local:2", *options), 2, text)


def test_several_files_need_a_cluster_and_a_cluster_must_answer(files, monkeypatch):
    one_line(run(*files), 2, "several are read with --cluster alone")
    one_line(run("-", "--cluster", "local:2"), 2, "got -")
    monkeypatch.setattr("hedgerow.cli._cluster._CONNECT", 0.5)
    one_line(run(files[0], "--cluster", "tcp://127.0.0.1:9"), 1, "no scheduler answers there")


def test_local_workers_are_as_many_as_were_asked_for_and_keep_memory():
    before = dict(os.environ)
    with client_of("local:2"):
        assert dict(os.environ) == before
        client = distributed.get_client()
        assert len(client.nthreads()) == 2
        kept = client.run(lambda: os.environ.get("MALLOC_MMAP_THRESHOLD_"))
        assert set(kept.values()) == {str(32 << 20)}
