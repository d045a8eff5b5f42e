"""Differences of rows: however the rows are cut, and with any gaps and missing rows."""

import json

import numpy as np
import pytest

from hedgerow.io.differences import Differences
from hedgerow.io.gaps import STEPS


def slowly(rows, times, apart):
    """Row by row, from the rule: the same stretch without a gap, and both rows there."""
    stretch, stretches, steps, last = 0, [], [], None
    for k, time in enumerate(times):
        if not np.isnan(time):
            if last is not None:
                step, rows_on = time - times[last], k - last
                if step > 0 and len(steps) < STEPS:
                    steps.append(step / rows_on)
                stretch += bool(steps) and step > (rows_on + 0.5) * np.median(steps)
            last = k
        stretches.append(stretch)
    found = [
        rows[k] - rows[k - apart]
        for k in range(apart, len(rows))
        if stretches[k] == stretches[k - apart]
    ]
    found = np.array(found).reshape(-1, rows.shape[1])
    return found[~np.isnan(found).any(axis=1)]


@pytest.mark.parametrize("apart", [1, 2, 5])
@pytest.mark.parametrize("case", range(40))
def test_any_cut_gives_the_same_as_row_by_row(case, apart):
    rng = np.random.default_rng()
    n_rows = int(rng.integers(1, 250))
    rows = rng.standard_normal((n_rows, 2))
    rows[rng.random(n_rows) < 0.1] = np.nan
    times = np.cumsum(rng.choice([0.0, 1.0, 1.0, 1.0, 1.2, 7.0], n_rows))
    times[rng.random(n_rows) < 0.1] = np.nan
    if case % 4 == 0:
        times[:] = np.nan
    differences, found = Differences(apart), []
    for some in np.split(np.arange(n_rows), np.sort(rng.integers(0, n_rows + 1, 5))):
        found.append(differences.take(rows[some], times[some]))
        known = json.loads(json.dumps(differences.to_dict()))  # as in a checkpoint
        differences = Differences.from_dict(known, differences.recent)
    found = np.concatenate(found)
    assert found.tobytes() == slowly(rows, times, apart).tobytes()
    there = int((~np.isnan(rows).any(axis=1)).sum())
    assert len(found) + differences.n_without == there
    assert sum(differences.left_out().values()) == differences.n_without
    assert len(differences.recent) <= apart
