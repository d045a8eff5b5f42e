"""Columns held fixed: what is taken out of rows, what is left, and what is refused."""

import copy
import warnings

import numpy as np
import polars as pl
import pytest
from scipy import special
from sklearn.datasets import load_iris

from benchmarks.kept import read
from hedgerow import HedgeGraph, difference
from hedgerow.base.storage import StorageError
from hedgerow.datasets import make
from hedgerow.engines import numba_cpu
from hedgerow.estimators import DataWarning, GuaranteeWarning
from hedgerow.estimators._treatment import SLIPPED
from hedgerow.method import given

BATCHES = np.array(["north", "south", "east", "west", "centre"])
N_ROWS, N_COLUMNS = 400, 8
NAMES = [f"x{j}" for j in range(N_COLUMNS)]


@pytest.fixture(scope="module")
def acted_on():
    """Rows of a chain, the same with what batches and age do to them, and these two."""
    rng = np.random.default_rng(0)
    rows = make("chain", N_COLUMNS, strength=0.4, seed=0).sample(N_ROWS, seed=1)
    rows /= rows.std(axis=0)
    batch, age = rng.integers(0, 5, N_ROWS), rng.normal(50, 15, N_ROWS)
    effects = rng.standard_normal((5, N_COLUMNS))[batch]
    effects += (age[:, None] - 50) / 15 * rng.standard_normal(N_COLUMNS)
    return rows, rows + effects, batch, age


@pytest.fixture(scope="module")
def table(acted_on):
    _, rows, batch, age = acted_on
    frame = pl.DataFrame(rows, schema=NAMES, orient="row")
    return frame.with_columns(age=age, batch=pl.Series(BATCHES[batch])).select(
        "age", *NAMES, "batch"
    )


def pairs(graph):
    return sorted((edge.source, edge.target) for edge in graph.edges_)


def design_of(batch, age):
    return np.column_stack([np.ones(len(age)), age - age[0], *(batch == b for b in range(1, 5))])


@pytest.mark.parametrize("engine", [given, numba_cpu])
@pytest.mark.parametrize("share", [0.0, 0.2])
def test_sums_of_products_are_those_of_residuals(acted_on, engine, share):
    _, rows, batch, age = acted_on
    gone = np.random.default_rng(1).random(rows.shape) < share
    design, rows = design_of(batch, age), np.where(gone, np.nan, rows)
    contrasts, held = engine.without_given(rows, design, given.nothing_held(6, N_COLUMNS))
    found = given.coefficients(held)
    for j in range(N_COLUMNS):
        here = ~gone[:, j]
        wanted, squares, *_ = np.linalg.lstsq(design[here], rows[here, j])
        np.testing.assert_allclose(np.nansum(contrasts[:, j] ** 2), squares[0], rtol=1e-10)
        np.testing.assert_allclose(found[1:, j], wanted[1:], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(given.means(held), np.nanmean(rows, axis=0), rtol=1e-10)
    assert (np.isnan(contrasts).sum(axis=0) == 6 + gone.sum(axis=0)).all()
    if not share:
        residuals = rows - design @ np.linalg.lstsq(design, rows)[0]
        products = np.nan_to_num(contrasts).T @ np.nan_to_num(contrasts)
        np.testing.assert_allclose(products, residuals.T @ residuals, atol=1e-10)


@pytest.mark.parametrize(("half_life", "most"), [(np.inf, np.inf), (50.0, np.inf), (np.inf, 1.1)])
@pytest.mark.parametrize("share", [0.0, 0.2])
def test_compiled_does_what_the_readable_does(acted_on, half_life, most, share):
    _, rows, batch, age = acted_on
    rows = np.where(np.random.default_rng(1).random(rows.shape) < share, np.nan, rows)
    design, nothing = design_of(batch, age), given.nothing_held(6, N_COLUMNS)
    readable, known = given.without_given(rows, design, nothing, half_life, most)
    compiled, held = numba_cpu.without_given(rows, design, nothing, half_life, most)
    np.testing.assert_allclose(compiled, readable, atol=1e-10)
    for one, other in zip(held, known):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-8)


def test_contrasts_of_normal_rows_are_independent_and_of_one_variance():
    """Each has the variance of a row, and no two are related: over many tables of a few rows."""
    rng = np.random.default_rng(3)
    design = np.column_stack([np.ones(12), rng.standard_normal(12), np.arange(12) % 3 == 1])
    rows = rng.standard_normal((12, 20_000))
    contrasts, _ = given.without_given(rows, design, given.nothing_held(3, 20_000))
    left = contrasts[~np.isnan(contrasts).all(axis=1)]
    assert len(left) == 9
    np.testing.assert_allclose(left @ left.T / 20_000, np.eye(9), atol=6 / np.sqrt(20_000))


def test_a_large_row_decides_nothing(acted_on):
    """Rows to come are the same, but for little, whether one is a hundred times as large or not."""
    _, rows, batch, age = acted_on
    design, wrong = design_of(batch, age), rows.copy()
    wrong[100] *= 100.0
    nothing = given.nothing_held(6, N_COLUMNS)
    right, _ = numba_cpu.without_given(rows, design, nothing)
    moved = {
        most: np.abs(numba_cpu.without_given(wrong, design, nothing, most=most)[0] - right)[101:]
        for most in (np.inf, given.LARGE)
    }
    assert np.median(moved[given.LARGE]) < 0.05
    assert np.median(moved[np.inf]) > 10 * np.median(moved[given.LARGE])


def test_effects_make_no_edges_once_they_are_given(acted_on, table):
    rows, *_ = acted_on
    unharmed = HedgeGraph().fit(pl.DataFrame(rows, schema=NAMES, orient="row"))
    graph = HedgeGraph(given=["age", "batch"]).fit(table)
    assert pairs(graph) == pairs(unharmed)
    alone = HedgeGraph().fit(table.select(NAMES))
    assert len(set(pairs(alone)) - set(pairs(unharmed))) > 0.3 * len(pairs(alone))


def test_given_columns_are_no_part_of_the_graph(acted_on, table):
    graph = HedgeGraph(given=["age", "batch"]).fit(table)
    assert graph.feature_names_in_.tolist() == NAMES
    assert graph.n_features_in_ == N_COLUMNS
    assert graph.adjacency_.shape == (N_COLUMNS, N_COLUMNS)
    with pytest.raises(ValueError, match="source must be a column, got 'age'"):
        graph.explain("age", "x0")
    plain = HedgeGraph(given=["age", "batch"], columns="normal").fit(table)
    np.testing.assert_allclose(plain.location_, acted_on[1].mean(axis=0), rtol=1e-10)


def test_what_was_held_fixed_is_told(table):
    graph = HedgeGraph(given=["age", "batch"]).fit(table)
    held = graph.treatment_.given
    assert held.columns == {"age": 0, "batch": 5}
    assert held.cost == 6
    assert graph.n_samples_seen_ == N_ROWS
    assert graph.n_samples_effective_ <= N_ROWS - 6
    told = "Held fixed: age, batch (5 levels); "
    assert graph.summary().splitlines()[1].startswith(told)
    assert "at the cost of 6 rows." in graph.summary()
    assert "given=['age', 'batch']" in repr(graph)
    assert told in graph._repr_html_()
    assert graph.treatment_.to_dict(NAMES)["given"]["columns"] == {"age": 0, "batch": 5}


def test_no_cut_of_the_rows_changes_anything(table):
    gone = np.random.default_rng(5).random((3 * N_ROWS, N_COLUMNS)) < 0.05
    table = pl.concat([table] * 3).with_columns(
        pl.when(pl.Series(~gone[:, j])).then(pl.col(name)) for j, name in enumerate(NAMES)
    )
    whole = HedgeGraph(given=["age", "batch"]).fit(table)
    pieces = HedgeGraph(given=["age", "batch"])
    for start, stop in ((0, 1), (1, 7), (7, 500), (500, 520), (520, 1200)):
        pieces.partial_fit(table[start:stop])
    for name, array in whole.parts()[1].items():
        np.testing.assert_array_equal(pieces.parts()[1][name], array, err_msg=name)
    assert pieces.parts()[0] == whole.parts()[0]


@pytest.mark.parametrize("rows", [100, N_ROWS, 700])
def test_a_saved_model_goes_on(table, tmp_path, rows):
    table = pl.concat([table, table])
    graph = HedgeGraph(given={"age": "numbers", "batch": "categories"}).fit(table[:rows])
    graph.save(tmp_path / "m")
    loaded = HedgeGraph.load(tmp_path / "m")
    for model in (graph, copy.copy(graph), loaded):
        model.partial_fit(table[rows:])
    assert str(loaded.edges_) == str(graph.edges_)
    assert loaded.treatment_.given.columns == {"age": 0, "batch": 5}
    assert loaded.score(table) == graph.score(table)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h, a: h["given"]["owners"].append(7), "owners"),
        (lambda h, a: h["given"]["levels"][1].pop(), "owners must be those of levels"),
        (lambda h, a: h.pop("given"), "its header must have 'given'"),
        (lambda h, a: h["given"].update(spent=1000), "rows and spent"),
        (lambda h, a: h["given"].update(places=[0, 50]), "places must be columns"),
        (lambda h, a: a.pop("given_left"), "it must have the array 'given_left'"),
        (lambda h, a: a.update(given_left=-a["given_left"]), "must not be negative"),
        (lambda h, a: a.update(given_left=a["given_left"] * 2), "left must be the squares"),
        (lambda h, a: a.update(given_triangle=np.array(1.0)), "must be of 3 dimensions"),
        (lambda h, a: a.update(given_early=np.zeros((3, 8))), "early must have the first rows"),
        (lambda h, a: h["given"].update(ways=["numbers", "none"]), "ways must be among"),
        (lambda h, a: a.update(given_triangle=a["given_triangle"] + 1), "triangle must be one"),
        (lambda h, a: a.update(given_shadows=a["given_shadows"] * np.nan), "must be finite"),
    ],
)
def test_a_file_that_no_model_wrote(table, change, message):
    header, arrays = copy.deepcopy(HedgeGraph(given=["age", "batch"]).fit(table).parts())
    change(header, arrays)
    with pytest.raises(StorageError, match=message):
        HedgeGraph.from_parts(header, arrays)


def test_arrays_go_by_numbers(acted_on, table):
    _, rows, batch, age = acted_on
    columns = np.column_stack([age, rows, batch])
    graph = HedgeGraph(given={0: "numbers", N_COLUMNS + 1: "categories"}).fit(columns)
    named = HedgeGraph(given=["age", "batch"]).fit(table)
    assert pairs(graph) == [(int(a[1:]) + 1, int(b[1:]) + 1) for a, b in pairs(named)]
    lists = [[*row, BATCHES[b]] for row, b in zip(columns[:, :-1].tolist(), batch)]
    assert pairs(HedgeGraph(given=[0, N_COLUMNS + 1]).fit(lists)) == pairs(graph)
    told = HedgeGraph(given=["age"]).partial_fit(columns, feature_names=["age", *NAMES, "batch"])
    assert "batch" in told.feature_names_in_
    told.partial_fit(columns)  # names are known
    assert told.n_samples_seen_ == 2 * N_ROWS


def test_the_likelihood_of_rows_is_given_theirs(table):
    graph = HedgeGraph(given=["age", "batch"], rows="independent", columns="normal").fit(table)
    assert graph.mahalanobis(table).mean() == pytest.approx(N_COLUMNS, rel=0.05)
    with pytest.raises(ValueError, match=r"'batch' must have levels that were learned from"):
        graph.score(table.with_columns(batch=pl.lit("elsewhere")))


def test_rows_without_a_given_value_are_left_out(table):
    holes = table.with_columns(
        batch=pl.when(pl.int_range(pl.len()) > 9).then(pl.col("batch")),
        age=pl.when(pl.int_range(pl.len()) < 390).then(pl.col("age")),
    )
    with pytest.warns(DataWarning, match="20 of 400 rows have no value in a given column"):
        graph = HedgeGraph(given=["age", "batch"]).fit(holes)
    assert graph.n_samples_seen_ == 380
    assert str(graph.edges_) == str(HedgeGraph(given=["age", "batch"]).fit(table[10:390]).edges_)


def test_effects_that_multiply_are_noticed(acted_on, table):
    amounts = table.with_columns(pl.col(NAMES).exp())
    with pytest.warns(GuaranteeWarning, match="change the spread of others.*'x1'"):
        HedgeGraph(given=["age", "batch"]).fit(amounts)
    assert HedgeGraph(given=["age", "batch"]).fit(table).treatment_.given.uneven == []


def test_few_rows_that_are_far_from_normal_are_told_what_their_effects_cost(table):
    few = table[:100].with_columns(pl.col(NAMES).pow(3))
    told = r"with 100 rows 1\d% of what given columns leave of others is errors of their effects"
    with pytest.warns(GuaranteeWarning, match=told):
        HedgeGraph(given=["age", "batch"]).fit(few)
    for kept, names in ((table[:100], ["age", "batch"]), (table.drop("batch"), ["age"])):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            HedgeGraph(given=names).fit(kept)
        assert not any("errors of their effects" in str(each.message) for each in caught)


def test_skewed_columns_are_told_with_more_rows_than_others():
    """Most of their rows lie close together, and small errors of effects change their order."""
    rng = np.random.default_rng()
    normal, batch = rng.standard_normal((480, 8)), rng.integers(0, 6, (480, 1))
    for rows, said in ((np.exp(normal), True), (special.ndtr(normal), False)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            HedgeGraph(given={8: "categories"}).fit(np.column_stack([rows + batch, batch]))
        told = [str(each.message) for each in caught if "errors of their" in str(each.message)]
        assert bool(told) == said
        # 0.046 of the variance, and 3.5 times that in the middle of a lognormal column
        assert not said or ("with 480 rows 5% of" in told[0] and "for most rows" in told[0])


def test_warnings_of_effects_have_the_figures_of_the_record():
    table = read("groups")["given"].table
    for rows, figures in SLIPPED.items():
        given, *_ = table.cell("skewed columns (exp)", f"{rows} rows").replace("*", "").split(" / ")
        assert tuple(map(float, given.split(", ")[1:])) == figures


def test_steps_are_noticed(table):
    steps = table.with_columns(pl.col("x3").round().clip(-2, 2))
    with pytest.warns(GuaranteeWarning, match="taken for continuous.*: 'x3'"):
        graph = HedgeGraph(given=["age"], columns={"x3": "steps"}).fit(steps.drop("batch"))
    assert graph.treatment_.given.hidden == ["x3"]


def fitted(table, **parameters):
    return HedgeGraph(**parameters).fit(table)


@pytest.mark.parametrize(
    ("parameters", "change", "message"),
    [
        ({"given": ["agee"]}, {}, "given must name columns of X, got 'agee'"),
        ({"given": "age"}, {}, "given must be a list of names, or a dict"),
        ({"given": ["age", "age"]}, {}, "given must name each column once, got 'age' twice"),
        ({"given": {"age": "number"}}, {}, r"given\['age'\] must be one of 'numbers'"),
        ({"given": {"batch": "numbers"}}, {}, "'batch' must have numbers, got"),
        ({"given": ["age", "batch"]}, {"age": pl.lit(3.0)}, "must vary, .* in column 'age'"),
        ({"given": ["age", "batch"]}, {"batch": pl.lit("a")}, "'a' only in column 'batch'"),
        (
            {"given": ["age", "years", "batch"]},
            {"years": 2 * pl.col("age") + 1},
            "must not determine each other, but 'age' determine 'years'",
        ),
        (
            {"given": ["batch", "site"]},
            {"site": pl.col("batch").str.starts_with("n").cast(pl.String)},
            "must not determine each other, but 'batch' determine 'site'",
        ),
        (
            {"given": ["age", "batch"]},
            {"x5": pl.col("age") / 2 + (pl.col("batch") == "east")},
            "must not determine others, but 'age', 'batch' leave nothing of 'x5'",
        ),
        (
            {"given": ["batch"]},
            {"batch": (pl.int_range(pl.len()) // 3 * 2).cast(pl.String) + pl.col("batch")},
            r"at least half of the rows, and 5, got 400 rows and a cost of \d+, by column: 'batch'",
        ),
        ({"given": [*NAMES[:7], "age", "batch"]}, {}, "given must leave at least two columns"),
        ({"given": ["age", "batch"], "device": "dask"}, {}, "given needs rows on one machine"),
    ],
)
def test_what_cannot_be_held_fixed(table, parameters, change, message):
    columns = [column for column in ("site", "years") if column in change]
    table = table.with_columns(**change) if change else table
    unused = [c for c in ("age", "batch") if c not in parameters["given"]]
    table = table.drop([c for c in unused if c == "batch"])
    assert set(columns) <= set(table.columns)
    with pytest.raises(ValueError, match=message):
        fitted(table, **parameters)


def test_given_columns_stay_what_they_are(table):
    graph = HedgeGraph(given=["age"]).partial_fit(table.drop("batch"))
    with pytest.raises(ValueError, match="'age' must have numbers, got 'old'"):
        graph.partial_fit(table.drop("batch").with_columns(age=pl.lit("old")))
    with pytest.raises(ValueError, match="given must not change after the first row"):
        graph.set_params(given=["age", "x0"]).partial_fit(table.drop("batch"))


def test_differences_need_the_same_columns_held_fixed(table):
    table = table.drop("batch")
    one = HedgeGraph(given=["age"]).fit(table[:200])
    assert difference(one, HedgeGraph(given=["age"]).fit(table[200:])).columns_ == NAMES
    with pytest.raises(ValueError, match="first has 'age' given, and the second nothing"):
        difference(one, HedgeGraph().fit(table[200:].select(NAMES)))


def test_seasons_that_are_too_long_to_be_found_are_held_fixed():
    """A week of quarters of an hour, whose weekends have other levels: of unrelated columns."""
    when, left = np.arange(5000) % 672, 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        levels = 1.5 * rng.standard_normal(8) * (when[:, None] // 96 >= 5)
        rows = rng.standard_normal((5000, 8)) + levels
        names = [f"v{j}" for j in range(8)]
        table = pl.DataFrame(rows, schema=names).with_columns(when=pl.Series(when.astype(str)))
        left += len(HedgeGraph(error="fwer", given=["when"]).fit(table).edges_)
    assert left <= 2


def test_what_is_left_of_measurements_has_no_placeholders(tmp_path):
    """Of irises, the width of petals in tenths less that of their kind is zero again and again."""
    table = load_iris(as_frame=True).frame
    given = {"target": "categories"}
    model = HedgeGraph(given=given).fit(table)
    assert model.treatment_.placeholders == []
    HedgeGraph(given=given).partial_fit(table).save(tmp_path / "model.hedgerow")
    again = HedgeGraph.load(tmp_path / "model.hedgerow")
    assert again.treatment_.placeholders == []
    assert np.array_equal(again.partial_corr_, model.partial_corr_)
