"""Files that a command reads and writes, and how it tells what went wrong with them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli._errors import Misuse, refuse_closed_stdin

if TYPE_CHECKING:
    from hedgerow.io import Table

STDIN = STDOUT = _DASH = Path("-")  # what is read, and what is written


def open_rows(file: Path, options: dict[str, Any]) -> "Table":
    """Open a table with the options of a command; what is wrong with them is misuse."""
    from hedgerow.io import DataError, open_table

    if file == STDIN:
        refuse_closed_stdin()
    try:
        return open_table(file, **options)
    except DataError:
        raise
    except ValueError as error:  # of an option or of the file's name
        raise Misuse(str(error)) from error


@contextmanager
def failures_of(path: Path, dash: str = "stdout") -> Iterator[None]:
    """Tell what went wrong with a file in one line, under its name, or ``dash`` if that is -."""
    from hedgerow.io import DataError

    name = dash if path == _DASH else str(path)
    try:
        yield
    except BrokenPipeError:
        raise
    except DataError as error:
        raise click.ClickException(f"{name}: {error.for_terminal()}") from error
    except OSError as error:
        raise click.ClickException(f"{name}: {error.strerror or error}") from error
    except MemoryError as error:
        told = f": {error}" if str(error) else ""
        raise click.ClickException(f"{name}: not enough memory{told}") from error
    except (ValueError, ModuleNotFoundError) as error:
        raise click.ClickException(f"{name}: {error}") from error


def refuse_clashes(paths: list[Path], source: Path) -> None:
    """Refuse to write two results, or a result and the input, to one file."""
    seen: set[Path] = set()
    for path in paths:
        if source != STDIN and path.resolve() == source.resolve():
            raise Misuse(f"results must not replace the input, got {str(path)!r} for both")
        if path.resolve() in seen:
            raise Misuse(f"every result needs a file of its own, got {str(path)!r} twice")
        seen.add(path.resolve())


def refuse_unwritable(paths: list[Path]) -> None:
    """Refuse paths where no file can be written, before any work is done for them."""
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
