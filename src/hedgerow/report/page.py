"""The page around the data: template, style and script, and what the browser may do with them."""

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import Any


def fill(style: str, script: str, data: Any, policy: str) -> str:
    """Return the page as text; ``data`` is what the script finds in it."""
    template = Template(_asset("template.html"))
    return template.substitute(policy=policy, style=style, script=script, data=_inert_json(data))


def bundle() -> tuple[str, str]:
    """Return the style and the script of all pages, which see from the data what they are."""
    return _asset("bundle.css"), _asset("bundle.js")


def _asset(name: str) -> str:
    return files("hedgerow.report").joinpath(name).read_text(encoding="utf-8")


def policy(style: str, script: str, *more: str) -> str:
    """Return the content security policy: this style, this script, a worker, nothing else.

    ``more`` are further directives, each of which allows something.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "worker-src blob:",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            *more,
        ]
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _inert_json(value: Any) -> str:
    """Return JSON in ASCII without ``<``, ``>`` and ``&``: no text in it can end the element."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
