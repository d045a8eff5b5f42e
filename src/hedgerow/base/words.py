"""Words for messages."""

from collections.abc import Iterable

_NAMED_IN_FULL = 5


def listed(items: Iterable[str]) -> str:
    """Join with commas; of a long list, give the start and say how many follow.

    >>> listed("abcdefg")
    'a, b, c, d, e and 2 more'
    """
    items = list(items)
    rest = len(items) - _NAMED_IN_FULL
    text = ", ".join(items[:_NAMED_IN_FULL])
    return f"{text} and {rest} more" if rest > 0 else text
