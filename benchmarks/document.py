"""Pages in docs/ whose figures are blocks that a benchmark writes between pairs of markers."""

from collections.abc import Iterable, Sequence
from pathlib import Path


def fill(page: Path, blocks: dict[str, str]) -> None:
    """Put each block into the page, between ``<!-- name -->`` and ``<!-- /name -->``."""
    text = page.read_text()
    for name, block in blocks.items():
        before, start, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- /{name} -->")
        if not (start and end):
            raise ValueError(f"{page.name} must have a block {name!r}")
        text = f"{before}{start}{block}\n{end}{after}"
    page.write_text(text)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
