"""How sure partial correlations are, whether they differ between groups, and what is held fixed.

    python -m benchmarks.groups coverage      # how many intervals miss what they are for
    python -m benchmarks.groups differences   # false and true differences, beside other methods
    python -m benchmarks.groups steps         # ... of columns in five steps
    python -m benchmarks.groups fused         # ... and beside the fused graphical lasso
    python -m benchmarks.groups given         # graphs of rows that batches and age act on
    python -m benchmarks.groups persons       # ... and of persons who were asked several times
    python -m benchmarks.groups resampling    # how long halves of the rows take

Each fills docs/groups.md.
"""
