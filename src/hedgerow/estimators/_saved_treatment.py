"""What a file must hold of rows that were treated, and of what Hedge left of them.

The same rule as in `_saved`: what no learner could have left behind is refused.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hedgerow.base.checks import LARGEST_NUMBER
from hedgerow.engines import Named
from hedgerow.estimators._assumptions import Assumptions
from hedgerow.estimators._filled_rows import PREFIX
from hedgerow.estimators._saved import SLACK, all_within, array_of, doubles_of, require
from hedgerow.estimators._saved_filled import check_filled, names_of_filled
from hedgerow.method.bends import KNOTS as KNOTS_OF_BENDS
from hedgerow.method.bends import LARGEST as LARGEST_BENT
from hedgerow.method.bursts import Bursts
from hedgerow.method.drift import LARGEST_CONTRAST, WINDOW, Level
from hedgerow.method.forgetting import NEVER
from hedgerow.method.kin import Kin
from hedgerow.method.kinds import KINDS
from hedgerow.method.marginals import (
    FIRST_ROWS,
    KNOTS,
    LEAST_WEIGHT,
    Marginals,
    next_refresh,
    weights_of_first,
)
from hedgerow.method.nested import Nested
from hedgerow.method.placeholders import Placeholders
from hedgerow.method.repeats import KEPT, Repeats
from hedgerow.method.residuals import LAGS, Residuals
from hedgerow.method.row_sizes import LARGEST_FACTOR
from hedgerow.method.seasons import LEAST_CYCLES, Season
from hedgerow.method.slips import NAMED, Slips
from hedgerow.method.stuck import LONG, Runs
from hedgerow.method.swings import MOST_SWINGS

_WAITING = {"waiting"}
_SETTLED = {
    *("as_is", "repeated", "wanders", "determined", "kinds"),
    *(f"marginal_{name}" for name in Marginals._fields[1:]),
    *(f"season_{name}" for name in Season._fields),
    *("populations", *(f"repeats_{name}" for name in Repeats._fields)),
    *(f"runs_{name}" for name in Runs._fields),
    *(f"bursts_{name}" for name in Bursts._fields),
    *("blanks", "paces", "restless", "twins", "interpolated", "returning", "shares"),
}
# Models of 0.2 do not have these.
_LATER = {
    *("carried", "depth"),
    *(f"kin_{name}" for name in Kin._fields),
    *(f"nested_{name}" for name in Nested._fields),
}
_SLIPS = {f"slips_{name}" for name in Slips._fields}
_PLACEHOLDERS = {f"placeholders_{name}" for name in Placeholders._fields}
LEVEL = {f"level_{name}" for name in Level._fields}
RESIDUALS = {f"residual_{name}" for name in Residuals._fields}
_SINCE = {
    *("residual_swings", "blanks", "paces", "restless", "twins", "interpolated", "returning"),
    *("shares", "season_bends", "level_before"),
}  # that models saved earlier do not have
_LARGEST_SWING = float(np.sqrt(FIRST_ROWS))
_FARTHEST = 64 * LARGEST_NUMBER  # knots beyond the first rows are up to 33 times as far
_ROUNDING = 1e-9
_LEAST_SCALE = 1e-24  # of models of 0.2; `residuals.LEAST_SCALE` is larger by now
_MOST_PHASES = FIRST_ROWS // LEAST_CYCLES


def names_of_treatment(arrays: Named, assumptions: Assumptions) -> set[str]:
    """Return the names of arrays that there must be beside those of the learner."""
    if assumptions.complete:
        return set()
    if not _SETTLED & set(arrays):
        return _WAITING
    drifts = LEVEL if LEVEL & set(arrays) else set()
    later = _LATER if _LATER & set(arrays) else set()
    slips = _SLIPS if _SLIPS & set(arrays) else set()
    slips = slips | (_PLACEHOLDERS if _PLACEHOLDERS & set(arrays) else set())
    # From a table of rows the residuals are made again.
    residuals = set() if "table" in arrays else RESIDUALS
    found = _WAITING | _SETTLED | drifts | later | slips | names_of_filled(arrays) | residuals
    return found - (_SINCE - set(arrays))


def largest_of_treated(arrays: Named) -> float:
    """Return the largest number that a learner can have been given.

    A season and levels leave contrasts, and small rows are made larger, about their centre.
    """
    return LARGEST_NUMBER * _growth(arrays)


def check_treatment(arrays: Named, assumptions: Assumptions, half_life: float) -> None:
    """Raise StorageError unless the arrays are those that treated rows leave.

    There must be those of `names_of_treatment`, and those of the learner must be sound.
    """
    if assumptions.complete:
        return
    n_columns = len(assumptions.as_is)
    waiting = doubles_of(arrays, "waiting", (None, n_columns))
    numbers = waiting[~np.isnan(waiting)]
    require(all_within(numbers, LARGEST_NUMBER), "waiting must have numbers that can be squared")
    rows = int(arrays["learned_rows"]) + len(arrays["pending"])
    if "as_is" not in arrays:
        most = f"waiting must have fewer than {FIRST_ROWS} rows"
        require(len(waiting) < FIRST_ROWS, most, len(waiting))
        require(rows == 0, "no row must be learned while rows wait", rows)
        return
    require(len(waiting) == 0, "no row must wait once rows are learned", len(waiting))
    require(rows >= FIRST_ROWS, f"at least {FIRST_ROWS} rows must be learned", rows)
    as_is = _flags(arrays, "as_is", n_columns)
    chosen = assumptions.as_is
    require((as_is >= chosen).all(), "as_is must have all columns that its parameters name", as_is)
    kinds = array_of(arrays, "kinds", "iu", 1)
    require(len(kinds) == n_columns, f"kinds must be {n_columns}", len(kinds))
    within = ((kinds >= 0) & (kinds < len(KINDS))).all()
    require(within, f"kinds must be numbers below {len(KINDS)}", kinds)
    check_filled(arrays, assumptions.normal, rows)
    _check_marginals(arrays, rows, half_life)
    _check_season(arrays, rows, assumptions.independent)
    _check_level(arrays, rows, assumptions.independent)
    _check_repeats(arrays, rows if half_life == NEVER else FIRST_ROWS)
    _check_runs(arrays, rows)
    _check_bursts(arrays)
    _check_slips(arrays, rows)
    _check_placeholders(arrays)
    for name in {"blanks", "interpolated"} & set(arrays):
        shares = doubles_of(arrays, name, (n_columns,))
        require(((shares >= 0) & (shares <= 1)).all(), f"{name} must be shares", shares)
    if "paces" in arrays:
        paces = doubles_of(arrays, "paces", (n_columns,))
        within = ((paces >= 0) & (paces <= FIRST_ROWS)).all()
        require(within, f"paces must be numbers of rows up to {FIRST_ROWS}", paces)
    if "twins" in arrays:
        twins = array_of(arrays, "twins", "iu", 1)
        possible = len(twins) == 3 and 0 <= twins[0] <= FIRST_ROWS and (twins[1:] >= -1).all()
        require(possible and (twins < FIRST_ROWS + 1).all(), "twins must be rows", twins)
    if "restless" in arrays:
        restless = doubles_of(arrays, "restless", (n_columns,))
        require((restless >= 0).all(), "restless must be variances", restless)
    if "shares" in arrays:
        _flags(arrays, "shares", n_columns)
    if "returning" in arrays:
        after, likeness = doubles_of(arrays, "returning", (2,))
        possible = 0 <= after < FIRST_ROWS and -1 <= likeness <= FIRST_ROWS
        require(possible, "returning must be a row and a likeness", (after, likeness))
    _check_later(arrays, rows)
    share, apart = doubles_of(arrays, "populations", (2,))
    possible = 0 <= share <= 0.5 and 0 <= apart < np.inf
    require(possible, "populations must be a share and a distance", (share, apart))
    if "table" not in arrays:
        check_residuals(arrays, n_columns, half_life)


def _check_marginals(arrays: Named, rows: int, half_life: float) -> None:
    n_columns = len(arrays["as_is"])
    seen = array_of(arrays, "marginal_rows", "iu", 0)
    require(int(seen) == rows, f"marginal_rows must be {rows}", seen)
    total = _check_counts(arrays, n_columns)
    what = "the sums of marginal_at and marginal_between"
    _check_seen(what, total, _counted(rows, half_life), arrays, half_life)
    scores = doubles_of(arrays, "marginal_scores", (n_columns, KNOTS))
    most = _largest_score(rows)
    require(all_within(scores, most), f"marginal_scores must be of size up to {most:.2f}")
    require((np.diff(scores, axis=1) >= -_ROUNDING).all(), "marginal_scores must rise")
    mean = doubles_of(arrays, "marginal_mean", (n_columns,))
    squares = doubles_of(arrays, "marginal_squares", (n_columns,))
    weight = doubles_of(arrays, "marginal_weight", (n_columns,))
    _check_seen("marginal_weight", weight, _weight(rows, half_life), arrays, half_life)
    require(all_within(squares, np.inf), "marginal_squares must be finite")
    require(not (squares < 0).any(), "marginal_squares must not be negative")
    largest = LARGEST_NUMBER * (1 + SLACK)
    for name, values in (
        ("mean", mean),
        ("squares", np.sqrt(squares / np.maximum(weight, LEAST_WEIGHT))),
    ):
        within = all_within(values, largest)
        require(within, f"marginal_{name} must come from numbers of size up to {LARGEST_NUMBER:g}")


def _check_counts(arrays: Named, n_columns: int) -> NDArray[np.float64]:
    """Check knots, and the counts of rows at them and between them; return their sums."""
    knots, at, between = (
        doubles_of(arrays, f"marginal_{name}", (n_columns, KNOTS))
        for name in ("knots", "at", "between")
    )
    beyond = knots == np.inf
    require((knots[:, 0] == -np.inf).all(), "marginal_knots must begin with -inf")
    require(beyond[:, -1].all(), "marginal_knots must end with inf")
    require(not beyond[:, 1].any(), "marginal_knots must have a number for each column")
    rises = (knots[:, 1:] > knots[:, :-1]) | (beyond[:, 1:] & beyond[:, :-1])
    require(rises.all(), "marginal_knots must rise")
    finite = knots[:, 1:][~beyond[:, 1:]]
    require(all_within(finite, _FARTHEST), "marginal_knots must come from numbers")
    for name, counts in (("at", at), ("between", between)):
        require(all_within(counts, np.inf), f"marginal_{name} must be finite")
        require(not (counts < 0).any(), f"marginal_{name} must not be negative")
    nowhere = not at[:, 0].any() and not at[beyond].any() and not between[beyond].any()
    require(nowhere, "marginal_at and marginal_between must count no row at infinity")
    total: NDArray[np.float64] = at.sum(axis=1) + between.sum(axis=1)
    return total


def _check_season(arrays: Named, rows: int, independent: bool) -> None:
    as_is = arrays["as_is"]
    n_columns = len(as_is)
    wanders = _flags(arrays, "wanders", n_columns)
    _flags(arrays, "determined", n_columns)
    repeated = doubles_of(arrays, "repeated", ())
    require(1 <= repeated <= FIRST_ROWS, f"repeated must be in [1, {FIRST_ROWS}]", repeated)
    counts = doubles_of(arrays, "season_counts", (None,))
    period = len(counts)
    require(1 <= period <= _MOST_PHASES, f"a season must have up to {_MOST_PHASES} rows", period)
    if independent:
        nothing = period == 1 and repeated == 1 and not wanders.any()
        require(nothing, "independent rows must have no season, repetition or wandering")
    seen = array_of(arrays, "season_seen", "iu", 0)
    require(int(seen) == rows, f"season_seen must be {rows}", seen)
    of_phases = [float((rows - phase + period - 1) // period) for phase in range(period)]
    require(counts.tolist() == of_phases, "season_counts must be those of its rows", counts)
    bends = np.empty((0, n_columns))
    if "season_bends" in arrays:
        bends = doubles_of(arrays, "season_bends", (None, n_columns))
    if len(bends):
        require(len(bends) == len(KNOTS_OF_BENDS), "season_bends must be at all knots", bends.shape)
        rising = (np.diff(bends, axis=0) >= -_ROUNDING).all()
        require(rising and all_within(bends, LARGEST_BENT), "season_bends must rise, from scores")
    means = doubles_of(arrays, "season_means", (period, n_columns))
    most = np.where(as_is, LARGEST_NUMBER, _largest_score(rows))
    # What is filled in follows the rest of its row, and need not be a score.
    follows = as_is | (arrays[f"{PREFIX}missing"] + arrays[f"{PREFIX}outlying"] > 0)
    most_pending = np.where(follows, LARGEST_NUMBER, _largest_score(rows))
    for name, values, largest in (
        ("season_means", means, most * ((LARGEST_BENT if len(bends) else 1) if period > 1 else 0)),
        ("pending", arrays["pending"], most_pending * _growth(arrays)),
    ):
        require(all_within(values, np.inf), f"{name} must be finite")
        within = (np.abs(values) <= (1 + SLACK) * largest).all()
        require(within, f"{name} must come from rows that were scored")


def _check_level(arrays: Named, rows: int, independent: bool) -> None:
    if not LEVEL & set(arrays):
        return
    require(not independent, "independent rows must have no level")
    as_is = arrays["as_is"]
    mean, start, left = (
        doubles_of(arrays, f"level_{name}", (len(as_is),)) for name in ("mean", "start", "left")
    )
    total = doubles_of(arrays, "level_total", (2, len(as_is)))
    amounts = doubles_of(arrays, "level_amounts", ())
    most = _growth(arrays) * (1 + SLACK) * np.where(as_is, LARGEST_NUMBER, _largest_score(rows))
    for name, values in (("mean", mean), ("start", start)):
        within = (np.abs(values) <= most).all()
        require(within, f"level_{name} must come from rows that were scored", values)
    largest = 2 * WINDOW - 1 + SLACK
    require(WINDOW <= amounts <= largest, f"level_amounts must be up to {largest:g}", amounts)
    before = np.empty(0)
    if "level_before" in arrays:
        before = doubles_of(arrays, "level_before", (None,))
    require(before.shape in ((0,), most.shape), "level_before must be of all columns", before.shape)
    within = (np.abs(before) <= most[: len(before)]).all()
    require(within, "level_before must come from rows that were scored", before)
    finite = all_within(total, np.inf) and all_within(left, np.inf)
    require(finite and (left >= 0).all(), "level_total and level_left must be sums of squares")


def _growth(arrays: Named) -> float:
    """Return how many times as large as scores the numbers can be that a learner is given."""
    seasons = 2.0 if arrays.get("season_counts", np.empty(0)).size > 1 else 1.0
    if arrays.get("season_bends", np.empty(0)).size:  # scores of this many rows are 3 at least
        seasons *= LARGEST_BENT / 3.0
    levels = LARGEST_CONTRAST if LEVEL & set(arrays) else 1.0
    sizes = arrays.get("size_columns", np.empty(0)).size
    return seasons * levels * (1.0 + 2.0 * LARGEST_FACTOR if sizes else 1.0)


def _check_repeats(arrays: Named, rows: int) -> None:
    hashes, times, apart, recent = (
        array_of(arrays, f"repeats_{name}", "u" if name in ("hashes", "recent") else "i", 1)
        for name in Repeats._fields
    )
    n_kept = len(hashes)
    require(n_kept <= KEPT, f"repeats_hashes must be up to {KEPT}", n_kept)
    require(hashes.dtype == recent.dtype == np.uint64, "repeats_hashes must be of 64 bits")
    require((hashes[1:] > hashes[:-1]).all(), "repeats_hashes must rise")
    same = len(times) == len(apart) == n_kept and len(recent) == min(n_kept, 1) * LAGS
    require(same, f"repeats_times must be {n_kept}", len(times))
    possible = ((apart >= 1) & (apart <= times) & (times <= rows)).all()
    require(possible, f"repeats_times must be from 1 to {rows}", times)
    counted = int(times.sum())
    fits = counted == rows if 0 < n_kept < KEPT else counted <= rows
    require(fits, f"repeats_times must count {rows} rows", counted)


def _check_bursts(arrays: Named) -> None:
    n_columns = len(arrays["as_is"])
    where = (array_of(arrays, f"bursts_{name}", "i", 0) for name in Bursts._fields[:3])
    columns = array_of(arrays, "bursts_columns", "i", 1)
    number, first, last = map(int, where)
    within = number == 0 or (0 < number <= FIRST_ROWS and 0 <= first < last < FIRST_ROWS)
    require(within, "bursts must be rows among the first", (number, first, last))
    named = ((columns >= 0) & (columns < n_columns)).all()
    require(named, f"bursts_columns must be numbers below {n_columns}", columns)


def _check_later(arrays: Named, rows: int) -> None:
    if not set(arrays) >= _LATER:
        return
    n_columns = len(arrays["as_is"])
    likeness = float(doubles_of(arrays, "kin_likeness", ()))
    require(0.0 <= likeness <= 1.0, "kin_likeness must be from 0 to 1", likeness)
    values = int(array_of(arrays, "nested_values", "i", 0))
    require(0 <= values <= rows, f"nested_values must be from 0 to {rows}", values)
    for name in ("kin_columns", "nested_columns"):
        columns = array_of(arrays, name, "i", 1)
        named = ((columns >= 0) & (columns < n_columns)).all()
        require(named, f"{name} must be numbers below {n_columns}", columns)
    carried = doubles_of(arrays, "carried", (n_columns,))
    require(((carried >= 0) & (carried <= 1)).all(), "carried must be shares", carried)
    depth = float(doubles_of(arrays, "depth", ()))
    require(0.0 <= depth <= LARGEST_NUMBER, "depth must be a spread", depth)


def _check_runs(arrays: Named, rows: int) -> None:
    n_columns = len(arrays["as_is"])
    for name in ("last", "value"):
        values = doubles_of(arrays, f"runs_{name}", (n_columns,))
        require(all_within(values, LARGEST_NUMBER), f"runs_{name} must be numbers of cells")
    _flags(arrays, "runs_again", n_columns)
    counts = {name: array_of(arrays, f"runs_{name}", "i", 1) for name in Runs._fields[1:6]}
    counts |= {name: array_of(arrays, f"runs_{name}", "i", 1) for name in Runs._fields[7:10]}
    for name, found in counts.items():
        possible = len(found) == n_columns and ((found >= 0) & (found <= rows)).all()
        require(possible, f"runs_{name} must be {n_columns} numbers of rows", found)
    known = Runs(*(arrays[f"runs_{name}"] for name in Runs._fields))
    for length, first, last in (
        (known.length, known.begun, known.ended),
        (known.rows, known.first, known.final),
    ):
        inside = ((last < rows) & ((length <= last - first + 1) | (length == 0))).all()
        require(inside, "runs_length must fit between the first row and the last", length)
    long = (known.rows == 0) | (known.rows >= LONG)
    require(long.all(), f"runs_rows must be at least {LONG}", known.rows)
    require((known.repeats <= known.cells).all(), "runs_repeats must be among runs_cells")
    counted = known.cells + known.length + known.rows
    require((counted <= rows).all(), f"runs_cells must be up to {rows}", known.cells)


def _check_slips(arrays: Named, rows: int) -> None:
    if "slips_centre" not in arrays:
        return
    n_columns = len(arrays["as_is"])
    centre, scale = (doubles_of(arrays, f"slips_{x}", (n_columns,)) for x in ("centre", "scale"))
    require(all_within(centre, LARGEST_NUMBER), "slips_centre must be numbers of cells")
    require((scale > 0).all(), "slips_scale must be positive", scale)
    codes = doubles_of(arrays, "slips_codes", (2, n_columns))
    within = all_within(codes[codes < np.inf], LARGEST_NUMBER)
    require(within, "slips_codes must be numbers of cells", codes)
    limits = doubles_of(arrays, "slips_limits", (2, n_columns))
    within = all_within(limits[np.isfinite(limits)], LARGEST_NUMBER)
    within = within and (limits[0] < limits[1]).all()
    require(within, "slips_limits must be numbers of cells, the first less", limits)
    for name in ("on_end", "found"):
        number = array_of(arrays, f"slips_{name}", "i", 1)
        possible = len(number) == n_columns and ((number >= 0) & (number <= rows)).all()
        require(possible, f"slips_{name} must be {n_columns} numbers of rows", number)
    gone = arrays[f"{PREFIX}missing"]
    require((arrays["slips_found"] <= gone).all(), "slips_found must be among the missing cells")
    cells = array_of(arrays, "slips_cells", "i", 2)
    inside = cells.shape[1] == 2 and ((cells >= 0) & (cells < [rows, n_columns])).all()
    few = len(cells) == min(NAMED, int(arrays["slips_found"].sum()))
    require(inside and few, f"slips_cells must be {NAMED} rows and columns at most", cells)


def _check_placeholders(arrays: Named) -> None:
    if "placeholders_values" not in arrays:
        return
    n_columns = len(arrays["as_is"])
    values = doubles_of(arrays, "placeholders_values", (n_columns,))
    known = values < np.inf
    within = all_within(values[known], LARGEST_NUMBER)
    require(within, "placeholders_values must be numbers of cells", values)
    found = array_of(arrays, "placeholders_found", "i", 1)
    possible = len(found) == n_columns and (found >= 0).all() and not found[~known].any()
    require(possible, "placeholders_found must be numbers of cells that have the value", found)
    gone = arrays[f"{PREFIX}missing"]
    require((found <= gone).all(), "placeholders_found must be among the missing cells", found)


def check_residuals(arrays: Named, n_columns: int, half_life: float) -> None:
    """Raise StorageError unless the sums over residuals are those of rows that were learned."""
    if (name := "residual_swings") in arrays:
        swings = doubles_of(arrays, name, (n_columns, None))
        few = swings.shape[1] <= MOST_SWINGS and all_within(swings, _LARGEST_SWING)
        require(few, f"{name} must be {MOST_SWINGS} loadings at most, up to {_LARGEST_SWING:.1f}")
    lags, recent, scale, related, beside, together, weight = (
        doubles_of(arrays, f"residual_{name}", shape)
        for name, shape in (
            ("lags", (LAGS + 1, n_columns)),
            ("recent", (LAGS, n_columns)),
            *((name, (n_columns,)) for name in ("scale", "related", "beside")),
            ("together", ()),
            ("weight", ()),
        )
    )
    # A sum over lags on both sides, of which each is one at most, or two less what is far apart.
    require(abs(together) <= 4 * LAGS, f"residual_together must be up to {4 * LAGS}", together)
    for name, values in (("lags", lags), ("recent", recent), ("beside", beside)):
        require(all_within(values, np.inf), f"residual_{name} must be finite")
    learned = float(arrays["learned_rows"])
    _check_near("residual_weight", weight, float(arrays["column_weight"]))
    # Hedge's predictions have l1 norms up to one, so residuals are up to twice as large as rows,
    # whose squares in a batch add up to no more than the weight of all rows so far.
    in_range = ((scale > _LEAST_SCALE) & (scale <= 4 * (1 + SLACK))) | (scale == np.inf)
    require(in_range.all(), "residual_scale must be in (0, 4], or infinite", scale)
    require((lags[0] >= 0).all(), "residual_lags must begin with squares")
    most = 4 * float(weight) * learned * (1 + SLACK)
    require((lags[0] <= most).all(), f"residual_lags must be up to {most:g}")
    for name, values in (("lags", lags), ("recent", _squares(recent))):
        possible = (np.abs(values) <= lags[0] * (1 + SLACK)).all()
        require(possible, f"residual_{name} must not exceed what its squares allow")
    squares = lags[0] / scale
    if half_life == NEVER:
        enough = squares[scale < np.inf] >= FIRST_ROWS * (1 - SLACK)
        require(enough.all(), "residual_lags must begin with those of the first rows")
    related_to = all_within(related, 1 + SLACK) and (related >= 0).all()
    require(related_to, "residual_related must be in [0, 1]", related)
    # By how much the weight of all rows can exceed that of one; the first rows are one period.
    lives = max(16.0, FIRST_ROWS / half_life)
    heaviest = learned if half_life == NEVER else 2.0 ** (lives + 3) * half_life
    largest = 4 * heaviest * (1 / scale).sum() * (1 + SLACK)
    possible = (np.abs(beside) <= squares * largest).all()
    require(possible, "residual_beside must not exceed what its squares allow")


def _counted(rows: int, half_life: float) -> float:
    """Return the weight of all rows that were counted: half is forgotten at each refresh."""
    if half_life == NEVER:
        return float(rows)
    total, seen = float(weights_of_first(FIRST_ROWS, half_life).sum()), FIRST_ROWS
    second = next_refresh(seen, half_life)
    if rows >= second:
        period = next_refresh(second, half_life) - second
        passed, since = divmod(rows - second, period)
        after_second = (total + second - seen) / 2
        return period + (after_second - period) * 0.5**passed + since
    return total + rows - seen


def _weight(rows: int, half_life: float) -> float:
    """Return the sum of the weights of rows, the last one having the weight one."""
    if half_life == NEVER:
        return float(rows)
    rate = np.log(2) / half_life
    return float(np.expm1(-rate * rows) / np.expm1(-rate))


def _largest_score(rows: int) -> float:
    """Return the score of the last of so many ranks, with some room for rounding."""
    return -float(special.ndtri(0.5 / (rows + 1.0))) * (1 + _ROUNDING)


def _check_seen(
    name: str, found: NDArray[Any], of_all: float, arrays: Named, half_life: float
) -> None:
    """Check weights of the cells that are there, given that of all rows."""
    missing = arrays[f"{PREFIX}missing"]
    if half_life == NEVER:
        return _check_near(name, found, of_all - missing)
    _check_near(name, found[missing == 0], of_all)
    possible = ((found >= 0) & (found <= of_all * (1 + SLACK))).all()
    require(possible, f"{name} must be in [0, {of_all:g}]", found)


def _check_near(name: str, found: NDArray[Any], expected: float | NDArray[Any]) -> None:
    near = (np.abs(found - expected) <= SLACK * np.abs(expected)).all()
    told = ", ".join(f"{number:g}" for number in np.unique(expected)[:5])
    require(near, f"{name} must be {told}", found)


def _squares(recent: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        result: NDArray[np.float64] = np.square(recent).sum(axis=0)
    return result


def _flags(arrays: Named, name: str, n_columns: int) -> NDArray[np.bool_]:
    array = array_of(arrays, name, "b", 1)
    require(len(array) == n_columns, f"{name} must be {n_columns}", len(array))
    return array
