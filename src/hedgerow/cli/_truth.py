"""Read the true edges, by name, from a file."""

from difflib import get_close_matches
from errno import EISDIR
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.base.words import listed

if TYPE_CHECKING:
    from polars import DataFrame
    from scipy.sparse import csr_array

ENDS = ("source", "target")


def read_truth(path: Path, names: list[str]) -> "csr_array":
    """Return the graph among the columns ``names``, as ``hedgerow simulate --truth`` writes it."""
    import numpy as np

    from hedgerow.comparison import adjacency_of

    frame = _frame(path)
    missing = [end for end in ENDS if end not in frame.columns]
    if missing:
        raise ValueError(
            f"the true edges must have columns 'source' and 'target', "
            f"got {listed(map(repr, frame.columns))}"
        )
    place = {name: number for number, name in enumerate(names)}
    ends = [frame[end].cast(str).to_list() for end in ENDS]
    for name in dict.fromkeys(ends[0] + ends[1]):
        if name not in place:
            close = get_close_matches(str(name), names, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ValueError(f"edges must join columns of the table, got {name!r}{hint}")
    edges = np.array([[place[name] for name in end] for end in ends], dtype=np.int64).T
    loops = edges[edges[:, 0] == edges[:, 1]]
    if len(loops):
        raise ValueError(f"edges must join two columns, got {names[loops[0, 0]]!r} twice")
    return adjacency_of(edges.reshape(-1, 2), len(names))


def _frame(path: Path) -> "DataFrame":
    import polars as pl

    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"file name must end in .csv or .parquet, got {path.name!r}")
    if path.is_dir():
        raise IsADirectoryError(EISDIR, "is a folder, not a file", str(path))
    try:
        # Stars and brackets in the name of a file are meant as they are.
        if path.suffix == ".parquet":
            return pl.read_parquet(path, glob=False)
        return pl.read_csv(path, infer_schema=False, glob=False)  # names may look like numbers
    except pl.exceptions.PolarsError as error:
        raise ValueError(f"cannot be read as a table: {str(error).splitlines()[0]}") from error
