"""The learner and its tests on an NVIDIA GPU, with torch and Triton.

`fitting.edges_of_rows` goes from a tensor of rows to tested edges. Learning on from a state, which
`HedgeGraph` needs, is not there yet.
"""

from typing import Any


def init(n_columns: int) -> Any:
    """Say that there is no state to learn on from."""
    raise NotImplementedError(
        'HedgeGraph does not run on a GPU yet: use device="cpu", or all rows at once with '
        "hedgerow.engines.torch_gpu.fitting.edges_of_rows"
    )
