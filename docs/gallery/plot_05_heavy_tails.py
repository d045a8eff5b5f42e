"""
Returns with heavy tails
========================

Returns of prices are large together on wild days. Tests that take rows to be normal then find
relations that are not there.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import HedgeGraph, plot
from hedgerow.datasets import make
from hedgerow.metrics import confusion

warnings.simplefilter("ignore")
model = make("cluster", 40, size=10, seed=4)
rng = np.random.default_rng(5)
days = np.sqrt(3 / rng.chisquare(3, size=(1500, 1)))  # how wild a day is, for all columns
returns = model.sample(1500, seed=rng) * days

taken_as_normal = HedgeGraph(rows="independent", columns="normal").fit(returns)
as_they_come = HedgeGraph().fit(returns)

fig, both = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
for ax, graph, name in zip(both, (taken_as_normal, as_they_come), ("as normal", "as they come")):
    counts = confusion(graph.adjacency_, model.adjacency)
    plot.network(graph, labels=False, ax=ax)
    ax.set_title(f"taken {name}: {counts.true_edges} true, {counts.false_edges} false edges")
plt.show()

# %%
# **True in the data:** four sectors of ten columns, and no edge between sectors; rows are those of
# a Student t distribution with three degrees of freedom. What was found out about the rows:

print(as_they_come.summary())
