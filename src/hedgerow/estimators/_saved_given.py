"""What a file must hold of columns that are held fixed.

The same rule as in `_saved`: what no learner could have left behind is refused.
"""

from typing import Any

import numpy as np

from hedgerow.base.checks import LARGEST_NUMBER
from hedgerow.engines import Named
from hedgerow.estimators._given import MOST_DIRECTIONS, PREFIX, WAYS
from hedgerow.estimators._saved import SLACK, all_within, array_of, doubles_of, require
from hedgerow.method.given import Held
from hedgerow.method.kinds import KINDS
from hedgerow.method.marginals import FIRST_ROWS

_NAMES = (*Held._fields, "early", "zeros")
_FIELDS = {"ways", "levels", "rows", "spent", "kinds", "owners", "places"}


def check_held(header: dict[str, Any], arrays: Named, n_columns: int) -> set[str]:
    """Return the names of arrays that given columns leave: none if there are no such columns.

    Raise StorageError unless they are sound.
    """
    given = header["parameters"].get("given")
    require(bool(given) == ("given" in header), "its header must have 'given' if a parameter is")
    if not given:
        return set()
    about = header["given"]
    require(isinstance(about, dict) and set(about) == _FIELDS, "given must have its fields", about)
    _check_header(about, len(given), n_columns)
    names = {f"{PREFIX}{name}" for name in _NAMES}
    for name in sorted(names - set(arrays)):
        require(False, f"it must have the array {name!r}", sorted(arrays))
    directions = len(about["owners"])
    known = array_of(arrays, f"{PREFIX}triangle", "f", 3)
    triangles = 1 if len(known) == 1 else n_columns
    shapes = {
        "triangle": (triangles, directions, directions),
        "shadows": (directions, n_columns),
        "origin": (n_columns,),
        "largest": (directions,),
        "left": (n_columns,),
        "spread": (6, n_columns),
        "early": (None, n_columns),
        "zeros": (about["ways"].count(WAYS[0]),),
    }
    held = {name: doubles_of(arrays, f"{PREFIX}{name}", shape) for name, shape in shapes.items()}
    for name in ("triangle", "shadows", "largest", "left", "spread"):
        require(all_within(held[name], np.inf), f"{name} must be finite")
    for name in ("origin", "zeros", "early"):
        numbers = held[name][~np.isnan(held[name])]
        require(all_within(numbers, LARGEST_NUMBER), f"{name} must have numbers to be squared")
    triangle = held["triangle"]
    require(not np.tril(triangle, -1).any(), "triangle must be one")
    diagonal = np.diagonal(triangle, axis1=1, axis2=2)
    require((diagonal >= 0).all() and (held["left"] >= 0).all(), "squares must not be negative")
    sums = held["spread"]
    close = np.abs(sums[4] - held["left"]) <= SLACK * held["left"]
    require(close.all(), "left must be the squares of spread", held["left"])
    require((sums[0] >= 0).all() and (sums[[2, 3, 4]] >= 0).all(), "spread must be sums of squares")
    most = about["rows"] * (1 + SLACK)
    require((sums[0] <= most).all(), f"spread must be of up to {about['rows']} rows", sums[0])
    few = len(held["early"]) == min(about["rows"], FIRST_ROWS) * (about["kinds"] is None)
    require(few, "early must have the first rows", len(held["early"]))
    return names


def _check_header(about: dict[str, Any], n_given: int, n_columns: int) -> None:
    ways, levels, owners, places = (about[n] for n in ("ways", "levels", "owners", "places"))
    sound = all(isinstance(x, list) for x in (ways, levels, owners, places))
    require(sound and len(ways) == n_given == len(levels) == len(places), "given must be lists")
    require(all(way in WAYS for way in ways), f"ways must be among {WAYS}", ways)
    require(all(isinstance(x, list) for x in levels), "levels must be lists", levels)
    flat = [level for some in levels for level in some]
    require(all(isinstance(x, str | int | float) for x in flat), "levels must be texts or numbers")
    require(all(len(set(some)) == len(some) for some in levels), "levels must differ", levels)
    numbers = [k for k, way in enumerate(ways) if way == WAYS[0]]
    require(owners[: 1 + len(numbers)] == [-1, *numbers], "owners must begin with numbers", owners)
    for k, some in enumerate(levels):
        expected = 1 if ways[k] == WAYS[0] else max(len(some) - 1, 0)
        require(owners.count(k) == expected, "owners must be those of levels", owners)
    require(len(owners) == 1 + sum(owners.count(k) for k in range(n_given)), "owners", owners)
    require(len(owners) <= MOST_DIRECTIONS, "owners must be fewer", len(owners))
    are_places = all(isinstance(j, int) and 0 <= j < n_given + n_columns for j in places)
    require(are_places and len(set(places)) == len(places), "places must be columns", places)
    counts = about["rows"], about["spent"]
    whole = all(isinstance(n, int) for n in counts) and 0 <= counts[1] <= counts[0]
    require(whole, "rows and spent must be numbers of rows", counts)
    kinds = about["kinds"]
    known = kinds is None or (isinstance(kinds, list) and all(k in KINDS for k in kinds))
    require(known and (kinds is None or len(kinds) == n_columns), "kinds must be kinds", kinds)
