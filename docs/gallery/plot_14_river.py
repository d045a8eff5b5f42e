"""
One dictionary at a time: river
===============================

`hedgerow.river.RiverHedgeGraph` stands at the end of a river pipeline. It sees each row once, and
keeps none.
"""

import matplotlib.pyplot as plt
import numpy as np
from river import preprocessing

from hedgerow.datasets import make
from hedgerow.river import RiverHedgeGraph

model = make("cycle", 15, strength=0.35, seed=15)
true = set(map(tuple, model.edges.tolist()))
pipeline = preprocessing.StandardScaler() | RiverHedgeGraph()

seen, right, wrong = [], [], []
for number, values in enumerate(model.sample(1200, seed=16), start=1):
    pipeline.learn_one(dict(enumerate(values)))
    if number % 100 == 0:
        edges = {tuple(sorted((e.source, e.target))) for e in pipeline["RiverHedgeGraph"].edges}
        seen.append(number)
        right.append(len(edges & true))
        wrong.append(len(edges - true))

fig, ax = plt.subplots(layout="constrained")
ax.plot(seen, right, "o-", label="true edges")
ax.plot(seen, wrong, "s-", label="false edges")
ax.axhline(len(true), color="grey", linestyle=":", label="edges of the true graph")
ax.set(xlabel="rows seen", ylabel="edges", yticks=np.arange(0, 16, 3))
ax.legend()
plt.show()

# %%
# **True in the data:** a ring of fifteen variables, so fifteen edges.
