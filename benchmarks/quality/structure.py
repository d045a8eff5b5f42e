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
- *no agreement*: it is not asked for, nor what few rows are asked;
- *hubs not spared*: of a hub and its leaf, few rows are asked what they are of any two;
- *ties counted*: of two ends with equally many neighbours the weaker test counts, and the two tests
  of a pair without an edge have a known correlation. So fewer pairs than a p-value says are
  expected to do as well, and p-values are multiplied by that share, those of agreement likewise.

*False edges counted* is no method: pairs in the order of p-values over priors as they are, cut
where the share of false ones, known, is last within 0.05. It bounds what more of the level gives.

*Edges known* is none, either: odds are learned from the true edges, by explained correlation,
surplus, degrees and common neighbours, and the graph is the largest with a share of 0.05 false. It
bounds what a better order of pairs by these would give. Two more are also shown the true *degrees*
of both nodes, or the true *communities* (of greatest modularity): how many pairs of the same two,
or in the same one, are joined.

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
from scipy import special
from sklearn.linear_model import LogisticRegression

from benchmarks import document, kept
from benchmarks.quality import cases, elsewhere
from benchmarks.quality.ablation import learned
from hedgerow import HedgeGraph
from hedgerow.datasets import Model
from hedgerow.method.company import Company, company_of, explained_groups, explained_parts
from hedgerow.method.edges import adjusted, debiased, given_ends, given_fewer
from hedgerow.method.groups import merged_labels, smallest_group
from hedgerow.method.levels import agreement_margins, agreement_scores, asks_both, stays_asked
from hedgerow.method.multiplicity import benjamini_hochberg, group_priors, null_shares
from hedgerow.method.neighbours import Refit, refit
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
    tied: Array  # correlation of the tests of two ends with equally many neighbours, or 1
    sizes: tuple[NDArray[np.intp], NDArray[np.intp]]  # chosen neighbours of both ends
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
    sizes = fitted.sizes[upper[0]], fitted.sizes[upper[1]]
    tied = np.where(sizes[0] == sizes[1], _correlation_of_ends(corr, fitted)[upper], 1.0)
    company = degrees, shared, true_degrees, _joined_like(true, upper)
    own = z, both, witness, known, tied, sizes
    return Pairs(*own, explained, *company, true[upper], n_columns, n_rows)


def _correlation_of_ends(corr: Array, fitted: Refit) -> Array:
    """Return the correlation of the two tests of each pair if it is no edge.

    By Isserlis's theorem it is the square root of v_i v_j / (v_i|j v_j|i), where v_i is what the
    neighbours of i leave of i, and v_j|i what they leave of j.
    """
    left = np.empty_like(corr)
    for node in range(len(corr)):
        own = slice(*fitted.coefficients.indptr[node : node + 2])
        chosen = fitted.coefficients.indices[own]
        inverse = np.linalg.inv(corr[np.ix_(chosen, chosen)])
        left[node] = 1.0 - np.einsum("ij,ik,kj->j", corr[chosen], inverse, corr[chosen])
        left[node, chosen] = 1.0 / np.diag(inverse)
        again = np.zeros(len(corr))  # what a chosen one, left out, leaves of the node
        again[chosen] = fitted.coefficients.data[own] ** 2 / np.diag(inverse)
        left[node] = (fitted.residual[node] + again) / np.maximum(left[node], 1e-8)
    return np.sqrt(np.clip(left * left.T, 0.0, 1.0))


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


def by_all(known: Pairs) -> Array:
    asked = known.z, known.witness, known.n_columns
    return pair_priors(*asked, count_nulls_only=True, company=known.company)


def ties_counted(known: Pairs, weighed: Array, priors: Array) -> Array:
    """Return p-values over priors, times the share of nulls that do as well as they say."""
    at = np.geomspace(1e-9, 1.0, 100)
    p_values = np.minimum(np.multiply.outer(at, priors), 1.0)
    z = np.maximum(-special.ndtri(p_values / 2), 1e-9)
    slope = np.sqrt((1 - known.tied) / (1 + known.tied))
    tails = special.owens_t(z, slope) + special.owens_t(z, 1 / np.maximum(slope, 1e-9))
    both = np.where(known.tied < 1, np.clip(2 * p_values - 4 * tails, 0.0, 1.0), p_values)
    share = both.sum(axis=1) / p_values.sum(axis=1)
    return weighed * np.interp(np.log(np.maximum(weighed, 1e-300)), np.log(at), share)


def levels(known: Pairs, priors_of: PriorsOf, agreement: str, *, ties: bool = False) -> Array:
    """Return the smallest level at which each pair is an edge."""
    priors = priors_of(known)
    margins = agreement_margins(known.n_columns, known.n_rows, FDR)
    scores = [known.z]
    if agreement != "none" and asks_both(known.n_columns, known.n_rows, FDR):
        scores.append(known.both)
    stays = stays_asked(*known.sizes, FDR)
    result = np.zeros_like(known.z)
    for number, z in enumerate(scores):
        asked = [(two_sided(z), priors)]
        if agreement != "none":
            weight = priors if agreement == "weighted" else np.ones_like(priors)
            asked.append((two_sided(agreement_scores(z, known.witness, margins)), weight))
        for p_values, weight in asked:
            weighed = np.minimum(p_values / weight, 1.0)
            if ties and not number:
                weighed = ties_counted(known, weighed, weight)
            larger = np.maximum(result, benjamini_hochberg(weighed))
            result = larger if not number else np.where(stays, larger, result)
    return result


def in_company(known: Pairs, company: Company | None, *, spared: bool = True) -> Array:
    asked = known.n_columns, known.n_rows, FDR
    result = adjusted(known.z, known.witness, *asked, company)
    if asks_both(*asked):
        larger = np.maximum(result, adjusted(known.both, known.witness, *asked, company))
        result = np.where(stays_asked(*known.sizes, FDR), larger, result) if spared else larger
    return result


def edges_known(known: Pairs, *more: str) -> Array:
    """Return 0 for pairs of the largest graph with so few false edges, by the order of odds."""
    size = np.minimum(np.abs(known.z), 8.0)
    surplus = np.clip(np.sign(known.z) * known.witness - size, -6.0, 6.0)
    features = _features(known, known.degrees, known.shared, *(getattr(known, m) for m in more))
    return _largest(known, -_odds(np.column_stack([features, size, size**2, surplus]), known.true))


def false_edges_counted(known: Pairs) -> Array:
    """Return 0 for pairs of the largest graph with so few false edges, by our own order."""
    return _largest(known, two_sided(known.z) / by_all(known))


def _largest(known: Pairs, by: Array) -> Array:
    order = np.argsort(by, kind="stable")
    number = np.arange(1, len(order) + 1)
    false = number - np.cumsum(known.true[order])
    most = np.flatnonzero(false <= LEVEL * number)
    result = np.ones_like(known.z)
    result[order[: most[-1] + 1 if len(most) else 0]] = 0.0
    return result


CHANGES = {
    "surplus": lambda known: in_company(known, None, spared=False),
    "surplus, weighted agreement": partial(levels, priors_of=by_surplus, agreement="weighted"),
    "explained correlation": partial(levels, priors_of=by_explained, agreement="asked"),
    "..., weighted agreement": partial(levels, priors_of=by_explained, agreement="weighted"),
    "learned odds, weighted agreement": partial(levels, priors_of=by_learned, agreement="weighted"),
    "as it is": lambda known: in_company(known, known.company),
    "..., hubs not spared": lambda known: in_company(known, known.company, spared=False),
    "..., ties counted": partial(levels, priors_of=by_all, agreement="weighted", ties=True),
    "..., ties counted, no agreement": partial(
        levels, priors_of=by_all, agreement="none", ties=True
    ),
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
    "false edges counted": false_edges_counted,
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
