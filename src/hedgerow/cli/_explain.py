"""The option that asks about pairs of columns, and what it means."""

from collections.abc import Sequence

import click

from hedgerow.cli._errors import Misuse

explain_option = click.option(
    "--explain",
    multiple=True,
    metavar="A,B",
    help="Tell why two columns are joined by an edge, or why not; repeat for several pairs.",
)


def refuse_unheard(explain: Sequence[str], model: str, by: str | None, *, quiet: bool) -> None:
    """Refuse questions that have no answer, or whose answers nobody would see."""
    if explain and model != "gaussian":
        raise Misuse("--explain is for --model gaussian")
    if explain and by is not None:
        raise Misuse("--explain goes without --by")
    if explain and quiet:
        raise Misuse("--explain prints to stdout, and does not go with --quiet")


def pairs_asked(explain: Sequence[str], names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the columns that each text names; a comma may also be part of a name.

    Examples
    --------
    >>> pairs_asked(["a, b", "a,b,c"], ["a", "b", "b,c"])
    [('a', 'b'), ('a', 'b,c')]
    """
    return [_pair_in(text, names) for text in explain]


def _pair_in(text: str, names: Sequence[str]) -> tuple[str, str]:
    parts = text.split(",")
    cuts = (
        (",".join(parts[:k]).strip(), ",".join(parts[k:]).strip()) for k in range(1, len(parts))
    )
    found = [(a, b) for a, b in cuts if a in names and b in names]
    if len(found) != 1 or found[0][0] == found[0][1]:
        raise Misuse(f"--explain must name two columns that are learned from, got {text!r}")
    return found[0]
