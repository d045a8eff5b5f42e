"""
Votes: an Ising model
=====================

Yes or no, where each vote acts on others: `hedgerow.IsingGraph` finds who acts on whom, with odds
ratios.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from hedgerow import IsingGraph
from hedgerow.datasets import make_ising
from hedgerow.metrics import confusion

model = make_ising("grid", 16, strength=0.35, signs="mixed", seed=13)
votes = model.sample(1500, seed=14)

graph = IsingGraph().fit(votes)
print(graph.edges_)

counts = confusion(graph.adjacency_, model.adjacency)
places = {k: (k % 4, -(k // 4)) for k in range(16)}
colours = np.where(graph.edges_.coupling > 0, "#1f5fa8", "#c2571a")
fig, ax = plt.subplots(layout="constrained")
nx.draw_networkx(
    nx.from_edgelist([(e.source, e.target) for e in graph.edges_]),
    pos=places,
    edgelist=[(e.source, e.target) for e in graph.edges_],
    edge_color=colours,
    node_color="#dddddd",
    width=2.5,
    ax=ax,
)
ax.set_title(f"{counts.true_edges} true, {counts.false_edges} false edges")
ax.set_axis_off()
plt.show()

# %%
# **True in the data:** sixteen voters on a square lattice, each acting on its neighbours with a
# coupling of 0.35, towards the same vote (blue) or the other one (orange).

right = np.sign(graph.couplings_) == np.sign(model.couplings.toarray())
print(f"signs right: {right[graph.adjacency_.toarray()].all()}")
