"""What the company of pairs adds to their priors, and where the level goes.

Each line changes how pairs are weighted or what they must pass, at a false discovery rate of 0.05:

- *surplus*: groups by how much more related Hedge finds a pair than the refit does, as before
  company counted;
- *explained correlation*: groups by the part of a pair's correlation that the neighbours of the
  node explain, with the sign of z. Without an edge it is independent of z;
- *learned odds*: groups by odds that are learned from the table itself: explained correlation, and
  how many neighbours were chosen for the two without each other;
- *means*: the mean of a pair's priors by two of these, or three. Where one says nothing, the others
  keep at least a half or a third of theirs;
- *as it is*: the mean of surplus, explained correlation and degrees, with weighted agreement;
- *weighted agreement*: p-values of agreement are divided by the priors, too;
- *no agreement*: it is not asked for, nor what few rows are asked.

*Edges known* is no method: odds are learned from the true edges, by explained correlation, surplus,
degrees and common neighbours, and the graph is the largest with a share of 0.05 false. It bounds
what a better order of pairs by these would give. Two more are also shown the true *degrees* of both
nodes, or the true *communities* (of greatest modularity): how many pairs of the same two, or in the
same one, are joined.

A second table has graphs before and now, family by family, also balanced ones.
"""

import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from multiprocessing import get_context
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from networkx import from_numpy_array
from networkx.algorithms.community import greedy_modularity_communities
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from benchmarks import document, kept
from benchmarks.quality import cases, elsewhere
from benchmarks.quality.ablation import learned
from hedgerow import HedgeGraph
from hedgerow.datasets import Model
from hedgerow.method.company import Company, company_of, explained_groups, explained_parts
from hedgerow.method.edges import adjusted, debiased, given_ends, given_fewer
from hedgerow.method.groups import merged_labels, smallest_group
from hedgerow.method.levels import agreement_margins, agreement_scores, asks_both
from hedgerow.method.multiplicity import benjamini_hochberg, group_priors, null_shares
from hedgerow.method.neighbours import refit
from hedgerow.method.priors import pair_priors
from hedgerow.method.promises import BALANCED
from hedgerow.method.scores import two_sided, z_score

Array = NDArray[np.float64]
LEVEL = 0.05
FDR = "fdr"
BEFORE, NOW = "surplus", "as it is"  # of the lines
_NOISE = 8  # times as many data sets without an edge


class Pairs(NamedTuple):
    """What is known of all pairs of a table."""

    z: Array
    both: Array  # given the neighbours of both
    witness: Array
    company: Company
    explained: Array  # by neighbours, in standard errors, with the sign of z
    degrees: Array  # (2, pairs): chosen neighbours without each other, the larger first
    shared: Array  # common neighbours
    true_degrees: Array  # (2, pairs): the larger first
    joined_like: Array  # share of pairs of the same communities that are joined
    true: NDArray[np.bool_]
    n_columns: int
    n_rows: int


PriorsOf = Callable[[Pairs], Array]


def pairs_of(model: Model, rows: Array) -> Pairs:
    """Return what the rows say of all pairs."""
    n_rows, n_columns = rows.shape
    upper = np.triu_indices(n_columns, 1)
    corr, fitted = np.corrcoef(rows, rowvar=False), refit(np.corrcoef(rows, rowvar=False), n_rows)
    z = given_fewer(fitted, n_rows, upper)
    used = np.maximum(*(fitted.sizes[end] for end in upper))
    both = z_score(-debiased(corr, fitted.coefficients)[upper], n_rows - 2 - used)
    witness = z_score(-debiased(corr, learned(rows))[upper], n_rows - 2)
    joined = fitted.coefficients.toarray() != 0
    joined |= joined.T
    own = joined.sum(axis=1)
    degrees = np.sort([own[end] - joined[upper] for end in upper], axis=0)[::-1].astype(float)
    shared = (joined.astype(float) @ joined)[upper]
    ends = given_ends(fitted, n_rows, upper)
    parts = explained_parts(corr, fitted.coefficients)[ends]
    explained = np.sign(z) * z_score(np.clip(parts, -0.999, 0.999), n_rows - 2)
    known = company_of(corr, fitted.coefficients, n_rows, *ends)
    true = model.adjacency.toarray() != 0
    true_degrees = np.sort([true.sum(axis=1)[end] for end in upper], axis=0)[::-1].astype(float)
    company = degrees, shared, true_degrees, _joined_like(true, upper)
    return Pairs(z, both, witness, known, explained, *company, true[upper], n_columns, n_rows)


def _joined_like(joined: NDArray[np.bool_], upper: tuple[Array, Array]) -> Array:
    """Return the share of joined ones among all pairs of the same communities."""
    label = np.zeros(len(joined), dtype=np.intp)
    for number, nodes in enumerate(greedy_modularity_communities(from_numpy_array(joined))):
        label[list(nodes)] = number
    ends = np.sort([label[end] for end in upper], axis=0)
    _, like = np.unique(ends, axis=1, return_inverse=True)
    share: Array = np.bincount(like, weights=joined[upper]) / np.bincount(like)
    return share[like]


def by_groups(known: Pairs, groups: NDArray[np.intp]) -> Array:
    """Return the priors of groups that are numbered from the most promising."""
    merged = merged_labels(np.bincount(groups), smallest_group(known.n_columns))[groups]
    share = null_shares(two_sided(known.z), merged)
    return group_priors(share, np.bincount(merged), count_nulls_only=True)[merged]


def by_surplus(known: Pairs) -> Array:
    return pair_priors(known.z, known.witness, known.n_columns, count_nulls_only=True)


def by_explained(known: Pairs) -> Array:
    return by_groups(known, explained_groups(known.z, known.company.explained))


def by_learned(known: Pairs) -> Array:
    """Return priors by odds, learned from how likely each pair is an edge by its z alone."""
    size = np.minimum(np.abs(known.z), 30.0)
    share, spread = 0.02, 4.0
    for _ in range(30):  # a mixture of N(0, 1) and N(0, 1 + spread)
        ratio = np.exp(size**2 / 2 * spread / (1 + spread)) / np.sqrt(1 + spread)
        likely = share * ratio / (share * ratio + 1 - share)
        share = float(np.clip(likely.mean(), 1 / len(size), 0.5))
        spread = max(float(likely @ size**2 / likely.sum()) - 1, 2.0)
    is_edge = np.repeat([1.0, 0.0], len(likely))
    odds = _odds(_features(known, known.degrees), is_edge, np.r_[likely, 1 - likely])
    ends = smallest_group(known.n_columns) * 1.6 ** np.arange(20)
    order = np.argsort(-odds, kind="stable")
    groups = np.empty(len(odds), dtype=np.intp)
    groups[order] = np.searchsorted(ends, np.arange(len(odds)), side="right")
    return by_groups(known, groups)


def mean_of(*ways: PriorsOf) -> PriorsOf:
    return lambda known: np.mean([way(known) for way in ways], axis=0)


def _features(known: Pairs, *more: Array) -> Array:
    signs = np.maximum(known.explained, 0.0), np.maximum(-known.explained, 0.0)
    columns = np.log1p(np.vstack([*signs, *more])).T
    return (columns - columns.mean(axis=0)) / np.maximum(columns.std(axis=0), 1e-9)


def _odds(features: Array, is_edge: Array, weights: Array | None = None) -> Array:
    rows = np.vstack([features] * (len(is_edge) // len(features)))
    model = LogisticRegression(max_iter=300).fit(rows, is_edge, sample_weight=weights)
    return model.decision_function(features)


def levels(known: Pairs, priors_of: PriorsOf, agreement: str) -> Array:
    """Return the smallest level at which each pair is an edge."""
    priors = priors_of(known)
    margins = agreement_margins(known.n_columns, known.n_rows, FDR)
    scores = [known.z]
    if agreement != "none" and asks_both(known.n_columns, known.n_rows, FDR):
        scores.append(known.both)
    result = np.zeros_like(known.z)
    for z in scores:
        result = np.maximum(result, benjamini_hochberg(np.minimum(two_sided(z) / priors, 1.0)))
        if agreement != "none":
            agreed = two_sided(agreement_scores(z, known.witness, margins))
            weight = priors if agreement == "weighted" else 1.0
            result = np.maximum(result, benjamini_hochberg(np.minimum(agreed / weight, 1.0)))
    return result


def in_company(known: Pairs, company: Company | None) -> Array:
    asked = known.n_columns, known.n_rows, FDR
    result = adjusted(known.z, known.witness, *asked, company)
    if asks_both(*asked):
        result = np.maximum(result, adjusted(known.both, known.witness, *asked, company))
    return result


def edges_known(known: Pairs, *more: str) -> Array:
    """Return 0 for pairs of the largest graph with so few false edges, by the order of odds."""
    size = np.minimum(np.abs(known.z), 8.0)
    surplus = np.clip(np.sign(known.z) * known.witness - size, -6.0, 6.0)
    features = _features(known, known.degrees, known.shared, *(getattr(known, m) for m in more))
    order = np.argsort(-_odds(np.column_stack([features, size, size**2, surplus]), known.true))
    number = np.arange(1, len(order) + 1)
    false = number - np.cumsum(known.true[order])
    most = np.flatnonzero(false <= LEVEL * number)
    result = np.ones_like(known.z)
    result[order[: most[-1] + 1 if len(most) else 0]] = 0.0
    return result


CHANGES = {
    "surplus": lambda known: in_company(known, None),
    "surplus, weighted agreement": partial(levels, priors_of=by_surplus, agreement="weighted"),
    "explained correlation": partial(levels, priors_of=by_explained, agreement="asked"),
    "..., weighted agreement": partial(levels, priors_of=by_explained, agreement="weighted"),
    "learned odds, weighted agreement": partial(levels, priors_of=by_learned, agreement="weighted"),
    "as it is": lambda known: in_company(known, known.company),
    "mean of two, weighted agreement": partial(
        levels, priors_of=mean_of(by_surplus, by_explained), agreement="weighted"
    ),
    "mean of two and learned odds, weighted agreement": partial(
        levels, priors_of=mean_of(by_surplus, by_explained, by_learned), agreement="weighted"
    ),
    "surplus, no agreement": partial(levels, priors_of=by_surplus, agreement="none"),
    "explained correlation, no agreement": partial(
        levels, priors_of=by_explained, agreement="none"
    ),
    "edges known": edges_known,
    "..., and degrees known": lambda known: edges_known(known, "true_degrees"),
    "..., and communities known": lambda known: edges_known(known, "joined_like"),
}


def balanced_graphs(rows: Array) -> list[NDArray[np.bool_]]:
    """Return which pairs of balanced graphs are joined, before company counted and now."""
    graph = HedgeGraph(level=BALANCED, rows="independent", columns="normal", device="numpy")
    with patch("hedgerow.method.edges.company_of", lambda *_: None):
        before = graph.fit(rows).adjacency_
    upper = np.triu_indices(rows.shape[1], 1)
    return [each.toarray()[upper] != 0 for each in (before, graph.fit(rows).adjacency_)]


def measure(place: tuple) -> list[tuple[float, float]]:
    """Return F1 and share of false edges of all changes, and of balanced graphs."""
    warnings.simplefilter("ignore")
    where, ratio, seed = place
    if isinstance(where, elsewhere.Case):
        model, rows = elsewhere.rows_of(where, ratio, seed)
    else:
        model, rows = cases.rows_of(where, cases.COLUMNS, round(ratio * cases.COLUMNS), seed)
    known = pairs_of(model, rows)
    changes = CHANGES if known.true.any() else {name: CHANGES[name] for name in (BEFORE, NOW)}
    graphs = [change(known) <= LEVEL for change in changes.values()] + balanced_graphs(rows)
    results = []
    for found in graphs:
        right, number = int((found & known.true).sum()), int(found.sum())
        score = 2 * right / max(number + known.true.sum(), 1)
        results.append((score, 1 - right / number if number else 0.0))
    return results


def run(seeds: int, processes: int) -> None:
    """Measure, and fill docs/quality.md."""
    made = kept.made(f"python -m benchmarks.quality structure --seeds {seeds}")
    skipped = ("empty", "erdos_renyi, other units")
    sets = {
        "cases above": [name for name in cases.CASES if name not in skipped],
        "elsewhere": [elsewhere.Case(*c) for c in product(elsewhere.GRAPHS, elsewhere.SIGNS)],
    }
    header, columns, families = ["weights of pairs"], [], []
    shown = [*map(list(CHANGES).index, (BEFORE, NOW)), -2, -1]
    with get_context("spawn").Pool(processes) as pool:

        def cells_of(graphs: list, seeds: int) -> Array:
            places = list(product(graphs, cases.RATIOS, range(seeds)))
            of_all = np.array(pool.map(measure, places, chunksize=8))
            return of_all.reshape(len(graphs), -1, *of_all.shape[1:]).mean(axis=1)

        for title, graphs in sets.items():
            cells = cells_of(graphs, seeds)
            header += [f"F1, {title}", "false", "most in a family"]
            of_changes = cells[:, : len(CHANGES)]
            columns += [*of_changes.mean(axis=0).T, of_changes[:, :, 1].max(axis=0)]
            families += zip(map(_title, graphs), cells[:, shown])
        families.append(("empty", cells_of(["empty"], _NOISE * seeds)[0]))
    lines = [[name, *(f"{column[k]:.3f}" for column in columns)] for k, name in enumerate(CHANGES)]
    each = [[name, *map(_before_and_now, values.reshape(2, 2, 2))] for name, values in families]
    tables = {
        "structure": document.table(header, lines),
        "structure-families": document.table(["graph", "FDR 0.05", "balanced"], each),
    }
    for text in tables.values():
        print(text)
    document.publish("quality", made, tables)


def _title(graph: str | elsewhere.Case) -> str:
    return graph if isinstance(graph, str) else ", ".join(graph)


def _before_and_now(values: Array) -> str:
    return " → ".join(f"{score:.3f} ({false:.3f})" for score, false in values)
