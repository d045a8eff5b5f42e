"""Every rival beside HedgeGraph, on the same rows. See docs/comparison.md.

python -m benchmarks.peers run        # all studies, or those named; can be interrupted and resumed
python -m benchmarks.peers report     # pictures, and the figures in docs/comparison.md

Studies: frontier (F1 against time), times (growth with columns and rows), real (data sets of other
people), recovery (probability of the exact graph against rows).
"""
