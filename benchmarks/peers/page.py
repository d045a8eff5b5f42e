"""docs/comparison.md and its pictures, from whatever results there are."""

from benchmarks import document, kept
from benchmarks.peers import plots, store, tables

PAGE = "comparison"


def write() -> None:
    """Keep the tables, fill the page and draw the pictures."""
    studies = {name: store.read(name) for name in tables.STUDIES}
    for name, frame in studies.items():
        if len(frame):
            made = kept.made(f"python -m benchmarks.peers run {name}", frame["commit"])
            kept.keep(PAGE, made, tables.blocks_of(name, frame))
    commits = [commit for frame in studies.values() if len(frame) for commit in frame["commit"]]
    made = kept.made("python -m benchmarks.peers run", commits)
    document.publish(PAGE, made, {"setting": tables.setting(studies)})
    plots.draw_all()
