"""The survey of docs/survey.md: answers whose latent graph is known, with gaps and odd codes.

    python -m benchmarks.survey

writes docs/examples/survey.csv and survey-truth.csv, the same bytes every time, and draws the graph
that is learned from them.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

Array = NDArray[np.float64]

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "examples"
SEED, PEOPLE = 7, 400
GAPS, UNKNOWN = 0.04, 0.03  # shares of cells that are missing, and of visits that nobody knows
DONT_KNOW = "-99"

# Variables that are directly connected, and their latent partial correlations.
EDGES = {
    ("sleep_falling", "sleep_waking"): 0.32,
    ("sleep_waking", "sleep_rested_r"): 0.28,
    ("sleep_falling", "worry_stop"): 0.22,
    ("sleep_rested_r", "energy_tired"): 0.32,
    ("worry_money", "worry_future"): 0.32,
    ("worry_health", "worry_future"): 0.22,
    ("worry_future", "worry_stop"): 0.28,
    ("worry_money", "work_pressure"): 0.22,
    ("worry_health", "chronic"): 0.32,
    ("worry_stop", "energy_focus"): 0.18,
    ("mood_low", "mood_interest"): 0.32,
    ("mood_low", "mood_hope_r"): 0.28,
    ("mood_low", "mood_guilt"): 0.28,
    ("mood_hope_r", "worry_future"): 0.18,
    ("mood_interest", "energy_start"): 0.28,
    ("energy_tired", "energy_start"): 0.28,
    ("energy_start", "energy_focus"): 0.22,
    ("energy_focus", "work_pressure"): 0.15,
    ("social_alone", "social_support_r"): 0.32,
    ("social_alone", "social_avoid"): 0.28,
    ("social_avoid", "mood_interest"): 0.22,
    ("social_alone", "mood_low"): 0.18,
    ("chronic", "visits"): 0.35,
    ("chronic", "age"): 0.22,
    ("medication", "visits"): 0.32,
    ("age", "work_pressure"): -0.22,
}
ITEMS = (
    *("sleep_falling", "sleep_waking", "sleep_rested_r"),
    *("worry_money", "worry_health", "worry_future", "worry_stop"),
    *("mood_low", "mood_interest", "mood_hope_r", "mood_guilt"),
    *("energy_tired", "energy_start", "energy_focus"),
    *("social_alone", "social_support_r", "social_avoid", "work_pressure"),
)
VARIABLES = (*ITEMS, "medication", "chronic", "age", "visits")
EVEN, SKEWED = (0.1, 0.3, 0.65, 0.9), (0.35, 0.65, 0.85, 0.95)  # shares below each threshold


def latent(rng: np.random.Generator) -> Array:
    """Return normal rows with the graph, each column with variance one."""
    precision = np.eye(len(VARIABLES))
    for (source, target), partial in EDGES.items():
        i, j = VARIABLES.index(source), VARIABLES.index(target)
        precision[i, j] = precision[j, i] = -partial
    covariance = np.linalg.inv(precision)
    spread = np.sqrt(np.diag(covariance))
    rows = rng.standard_normal((PEOPLE, len(VARIABLES))) @ np.linalg.cholesky(covariance).T
    return rows / spread


def answers(rng: np.random.Generator) -> dict[str, list[str]]:
    """Return what people answered, by variable, with nothing missing yet."""
    behind = dict(zip(VARIABLES, latent(rng).T, strict=True))
    columns = {}
    for k, item in enumerate(ITEMS):
        step = np.digitize(behind[item], ndtri(SKEWED if k % 3 == 0 else EVEN)) + 1
        columns[item] = [str(6 - each if item.endswith("_r") else each) for each in step]
    columns["medication"] = ["yes" if each else "no" for each in behind["medication"] > 0.6]
    columns["chronic"] = [str(int(each)) for each in behind["chronic"] > 0.4]
    columns["age"] = [str(round(float(each))) for each in 48 + 14 * np.clip(behind["age"], -2, 3)]
    columns["visits"] = [str(each) for each in rng.poisson(3.0 * np.exp(0.8 * behind["visits"]))]
    return columns


def table() -> str:
    """Return the survey as CSV."""
    rng = np.random.default_rng(SEED)
    columns = answers(rng)
    unknown = rng.random(PEOPLE) < UNKNOWN
    columns["visits"] = [
        DONT_KNOW if gone else each for gone, each in zip(unknown, columns["visits"], strict=True)
    ]
    gone = rng.random((PEOPLE, len(columns))) < GAPS
    mark = np.where(rng.random(gone.shape) < 0.5, "", "NA")
    cells = np.where(gone, mark, np.array(list(columns.values())).T)
    lines = [("id", *columns), *((f"P{k:03}", *row) for k, row in enumerate(cells, 1))]
    return "".join(",".join(line) + "\n" for line in lines)


def truth() -> str:
    """Return the edges as CSV, with the signs that the answers show."""
    lines = ["source,target,partial_corr"]
    for (source, target), partial in EDGES.items():
        turned = source.endswith("_r") != target.endswith("_r")
        lines.append(f"{source},{target},{-partial if turned else partial:.2f}")
    return "\n".join(lines) + "\n"


def draw() -> None:
    """Draw the graph that docs/survey.md learns."""
    from benchmarks.pictures import plt, save
    from hedgerow import HedgeGraph, plot

    rows = pd.read_csv(FOLDER / "survey.csv", index_col="id", na_values=[DONT_KNOW])
    rows["medication"] = rows["medication"].map({"no": 0, "yes": 1})
    figure, ax = plt.subplots(figsize=(12, 7), layout="constrained")
    plot.network(HedgeGraph(columns={"age": "continuous"}).fit(rows), ax=ax)
    save(figure, "survey")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "survey.csv").write_text(table())
    (FOLDER / "survey-truth.csv").write_text(truth())
    draw()


if __name__ == "__main__":
    main()
