"""docs/quality.md: its figures are blocks that the benchmark writes between pairs of markers."""

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "quality.md"


def fill(blocks: dict[str, str]) -> None:
    """Put each block into the page, between ``<!-- name -->`` and ``<!-- /name -->``."""
    text = PAGE.read_text()
    for name, block in blocks.items():
        before, start, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- /{name} -->")
        if not (start and end):
            raise ValueError(f"{PAGE.name} must have a block {name!r}")
        text = f"{before}{start}{block}\n{end}{after}"
    PAGE.write_text(text)
