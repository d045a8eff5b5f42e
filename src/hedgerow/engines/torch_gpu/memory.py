"""How much memory a problem takes on the GPU, told before it is taken."""

import torch

from hedgerow.engines.torch_gpu import learning, selection
from hedgerow.engines.torch_gpu.devices import free_bytes
from hedgerow.engines.torch_gpu.layout import TILE, Settings, whole

# Bytes for each entry of the table: rows and columns in double precision, residuals, some twice.
_PER_ENTRY = 44
_PER_ENTRY_AGAIN = 12  # more where pairs are not held: what Hedge leaves, directions of selection
_PER_COLUMN = 8 << 10  # bytes for each column: autocorrelations, and products with some others
_PER_BASIS_ENTRY = 36  # bytes for each row and node of a strip, with three neighbours to a node


def needed_bytes(n_columns: int, n_rows: int, settings: Settings) -> int:
    """Return about how much memory learning and testing take at most.

    Average weights and one-sided scores may be held in full; beside them are some copies of the
    table and the arrays of a strip of nodes, for learning or for selection.
    """
    width, item = whole(n_columns), settings.dtype.itemsize
    learning_strip = min(4 * width**2, learning.STRIP_BYTES)
    nodes = min(width, max(selection.STRIP_BYTES // (4 * width), TILE))
    selection_strip = nodes * (3 * item * width + _PER_BASIS_ENTRY * n_rows)
    if not settings.held:
        learning_strip += learning_strip // 4 * item
    of_pairs = 2 * item * width**2 if settings.held else _PER_ENTRY_AGAIN * n_rows * n_columns
    of_columns = n_columns * (_PER_ENTRY * n_rows + _PER_COLUMN)
    result: int = of_pairs + of_columns + max(learning_strip, selection_strip)
    return result


def moments_bytes(n_columns: int, n_rows: int) -> int:
    """Return about how much memory the products of all columns take at most."""
    return 8 * (3 * n_columns**2 + 2 * n_columns * n_rows)


def check_memory(needed: int, n_columns: int, n_rows: int, device: torch.device) -> None:
    """Raise MemoryError if the device has not so much memory free."""
    free = free_bytes(device)
    if needed > free:
        raise MemoryError(
            f"{n_columns} columns and {n_rows} rows need about {needed / 2**30:.1f} GiB of GPU "
            f"memory, {free / 2**30:.1f} GiB are free; leave out columns, or rows if they are "
            f'many, or use device="cpu"'
        )
