"""What a cluster of Dask costs and what it survives.

python -m benchmarks.cluster PART

"""
