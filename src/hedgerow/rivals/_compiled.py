"""How the inner loops of rivals are compiled: kept on disk, sums in their written order."""

from typing import Any

COMPILED: dict[str, Any] = {"cache": True, "fastmath": {"contract"}, "error_model": "numpy"}
