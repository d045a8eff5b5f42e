"""Which devices compute: all GPUs that torch finds, or the processor where it finds none."""

import torch


def every() -> list[torch.device]:
    """Return the devices that may take part; rows are on the first."""
    if not torch.cuda.is_available():
        return [torch.device("cpu")]
    return [torch.device("cuda", number) for number in range(torch.cuda.device_count())]


def main() -> torch.device:
    """Return the device that rows are on."""
    return every()[0]
