"""docs/quality.md: its figures are blocks that the benchmark writes."""

from pathlib import Path

from benchmarks import document

PAGE = Path(__file__).resolve().parents[2] / "docs" / "quality.md"


def fill(blocks: dict[str, str]) -> None:
    """Put each block into the page, between its markers."""
    document.fill(PAGE, blocks)
