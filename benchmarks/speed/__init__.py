"""How fast HedgeGraph is on a processor: beside the covariance matrix, beside others, and growing.

Every part prints its table and adds its figures to benchmarks/results/speed.json; the last one
fills docs/speed.md and draws its pictures. Times are the least of several rounds; what is compared
takes turns in the same process. Functions are compiled before the clock starts.
"""
