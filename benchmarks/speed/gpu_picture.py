"""The picture in docs/gpu.md: time and memory against columns, beside what others have published.

    python -m benchmarks.speed.gpu_picture

Figures are those of the page's record. What others published is on other data, with other numbers
of rows, and for a penalised estimate without an error rate.
"""

from benchmarks import kept
from benchmarks.pictures import plt, save

DAY, MINUTE, HOUR = 86400.0, 60.0, 3600.0
MILLION = 1_000_000
COLOURS = {"2000 rows": "#56b4e9", "1000 rows": "#0072b2", "from file to file": "#d55e00"}
THEIRS = "#777777"
# Hsieh, Sustik, Dhillon, Ravikumar and Poldrack (2013), and the abstract of Bollhoefer, Eftekhari,
# Scheidegger and Schenk (SIAM Journal on Scientific Computing 41, 2019): "within minutes".
BIGQUIC, SQUIC = DAY, (MINUTE, HOUR)


def draw(blocks: kept.Blocks) -> None:
    """Draw the picture of a page's record."""
    figure, (times, memory) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for name, block, seconds, gib in (
        ("2000 rows", "measured", "time (s)", "memory (GiB)"),
        ("1000 rows", "many", "time (s)", "memory (GiB)"),
        ("from file to file", "file", "time (s)", "memory of the host (GiB)"),
    ):
        table = blocks[block].table
        wanted = [row for row in table.rows if "error" not in table.header or row[2] == "fdr"]
        for panel, column in ((times, seconds), (memory, gib)):
            place = table.header.index(column)
            points = [(int(row[0].replace(",", "")), float(row[place])) for row in wanted]
            label = f"{name}, of the host" if column.startswith("memory of") else name
            panel.loglog(*zip(*points), "o", color=COLOURS[name], alpha=0.8, label=label)
    _theirs(times)
    times.set(xlabel="columns", ylabel="seconds")
    memory.set(xlabel="columns", ylabel="GiB", ylim=(1, 500))
    for panel in (times, memory):
        panel.legend(loc="upper left", fontsize=8)
    save(figure, "gpu_columns")


def _theirs(panel: plt.Axes) -> None:
    panel.plot(MILLION, BIGQUIC, "s", color=THEIRS)
    panel.annotate(
        "BigQUIC: about a day, 32 cores", (MILLION, BIGQUIC), (-8, 0),
        textcoords="offset points", ha="right", va="center", fontsize=8, color=THEIRS,
    )  # fmt: skip
    panel.plot([1.12 * MILLION] * 2, SQUIC, "-", color=THEIRS, linewidth=3, alpha=0.6)
    panel.annotate(
        'SQUIC: "within minutes",\none multicore machine', (1.12 * MILLION, SQUIC[1]), (-4, 0),
        textcoords="offset points", ha="right", va="center", fontsize=8, color=THEIRS,
    )  # fmt: skip


if __name__ == "__main__":
    draw(kept.read("gpu"))
