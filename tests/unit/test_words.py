"""Text of two words is yes or no, ordered categories are steps, all others are left out."""

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph, stream
from hedgerow.cli import cli
from hedgerow.estimators import DataWarning
from hedgerow.io import DataError, open_table
from hedgerow.io.notation import Notation
from hedgerow.io.words import words_in
from hedgerow.stream import open_source
from hedgerow.stream._source import Schema

ROWS = 400
WALK = np.cumsum(np.random.default_rng(8).standard_normal((ROWS, 4)), axis=1)
ILL, SEX = WALK[:, 1] > 0, WALK[:, 2] > 1
FRAME = pl.DataFrame(
    {
        "a": WALK[:, 0],
        "ill": np.where(ILL, "Yes", "No"),
        "sex": np.where(SEX, "male", "female"),
        "region": np.array(["north", "south", "east"])[np.arange(ROWS) % 3],
        "who": [f"person {k}" for k in range(ROWS)],
        "z": WALK[:, 3],
    }
)
NUMBERS = np.column_stack([WALK[:, 0], ILL, SEX, WALK[:, 3]])
WORDS = {"ill": ("No", "Yes"), "sex": ("female", "male")}


def write_excel(frame, path):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for k, row in enumerate([frame.columns, *frame.rows()]):
            sheet.write_row(k, 0, row)


def write_spss(frame, path):
    pytest.importorskip("pyreadstat").write_sav(frame.to_pandas(), path)


def write_stata(frame, path):
    pytest.importorskip("pyreadstat").write_dta(frame.to_pandas(), path)


WRITERS = {
    "csv": pl.DataFrame.write_csv,
    "tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "ndjson": pl.DataFrame.write_ndjson,
    "parquet": pl.DataFrame.write_parquet,
    "arrow": pl.DataFrame.write_ipc,
    "xlsx": write_excel,
    "sav": write_spss,
    "dta": write_stata,
}


@pytest.fixture(params=WRITERS)
def write(request, tmp_path):
    def save(frame):
        path = tmp_path / f"table.{request.param}"
        WRITERS[request.param](frame, path)
        return path

    return save


def read(path, **options):
    with open_table(path, **options) as table:
        return table, np.concatenate(list(table))


def streamed(path, **options):
    source = open_source(path, **options)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        chunks = list(source.chunks())
    rows = [chunk.rows for chunk in chunks if chunk.rows.size]
    return source, np.concatenate(rows), [bad for chunk in chunks for bad in chunk.bad], told


def test_two_words_are_numbers_in_every_kind_of_file(write):
    table, rows = read(write(FRAME))
    assert table.words == WORDS
    assert table.left_out == {"categories without order": ["region"], "not numeric": ["who"]}
    np.testing.assert_allclose(rows, NUMBERS)


def test_streams_take_the_same(write):
    source, rows, bad, told = streamed(write(FRAME))
    assert source.schema.words == {name: [*words] for name, words in WORDS.items()}
    np.testing.assert_allclose(rows, NUMBERS)
    assert not bad
    assert any("Words stand for numbers: 'ill' ('No' 0, 'Yes' 1)" in str(w.message) for w in told)


def test_empty_cells_are_missing(write):
    gaps = FRAME.with_columns(
        ill=pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise("ill")
    ).drop("region", "who")
    _, rows = read(write(gaps), missing="drop")
    np.testing.assert_allclose(rows, NUMBERS[np.arange(ROWS) % 9 != 0])


LATE = FRAME.with_columns(
    ill=pl.when(pl.int_range(pl.len()) == 300).then(pl.lit("maybe")).otherwise("ill")
)


def test_a_third_word_anywhere_in_a_file_makes_categories(write):
    other = pl.when(pl.int_range(ROWS) == 300).then(pl.lit("other")).otherwise("sex")
    table, rows = read(write(FRAME.with_columns(sex=other)))
    assert table.words == {"ill": WORDS["ill"]}
    assert table.left_out["categories without order"] == ["sex", "region"]
    np.testing.assert_allclose(rows, NUMBERS[:, [0, 1, 3]])


def test_a_third_answer_later_in_a_stream_is_missing_and_told(write):
    _, rows, bad, told = streamed(write(LATE))
    missing = NUMBERS.copy()
    missing[300, 1] = np.nan
    np.testing.assert_allclose(rows, missing)
    assert not bad
    said = [str(warning.message) for warning in told]
    assert any("cells of text in 'ill' count as missing, as 'maybe' in" in each for each in said)


def test_all_words_that_are_none_in_a_row_are_missing(write):
    both = LATE.with_columns(
        sex=pl.when(pl.int_range(pl.len()) == 300).then(pl.lit("other")).otherwise("sex")
    )
    _, rows, _, told = streamed(write(both))
    missing = NUMBERS.copy()
    missing[300, 1:3] = np.nan
    np.testing.assert_allclose(rows, missing)
    said = " ".join(str(warning.message) for warning in told)
    assert "as 'maybe' in" in said
    assert "as 'other' in" in said


def test_a_third_word_later_on_stdin_is_missing_or_refused():
    text = LATE.write_csv()
    result = CliRunner().invoke(cli, ["learn", "-", "--missing", "error"], input=text)
    assert "stdin: line 302: column 'ill' must hold 'No' or 'Yes', got 'maybe'" in result.stderr
    result = CliRunner().invoke(cli, ["learn", "-"], input=text)
    assert result.exit_code == 0
    assert "cells of text count as missing: 'maybe' ('ill', line 302)" in result.output


def test_later_files_of_a_stream_keep_the_numbers_of_words(tmp_path):
    FRAME.write_csv(tmp_path / "1.csv")
    ill = FRAME.filter(pl.col("ill") == "Yes").with_columns(ill=pl.lit("YES"))
    ill.write_csv(tmp_path / "2.csv")
    ill.select(reversed(ill.columns)).write_parquet(tmp_path / "3.parquet")
    _, rows, bad, _ = streamed(tmp_path)
    assert not bad
    np.testing.assert_allclose(rows, np.concatenate([NUMBERS, NUMBERS[ILL], NUMBERS[ILL]]))


def test_a_stream_goes_on_with_the_words_it_began_with(tmp_path):
    path = tmp_path / "t.csv"
    FRAME[:200].write_csv(path)
    source = open_source(path)
    with pytest.warns(DataWarning):
        offset = [*source.chunks()][-1].offset
    FRAME.write_csv(path)
    schema = Schema(**json.loads(json.dumps(source.schema._asdict())))
    again = open_source(path)
    again.seek(offset, schema)
    np.testing.assert_allclose(np.concatenate([c.rows for c in again.chunks()]), NUMBERS[200:])


@pytest.mark.parametrize(
    ("pair", "order"),
    [
        (("yes", "no"), ("no", "yes")),
        (("Ja", "nein"), ("nein", "Ja")),
        (("oui", "non"), ("non", "oui")),
        (("Y", "N"), ("N", "Y")),
        (("T", "F"), ("F", "T")),
        (("TRUE", "FALSE"), ("FALSE", "TRUE")),
        (("present", "absent"), ("absent", "present")),
        (("male", "female"), ("female", "male")),
        (("treated", "control"), ("control", "treated")),
    ],
)
def test_the_word_that_affirms_is_one(pair, order):
    assert words_in([*pair] * 6, Notation()) == (None, order)


@pytest.mark.parametrize(
    ("cells", "flaw"),
    [
        (["x"] * 20, "not numeric"),
        (["yes", "no"] * 4, "not numeric"),  # too few to tell
        (["yes", "no", 3, 4] * 10, "not numeric"),
        (["y", "n", "3"] * 10, "not numeric"),
        ([f"name {k}" for k in range(20)], "not numeric"),
        (["red", "green", "blue"] * 10, "categories without order"),
        ([["yes"], ["no"]] * 10, "not numeric"),
    ],
)
def test_other_text_is_left_out(cells, flaw):
    words = tuple(sorted({*cells})) if flaw == "categories without order" else ()
    assert words_in(cells, Notation()) == (flaw, words)


@pytest.mark.parametrize("other", ["don't know", "-99", "k. A.", 7])
def test_what_is_no_answer_beside_yes_and_no_is_missing(tmp_path, other):
    assert words_in(["Ja", "nein", "Ja", "nein", other] * 4, Notation()) == (None, ("nein", "Ja"))
    some = np.arange(len(WALK)) % 5 == 0
    cells = np.where(some, str(other), np.where(ILL, "yes", "no"))
    FRAME.with_columns(ill=cells).write_csv(tmp_path / "t.csv")
    with pytest.warns(DataWarning, match=f"count as missing: .{other}. \\('ill', "):
        _, found = read(tmp_path / "t.csv")
    place = FRAME.columns.index("ill")
    np.testing.assert_array_equal(np.isnan(found[:, place]), some)
    np.testing.assert_array_equal(found[~some, place], NUMBERS[~some, place])


@pytest.mark.parametrize("every", [2, 3])
def test_a_third_answer_that_comes_often_is_one(tmp_path, every):
    cells = np.where(np.arange(ROWS) % every, np.where(ILL, "yes", "no"), "it depends")
    FRAME.with_columns(ill=cells).write_csv(tmp_path / "t.csv")
    assert open_table(tmp_path / "t.csv").left_out["categories without order"] == ["ill", "region"]
    later = np.where(np.arange(ROWS) < 150, np.where(ILL, "yes", "no"), "it depends")
    FRAME.with_columns(ill=later).write_csv(tmp_path / "t.csv")
    assert open_table(tmp_path / "t.csv").left_out["categories without order"] == ["ill", "region"]


def test_who_names_categories_is_told_why_not(tmp_path):
    FRAME.write_csv(tmp_path / "t.csv")
    with pytest.raises(DataError, match="'region' cannot be learned from: categories without"):
        open_table(tmp_path / "t.csv", columns=["a", "region"])


def test_words_name_no_samples_of_a_table_on_its_side(tmp_path):
    rows = [["gene", "kind", *(f"s{k}" for k in range(12))]]
    rows += [[f"g{k}", "yn"[k % 2], *map(str, WALK[:12, k % 4] + k)] for k in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(map(",".join, rows)))
    table, found = read(tmp_path / "t.csv", transpose=True)
    assert found.shape == (12, 12)
    assert table.left_out == {"no numbers": ["kind"]}


ORDER = ["never", "rarely", "often", "always"]
MOODS = np.array(ORDER)[np.searchsorted([-1, 0, 1], WALK[:, 1])]
CODES = np.searchsorted([-1, 0, 1], WALK[:, 1])


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_ordered_categories_are_steps_in_their_order(tmp_path, suffix):
    frame = FRAME.select("a", "z", "sex", mood=pl.Series(MOODS, dtype=pl.Enum(ORDER)))
    path = tmp_path / f"t.{suffix}"
    WRITERS[suffix](frame, path)
    table, rows = read(path)
    assert table.words["mood"] == tuple(ORDER)
    np.testing.assert_allclose(rows[:, 3], 1 + CODES)
    for command in ("learn", "stream"):
        result = CliRunner().invoke(cli, [command, str(path), "--json", "--as-is", "a"])
        assert result.exit_code == 0, result.output
        told = json.loads(result.stdout)["treatment"]
        assert told["kinds"] == {"a": "as is", "z": "continuous", "sex": "yes/no", "mood": "steps"}
        assert told["sentences"][0] == (
            "Words stand for numbers: 'sex' ('female' 0, 'male' 1), 'mood' ('never' 1 to "
            "'always' 4)."
        )


def test_the_command_says_which_word_is_one(tmp_path):
    FRAME.write_csv(tmp_path / "t.csv")
    result = CliRunner().invoke(cli, ["learn", str(tmp_path / "t.csv")])
    said = result.stdout.splitlines()
    assert "Words stand for numbers: 'ill' ('No' 0, 'Yes' 1), 'sex' ('female' 0, 'male' 1)." in said
    assert "Left out 1 column (categories without order): 'region'" in result.stderr
    model = HedgeGraph().fit(NUMBERS, feature_names=["a", "ill", "sex", "z"])
    assert f"{len(model.edges_)} edges" in said[1]


def test_a_run_learns_from_words(tmp_path):
    FRAME.write_csv(tmp_path / "t.csv")
    with pytest.warns(DataWarning, match="Words stand for numbers"):
        learned = stream.run(tmp_path / "t.csv")
    model = HedgeGraph().fit(NUMBERS, feature_names=["a", "ill", "sex", "z"])
    assert str([*learned.edges_]) == str([*model.edges_])


FRAMES = {
    "polars": lambda: FRAME.select(
        "a", "z", ill=pl.Series(ILL), mood=pl.Series(MOODS, dtype=pl.Enum(ORDER))
    ),
    "pandas": lambda: pd.DataFrame(
        {
            "a": WALK[:, 0],
            "z": WALK[:, 3],
            "ill": ILL,
            "mood": pd.Categorical(MOODS, categories=ORDER, ordered=True),
        },
        index=np.arange(ROWS)[::-1],
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_ordered_categories_and_booleans_of_frames_are_numbers(kind):
    frame = FRAMES[kind]()
    model = HedgeGraph().fit(frame)
    same = HedgeGraph().fit(np.column_stack([WALK[:, 0], WALK[:, 3], ILL, 1 + CODES]))
    assert model.column_kinds_.tolist() == ["continuous", "continuous", "yes/no", "steps"]
    np.testing.assert_array_equal(model.partial_corr_, same.partial_corr_)
    assert frame["mood"].to_list() == MOODS.tolist()


@pytest.mark.parametrize("kind", FRAMES)
def test_a_missing_category_is_a_missing_cell(kind):
    frame = FRAMES[kind]()
    moods = [None if k % 5 == 0 else mood for k, mood in enumerate(MOODS.tolist())]
    if kind == "polars":
        frame = frame.with_columns(mood=pl.Series(moods, dtype=pl.Enum(ORDER)))
    else:
        frame["mood"] = pd.Categorical(moods, categories=ORDER, ordered=True)
    model = HedgeGraph().fit(frame)
    assert model.treatment_.missing.tolist() == [0, 0, 0, ROWS // 5]


@pytest.mark.parametrize(
    ("frame", "named"),
    [
        (FRAME.select("a", "ill", "z"), "'ill' (String)"),
        (FRAME.select("a", "z", pl.col("ill").cast(pl.Categorical)), "'ill' (Categorical)"),
        (FRAME.select("a", "z").to_pandas().assign(r=pd.Categorical(MOODS)), "'r' (Categorical)"),
    ],
)
def test_text_and_categories_without_order_are_refused_in_frames(frame, named):
    with pytest.raises(ValueError, match="X must have numeric columns, got") as error:
        HedgeGraph().fit(frame)
    assert named in str(error.value)
    assert str(error.value).endswith("; drop them, or give their categories an order")


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_categories_that_pandas_ordered_are_steps_in_files(tmp_path, suffix):
    frame = FRAMES["pandas"]().reset_index(drop=True)
    frame["free"] = pd.Categorical(MOODS, categories=ORDER)
    frame["pair"] = pd.Categorical(FRAME["ill"].to_list(), categories=["Yes", "No"], ordered=True)
    path = tmp_path / f"t.{suffix}"
    getattr(frame, f"to_{suffix}")(path)
    table, rows = read(path)
    assert table.left_out == {"categories without order": ["free"]}
    assert table.words == {"mood": tuple(ORDER), "pair": ("Yes", "No")}
    np.testing.assert_allclose(rows, np.column_stack([NUMBERS[:, [0, 3, 1]], 1 + CODES, ~ILL]))


def test_without_pyarrow_no_order_is_known(tmp_path, monkeypatch):
    frame = FRAMES["pandas"]().reset_index(drop=True)
    frame.to_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr("hedgerow.io._orders.find_spec", lambda _: None)
    table, _ = read(tmp_path / "t.parquet")
    assert table.left_out == {"categories without order": ["mood"]}


def test_categories_that_differ_in_case_alone_keep_their_order(tmp_path):
    cases = np.where(ILL, "A", "a")
    frame = FRAME.select("a", "z", c=pl.Series(cases, dtype=pl.Enum(["a", "A", "b"])))
    frame.write_parquet(tmp_path / "t.parquet")
    _, rows = read(tmp_path / "t.parquet")
    np.testing.assert_allclose(rows[:, 2], 1 + ILL)
