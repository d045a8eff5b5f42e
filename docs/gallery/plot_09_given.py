"""
Given covariates
================

Age and batch move many measurements at once. What they explain is no direct connection: held fixed,
they are no part of the graph, and neither are the relations that they make.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.metrics import confusion

warnings.simplefilter("ignore")
model = make("chain", 12, strength=0.35, seed=21)
rng = np.random.default_rng(22)
table = pd.DataFrame(model.sample(800, seed=rng), columns=[f"m{k}" for k in range(12)])
age, batch = rng.uniform(20, 80, 800), rng.choice(["a", "b", "c"], 800)
table.iloc[:, ::3] += 0.04 * age[:, None]
table.iloc[:, 1::3] += np.array([ord(name) - ord("a") for name in batch])[:, None]

ignored = HedgeGraph().fit(table)
held_fixed = HedgeGraph(given=["age", "batch"]).fit(table.assign(age=age, batch=batch))

fig, both = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
truth = model.adjacency.toarray()
for ax, graph, name in zip(both, (ignored, held_fixed), ("not measured", "held fixed")):
    adjacency = graph.adjacency_.toarray()
    counts = confusion(adjacency, truth)
    ax.imshow(np.where(adjacency, 1 + truth, 0), cmap="Reds", vmin=0, vmax=2)
    ax.set_title(f"age and batch {name}: {counts.true_edges} true, {counts.false_edges} false")
plt.show()

# %%
# **True in the data:** twelve measurements in a chain: the dark cells. Age raises every third of
# them, the batch every third, too. Pale cells are edges that age and batch made.
