"""Columns of text that has two words: yes or no. Of other categories nobody knows the order."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import Any, NamedTuple

from hedgerow.base.words import listed
from hedgerow.io.notation import Notation, shortened
from hedgerow.io.source import CATEGORIES, NOT_NUMERIC, BadRow, Column, Reader

# Of cells, that have one of two answers: "sometimes" comes more often than "don't know".
_ANSWERED = 0.75
FEWEST = 10  # cells that can tell words from names

# Pairs in which the second word is 1 although it is the first, or may be, in the alphabet.
_AFFIRMED = {
    frozenset(pair): pair
    for pair in (
        *(("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("absent", "present")),
        *(("nein", "ja"), ("n", "j"), ("non", "oui"), ("n", "o"), ("no", "si"), ("no", "sí")),
    )
}
# Without single letters, which may stand for more: of these there is no third answer.
_SPELT_OUT = [pair for pair in _AFFIRMED if min(map(len, pair)) > 1]
_TRUTH = ("true", "false")


class Words(NamedTuple):
    """How the cells of a column are read: two words are 0 and 1, more are 1, 2, ..."""

    name: str
    words: tuple[str, ...]
    notation: Notation

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers of words, by the words in small letters."""
        first = first_number(self.words)
        return {word.lower(): float(place) for place, word in enumerate(self.words, first)}

    @property
    def spelt_out(self) -> bool:
        """Whether the words are two answers beside which there is no third."""
        return frozenset(map(str.lower, self.words)) in _SPELT_OUT

    def value(self, cell: Any) -> float | None:
        """Return the number that a cell stands for, NaN if it is missing, None if it is neither.

        >>> smokes = Words("smokes", ("no", "yes"), Notation())
        >>> smokes.value(" Yes"), smokes.value("NA"), smokes.value("1")
        (1.0, nan, None)
        """
        known = self.numbers.get(cell.strip().lower()) if isinstance(cell, str) else None
        if known is not None:
            return known
        number = self.notation.value(cell)
        return nan if number is not None and number != number else None

    def wrong(self, cell: Any, before: BadRow | None = None) -> BadRow:
        """Return what is wrong with a row that has another word, and what was ``before``."""
        text = shortened(str(cell))
        if before is not None:
            return before._replace(cells=(*before.cells, (self.name, text)))
        known = " or ".join(map(repr, self.words))
        message = f"column {self.name!r} must hold {known}, got {text}"
        return BadRow(message, self.name, ((self.name, text),))


def first_number(words: Sequence[str]) -> int:
    """Return the number that the first of some words stands for."""
    return int(len(words) > 2)


def words_in(cells: Iterable[Any], notation: Notation) -> tuple[str | None, tuple[str, ...]]:
    """Return why cells of text cannot be learned from, and their words if these are few.

    Examples
    --------
    >>> words_in(["yes", "no", "", "Yes", "no"] * 3, Notation())
    (None, ('no', 'yes'))
    >>> words_in(["yes", "no", "no", "yes", "no"] * 3 + ["don't know"], Notation())
    (None, ('no', 'yes'))
    >>> words_in(["yes", "no", "sometimes"] * 4, Notation())
    ('categories without order', ('no', 'sometimes', 'yes'))
    >>> words_in(["north", "south", "east"] * 4, Notation())
    ('categories without order', ('east', 'north', 'south'))
    """
    texts, numbers = [], 0
    for cell in cells:
        number = notation.value(cell)
        if isinstance(cell, str) and (number is None or cell.strip().lower() in _TRUTH):
            texts.append(cell.strip())
        elif number is None:
            return NOT_NUMERIC, ()
        else:
            numbers += number == number
    found = {text.lower(): text for text in reversed(texts)}
    answers = _answers(texts, numbers)
    if len(texts) >= FEWEST and answers:
        return None, _in_order({word: found[word] for word in answers})
    if numbers or len(texts) < FEWEST or len(found) < 2 or 2 * len(found) > len(texts):
        return NOT_NUMERIC, ()
    return (None, _in_order(found)) if len(found) == 2 else (CATEGORIES, tuple(sorted(found)))


def _answers(texts: Sequence[str], numbers: int) -> frozenset[str]:
    """Return the pair of spelt-out answers that nearly all cells have, if there is one.

    Other cells of such a column are no answers, as texts are no numbers in a column of numbers; if
    they are many, they may be a third one.
    """
    small = [text.lower() for text in texts]
    for pair in _SPELT_OUT:
        answered = sum(word in pair for word in small)
        if pair <= set(small) and answered >= _ANSWERED * (len(small) + numbers):
            return pair
    return frozenset()


def with_orders(columns: Sequence[Column], orders: Sequence[Sequence[str]]) -> list[Column]:
    """Return columns, those of categories that an order has all of as words in this order.

    Examples
    --------
    >>> some = [Column("mood", "categories without order", ("bad", "fair", "good"))]
    >>> with_orders(some, [("bad", "fair", "good", "superb")])
    [Column(name='mood', flaw=None, words=('bad', 'fair', 'good', 'superb'))]
    """
    result = []
    for column in columns:
        found = {word.lower() for word in column.words}
        is_open = column.flaw == CATEGORIES or len(found) == 2
        known = (order for order in orders if found and found <= {each.lower() for each in order})
        order = next(known, None) if is_open else None
        result.append(column if order is None else Column(column.name, None, tuple(order)))
    return result


def confirmed(source: Reader, columns: Sequence[Column], notation: Notation) -> dict[str, bool]:
    """Tell by all rows which columns have no more than their words; reads the source.

    Of answers that are spelt out there need only be more than of all else.
    """
    names = [column.name for column in source.columns]
    source.beside = [names.index(column.name) for column in columns]
    known = [Words(column.name, column.words, notation) for column in columns]
    others, answers = Counter[str](), Counter[str]()
    for batch in source.batches([]):
        if batch is None:
            continue
        for words, cells in zip(known, batch.beside):
            for cell, times in Counter(cells).items():
                value = words.value(cell)
                others[words.name] += times * (value is None)
                answers[words.name] += times * (value in (0.0, 1.0))
    return {
        words.name: others[words.name] < answers[words.name] * words.spelt_out
        or not others[words.name]
        for words in known
    }


def in_words(words: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a sentence that says which words stand for which numbers, if there are any.

    Columns of the same words are told together.

    >>> in_words({"smokes": ("no", "yes"), "mood": ("bad", "fair", "good")})
    ["Words stand for numbers: 'smokes' ('no' 0, 'yes' 1), 'mood' ('bad' 1 to 'good' 3)."]
    """
    if not words:
        return []
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, some in words.items():
        alike.setdefault(tuple(some), []).append(repr(name))
    told = [
        f"{listed(names)} ({some[0]!r} 0, {some[1]!r} 1)"
        if len(some) == 2
        else f"{listed(names)} ({some[0]!r} 1 to {some[-1]!r} {len(some)})"
        for some, names in alike.items()
    ]
    return [f"Words stand for numbers: {', '.join(told)}."]


def _in_order(found: Mapping[str, str]) -> tuple[str, ...]:
    order = _AFFIRMED.get(frozenset(found)) or tuple(sorted(found))
    return tuple(found[small] for small in order)


def group_name(cell: Any) -> str:
    """Return the name of a group as a cell has it; nothing if there is none.

    >>> [group_name(cell) for cell in (" a ", 2.0, True, None, float("nan"))]
    ['a', '2', 'True', '', '']
    """
    if cell is None or cell != cell:
        return ""
    is_whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if is_whole else cell).strip()
