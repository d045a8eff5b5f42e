"""Long computations say how far they are."""

from itertools import pairwise

import numpy as np
import pytest

from hedgerow import HedgeGraph
from hedgerow.progress import report, watching


@pytest.mark.parametrize("threads", ["1", "2"])
def test_every_stage_goes_from_little_to_all(monkeypatch, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    heard = []
    rows = np.random.default_rng().standard_normal((1500, 60))
    with watching(lambda stage, done: heard.append((stage, done))):
        HedgeGraph().fit(rows)
    stages = list(dict.fromkeys(stage for stage, _ in heard))
    assert stages == ["learning", "choosing neighbours", "asking Hedge"]
    for stage in stages:
        shares = [done for name, done in heard if name == stage]
        assert all(0 < a < b for a, b in pairwise(shares))
        assert shares[-1] == pytest.approx(1.0)


def test_nobody_is_told_after_watching():
    heard = []
    with watching(lambda stage, done: heard.append(stage)):
        report("inside", 0.5)
    report("outside", 0.5)
    assert heard == ["inside"]


def test_an_exception_of_the_listener_stops_the_computation():
    def interrupt(stage, done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), watching(interrupt):
        HedgeGraph().fit(np.random.default_rng().standard_normal((600, 30)))
