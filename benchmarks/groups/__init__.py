"""How sure partial correlations are, and whether they differ between two groups.

    python -m benchmarks.groups coverage      # how many intervals miss what they are for
    python -m benchmarks.groups differences   # false and true differences, beside other methods

Each fills docs/groups.md.
"""
