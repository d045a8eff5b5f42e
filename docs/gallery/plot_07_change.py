"""
A stream with a change
======================

A model with a half-life forgets. A log of changes tells which edges appeared and which vanished,
and waits until it is sure.
"""

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import HedgeGraph, changes
from hedgerow.datasets import make

before = make("chain", 12, strength=0.4, seed=0).sample(3000, seed=1)
after = make("chain", 12, strength=0.4, seed=0).sample(3000, seed=2)
after[:, [3, 9]] = after[:, [9, 3]]  # two sensors change places
rows = np.vstack([before, after])

graph, watch = HedgeGraph("fwer", half_life=300), changes.start(level=0.05)
told, row = [], 0
while (due := changes.next_look(row, half_life=300)) <= len(rows):
    graph.partial_fit(rows[row:due])
    row = due
    watch, news = changes.look(watch, row, graph.edges_up_to(changes.level_to_stay(0.05)))
    told += news

pairs = sorted({(change.source, change.target) for change in told})
fig, ax = plt.subplots(figsize=(8, 5), layout="constrained")
for kind, colour in (("appeared", "#1f5fa8"), ("vanished", "#c2571a")):
    points = [(c.row, pairs.index((c.source, c.target))) for c in told if c.kind == kind]
    ax.scatter(*zip(*points), c=colour, label=kind)
ax.axvline(3000, color="grey", linestyle=":", label="the change")
ax.set_yticks(range(len(pairs)), [f"{a} - {b}" for a, b in pairs])
ax.set(xlabel="row", ylabel="edge")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %%
# **True in the data:** a chain of twelve variables. At row 3,000 the variables 3 and 9 change
# places: four edges end then, and four others begin. While rows from before and after are mixed, 3
# and 9 are related, too, and their edge comes and goes.
