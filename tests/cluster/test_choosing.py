"""Neighbours chosen by strips of columns, beside those chosen by who has all columns."""

import numpy as np
import pytest

from hedgerow.datasets import make
from hedgerow.engines.dask import choosing
from hedgerow.engines.dask.choosing import Rule
from hedgerow.engines.numba_cpu._select import no_neighbours, select_nodes
from hedgerow.engines.numba_cpu.strips import score_polynomials
from hedgerow.method.company import ends_of_bins
from hedgerow.method.neighbours import NO_HUBS, step_thresholds


def rule_of(rows, hubs):
    n_rows, n_columns = rows.shape
    centred = rows - rows.mean(axis=0)
    products = np.tril(centred.T @ centred)
    products += np.tril(products, -1).T
    squares = np.diag(products).copy()
    thresholds = step_thresholds(n_columns, n_rows)
    curves = score_polynomials(n_rows, len(thresholds))
    per_scale = 1 / np.sqrt(squares)
    known = float(n_rows), thresholds, hubs, curves, ends_of_bins(n_rows)
    return products, Rule(per_scale, squares, *known)


def on_one_machine(products, rule):
    n_columns, most = len(products), len(rule.thresholds)
    found = no_neighbours(n_columns, most)
    scores, codes = (np.empty((n_columns, n_columns), kind) for kind in (np.float32, np.int8))
    known = rule.per_scale, rule.n_rows, rule.thresholds, rule.hubs, rule.curves, rule.ends
    select_nodes(0, n_columns, products, *known, found, scores, codes)
    return found, scores, codes


def by_strips(products, rule, ends):
    strips = list(zip([0, *ends], ends))
    looking, closed = choosing._nobody(len(products)), []
    while len(looking.nodes) and looking.chosen.shape[1] < len(rule.thresholds):
        found = [choosing._candidates(products[a:b], (a, b), looking, rule) for a, b in strips]
        middle = len(found) // 2  # candidates are compared in several places
        some = [choosing._strongest(part) for part in (found[:middle], found[middle:]) if part]
        groups, looking = choosing._decided(looking, some, rule)
        closed.append(groups)
    closed.append([looking] if len(looking.nodes) else [])
    found = choosing._found(closed, rule)
    scores = [choosing._scores(products[a:b], (a, b), closed, found, rule) for a, b in strips]
    return found, *(np.concatenate(some, axis=1) for some in zip(*scores))


@pytest.mark.parametrize("ends", [[211], [192, 211], [1, 130, 131, 200, 211]])
@pytest.mark.parametrize(
    ("family", "n_rows", "hubs"),
    [
        ("random_tree", 600, NO_HUBS),
        ("random_tree", 60, NO_HUBS),
        ("brownian_path", 300, np.array([77, 3, 200])),  # variables that explain each other
        ("hubs", 200, np.array([5, 6])),
        ("hubs", 12, np.array([0, 1, 2, 3])),  # as many as there can be
    ],
)
def test_strips_choose_what_one_machine_chooses(family, n_rows, hubs, ends):
    rows = make(family, 211, seed=0).sample(n_rows, seed=1)
    products, rule = rule_of(rows, hubs)
    here, there = on_one_machine(products, rule), by_strips(products, rule, ends)
    assert here[0].sizes.max() >= 2
    for one, other in zip(here[1:], there[1:], strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(here[0], there[0]):
        room = here[0].sizes.max() if one.ndim == 2 else None
        np.testing.assert_array_equal(one[..., :room], other)
