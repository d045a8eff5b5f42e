"""Long work on a GPU that goes on where it was interrupted."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.cli._errors import Interrupted

if TYPE_CHECKING:
    from hedgerow import HedgeGraph, IsingGraph


@contextmanager
def resumable(model: "HedgeGraph | IsingGraph", targets: list[Path]) -> Iterator[None]:
    """Keep what is learned beside the first file to be written until the block has ended well."""
    if not targets or getattr(model, "device", "cpu") not in ("cuda", "auto"):
        yield
        return
    from hedgerow.base.parts import keeping

    folder = targets[0].with_name(f"{targets[0].name}.strips")
    try:
        with keeping(folder):
            yield
    except KeyboardInterrupt as error:
        if not folder.exists():
            raise
        raise Interrupted(
            f"; what was learned is in {folder}, and the same command goes on from there"
        ) from error
