"""Small files to stream from, and ways to read all that a source has."""

import gzip
import json

import numpy as np

ROWS = np.array([[1.0, 2.0], [3.0, 4.5], [5.0, -6.0]])
CSV = "a,b\n1,2\n3,4.5\n5,-6\n"
LONG = CSV + "7,8\n" * 9  # enough rows to tell what the columns are
NDJSON = "".join(json.dumps({"b": b, "a": a}) + "\n" for a, b in ROWS)


def all_of(source):
    """Rows, bad rows and the last offset."""
    chunks = list(source.chunks())
    rows = [chunk.rows for chunk in chunks if len(chunk.rows)]
    bad = [row for chunk in chunks for row in chunk.bad]
    return (np.concatenate(rows) if rows else None), bad, chunks[-1].offset


def write(path, text):
    (gzip.open if path.suffix == ".gz" else open)(path, "wt", newline="").write(text)
    return path


class Following:
    """A source read step by step, waiting included."""

    def __init__(self, source):
        self.source, self.chunks = source, source.chunks()

    def until(self, n_rows):
        rows = []
        for chunk in self.chunks:
            assert not chunk.bad
            rows.extend(chunk.rows.tolist())
            if len(rows) >= n_rows:
                return np.array(rows), chunk.offset
        raise AssertionError("the source ended")

    def waits(self):
        return all(not len(next(self.chunks).rows) for _ in range(5))
