"""A page on this machine that shows a stream's graph while it is learned.

It is the report's page, fed by server-sent events; ``docs/streams.md`` describes it. Its script
is built from ``frontend/`` and committed here. Needs the extra ``live``.
"""

from hedgerow.live._serve import LivePage, serve

__all__ = ["LivePage", "serve"]
