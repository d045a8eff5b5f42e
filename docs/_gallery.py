"""What the scripts of the gallery are given on their command lines."""

import os
from pathlib import Path
from typing import Any

SMALL = "500"  # columns of the largest example, where HEDGEROW_SMALL_GALLERY is set


def arguments(gallery_conf: dict[str, Any], script_vars: dict[str, Any]) -> list[str]:
    """Return the arguments of a script; tests build the site in seconds, on small machines."""
    large = Path(script_vars["src_file"]).stem.endswith("ten_thousand_columns")
    return [SMALL] if large and "HEDGEROW_SMALL_GALLERY" in os.environ else []
