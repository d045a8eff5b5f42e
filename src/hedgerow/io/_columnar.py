"""Files that keep their columns typed: Parquet and Arrow (Feather)."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.io._orders import orders_in
from hedgerow.io.delimited import numbers_of_words
from hedgerow.io.judge import LINES, column_of, columns_of_objects
from hedgerow.io.notation import Notation, not_a_number, notation
from hedgerow.io.source import (
    EMPTY_AT_FIRST,
    NOT_NUMERIC,
    TIME,
    UNNAMED,
    BadRow,
    Batch,
    Column,
    DataError,
    optional,
    rows_at_once,
)
from hedgerow.io.words import Words, first_number

_PANDAS_INDEX = "__index_level_0__"
_ALONE = "words"  # a name that is no pattern to polars
_STREAM_ENDS = b"ARROW1"  # files begin and end with this, streams do not


class Columnar:
    """A lazy polars frame, collected in batches."""

    place = "row"

    def __init__(self, path: Path, scan: Any, notation: Notation) -> None:
        self.beside: list[int] = []
        self._notation = notation
        pl = optional("polars")
        try:
            self._frame = scan(path)
            schema = self._frame.collect_schema()
            self.total = self._frame.select(pl.len()).collect().item()
            first = self._frame.head(LINES - 1).collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise DataError(f"the file cannot be read: {_first_line(error)}") from error
        except pl.exceptions.PanicException as error:  # no ordinary exception
            raise DataError("the file cannot be read: it is damaged") from error
        named = [name for name, dtype in schema.items() if name and dtype == pl.Categorical]
        orders = orders_in(path, named)
        orders |= {n: tuple(dtype.categories) for n, dtype in schema.items() if dtype == pl.Enum}
        self.columns = [
            _ordered(name, orders.get(name, ()))
            or _of_texts(name, dtype, first[name].to_list(), notation)
            or column_of(name, first[name].to_list(), _flaw(name, dtype), notation)
            for name, dtype in schema.items()
        ]
        self._texts = {name for name, dtype in schema.items() if dtype == pl.String}

    def batches(self, chosen: list[int]) -> Iterator[Batch]:
        """Yield the rows in batches of limited size."""
        pl = optional("polars")
        # By name alone: to polars, text such as * or ^a.*$ is a pattern for many.
        by_name = optional("polars.selectors").by_name
        names = [self.columns[j].name for j in chosen]
        beside = [self.columns[j].name for j in self.beside]
        at_once = rows_at_once(len(chosen))
        columns = (self.columns[j] for j in chosen)
        known = [Words(name, words, self._notation) for name, _, words in columns if words]
        texts = [name for name in names if name in self._texts - {words.name for words in known}]
        done = 0
        try:
            for frame in self._frame.select(
                by_name(list(dict.fromkeys([*names, *beside])))
            ).collect_batches(chunk_size=at_once, maintain_order=True, engine="streaming"):
                numbers = np.arange(done + 1, done + len(frame) + 1)
                done += len(frame)
                bad: dict[int, BadRow] = {}
                # Cast within the query, polars would read far ahead of what is consumed.
                table = frame.select(by_name(names)).with_columns(
                    *(_numbers_in(frame[words.name], words, bad) for words in known),
                    *(_numbers_of(frame[name], self._notation, bad) for name in texts),
                )
                rows = table.cast(pl.Float64).to_numpy(order="c")
                cells = [frame[name].to_list() for name in beside]
                yield Batch(rows.reshape(len(frame), len(names)), numbers, done, bad, cells)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise DataError(
                f"the file cannot be read after row {done}: {_first_line(error)}"
            ) from error
        except pl.exceptions.PanicException as error:
            raise DataError(f"the file cannot be read after row {done}: it is damaged") from error


def open_parquet(path: Path, stack: ExitStack, *, na: Sequence[str] = ()) -> Columnar:
    """Open a Parquet file."""
    polars = optional("polars")
    return Columnar(path, lambda file: polars.scan_parquet(file, glob=False), notation(na=na))


def open_arrow(path: Path, stack: ExitStack, *, na: Sequence[str] = ()) -> Columnar:
    """Open an Arrow file; an Arrow stream is read into memory, as it cannot be searched."""
    polars = optional("polars")
    with path.open("rb") as file:
        is_file = file.read(len(_STREAM_ENDS)) == _STREAM_ENDS
    if is_file:
        return Columnar(path, lambda file: polars.scan_ipc(file, glob=False), notation(na=na))
    return Columnar(path, lambda file: polars.read_ipc_stream(file).lazy(), notation(na=na))


def _ordered(name: str, categories: tuple[str, ...]) -> Column | None:
    """Return a column whose categories have an order, if they tell each other apart."""
    if name in ("", _PANDAS_INDEX) or len({each.lower() for each in categories}) < 2:
        return None
    return Column(name, None, categories)


def _of_texts(name: str, dtype: Any, cells: list[Any], notation: Notation) -> Column | None:
    """Return a column of texts that are numbers, as in text files; None if it is none."""
    if dtype != optional("polars").String or name in ("", _PANDAS_INDEX) or not cells:
        return None
    column = columns_of_objects([{name: cell} for cell in cells], notation)[0]
    return None if column.flaw == NOT_NUMERIC or column.words else column


def _numbers_of(series: Any, notation: Notation, bad: dict[int, BadRow]) -> Any:
    """Return the numbers that texts are; rows with other texts are bad."""
    pl = optional("polars")
    numbers = series.cast(pl.Float64, strict=False)
    odd = (numbers.is_null() & series.is_not_null()).arg_true().to_list()
    values = []
    for k in odd:
        value = notation.number(series[k])
        if value is None:
            bad[k] = not_a_number(series.name, series[k], bad.get(k))
        values.append(float("nan") if value is None else value)
    return numbers.scatter(odd, values) if odd else numbers


def _numbers_in(series: Any, words: Words, bad: dict[int, BadRow]) -> Any:
    """Return the numbers that words stand for; rows with other words are bad."""
    pl = optional("polars")
    if series.dtype == pl.Enum and tuple(series.dtype.categories) == words.words:
        return series.to_physical().cast(pl.Float64) + first_number(words.words)
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        raise DataError(f"column {words.name!r} must hold words, got {series.dtype}")
    texts = series.cast(pl.String).alias(_ALONE).to_frame()
    numbers = texts.select(numbers_of_words(_ALONE, words)).to_series()
    for k in (numbers.is_null() & series.is_not_null()).arg_true():
        if words.value(texts[_ALONE][k]) is None:
            bad[k] = words.wrong(texts[_ALONE][k], bad.get(k))
    return numbers.alias(series.name)


def _flaw(name: str, dtype: Any) -> str | None:
    pl = optional("polars")
    if name in ("", _PANDAS_INDEX):
        return UNNAMED
    if dtype == pl.Null:
        return EMPTY_AT_FIRST
    if dtype in (pl.Date, pl.Datetime):
        return TIME
    return None if dtype.is_numeric() or dtype == pl.Boolean else NOT_NUMERIC


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
