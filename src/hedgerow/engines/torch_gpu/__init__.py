"""The learner and the edge tests on an NVIDIA GPU, for whole tables; see `fitting`."""
