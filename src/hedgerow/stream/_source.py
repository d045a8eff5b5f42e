"""What a source of rows is: implement `Source` to learn from something new."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.words import listed
from hedgerow.io import DataError
from hedgerow.io.choose import Wish, choose, with_given
from hedgerow.io.source import Column
from hedgerow.io.source import Offset as Offset
from hedgerow.io.words import with_orders


class Schema(NamedTuple):
    """Names of the columns: those learned from, in the learner's order, and those left out.

    ``words`` are those that the cells of a column are, in the order of their numbers; ``given`` the
    columns that are held fixed, and how they are taken. Of these, texts are among the others.
    """

    columns: list[str]
    others: list[str]
    words: Mapping[str, Sequence[str]] = {}
    given: Mapping[str, str] = {}

    @property
    def texts(self) -> list[str]:
        """Columns that are held fixed, and are no numbers."""
        return [name for name in self.given if name not in self.columns]

    @property
    def variables(self) -> list[str]:
        """Columns that are nodes of the graph."""
        return [name for name in self.columns if name not in self.given]

    @property
    def left_out(self) -> list[str]:
        """Columns with a name that nothing is done with."""
        return [name for name in self.others if name and name not in self.given]


class BadRow(NamedTuple):
    """A row that cannot be learned from.

    ``after`` is how many rows of the chunk come before it; ``offset`` leads back to it. With
    ``skip`` it is left out whatever is done with others.
    """

    after: int
    offset: Offset
    place: str
    reason: str
    skip: bool = False


class Chunk(NamedTuple):
    """Some rows with the columns of the schema; ``offset`` is where the next begin.

    Cells are finite, or NaN where they are missing. ``times`` are numbers that tell when each row
    was made, if the source knows; ``texts`` the cells of columns that are held fixed.
    """

    rows: NDArray[np.float64]
    offset: Offset
    bad: Sequence[BadRow] = ()
    times: NDArray[np.float64] | None = None
    texts: Mapping[str, Sequence[str]] = {}

    def before(self, row: BadRow) -> "Chunk":
        """Return the part before a bad row."""
        times = None if self.times is None else self.times[: row.after]
        bad = self.bad[: self.bad.index(row)]
        texts = {name: cells[: row.after] for name, cells in self.texts.items()}
        return Chunk(self.rows[: row.after], row.offset, bad, times, texts)

    def with_bad(self) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Return rows and times with NaN in the places of bad rows."""
        places = [row.after for row in self.bad]
        rows = np.insert(self.rows, places, np.nan, axis=0)
        return rows, None if self.times is None else np.insert(self.times, places, np.nan)


class Source(Protocol):
    """Rows in an order that does not change, and places to come back to.

    A source may also have a method ``notes()`` that returns, as a list of str, what it noticed in
    the rows so far and is worth saying in the end.

    Attributes
    ----------
    name : str
        What messages call it.
    schema : Schema or None
        Set once it is known: with `seek`, or with the first chunk that has rows.
    """

    name: str
    schema: Schema | None

    def seek(self, offset: Offset, schema: Schema) -> None:
        """Go on after the chunk that had this offset; called before `chunks`, if at all.

        Raise `DataError` if that is impossible, for example because columns have gone.
        """

    def chunks(self) -> Iterator[Chunk]:
        """Yield chunks until there are no more rows; called once.

        A source that waits for rows yields a chunk without any about four times a second, so that
        whoever learns can be stopped, and can save.
        """

    def ack(self, offset: Offset) -> None:
        """Take note that all rows before this offset are safe and need not be kept."""

    def close(self) -> None:
        """Let go of files and connections."""


def first_schema(found: list[Column], wish: Wish) -> tuple[Schema, dict[str, list[str]]]:
    """Return the schema of a stream that begins, and what is left out for a flaw, by flaw.

    >>> first_schema([Column("a", None), Column("when", "not numeric"), Column("b", None)], Wish())
    (Schema(columns=['a', 'b'], others=['when'], words={}, given={}), {'not numeric': ['when']})
    """
    found = with_orders(found, wish.orders)
    wish = with_given(found, wish)
    chosen, left_out = choose(found, wish)
    columns = [found[j].name for j in chosen]
    others = [column.name for column in found if column.name not in columns]
    words = {found[j].name: [*found[j].words] for j in chosen if found[j].words}
    given = {name: "categories" if name in wish.as_text else "numbers" for name in wish.given}
    return Schema(columns, others, words, given), left_out


def check_wish(wish: Wish, schema: Schema) -> None:
    """Refuse a wish for other columns than those of a stream that has begun.

    >>> check_wish(Wish(drop=["c"]), Schema(columns=["a", "b", "c"], others=[]))
    Traceback (most recent call last):
        ...
    hedgerow.io.source.DataError: the columns must stay the same, got 'c' missing
    """
    flaws = dict.fromkeys(schema.others, "left out when the stream began")
    known = [Column(name, flaws.get(name)) for name in (*schema.columns, *schema.others)]
    held = [*with_given(known, wish).given]
    if {*held} != {*schema.given}:
        raise DataError(
            f"given must stay the same, got {listed(map(repr, held)) or 'none'}, and the "
            f"checkpoint has {listed(map(repr, schema.given)) or 'none'}"
        )
    if wish.columns or wish.drop:
        flawless = [
            column._replace(flaw=None) if column.name in held else column for column in known
        ]
        chosen, _ = choose(flawless, wish)
        wished = {known[j].name for j in chosen}
        missing = [repr(name) for name in schema.columns if name not in wished]
        if missing:
            raise DataError(f"the columns must stay the same, got {listed(missing)} missing")
