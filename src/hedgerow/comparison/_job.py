"""The files by which a comparison and its workers speak to each other."""

ROWS = "rows.npy"  # shared by all jobs, in the folder above
JOB = "job.json"
READY = "ready"  # appears after the warm-up
WHOLE = "whole.npz"  # the graph of all rows
SPLIT = "split-{}.npz"  # the graphs of two halves of them
FAILURE = "failure.json"
STDERR = "stderr"
