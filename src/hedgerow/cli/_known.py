"""Options by which users say what they know of rows and columns."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import click

from hedgerow.cli._errors import Misuse

# As in hedgerow.method.kinds, which is slow to import; a test compares them.
KINDS = ("continuous", "steps", "yes/no", "counts", "zeros")
AS_IS = "as is"
_TOLD = re.compile(rf"(.+?)=\s*({'|'.join(KINDS)}|{AS_IS})\s*(?:,\s*|$)", re.DOTALL)

_OPTIONS = {
    "independent_rows": click.option(
        "--independent-rows",
        is_flag=True,
        help="Rows have nothing to do with those before them: look for no memory and no season.",
    ),
    "normal_columns": click.option(
        "--normal-columns",
        is_flag=True,
        help="Columns are normal, together as well: take all of them as they are.",
    ),
    "as_is": click.option(
        "--as-is",
        multiple=True,
        metavar="NAMES",
        help="Columns to take as they are, not by their ranks: names, or patterns with *.",
    ),
    "kind": click.option(
        "--kind",
        multiple=True,
        metavar="NAMES=KIND",
        help=f"What columns are, if that is found wrongly: {', '.join(KINDS)}.",
    ),
}
KNOWN = tuple(_OPTIONS)
difference_option = click.option(
    "--difference",
    is_flag=False,
    flag_value=1,
    type=click.IntRange(min=1),
    metavar="[N]",
    help="Learn from each row minus the one N before it (1), never across a gap in --time.",
)


def known_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what is known of rows and columns."""
    for option in reversed(_OPTIONS.values()):
        command = option(command)
    return command


def refuse_for_ising(options: dict[str, Any]) -> None:
    """Take these options out; none of them has a meaning for an Ising model.

    Nor has ``--difference``, which stays: rows are read with it.
    """
    given = [name for name in KNOWN if options.pop(name)]
    if options.pop("device") != "cpu":
        given.append("device")
    if options["difference"] is not None:
        given.append("difference")
    if options.pop("given"):
        given.append("given")
    if given:
        raise Misuse(f"--{given[0].replace('_', '-')} is for --model gaussian")


def assumed(options: dict[str, Any]) -> dict[str, Any]:
    """Take these options out; return the parameters of a model that they mean.

    Columns are named as they were typed: which ones these are is known once there are rows.

    Examples
    --------
    >>> said = {"independent_rows": True, "normal_columns": False, "drop": ()}
    >>> assumed({**said, "as_is": ("a,b",), "kind": ()})
    {'rows': 'independent', 'columns': ['a,b']}
    >>> assumed({**said, "as_is": ("a",), "kind": ("q*=steps, sex=yes/no",)})["columns"]
    {'q*': 'steps', 'sex': 'yes/no', 'a': 'as is'}
    """
    independent, normal, as_is, kinds = (options.pop(name) for name in KNOWN)
    for option, given in (("--as-is", as_is), ("--kind", kinds)):
        if normal and given:
            raise Misuse(f"--normal-columns and {option} exclude each other")
    told = kinds_told(kinds)
    for names in as_is if told else ():
        _tell(told, names, AS_IS)
    columns = told or list(as_is)
    return {
        "rows": "independent" if independent else "any",
        "columns": "normal" if normal else columns or "any",
    }


def kinds_told(texts: Iterable[str]) -> dict[str, str]:
    """Return the kinds in texts such as ``NAME=steps``, by the names as they were typed."""
    told: dict[str, str] = {}
    for text in texts:
        place = 0
        while found := _TOLD.match(text, place):
            _tell(told, found[1].strip(), found[2])
            place = found.end()
        if not place or place < len(text):
            raise Misuse(_not_a_kind(text[place:]))
    return told


def _tell(told: dict[str, str], names: str, kind: str) -> None:
    if told.setdefault(names, kind) != kind:
        raise Misuse(f"a column has one kind, got {told[names]!r} and {kind!r} for {names!r}")


def _not_a_kind(text: str) -> str:
    names, is_pair, kind = text.partition("=")
    if not is_pair or not names:
        return f"--kind must be NAMES=KIND, as in mood=steps, got {text!r}"
    known = ", ".join(map(repr, (*KINDS, AS_IS)))
    kind = kind.partition(",")[0].strip()
    return f"--kind: the kind of a column must be one of {known}, got {kind!r} for {names!r}"
