"""Pictures in docs/images, as SVG; the same results give the same files."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams |= {
    "svg.hashsalt": "hedgerow",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "font.size": 9,
}
from matplotlib import pyplot as plt  # noqa: E402

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"


def save(figure: plt.Figure, name: str) -> None:
    """Write the figure, and forget it."""
    IMAGES.mkdir(exist_ok=True)
    figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)
