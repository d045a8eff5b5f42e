"""
Choosing an error level
=======================

The level is the share of false edges that you can live with, and you choose it before you look.
Here the truth is known, so that the share can be counted, over eight tables of 300 rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import HedgeGraph
from hedgerow.datasets import make

levels = np.array([0.01, 0.02, 0.05, 0.1, 0.2])
found, false = np.zeros((2, 8, len(levels)))
for table in range(8):
    model = make("watts_strogatz", 40, strength=0.18, seed=table)
    true = set(map(tuple, model.edges.tolist()))
    graph = HedgeGraph(level=0.2).fit(model.sample(300, seed=table))
    for k, level in enumerate(levels):
        edges = {(edge.source, edge.target) for edge in graph.edges_up_to(level)}
        found[table, k] = len(edges & true) / len(true)
        false[table, k] = len(edges - true) / max(len(edges), 1)

fig, ax = plt.subplots(layout="constrained")
ax.plot(levels, found.mean(axis=0), "o-", label="share of the true edges that is found")
ax.plot(levels, false.mean(axis=0), "s-", label="share of the found edges that is false")
ax.plot(levels, levels, ":", color="grey", label="the promise")
ax.set(xscale="log", xlabel="level", ylabel="mean of eight tables", ylim=(0, 1))
ax.set_xticks(levels, [f"{level:g}" for level in levels])
ax.legend()
plt.show()

# %%
# **True in the data:** 80 edges among 40 variables, all with a partial correlation of 0.18. A
# looser level finds more of them, and the share of false edges stays below the dotted line.
