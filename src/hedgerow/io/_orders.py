"""Orders of categories that pandas kept in a Parquet or Arrow file; pyarrow alone can tell."""

from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hedgerow.io.source import optional


def orders_in(path: Path, names: list[str]) -> dict[str, tuple[str, ...]]:
    """Return the categories of those columns, of these, whose categories are texts in an order.

    There are none if pyarrow is not installed, or cannot read the file.
    """
    found: dict[str, tuple[str, ...]] = {}
    if names and find_spec("pyarrow"):
        with suppress(optional("pyarrow").ArrowException, OSError):
            for name, categories in _ordered(path, names):
                if all(isinstance(each, str) for each in categories):
                    found[name] = tuple(categories)
    return found


def _ordered(path: Path, names: list[str]) -> Iterator[tuple[str, list[Any]]]:
    first = _first_rows(path, names)
    for name, column in zip(first.schema.names, first.columns):
        if getattr(column.type, "ordered", False):
            yield name, column.dictionary.to_pylist()


def _first_rows(path: Path, names: list[str]) -> Any:
    """Return some rows as pyarrow has them, with whole dictionaries."""
    if path.suffix.lower() in (".parquet", ".pq"):
        file = optional("pyarrow.parquet").ParquetFile(path)
        return next(file.iter_batches(batch_size=1, columns=names))
    arrow = optional("pyarrow")
    with arrow.memory_map(str(path)) as file:
        return optional("pyarrow.ipc").open_file(file).get_batch(0).select(names)
