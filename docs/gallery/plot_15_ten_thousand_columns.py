"""
Ten thousand columns
====================

Fifty million pairs, each tested. Memory, and the time for a row, grow with the square of the number
of columns, and one pass over the rows is enough. This takes 2 GiB of memory; give a smaller number
of columns on the command line.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.metrics import confusion

columns = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
model = make("random_tree", columns, strength=0.3, seed=17)
graph = HedgeGraph(rows="independent", columns="normal")  # as these are; nothing to find out
graph.fit(model.sample(256, seed=18).astype(np.float32))

counts = confusion(graph.adjacency_, model.adjacency)
pairs = columns * (columns - 1) // 2
print(f"{pairs:,} pairs: {counts.true_edges:,} true, {counts.false_edges:,} false edges found")

true, found = (np.bincount(a.sum(axis=0).astype(int)) for a in (model.adjacency, graph.adjacency_))
fig, ax = plt.subplots(layout="constrained")
ax.plot(true, "o-", label="true graph")
ax.plot(found, "s-", label="found")
ax.set(yscale="symlog", xlabel="number of neighbours", ylabel="number of variables")
ax.legend()
plt.show()

# %%
# **True in the data:** a random tree, one edge less than there are variables. With 256 rows most of
# its edges are found, and about one in twenty of those found may be false.
