"""Methods for Ising models on models whose graph is known.

    python -m benchmarks.ising run [quality] [recovery] [times] [--methods A,B]
    python -m benchmarks.ising report

``quality``: F1, the share of false edges and seconds against rows, nobody being told anything.
``recovery``: the rows with which the graph is exactly right in nine of ten data sets, on lattices
and regular graphs of 16 to 64 variables with couplings of one size, as in the papers on interaction
screening; methods whose papers take the smallest coupling as known are told it here. ``times``:
seconds against columns and rows. Results are kept in benchmarks/results, a file for each cell;
``report`` draws, and fills docs/comparison.md. What is not among the results stays on the page as
it is.
"""
