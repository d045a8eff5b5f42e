"""The learner and its tests on an NVIDIA GPU, with torch and Triton.

`fitting.edges_of_rows` goes from a tensor of rows to tested edges.
"""
