"""The published algorithms, their compiled kernels and their bounds on the number of rows."""
