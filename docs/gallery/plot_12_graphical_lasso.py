"""
Beside scikit-learn's graphical lasso
=====================================

``GraphicalLassoCV`` chooses its penalty so that new rows are predicted well. That takes many more
edges than there are.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.covariance import GraphicalLassoCV

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.metrics import confusion

warnings.simplefilter("ignore")
model = make("grid", 36, seed=11)
rows = model.sample(600, seed=12)

lasso = GraphicalLassoCV().fit(rows)
graphs = {
    "GraphicalLassoCV": np.abs(lasso.precision_) > 0,
    "HedgeGraph": HedgeGraph().fit(rows).adjacency_.toarray(),
}
fig, both = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
truth = model.adjacency.toarray()
for ax, (name, adjacency) in zip(both, graphs.items()):
    counts = confusion(adjacency, truth)
    np.fill_diagonal(adjacency, False)
    ax.imshow(np.where(adjacency, 1 + truth, 0), cmap="Reds")
    ax.set_title(f"{name}: {counts.true_edges} true, {counts.false_edges} false edges")
plt.show()

# %%
# **True in the data:** a lattice of six by six variables, with 60 edges: the dark cells. Pale
# cells are false edges.
