"""Which columns of a file are learned from."""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from io import StringIO
from types import MappingProxyType
from typing import NamedTuple

from hedgerow.base.words import listed
from hedgerow.io.source import CATEGORIES, READABLE_FLAWS, Column, DataError
from hedgerow.method.kinds import AS_IS, NORMAL, STEPS

_LEARNED_FROM = "column that is learned from"
_NONE: Mapping[str, Sequence[str]] = MappingProxyType({})

_AN_ORDER = ("order", "LOWEST,...,HIGHEST"), "gives such words an order"

MISSING = ("use", "error", "drop")  # what may become of rows with missing cells


class Wish(NamedTuple):
    """Columns that the user wants, and does not want, and those that are no variables."""

    columns: Sequence[str] = ()
    drop: Sequence[str] = ()
    time: str | None = None  # says when a row was made
    id: str | None = None  # says what it is called
    missing: str = MISSING[0]
    by: str | None = None  # says which group it is of
    given: Sequence[str] = ()  # held fixed; read even if others are wanted
    as_text: Sequence[str] = ()  # those of them that are no numbers
    orders: Sequence[Sequence[str]] = ()  # of words, from the lowest to the highest

    @property
    def beside(self) -> list[str]:
        """The columns that are no variables."""
        names = (self.time, self.by, *self.as_text, self.id)
        return [name for name in names if name is not None]


class Choice(NamedTuple):
    """Places of the columns to read, and the names of those left out for a flaw, by flaw."""

    chosen: list[int]
    left_out: dict[str, list[str]]


def choose(columns: list[Column], wish: Wish) -> Choice:
    """Return the columns without a flaw that are wanted (all, if none is named) and not dropped.

    A name is taken as it is; text that is no name may be several between commas, and may have
    ``*`` and ``?`` for any characters.
    """
    names = [column.name for column in columns]
    refuse_repeated(names)
    named, matched = _find(wish.columns, names)
    kept = (named | matched if wish.columns else set(names)) - set().union(*_find(wish.drop, names))
    kept |= {*wish.given}
    named |= {*wish.given}
    kept -= {names[place_of(name, columns)] for name in wish.beside}
    # Cells that are empty at first may have numbers later; and who names a column knows.
    columns = [
        column._replace(flaw=None)
        if column.flaw in READABLE_FLAWS and column.name in named
        else column
        for column in columns
    ]
    for column in columns:
        if column.flaw and column.name in named & kept:
            reason = f"column {column.name!r} cannot be learned from: {column.flaw}"
            raise DataError(reason, *(_AN_ORDER if column.flaw == CATEGORIES else ()))
    left_out: dict[str, list[str]] = {}
    for j, column in enumerate(columns):
        if column.flaw and column.name in kept:
            left_out.setdefault(column.flaw, []).append(column.name or f"number {j + 1}")
    chosen = [j for j, column in enumerate(columns) if column.name in kept and not column.flaw]
    learned = [names[j] for j in chosen if names[j] not in wish.given]
    if len(learned) < 2:
        raise _too_few(learned, left_out)
    return Choice(chosen, left_out)


def with_given(columns: list[Column], wish: Wish) -> Wish:
    """Return the wish with the columns that are held fixed by name, and which are no numbers.

    Words are no numbers either, although they can be read as such.

    Examples
    --------
    >>> found = [Column("age", None), Column("site", "not numeric"), Column("a", None)]
    >>> with_given(found, Wish(given=["site,age"]))[6:8]
    (['age', 'site'], ['site'])
    """
    names = [column.name for column in columns]
    wanted = set().union(*_find(wish.given, names))
    for what, some in (
        ("dropped", set().union(*_find(wish.drop, names))),
        ("the column of groups", {wish.by}),
        ("the column of times", {wish.time}),
        ("the column of names", {wish.id}),
    ):
        both = [repr(name) for name in names if name in wanted & some]
        if both:
            raise DataError(f"a column cannot be given and {what} at once, got {listed(both)}")
    given = [column for column in columns if column.name in wanted]
    numbers = (None, *READABLE_FLAWS)
    as_text = [column.name for column in given if column.words or column.flaw not in numbers]
    return wish._replace(given=[column.name for column in given], as_text=as_text)


def columns_by_name(
    wanted: str | Iterable[object], names: list[str], words: Mapping[str, Sequence[str]] = _NONE
) -> str | list[str] | dict[str, str]:
    """Return which of ``names`` are wanted, in their order, by name or as in `choose`.

    One word, as `HedgeGraph` takes it for its ``columns``, stays what it is. Of a dict of kinds,
    those of names go before those of patterns. Columns of more than two ``words`` are steps,
    unless something else is told of them.

    Examples
    --------
    >>> columns_by_name(["b*", "a,c"], ["a", "b1", "b2", "c", "d"]), columns_by_name("any", ["a"])
    (['a', 'b1', 'b2', 'c'], 'any')
    >>> columns_by_name({"b*": "steps", "b2": "counts"}, ["a", "b1", "b2"])
    {'b1': 'steps', 'b2': 'counts'}
    >>> columns_by_name(["a"], ["a", "mood"], {"mood": ["bad", "fair", "good"]})
    {'a': 'as is', 'mood': 'steps'}
    """
    ordered = {name: STEPS for name, some in words.items() if len(some) > 2}
    if isinstance(wanted, Mapping):
        return _in_order(ordered | _kinds_by_name(wanted, names), names)
    if isinstance(wanted, str):
        return wanted if wanted == NORMAL or not ordered else ordered
    texts = [str(text) for text in wanted]
    found = set().union(*_find(texts, names, _LEARNED_FROM))
    if ordered:
        return _in_order(ordered | dict.fromkeys(found, AS_IS), names)
    return [name for name in names if name in found]


def _in_order(kinds: Mapping[str, str], names: list[str]) -> dict[str, str]:
    return {name: kinds[name] for name in names if name in kinds}


def _kinds_by_name(wanted: Mapping[object, str], names: list[str]) -> dict[str, str]:
    by_name: dict[str, str] = {}
    by_pattern: dict[str, str] = {}
    for text, kind in wanted.items():
        found = _find([str(text)], names, _LEARNED_FROM)
        for kinds, some in zip((by_name, by_pattern), found):
            for name in some:
                if kinds.setdefault(name, kind) != kind:
                    raise DataError(
                        f"a column has one kind, got {kinds[name]!r} and {kind!r} for {name!r}"
                    )
    return by_pattern | by_name


def place_of(name: str, columns: list[Column]) -> int:
    """Return the place of one column by its name."""
    names = [column.name for column in columns]
    if name not in names:
        raise _unknown(name, names)
    return names.index(name)


def refuse_repeated(names: list[str]) -> None:
    """Raise if two columns have one name; some may have none."""
    repeated = [name for name, count in Counter(names).items() if count > 1 and name]
    if repeated:
        raise DataError(
            f"column names must differ, got more than once: {listed(map(repr, repeated))}"
        )


def _find(
    texts: Sequence[str], names: list[str], kind: str = "column"
) -> tuple[set[str], set[str]]:
    """Return the columns asked for by name, and those by pattern."""
    known = set(names)
    named: set[str] = set()
    matched: set[str] = set()
    for text in texts:
        for word in [text] if text in known else words_of(text):
            if word in known:
                named.add(word)
                continue
            is_pattern = "*" in word or "?" in word
            matches = {name for name in names if fnmatchcase(name, word)} if is_pattern else set()
            if not matches:
                raise _unknown(word, names, kind)
            matched |= matches
    return named, matched


def words_of(text: str) -> list[str]:
    """Return what is between commas; quotes keep a comma, or a newline, inside a name."""
    return next(csv.reader(StringIO(text, newline=""), skipinitialspace=True), [])


def _unknown(word: str, names: list[str], kind: str = "column") -> DataError:
    close = get_close_matches(word, names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {listed(map(repr, names))}"
    return DataError(f"no {kind} is called {word!r}; {hint}")


def _too_few(chosen: list[str], left_out: dict[str, list[str]]) -> DataError:
    found = f"one, {chosen[0]!r}" if chosen else "none"
    reasons = "".join(f"; {flaw}: {listed(map(repr, names))}" for flaw, names in left_out.items())
    message = f"at least two columns of numbers are needed, got {found}{reasons}"
    return DataError(message, *(_AN_ORDER if CATEGORIES in left_out else ()))
