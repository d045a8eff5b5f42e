"""
A survey with gaps
==================

Four hundred people answered eighteen questions from 1 to 5, and some more. Cells are missing, and
a code stands for "don't know". What kind each column is of is found out.
"""

import matplotlib.pyplot as plt
import pandas as pd

from hedgerow import HedgeGraph, plot

answers = pd.read_csv("../examples/survey.csv", index_col="id", na_values=["-99"])
answers["medication"] = answers["medication"].map({"no": 0, "yes": 1})
graph = HedgeGraph(columns={"age": "continuous"}).fit(answers)
print(graph.summary())

fig, ax = plt.subplots(figsize=(8, 7), layout="constrained")
plot.network(graph, ax=ax)
plt.show()

# %%
# **True in the data:** the people are simulated, from a graph of 26 edges between the variables
# behind the answers. What is found can be counted against it:

truth = pd.read_csv("../examples/survey-truth.csv")
known = {frozenset(pair) for pair in zip(truth["source"], truth["target"])}
found = {frozenset((edge.source, edge.target)) for edge in graph.edges_}
print(f"{len(known)} true, {len(found)} found, {len(found - known)} of them false")
