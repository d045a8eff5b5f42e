"""The type of options that name a file or folder to write to."""

from pathlib import Path
from typing import Any

import click


class Target(click.Path):
    """A path that is not ``-``: what is written there cannot go to stdout.

    Examples
    --------
    >>> Target().convert("page.html", None, None).name
    'page.html'
    """

    def __init__(self, **rules: Any) -> None:
        super().__init__(path_type=Path, **rules)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value) == "-":
            kind = "folder" if not self.file_okay else "file"
            self.fail(f"must be the name of a {kind}, got '-' (stdout).", param, ctx)
        return super().convert(value, param, ctx)
