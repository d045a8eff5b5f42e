"""What the first rows decide about all others, and how models keep it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.engines import Named
from hedgerow.method.bursts import Bursts
from hedgerow.method.kin import NONE as NO_KIN
from hedgerow.method.kin import Kin
from hedgerow.method.kinds import KINDS, Kinds
from hedgerow.method.marginals import Marginals
from hedgerow.method.nested import NONE as NOT_NESTED
from hedgerow.method.nested import Nested
from hedgerow.method.placeholders import Placeholders, no_placeholders
from hedgerow.method.populations import Populations
from hedgerow.method.repeats import Repeats
from hedgerow.method.returning import NONE as NONE_RETURN
from hedgerow.method.returning import Returning
from hedgerow.method.seasons import Season
from hedgerow.method.slips import Slips, no_slips
from hedgerow.method.stuck import Runs
from hedgerow.method.twins import NONE as NO_TWINS
from hedgerow.method.twins import Twins

Array = NDArray[np.float64]

# Fields of several arrays, each of which has a name of its own that begins so.
_PARTS = {
    "season": "season_",
    "repeats": "repeats_",
    "runs": "runs_",
    "bursts": "bursts_",
    "kin": "kin_",
    "nested": "nested_",
    "slips": "slips_",
    "placeholders": "placeholders_",
}
_OF_COLUMNS = "marginal_"


class Settled(NamedTuple):
    """What the first rows decide."""

    as_is: NDArray[np.bool_]  # columns whose values are not replaced by scores
    season: Season
    repeated: float  # mean number of times that a row is there, among the first ones
    wanders: NDArray[np.bool_]  # columns that cannot be told from random walks
    determined: NDArray[np.bool_]  # columns that take part in an exact linear relation
    populations: Populations
    repeats: Repeats  # empty if it is not known, or may be chance
    kinds: Kinds
    runs: Runs  # of equal values
    bursts: Bursts
    kin: Kin
    nested: Nested
    carried: Array  # (p,) share of cells that repeat the one before
    depth: float  # by how much more is counted in some rows than in others; 0 if it is not
    blanks: Array  # (p,) share of cells that have the same one value where others have theirs
    paces: Array  # (p,) period of columns that have one nearly in common with others; 0 if none
    slips: Slips
    restless: Array  # (p,) by how much sizes change in time; 0 if they do not
    twins: Twins
    placeholders: Placeholders
    interpolated: Array  # (p,) share of cells on a line between those before and after them
    returning: Returning
    shares: NDArray[np.bool_]  # columns that add up to the same total in every row


def are_settled(arrays: Named) -> bool:
    """Return whether a model's arrays have what the first rows decide."""
    return "as_is" in arrays


def arrays_of(settled: Settled, marginals: Marginals) -> Named:
    """Return what the first rows decide, and what is known of columns, as named arrays."""
    named: Named = {}
    for name, value in settled._asdict().items():
        if name in _PARTS:
            named |= _arrays(_PARTS[name], value, value._fields)
        elif name == "kinds":
            named[name] = np.array([KINDS.index(kind) for kind in value], dtype=np.int64)
        else:
            named[name] = np.array(value)
    return named | _arrays(_OF_COLUMNS, marginals, Marginals._fields[1:])


def marginals_of(arrays: Named) -> Marginals:
    """Return what was known of columns."""
    names = Marginals._fields[1:]
    known = dict(zip(names, _values(arrays, _OF_COLUMNS, names)))
    return Marginals(**{**known, "as_is": np.array(arrays["as_is"]), "rows": int(known["rows"])})


def settled_of(arrays: Named) -> Settled:
    """Return what the first rows decided; models of earlier versions did not look for all of it."""
    n_columns = len(arrays["as_is"])
    none, nothing = np.zeros(n_columns), np.empty((0, n_columns))
    seen, counts, means = _values(arrays, "season_", Season._fields[:3])
    bends = np.array(arrays.get("season_bends", nothing))
    number, first, last, columns = _values(arrays, "bursts_", Bursts._fields)
    kin, nested = NO_KIN, NOT_NESTED
    if "carried" in arrays:
        likeness, alike = _values(arrays, "kin_", Kin._fields)
        kin = Kin(float(likeness), alike)
        again, values = _values(arrays, "nested_", Nested._fields)
        nested = Nested(again, int(values))
    slips, placeholders = no_slips(n_columns), no_placeholders(n_columns)
    if "slips_centre" in arrays:
        slips = Slips(*_values(arrays, "slips_", Slips._fields))
    if "placeholders_values" in arrays:
        placeholders = Placeholders(*_values(arrays, "placeholders_", Placeholders._fields))
    after, likeness = arrays.get("returning", np.array(NONE_RETURN))
    since = ("carried", "blanks", "paces", "restless", "interpolated")
    return Settled(
        **{name: np.array(arrays[name]) for name in ("as_is", "wanders", "determined")},
        **{name: np.array(arrays.get(name, none)) for name in since},
        season=Season(int(seen), counts, means, bends),
        repeated=float(arrays["repeated"]),
        populations=Populations(*arrays["populations"].tolist()),
        repeats=Repeats(*_values(arrays, "repeats_", Repeats._fields)),
        kinds=np.array(KINDS)[arrays["kinds"]],
        runs=Runs(*_values(arrays, "runs_", Runs._fields)),
        bursts=Bursts(int(number), int(first), int(last), columns),
        kin=kin,
        nested=nested,
        depth=float(arrays.get("depth", 0.0)),
        slips=slips,
        twins=Twins(*arrays["twins"].tolist()) if "twins" in arrays else NO_TWINS,
        placeholders=placeholders,
        returning=Returning(int(after), float(likeness)),
        shares=np.array(arrays.get("shares", none), dtype=np.bool_),
    )


def _arrays(prefix: str, values: Any, names: tuple[str, ...]) -> Named:
    return {f"{prefix}{name}": np.array(getattr(values, name)) for name in names}


def _values(arrays: Named, prefix: str, names: tuple[str, ...]) -> list[Any]:
    return [np.array(arrays[f"{prefix}{name}"]) for name in names]
