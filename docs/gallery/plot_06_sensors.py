"""
Sensors in time
===============

A sensor's reading resembles the one before. A thousand such rows say less than a thousand
independent ones, and tests that do not know it are too sure.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.signal import lfilter

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.metrics import confusion

model = make("chain", 20, strength=0.35, seed=6)
readings = lfilter([0.6], [1, -0.8], model.sample(2000, seed=7), axis=0)[200:]

naive = HedgeGraph(rows="independent").fit(readings)
graph = HedgeGraph().fit(readings)

fig, both = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
for ax, fitted, name in zip(both, (naive, graph), ("rows as independent", "rows as they come")):
    counts = confusion(fitted.adjacency_, model.adjacency)
    ax.imshow(np.where(fitted.adjacency_.toarray(), 1 + model.adjacency.toarray(), 0), cmap="Reds")
    ax.set_title(f"{name}: {counts.true_edges} true, {counts.false_edges} false")
    ax.set(xlabel="sensor", ylabel="sensor", xticks=range(0, 20, 5), yticks=range(0, 20, 5))
plt.show()

# %%
# **True in the data:** twenty sensors in a line, each connected with the next: the dark cells. Each
# reading keeps 0.8 of the one before. Pale cells are false edges.

print(f"{graph.n_samples_seen_} rows count as {graph.n_samples_effective_:.0f}")
