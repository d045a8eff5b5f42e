"""
A first graph
=============

Which variables are directly connected? Here the truth is a ring of ten variables: each is
connected with two others, and correlated with many more.
"""

import matplotlib.pyplot as plt

from hedgerow import HedgeGraph, plot
from hedgerow.datasets import make

model = make("cycle", 10, strength=0.4, seed=0)
graph = HedgeGraph().fit(model.sample(500, seed=1))
print(graph.summary())
print(graph.edges_)

plot.network(graph)
plt.show()

# %%
# **True in the data:** a ring of ten variables. Its ten edges are there, and no others.
