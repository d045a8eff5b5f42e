"""The page of several groups of rows: their graphs in one layout, and what differs, in colour."""

import os
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.atomic import atomic_path
from hedgerow.drawing.layout import layout_together
from hedgerow.estimators import Difference, HedgeGraph
from hedgerow.estimators.input import column_labels
from hedgerow.report.of_model import data_of, end_of_slider
from hedgerow.report.page import bundle, fill, policy
from hedgerow.report.payload import drawn_edges, edges, pairs, pictures, places, variables

_SHARED = ("title", "version", "columns", "names")
_DIGITS = 5


def write_groups(
    path: str | os.PathLike[str],
    models: Mapping[str, HedgeGraph],
    differences: Sequence[tuple[str, str, Difference]] = (),
    *,
    title: str = "Groups compared",
    warnings: Sequence[str] = (),
) -> None:
    """Write a page with the graphs of several groups, and what differs between them.

    Parameters
    ----------
    path : str or path
    models : mapping of str to HedgeGraph
        Fitted models of the same columns, by the names of the groups. The first one's columns are
        those of the page, in its order.
    differences : sequence of (first, second, Difference)
        What `hedgerow.difference` returned for two groups, with their names; the second may be
        another, as the rest of all groups.
    title : str
    warnings : sequence of str
        What the reader should know.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hedgerow import HedgeGraph, difference
    >>> rng = np.random.default_rng(0)
    >>> walks = [np.cumsum(rng.standard_normal((400, 3)), axis=1) for _ in range(2)]
    >>> before, after = (HedgeGraph().fit(walk) for walk in walks)
    >>> page = pathlib.Path(tempfile.mkdtemp()) / "groups.html"
    >>> found = [("before", "after", difference(before, after))]
    >>> write_groups(page, {"before": before, "after": after}, found)
    >>> page.read_text()[:15]
    '<!doctype html>'
    """
    if len(models) < 2:
        raise ValueError(f"models must be two at least, got {len(models)}")
    style, script = bundle()
    payload = _payload(models, differences, title, warnings)
    page = fill(style, script, payload, policy(style, script)).encode()
    with atomic_path(path) as temporary:
        temporary.write_bytes(page)


def _payload(
    models: Mapping[str, HedgeGraph],
    differences: Sequence[tuple[str, str, Difference]],
    title: str,
    warnings: Sequence[str],
) -> dict[str, Any]:
    names = column_labels(next(iter(models.values()))).tolist()
    about: dict[str, Any] = {"title": title, "warnings": warnings, "room": 1 / len(models)}
    groups, drawn = [], {}
    for name, model in models.items():
        data, place = data_of(model, **about), _places(model, names)
        shown = edges(data) | pictures(data) | pairs(data) | variables(data)
        shared = {key: shown.pop(key) for key in _SHARED}
        groups.append({"name": name, **_moved(shown, place)})
        some = drawn_edges(data)
        drawn[name] = place[data.source[some]], place[data.target[some]], data.partial_corr[some]
    source, target, strength = (np.concatenate(each) for each in zip(*drawn.values()))
    return {
        **shared,
        "names": [str(name) for name in names],
        "made": date.today().isoformat(),
        **places(layout_together(len(names), source, target, np.abs(strength))),
        "groups": groups,
        "differences": [
            _difference(first, second, found, models, drawn, warnings)
            for first, second, found in differences
        ],
    }


def _places(model: HedgeGraph, names: list[Any]) -> NDArray[np.int64]:
    """Return where a model's columns are among those of the page."""
    place = {name: j for j, name in enumerate(names)}
    labels = column_labels(model).tolist()
    if set(labels) != set(names):
        raise ValueError(f"models must have the same columns, got {labels!r:.80}")
    return np.array([place[name] for name in labels], dtype=np.int64)


def _moved(shown: dict[str, Any], place: NDArray[np.int64]) -> dict[str, Any]:
    """Return what is shown of a group, with columns in the order of the page."""
    order = np.argsort(place).tolist()
    ends = {
        end: place[np.array(shown[end], dtype=np.intp)].tolist() for end in ("source", "target")
    }
    columns = {
        key: [shown[key][j] for j in order]
        for key in ("histograms", "kinds", "missing")
        if shown.get(key)
    }
    moved = [
        pair
        | {"source": int(place[pair["source"]]), "target": int(place[pair["target"]])}
        | ({"way": place[pair["way"]].tolist()} if pair.get("way") else {})
        for pair in shown.get("pairs", ())
    ]
    return shown | ends | columns | ({"pairs": moved} if moved else {})


def _difference(
    first: str,
    second: str,
    found: Difference,
    models: Mapping[str, HedgeGraph],
    drawn: Mapping[str, tuple[NDArray[Any], NDArray[Any], NDArray[Any]]],
    warnings: Sequence[str],
) -> dict[str, Any]:
    """Return what is shown of the differences between two groups."""
    end = end_of_slider(found.level)
    table = found.edges_up_to(end)
    page = next(iter(models.values()))
    place = {name: j for j, name in enumerate(column_labels(page).tolist())}

    def short(values: NDArray[np.float64]) -> list[float]:
        return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]

    known = [name for name in (first, second) if name in models]  # the rest of a group is not
    source, target = (np.concatenate([drawn[name][k] for name in known]) for k in (0, 1))
    context = np.unique(np.sort(np.stack([source, target], axis=1), axis=1), axis=0)
    return {
        "name": f"{first} → {second}",
        "error": found.error,
        "level": found.level,
        "maxLevel": end,
        "rows": sum(models[name].n_samples_seen_ for name in known),
        "warnings": list(warnings),
        "said": [found.summary()],
        "columnsLeftOut": [],
        "rowsLeftOut": [],
        "detectable": None,
        "source": [place[name] for name in table.source.tolist()],
        "target": [place[name] for name in table.target.tolist()],
        "partialCorr": short(table.difference),
        "low": short(table.low),
        "high": short(table.high),
        "z": short(table.z),
        "p": table.p_value.tolist(),
        "q": table.q_value.tolist(),
        "compared": {
            "first": first,
            "second": second,
            "p": found.p_value_,
            "one": short(table.partial_corr),
            "other": short(table.other_partial_corr),
            "context": {"source": context[:, 0].tolist(), "target": context[:, 1].tolist()},
        },
    }
