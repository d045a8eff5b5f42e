"""
Two groups
==========

Patients and controls, before and after: which direct connections differ? Two graphs side by side
do not answer it, since an edge that is missing in one may just not have been seen.
"""

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import HedgeGraph, difference
from hedgerow.datasets import make

names = ["sleep", "mood", "energy", "pain", "worry", "anger"]
rows = make("chain", 6, strength=0.4, seed=0).sample(1200, seed=1)
before, after = rows[:500], rows[500:].copy()
after[:, 5] = np.random.default_rng(1).permutation(after[:, 5])  # anger loses its relation

first = HedgeGraph().fit(before, feature_names=names)
second = HedgeGraph().fit(after, feature_names=names)
found = difference(first, second)
print(found.summary())

either = {(e.source, e.target) for model in (first, second) for e in model.edges_}
differ = {frozenset((e.source, e.target)) for e in found.edges_}
fig, ax = plt.subplots(layout="constrained")
for k, pair in enumerate(sorted(either)):
    for model, marker, shift in ((first, "o", -0.1), (second, "s", 0.1)):
        one = model.partial_corr_of(*pair)
        colour = "#c2571a" if frozenset(pair) in differ else "#888888"
        ax.plot([one.low, one.high], [k + shift] * 2, color=colour)
        ax.plot(one.partial_corr, k + shift, marker, color=colour)
ax.set_yticks(range(len(either)), [f"{a} - {b}" for a, b in sorted(either)])
ax.set_xlabel("partial correlation: before (circles) and after (squares), with intervals")
plt.show()

# %%
# **True in the data:** a chain from sleep to anger. In the second group anger has lost its only
# connection, with worry; nothing else differs. Differences found are orange.
