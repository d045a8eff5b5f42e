"""
Few rows: a balanced graph
==========================

With as many rows as columns, a promise of few false edges leaves few edges. A balanced graph keeps
no promise; in it, false and missed edges weigh the same.
"""

import matplotlib.pyplot as plt

from hedgerow import HedgeGraph, plot
from hedgerow.datasets import make
from hedgerow.metrics import confusion

model = make("random_tree", 60, seed=2)
rows = model.sample(90, seed=3)

fig, both = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
for ax, level in zip(both, (0.05, "balanced")):
    graph = HedgeGraph(level=level).fit(rows)
    counts = confusion(graph.adjacency_, model.adjacency)
    plot.network(graph, labels=False, ax=ax)
    ax.set_title(f"{counts.true_edges} true, {counts.false_edges} false edges\nlevel={level!r}")
plt.show()

# %%
# **True in the data:** a tree of 60 variables, so 59 edges, seen through 90 rows. How many edges
# of a balanced graph are false is estimated, and too low where rows are few:

print(f"estimated share of false edges: {graph.level_:.2f}")
