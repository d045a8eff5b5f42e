"""Is the promised error rate kept, and at what price in edges found? See docs/quality.md.

python -m benchmarks.quality run        # cases x rows x seeds x methods; can be interrupted
python -m benchmarks.quality recovery   # rows that exact recovery takes; likewise
python -m benchmarks.quality kinds      # rows that are not independent and normal; likewise
python -m benchmarks.quality report     # tables, plots and the figures in docs/quality.md
"""
