"""
A brain-like table through nilearn
==================================

nilearn's ``ConnectivityMeasure`` takes any estimator with a covariance matrix, so it takes
`hedgerow.HedgeGraph`: one graph for each person, with a promise for each.
"""

import matplotlib.pyplot as plt
import numpy as np
from nilearn.connectome import ConnectivityMeasure
from scipy.signal import lfilter

from hedgerow import HedgeGraph
from hedgerow.datasets import make

model = make("watts_strogatz", 24, seed=8)
people = [  # scans resemble those just before them
    lfilter([0.9], [1, -0.45], model.sample(460, seed=person), axis=0)[60:] for person in range(8)
]
measure = ConnectivityMeasure(
    cov_estimator=HedgeGraph(), kind="partial correlation", standardize="zscore_sample"
)
connections = measure.fit_transform(people)

fig, both = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
share = (np.abs(connections) > 1e-9).mean(axis=0)
np.fill_diagonal(share, np.nan)
both[0].imshow(model.adjacency.toarray(), cmap="Blues")
both[0].set_title("the true graph")
image = both[1].imshow(share, cmap="Blues", vmin=0, vmax=1)
both[1].set_title("share of people with the edge")
fig.colorbar(image, ax=both[1], shrink=0.8)
plt.show()

# %%
# **True in the data:** 24 regions in a ring, each connected with about four others, a few of them
# far away; the same for all eight people, each seen in 400 scans that remember.
