"""Files that a command will write: checked before the work, so that no result is lost."""

import os
from pathlib import Path

import click

from hedgerow.cli._errors import Misuse

STDOUT = Path("-")


def refuse_clashes(paths: list[Path], source: Path) -> None:
    """Refuse to write two results, or a result and the input, to one file."""
    seen: set[Path] = set()
    for path in paths:
        if path == source != STDOUT or (source != STDOUT and path.resolve() == source.resolve()):
            raise Misuse(f"results must not replace the input, got {str(path)!r} for both")
        if path.resolve() in seen:
            raise Misuse(f"every result needs a file of its own, got {str(path)!r} twice")
        seen.add(path.resolve())


def refuse_unwritable(paths: list[Path]) -> None:
    """Refuse paths where no file can be written."""
    for path in paths:
        if path == STDOUT:
            continue
        if path.is_dir():
            raise click.ClickException(f"{path}: is a folder, not a file")
        folder = path.resolve().parent
        if not folder.is_dir():
            raise click.ClickException(f"{path}: its folder does not exist")
        if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
            raise click.ClickException(f"{path}: cannot be written to")
