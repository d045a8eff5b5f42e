"""Which edges appeared in a stream's graph and which vanished: a log that does not flicker.

This is the public name of `hedgerow.method.changes`, which says how it is done.
"""

from hedgerow.method.changes import (
    Change,
    Watch,
    from_dict,
    level_to_stay,
    look,
    next_look,
    start,
    to_dict,
)

__all__ = [
    "Change",
    "Watch",
    "from_dict",
    "level_to_stay",
    "look",
    "next_look",
    "start",
    "to_dict",
]
