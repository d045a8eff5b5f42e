"""The checks by name: files of some sort, and what must hold of them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from benchmarks.fuzz import formats, oracles, strategies
from benchmarks.fuzz.commands import no_traceback_of_commands
from benchmarks.fuzz.graphs import same_graph


class Check(NamedTuple):
    """Files, what must hold of them, and how many of them make half a minute's test altogether."""

    files: st.SearchStrategy[Any]
    holds: Callable[[Any], None]
    examples: int


CHECKS = {
    "told": Check(strategies.text_files(), oracles.nothing_unsaid, 40),
    "guessed": Check(strategies.text_files(guess=True), oracles.nothing_unsaid, 40),
    "chunks": Check(strategies.text_files(guess=True), oracles.no_traceback, 40),
    "json": Check(formats.json_files(), oracles.no_traceback, 40),
    "broken": Check(formats.broken_files(), oracles.no_traceback, 100),
    "graph": Check(formats.clean_tables(), same_graph, 6),
    "commands": Check(
        st.one_of(formats.broken_files(), formats.json_files(), strategies.text_files(guess=True)),
        no_traceback_of_commands,
        25,
    ),
}


def run(name: str, number: int, examples: int | None = None) -> int:
    """Run one check with a seed; return how many files it took, or raise what it found.

    The exception has the smallest file that fails as its ``case``.
    """
    check = CHECKS[name]
    count = 0

    @seed(number)
    @settings(
        max_examples=examples or check.examples,
        database=None,
        deadline=None,
        print_blob=True,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(check.files)
    def holds(case: Any) -> None:
        nonlocal count
        count += 1
        try:
            check.holds(case)
        except BaseException as error:
            error.case = case  # type: ignore[attr-defined]
            raise

    holds()
    return count
