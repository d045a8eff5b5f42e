"""What a graph promises about its edges, as a word for the code and in words for the reader."""

from typing import Any

from hedgerow.base.checks import in_open_interval, one_of

ERRORS = ("fdr", "fwer")  # kinds of error rates that can be asked for
BALANCED = "balanced"  # none is: false and missed edges weigh the same
_NAMES = {"fdr": "false discovery rate", "fwer": "familywise error rate"}


def promise_of(error: Any, level: Any) -> str:
    """Return which promise the parameters ask for, or say what is wrong with them.

    Examples
    --------
    >>> promise_of("fdr", 0.05), promise_of("fdr", "balanced")
    ('fdr', 'balanced')
    """
    kind = one_of("error", error, ERRORS)
    if isinstance(level, str):
        if level != BALANCED:
            raise ValueError(f"level must be a number in (0, 1) or {BALANCED!r}, got {level!r}")
        if error != "fdr":
            raise ValueError(f"error must be 'fdr' with level={BALANCED!r}, got {error!r}")
        return BALANCED
    in_open_interval("level", level, 0, 1)
    return kind


def in_words(promise: str, level: float, n_edges: int, why_none: str = "") -> str:
    """Return a promise for the end of a sentence about edges.

    ``why_none`` is why a balanced graph has none, if it is not for chance.

    Examples
    --------
    >>> in_words("fdr", 0.05, 12)
    'at a false discovery rate of 0.05'
    >>> in_words("balanced", 0.1834, 12)
    'in a balanced graph, in which an estimated share of 0.18 is false'
    """
    if promise != BALANCED:
        return f"at a {_NAMES[promise]} of {level:g}"
    if not n_edges:
        return f"in a balanced graph, because {why_none or 'none can be told from chance'}"
    return f"in a balanced graph, in which an estimated share of {level:.2g} is false"


def as_title(promise: str, level: float, n_edges: int) -> str:
    """Return a promise for a title.

    Examples
    --------
    >>> as_title("fwer", 0.05, 12)
    'familywise error rate 0.05'
    """
    if promise != BALANCED:
        return f"{_NAMES[promise]} {level:g}"
    return f"balanced, estimated share of false edges {level:.2g}" if n_edges else "balanced"
