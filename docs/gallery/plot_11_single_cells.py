"""
Single cells: AnnData
=====================

Counts of molecules are small whole numbers with many zeros. Hedgerow takes them for counts of a
rate that varies from cell to cell, and looks for connections between the rates.
"""

import anndata
import matplotlib.pyplot as plt
import numpy as np

from hedgerow import HedgeGraph, plot
from hedgerow.datasets import make
from hedgerow.metrics import confusion

model = make("hubs", 24, count=2, seed=9)
rng = np.random.default_rng(10)
rates = np.exp(0.9 * model.sample(3000, seed=rng) + 1.5)
cells = anndata.AnnData(rng.poisson(rates).astype(float))
cells.var_names = [f"gene{k}" for k in range(24)]

graph = HedgeGraph().fit(cells.to_df())
counts = confusion(graph.adjacency_, model.adjacency)
print(graph.summary())

ax = plot.network(graph)
ax.set_title(f"{counts.true_edges} true, {counts.false_edges} false edges")
plt.show()

# %%
# **True in the data:** two genes, each connected with eleven others, and no edge among those
# others or between the two groups. ``hedgerow learn cells.h5ad`` reads the same from a file.
