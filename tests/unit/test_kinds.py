"""Kinds of columns: found, told, said, kept; and what is refused."""

import numpy as np
import pytest
from scipy import special

from hedgerow import HedgeGraph
from hedgerow.datasets import make
from hedgerow.estimators import DataWarning
from hedgerow.method.counting import are_counts
from hedgerow.method.kinds import kinds_of
from hedgerow.method.ordered import in_order

RNG = np.random.default_rng(2)
Z = RNG.standard_normal((900, 6))
for j in range(1, 6):
    Z[:, j] += 0.8 * Z[:, j - 1]
Z /= Z.std(axis=0)
FOUND = ["continuous", "yes/no", "steps", "counts", "zeros", "continuous"]
ROWS = np.column_stack(
    [
        np.exp(Z[:, 0]),
        Z[:, 1] > 0.5,
        1 + np.searchsorted(special.ndtri([0.2, 0.4, 0.7, 0.9]), Z[:, 2]),
        RNG.poisson(np.exp(1 + 0.8 * Z[:, 3])),
        np.maximum(Z[:, 4], 0.0),
        np.round(20 * Z[:, 5]),
    ]
)


def test_kinds_are_found_and_said():
    graph = HedgeGraph().fit(ROWS)
    assert graph.column_kinds_.tolist() == FOUND
    said = graph.summary()
    assert (
        "1 column of steps (Likert items and the like), 1 of yes or no, 1 of counts, 1 with many "
        "equal values: edges are between the normal variables behind them."
    ) in said
    edges = {(edge.source, edge.target) for edge in graph.edges_}
    assert edges == {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)}
    assert graph.treatment_.to_dict(range(6))["kinds"]["2"] == "steps"


def test_kinds_are_told():
    graph = HedgeGraph(columns={2: "continuous", 3: "steps", 0: "as is"}).fit(ROWS)
    assert graph.column_kinds_.tolist() == ["as is", "yes/no", "continuous", "steps", *FOUND[4:]]


@pytest.mark.parametrize(
    ("centre", "spread"), [(50, 10), (30, 6), (120, 18), (75, 12), (100, 15), (500, 80)]
)
def test_measurements_in_whole_numbers_are_no_counts(centre, spread):
    # Ages, body mass, pressures, weights, scores, milliseconds: none of them comes down to zero.
    rows = np.round(centre + spread * Z[:, [0, 2, 4, 5]])
    assert rows.min() > 0
    rounded, exact = HedgeGraph().fit(rows), HedgeGraph().fit(Z[:, [0, 2, 4, 5]])
    assert set(rounded.column_kinds_) == {"continuous"}
    assert rounded.partial_corr_ == pytest.approx(exact.partial_corr_, abs=0.03)


def test_counts_that_never_come_down_to_zero_can_be_told():
    counts = RNG.poisson(np.exp(3.5 + 0.3 * Z[:, :3]))
    assert counts.min() > 0
    assert set(HedgeGraph().fit(counts).column_kinds_) == {"continuous"}
    told = dict.fromkeys(range(3), "counts")
    assert set(HedgeGraph(columns=told).fit(counts).column_kinds_) == {"counts"}


def test_partial_correlations_are_of_what_lies_behind():
    z = np.random.default_rng(4).multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], 20_000)
    answers = np.column_stack([z > 0, np.zeros(len(z))])[:, :2]
    answers[:, 1] = z[:, 1] > 1
    behind = HedgeGraph(rows="independent").fit(answers)
    codes = HedgeGraph(rows="independent", columns="normal").fit(answers)
    assert behind.edges_.partial_corr[0] == pytest.approx(0.7, abs=0.03)
    assert codes.edges_.partial_corr[0] < 0.45
    assert behind.covariance_[0, 1] / np.sqrt(
        behind.covariance_[0, 0] * behind.covariance_[1, 1]
    ) == pytest.approx(0.7, abs=0.03)


@pytest.mark.parametrize("n_rows", [300, 900])
def test_any_cut_of_the_rows_gives_the_same_graph(n_rows):
    whole = HedgeGraph().fit(ROWS[:n_rows])
    pieces = HedgeGraph()
    for part in np.split(ROWS[:n_rows], [7, 250, 290]):
        pieces.partial_fit(part)
    assert whole.column_kinds_.tolist() == pieces.column_kinds_.tolist()
    assert np.array_equal(whole.edges_.z, pieces.edges_.z)
    assert np.array_equal(whole.edges_.partial_corr, pieces.edges_.partial_corr)


@pytest.mark.parametrize("n_rows", [300, 900])
@pytest.mark.parametrize("names", [None, list("abcdef")])
def test_kinds_survive_a_file(tmp_path, n_rows, names):
    told = {2 if names is None else "c": "continuous"}
    model = HedgeGraph(columns=told).partial_fit(ROWS[:n_rows], feature_names=names)
    model.save(tmp_path / "model.hedgerow")
    loaded = HedgeGraph.load(tmp_path / "model.hedgerow")
    assert loaded.columns == told
    assert loaded.column_kinds_.tolist() == model.column_kinds_.tolist()
    assert np.array_equal(loaded.edges_.z, model.edges_.z)


def test_the_processor_without_compiled_code_finds_the_same():
    fast, readable = HedgeGraph().fit(ROWS), HedgeGraph(device="numpy").fit(ROWS)
    assert readable.edges_.z == pytest.approx(fast.edges_.z, abs=1e-3)


def test_booleans_are_yes_or_no():
    graph = HedgeGraph().fit(Z[:, :3] > 0)
    assert graph.column_kinds_.tolist() == ["yes/no"] * 3


def test_columns_too_much_alike_behind_their_steps_are_named():
    z = np.random.default_rng(1).standard_normal((400, 4))
    z[:, 1] = z[:, 0] + 0.01 * z[:, 1]
    with pytest.warns(DataWarning, match="too much alike to be told apart.*0 and 1"):
        HedgeGraph().fit((z > 0).astype(float))


@pytest.mark.parametrize("kind", ["ordinal", 3, None])
def test_other_kinds_are_refused(kind):
    with pytest.raises(ValueError, match=r"columns\[0\] must be one of 'continuous', 'steps'"):
        HedgeGraph(columns={0: kind}).fit(ROWS)


def test_kinds_of_columns_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="columns must name columns of X, got 'q'"):
        HedgeGraph(columns={"q": "steps"}).fit(ROWS)


def test_kinds_must_not_change_after_the_first_row():
    graph = HedgeGraph().partial_fit(ROWS[:100])
    graph.set_params(columns={0: "steps"})
    with pytest.raises(ValueError, match="columns must not change after the first row"):
        graph.partial_fit(ROWS[100:])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.tile([0, 1, 2, 3, 4], 100), "steps"),  # all alike often: not what counts look like
        (np.arange(500) % 90 + 18, "continuous"),  # ages
        (np.r_[np.zeros(499), 1], "yes/no"),
        (np.r_[np.arange(1, 400), np.full(101, -99)], "zeros"),
    ],
)
def test_odd_columns(values, kind):
    assert kinds_of(in_order(values[:, None]), np.array([False])).tolist() == [kind]


def test_one_column_of_a_kind_is_said_in_the_singular():
    said = HedgeGraph().fit(ROWS[:, [0, 1, 5]]).summary()
    assert "1 column of yes or no: its edges are those of the normal variable behind it." in said


@pytest.mark.parametrize(
    ("column", "kind", "rule"),
    [
        (5, "counts", r"columns\[5\] must have whole numbers from 0 on to be 'counts', got -"),
        (0, "counts", r"columns\[0\] must have whole numbers from 0 on to be 'counts', got "),
        (2, "yes/no", r"columns\[2\] must have two values to be 'yes/no', got 1, 2, 3, 4, 5$"),
    ],
)
def test_a_kind_that_cannot_be_is_refused(column, kind, rule):
    model = HedgeGraph(columns={column: kind})
    with pytest.raises(ValueError, match=rule):
        model.fit(ROWS)
    with pytest.raises(ValueError, match=rule):
        HedgeGraph(columns={column: kind}).partial_fit(ROWS[:100])


def test_missing_cells_speak_against_no_kind():
    rows = ROWS[:, :4].copy()
    rows[::7, 1] = rows[3::11, 3] = np.nan
    graph = HedgeGraph(columns={1: "yes/no", 3: "counts"}).fit(rows)
    assert graph.column_kinds_.tolist() == FOUND[:4]


def test_a_step_with_one_member_is_a_step():
    rows = ROWS[:, :3].copy()
    rows[7, 2] = 6.0
    graph = HedgeGraph().fit(rows)
    assert graph.column_kinds_.tolist() == FOUND[:3]
    assert {(0, 1), (1, 2)} == {(edge.source, edge.target) for edge in graph.edges_}


@pytest.mark.parametrize("n_rows", [300, 900])
@pytest.mark.filterwarnings("ignore:constant columns")
def test_a_column_of_one_value_and_gaps_is_an_isolated_node(n_rows):
    rows = ROWS[:n_rows, :4].copy()
    rows[:, 3] = np.where(np.arange(n_rows) % 3, 2.0, np.nan)
    graph = HedgeGraph().fit(rows)
    assert graph.column_kinds_.tolist() == [*FOUND[:3], "continuous"]
    assert 3 not in {*graph.edges_.source, *graph.edges_.target}


@pytest.mark.parametrize("n_rows", [200, 300, 500])
def test_answers_from_zero_to_three_are_steps_and_no_counts(n_rows):
    """Scales of symptoms: few have many, and columns look like counts of small rates."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        latent = rng.standard_normal((n_rows, 12)) + rng.standard_normal((n_rows, 1))
        never = rng.uniform(0.35, 0.75, 12)
        some = np.array([np.full(12, 0.0), np.full(12, 0.55), np.full(12, 0.82)])
        below = special.ndtri(never + (1 - never) * some) * 2**0.5
        answers = (latent[:, None] > below).sum(axis=1).astype(float)
        kinds = HedgeGraph().partial_fit(answers).column_kinds_
        assert (kinds == "steps").all(), seed


@pytest.mark.parametrize(("rate", "spread"), [(3.0, 0.8), (0.7, 0.8), (0.3, 1.2), (1.0, 0.4)])
def test_counts_that_end_where_others_do_are_counts(rate, spread):
    """Of a hundred columns of counts about one is taken for steps, by its own distribution."""
    rng = np.random.default_rng(0)
    rows = rng.poisson(rate * np.exp(spread * rng.standard_normal((512, 400)))).astype(float)
    first = in_order(rows)
    alone = [are_counts(first.of_column(j)) for j in range(400)]
    together = kinds_of(first, np.zeros(400, dtype=np.bool_)) == "counts"
    assert np.mean(alone) > 0.9
    assert np.mean(together) > np.mean(alone) - 0.02


def test_counts_that_were_cut_off_are_steps():
    rng = np.random.default_rng(1)
    counts = rng.poisson(2.0 * np.exp(0.5 * rng.standard_normal((512, 6)))).astype(float)
    kinds = kinds_of(in_order(np.minimum(counts, 4.0)), np.zeros(6, dtype=np.bool_))
    assert (kinds == "steps").all()


def readings(seed, unit, echo=0.9, family="random_tree"):
    """Rows of sensors that remember, read in units of so many standard deviations."""
    model = make(family, 20, seed=seed)
    rows = model.sample(1500, seed=seed) / np.sqrt(np.diag(model.covariance()))
    fresh = np.sqrt(1.0 - echo**2) * rows
    for t in range(1, len(rows)):
        fresh[t] += echo * fresh[t - 1]
    return model, np.round(fresh / unit)


@pytest.mark.parametrize("unit", [0.25, 1 / 3])
def test_fine_readings_that_remember_are_continuous(unit):
    model, rows = readings(0, unit)
    graph = HedgeGraph().fit(rows)
    assert (graph.column_kinds_ == "continuous").all()
    assert graph.treatment_.foretold > 0.5
    found = graph.adjacency_.toarray()
    true = model.adjacency.toarray() != 0
    assert (found & true).sum() > 0.8 * true.sum()


def test_fine_readings_of_independent_rows_are_steps():
    _, rows = readings(1, 1 / 3, echo=0.0)
    assert (HedgeGraph().partial_fit(rows).column_kinds_ == "steps").all()


def test_coarse_readings_are_steps_where_others_tell_most_of_them():
    _, rows = readings(2, 1 / 2, family="free_field")
    assert (HedgeGraph().partial_fit(rows).column_kinds_ == "steps").all()


def test_fine_steps_that_are_told_are_steps():
    _, rows = readings(3, 1 / 3)
    kinds = HedgeGraph(columns={4: "steps"}).partial_fit(rows).column_kinds_
    assert (kinds == "steps").all()
