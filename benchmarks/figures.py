"""Numbers in sentences that are worked out from records: the largest of a column, a ratio, a count.

A number that stands in a table as it is needs no entry here (`benchmarks.document`).
"""

import re
from collections.abc import Callable, Iterable

from benchmarks.kept import Blocks, Table

Records = dict[str, Blocks]


def numbers(cell: str) -> list[float]:
    """Return the numbers of a cell."""
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?|-?\.\d+", cell.replace(",", ""))]


def first(cell: str) -> float:
    return numbers(cell)[0]


def span(values: Iterable[float], form: str) -> str:
    """Return the least and the largest."""
    low, *_, high = sorted(values)
    return f"{low:{form}} to {high:{form}}"


def column(table: Table, name: str, keep: Callable[[list[str]], bool] = bool) -> list[float]:
    """Return the first numbers of a column's cells that have any."""
    place = table.header.index(name)
    found = (numbers(row[place]) for row in table.rows if keep(row))
    return [of_cell[0] for of_cell in found if of_cell]


# Quality


def cases(records: Records) -> str:
    return f"{first(records['quality']['setting'].text):.0f}"


def pyhuge_false(records: Records) -> str:
    """The share of false edges of pyhuge's selections."""
    rows = records["quality"]["methods"].table.rows
    return span((numbers(row[2])[2] for row in rows if row[0].startswith("pyhuge")), ".2f")


def worst_familywise(records: Records) -> str:
    """The case in which any false edge was most likely, and whether chance explains it."""
    aims = records["quality"]["aims"].table
    detail = aims.cell("FWER 0.05: P(any false edge) ≤ 0.05 in every case", "detail")
    mean, error = numbers(detail)[:2]
    [case] = re.findall(r"\((.*)\)", detail)
    within = "is" if mean - 0.05 <= 2 * error else "is not"
    return (
        f"{mean:.3f} ± {error:.3f} in the worst case ({case}; 0.05 {within} within two standard "
        "errors)"
    )


def more_rows_than_oracles(records: Records) -> str:
    """How many more rows than the best rival that is told its best penalty."""
    table = records["quality"]["recovery"].table
    ours, *others = table.rows
    told = [row for row in others if row[0].endswith("best penalty")]
    most = max(
        first(ours[k]) / min(first(row[k]) for row in told) for k in range(1, len(table.header))
    )
    return f"{100 * (most - 1):.0f} %"


def rows_on_stars(records: Records) -> str:
    """Our rows for the exact star, as a share of those of the inverse Gram matrix."""
    table = records["quality"]["recovery"].table
    ours, inverse = (
        [first(cell) for name, cell in zip(table.header, row) if name.startswith("star")]
        for row in table.rows[:2]
    )
    return span((100 * mine / theirs for mine, theirs in zip(ours, inverse)), ".0f") + " %"


def _elsewhere(records: Records) -> Iterable[tuple[str, float, float]]:
    """Graph, F1 of our balanced graph, and the best F1 of a rival."""
    table = records["quality"]["elsewhere"].table
    place = table.header.index("ours, balanced")
    for row in table.rows:
        yield row[0], first(row[place]), max(first(cell) for cell in row[place + 1 :])


def best_rival_elsewhere(records: Records) -> str:
    return next(f"{theirs:.2f}" for name, _, theirs in _elsewhere(records) if name == "all")


def largest_loss_elsewhere(records: Records) -> str:
    return f"{max(theirs - ours for _, ours, theirs in _elsewhere(records)):.2f}"


# Comparison


def _leads(cell: str) -> list[float]:
    """By how much rivals are ahead, in a cell that lists them."""
    return [float(lead) for lead in re.findall(r"\+(\d\.\d\d)", cell)]


def rivals_ahead_on_regular(records: Records) -> str:
    lost = records["comparison"]["lost-hedgerow_balanced"].table
    return str(len(_leads(lost.cell("random_regular; 150", lost.header[-1]))))


def lead_on_regular(records: Records) -> str:
    return _most_ahead(records, "random_regular; 150")


def lead_on_random(records: Records) -> str:
    return _most_ahead(records, "erdos_renyi; 150")


def lead_elsewhere(records: Records) -> str:
    """On grids, free fields and paths joined to cliques."""
    rows = "grid; 150", "grid; 500", "free_field; 150", "path_cliques; 150"
    return _most_ahead(records, *rows)


def _most_ahead(records: Records, *rows: str) -> str:
    lost = records["comparison"]["lost-hedgerow_balanced"].table
    return f"{max(max(_leads(lost.cell(row, lost.header[-1]))) for row in rows):.2f}"


def ebic_false_in_scale_free(records: Records) -> str:
    lost = records["comparison"]["lost-hedgerow"].table
    cell = lost.cell("barabasi_albert; 150", lost.header[-1])
    [false] = re.findall(r"(?<!\w )neighbourhoods, EBIC \+\S+ \((.*?)\)", cell)
    return false


def ebic_time_of_balanced(records: Records) -> str:
    return _ebic_time(records, "HedgeGraph balanced", "seconds")


def ebic_time_of_ours(records: Records) -> str:
    return _ebic_time(records, "HedgeGraph", "seconds#2")


def _ebic_time(records: Records, own: str, seconds: str) -> str:
    table = records["comparison"]["frontier"].table
    theirs, ours = (first(table.cell(row, seconds)) for row in ("neighbourhoods, EBIC", own))
    return f"{theirs / ours:.0f}"


def lasso_false(records: Records) -> str:
    """The share of false edges of the graphical lassos with 500 rows."""
    rows = records["comparison"]["frontier"].table.rows
    return span((first(row[5]) for row in rows if "lasso" in row[0] and "EBIC" in row[0]), ".2f")


def seconds_of_slower(records: Records) -> str:
    """Of the methods that get to 1,024 columns and are not named beside it."""
    named = ("neighbourhoods, theory", "PC skeleton", "HedgeGraph", "HedgeGraph balanced")
    named += ("GreedyPrune",)
    times = records["comparison"]["times"].table
    return span(column(times, "p = 1024", lambda row: row[0] not in named), "g")


def better_held_out(records: Records) -> str:
    return _better_held_out(records, "HedgeGraph")


def better_held_out_than_balanced(records: Records) -> str:
    return _better_held_out(records, "HedgeGraph balanced")


def _better_held_out(records: Records, own: str) -> str:
    real = records["comparison"]["real"].table
    ours = first(real.cell(own, "held out#2"))
    theirs = [first(row[7]) for row in real.rows if not row[0].startswith("HedgeGraph")]
    return str(sum(value > ours for value in theirs))


# Streams


def _alarms(error: str, name: str) -> Callable[[Records], str]:
    def worst(records: Records) -> str:
        alarms = records["streams"]["change-alarms"].table
        return f"{max(column(alarms, name, lambda row: row[1] == error)):g}"

    return worst


def half_told(records: Records) -> str:
    """Half-lives after which half of the new edges were told of, at worst."""
    return f"{max(column(records['streams']['change-delays'].table, 'half of the new edges')):g}"


def most_told(records: Records) -> str:
    """Half-lives after which 95 % were told of, at worst."""
    rows = records["streams"]["change-delays"].table.rows
    return f"{max(first(row[k]) for row in rows for k in (3, 5)):g}"


# GPU


def _gpu(records: Records, error: str) -> list[tuple[float, list[float]]]:
    """True edges, and false ones of each data set."""
    table = records["gpu"]["measured"].table
    return [
        (first(row[9]), [float(count) for count in row[11].split(", ")])
        for row in table.rows
        if row[2] == error
    ]


def gpu_false(records: Records) -> str:
    found = [(edges, n) for edges, false in _gpu(records, "fdr") for n in false if edges]
    return span((false / (edges + false) for edges, false in found), ".4f").replace("to", "and")


def gpu_data_sets(records: Records) -> str:
    return str(sum(len(false) for _, false in _gpu(records, "fwer")))


def gpu_broken(records: Records) -> str:
    return str(sum(n > 0 for _, false in _gpu(records, "fwer") for n in false))


def gpu_above_floor(records: Records) -> str:
    row = records["gpu"]["measured"].table.rows[-1]
    return f"{first(row[4]) / first(row[5]):.1f}"


# Theory


def proved_over_taken(records: Records) -> str:
    """What is proved enough, as a multiple of what it took."""
    table = records["theory"]["recovery"].table
    ratios = [
        first(table.cell(f"proved enough, {proved}", model))
        / first(table.cell(f'**took it**, `"{selection}"`', model))
        for model in table.header[1:]
        for selection, proved in (
            ("argmin", "held-out choice"),
            ("checkpoints", "held-out choice"),
            ("average", "average"),
        )
    ]
    low, high = (float(f"{ratio:.2g}") for ratio in (min(ratios), max(ratios)))
    return f"{low:,.0f} to {high:,.0f}"


# Cells of tables by short names, for the front page.
CELLS = {
    "false": "quality|methods|scaled lasso + tests|ours, FDR 0.05|3 .2f",
    "false-%": "quality|methods|scaled lasso + tests|ours, FDR 0.05|3 %",
    "f1": "quality|methods|scaled lasso + tests|ours, FDR 0.05|.2f",
    "f1-loose": "quality|methods|scaled lasso + tests|ours, FDR 0.2|.2f",
    "false-loose-%": "quality|methods|scaled lasso + tests|ours, FDR 0.2|3 %",
    "f1-balanced": "quality|methods|scaled lasso + tests|ours, balanced|.2f",
    "false-balanced-%": "quality|methods|scaled lasso + tests|ours, balanced|3 %",
    "f1-stars": "quality|methods|pyhuge neighbourhoods, StARS|as it is|.2f",
    "false-stars-%": "quality|methods|pyhuge neighbourhoods, StARS|as it is|3 %",
    "f1-ebic": "quality|methods|neighbourhoods, EBIC|as it is|.2f",
    "false-ebic-%": "quality|methods|neighbourhoods, EBIC|as it is|3 %",
    "f1-ric": "quality|methods|pyhuge neighbourhoods, RIC|as it is|.2f",
    "false-ric-%": "quality|methods|pyhuge neighbourhoods, RIC|as it is|3 %",
    "false-cv": "quality|methods|scikit-learn GraphicalLassoCV|as it is|3 .2f",
    "false-worst": "quality|aims|FDR 0.05: share of false edges ≤ 0.06 in every case|detail|.2f",
    "f1-two": "quality|by-rows|HedgeGraph; FDR 0.05|m/p = 2|.2f",
    "f1-four": "quality|by-rows|HedgeGraph; FDR 0.05|m/p = 4|.2f",
    "f1-two-inverse": "quality|by-rows|inverse Gram + tests; FDR 0.05|m/p = 2|.2f",
    "f1-four-inverse": "quality|by-rows|inverse Gram + tests; FDR 0.05|m/p = 4|.2f",
    "f1-elsewhere": "quality|elsewhere|all|ours, balanced|.2f",
    "estimated": "quality|balanced|cases above; 64; 0.5|estimate|.2f",
    "estimated-truth": "quality|balanced|cases above; 64; 0.5|false|.2f",
    "slip-fdr": "quality|misses|FDR 0.05; free_field; 1|measured|.2f",
    "slip-fwer": "quality|misses|FWER 0.05; free_field; 0.5|measured|.2f",
}

FIGURES: dict[str, Callable[[Records], str]] = {
    figure.__name__.replace("_", "-"): figure
    for figure in (
        cases,
        pyhuge_false,
        worst_familywise,
        more_rows_than_oracles,
        rows_on_stars,
        best_rival_elsewhere,
        largest_loss_elsewhere,
        rivals_ahead_on_regular,
        lead_on_regular,
        lead_on_random,
        lead_elsewhere,
        ebic_false_in_scale_free,
        ebic_time_of_balanced,
        ebic_time_of_ours,
        lasso_false,
        seconds_of_slower,
        better_held_out,
        better_held_out_than_balanced,
        half_told,
        most_told,
        gpu_false,
        gpu_data_sets,
        gpu_broken,
        gpu_above_floor,
        proved_over_taken,
    )
} | {
    "false-alarms-fwer": _alarms("fwer", "false edges told"),
    "false-alarms-fdr": _alarms("fdr", "false edges told"),
    "lost-edges-fwer": _alarms("fwer", "true edges lost"),
}
