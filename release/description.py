"""What package indexes say about Hedgerow: the README, less what they could not show.

Pictures and pages that the README points to are files beside it, and an index has the README alone.
A picture becomes its description, a link its text. Used by hatchling whenever it builds.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_BESIDE = r"\((?![a-z]+:|#)[^)]*\)"  # an address that is a file


class Description(MetadataHookInterface):
    """Gives metadata their ``readme``."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": described(text)}


def described(readme: str) -> str:
    """Return a README that needs no other file.

    >>> described("![A picture](docs/a.png)\\n\\nSee [docs](docs) and [numpy](https://numpy.org).")
    '*A picture*\\n\\nSee docs and [numpy](https://numpy.org).'
    >>> described("a share of <!--=false-->0.02<!--/-->")
    'a share of 0.02'
    """
    text = re.sub(r"<!--.*?-->", "", readme, flags=re.S)
    text = re.sub(rf"!\[([^\]]*)\]{_BESIDE}", r"*\1*", text)
    return re.sub(rf"\[([^\]]*)\]{_BESIDE}", r"\1", text)
