"""What estimators warn of; each kind can be silenced or turned into an error by its class."""

import sys
import warnings
from pathlib import Path

_HERE = Path(__file__).parent


class GuaranteeWarning(UserWarning):
    """The graph was learned, but the promised error rate does not cover it."""


class DataWarning(UserWarning):
    """Some columns could not be treated like the others."""


def warn(category: type[Warning], message: str) -> None:
    """Warn at the line that called an estimator, however deep inside it something was noticed."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and Path(frame.f_code.co_filename).parent == _HERE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
