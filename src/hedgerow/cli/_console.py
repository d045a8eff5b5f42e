"""The console that commands print to, made so that no terminal can break it."""

from io import TextIOWrapper
from typing import TextIO

from rich.console import Console

_NARROWEST = 40  # letters; a terminal that says less has not been asked properly
_USUAL = 80


def console_on(stream: TextIO, *, soft_wrap: bool = False) -> Console:
    """Return a console that prints to ``stream``.

    Examples
    --------
    >>> import sys
    >>> console_on(sys.stdout).width >= 40
    True
    """
    if isinstance(stream, TextIOWrapper):
        # A terminal that cannot show some letters gets question marks, not a crash.
        stream.reconfigure(errors="replace")
    # Names of files and columns may hold brackets, which rich would take for its own.
    console = Console(file=stream, highlight=False, markup=False, soft_wrap=soft_wrap)
    if console.width < _NARROWEST:
        console.width = _USUAL
    return console
