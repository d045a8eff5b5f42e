"""The tables that `hedgerow compare` prints, for any number of methods."""

import io
import re

import numpy as np
import pytest

from hedgerow.cli import _comparison
from hedgerow.comparison import Comparison, Outcome, Status


@pytest.mark.parametrize("n_methods", [2, 10, 11, 12, 25])
def test_every_two_methods_are_compared_on_lines_of_80(n_methods, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rng = np.random.default_rng()
    pairs = np.array([(i, j) for j in range(8) for i in range(j)])
    outcomes = [
        Outcome(f"conditional_method_{k:02}", Status.OK, "", 8, pairs[rng.random(28) < 0.7])
        for k in range(n_methods)
    ]
    result = Comparison(tuple(outcomes), tuple("abcdefgh"), 50, 1.0, 0, np.eye(8))
    stream = io.StringIO()
    _comparison.show(result, "rows.csv", [], [], [], 1.0, stream)
    lines = stream.getvalue().split("Agreement")[1].splitlines()
    assert max(map(len, lines)) <= 80
    seen, heads = {}, []
    for line in lines:
        if re.fullmatch(r" +\d[\d ]*", line):
            heads = line.split()
        elif found := re.match(r"(\d+) conditional_method_\d\d *(.*)", line):
            for head, value in zip(heads, found[2].split()):
                seen[int(found[1]), int(head)] = int(value)
    assert len(seen) == n_methods * (n_methods - 1) // 2
    agreement = result.agreement
    for (i, j), value in seen.items():
        assert value == round(100 * agreement[i - 1, j - 1]), (i, j)
