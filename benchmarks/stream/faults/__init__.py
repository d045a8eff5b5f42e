"""Faults in streams: whatever is done to a run or its source, the end is that of an unbroken run.

Everything is imported and compiled once, and each run is a fork. So nothing may start threads
before: OpenMP must be told when it is loaded.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"
