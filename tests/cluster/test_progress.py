"""What a fit on a cluster tells: shares of stages to whoever watches, names to the dashboard."""

import re

import dask.array as da

from hedgerow import HedgeGraph
from hedgerow.cli._cluster import _STAGES
from hedgerow.engines.dask.cluster import Cluster
from hedgerow.progress import watching
from tests.cluster.conftest import skewed


def test_stages_go_to_their_ends_and_tasks_have_names(threads, monkeypatch):
    told, names, task = {}, [], Cluster.task

    def named(self, name, function, *arguments):
        names.append(name)
        return task(self, name, function, *arguments)

    monkeypatch.setattr(Cluster, "task", named)
    with watching(lambda stage, done: told.setdefault(stage, []).append(done)):
        HedgeGraph().fit(da.from_array(skewed(600, 400), chunks=(200, -1)))
    assert tuple(told) == _STAGES
    for shares in told.values():
        assert shares == sorted(shares)
        assert shares[-1] == 1.0
    learned = [name for name in names if name.startswith("learn ")]
    number = len(learned)
    assert sorted(learned) == [f"learn strip {k + 1} of {number}" for k in range(number)]
    assert all(re.fullmatch(r"[a-zA-Z][\w', ]+", name) for name in names)
