"""SPSS and Stata files: numbers, missing codes, labels, and files that are damaged."""

import random
import struct
import sys
from contextlib import ExitStack

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from hedgerow.io import DataError
from hedgerow.io import source as _source
from hedgerow.io._labelled import open_spss, open_stata

WRITERS = {
    "plain.sav": lambda frame, path, **more: pyreadstat.write_sav(frame, path, **more),
    "rows.sav": lambda frame, path, **more: pyreadstat.write_sav(
        frame, path, row_compress=True, **more
    ),
    "packed.zsav": lambda frame, path, **more: pyreadstat.write_sav(
        frame, path, compress=True, **more
    ),
    "stata.dta": lambda frame, path, **more: pyreadstat.write_dta(frame, path, **more),
}

OPENERS = {"sav": open_spss, "dta": open_stata}


def read(path, **options):
    """Return the source, and the rows of the columns without a flaw."""
    with ExitStack() as stack:
        source = OPENERS[path.suffix[-3:]](path, stack, **options)
        chosen = [j for j, column in enumerate(source.columns) if column.flaw is None]
        batches = list(source.batches(chosen))
    numbers = np.concatenate([batch.numbers for batch in batches])
    np.testing.assert_array_equal(numbers, np.arange(1, len(numbers) + 1))
    assert batches[-1].done == source.total
    return source, np.concatenate([batch.rows for batch in batches])


@pytest.mark.parametrize("at_once", [20, 10_000])
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("shape", [(8, 8), (50, 3), (3, 50)])
def test_rows_are_rows_in_every_kind_of_file(tmp_path, monkeypatch, shape, name, at_once):
    monkeypatch.setattr(_source, "NUMBERS_AT_ONCE", at_once)
    table = np.random.default_rng(2).normal(size=shape)
    table[1, 2] = np.nan
    names = [f"v{j}" for j in range(shape[1])]
    WRITERS[name](pd.DataFrame(table, columns=names), tmp_path / name)
    source, rows = read(tmp_path / name)
    assert source.columns == [(each, None, ()) for each in names]
    assert source.place == "row"
    np.testing.assert_array_equal(rows, table)
    with ExitStack() as stack:
        some = list(OPENERS[name[-3:]](tmp_path / name, stack).batches([2, 0]))
    np.testing.assert_array_equal(np.concatenate([each.rows for each in some]), table[:, [2, 0]])


@pytest.mark.parametrize("name", WRITERS)
def test_text_and_dates_are_not_numbers_and_whole_numbers_are(tmp_path, name):
    frame = pd.DataFrame({"whole": [1, 2], "word": ["a", "b"], "half": [0.5, 1.5]})
    frame["day"] = pd.to_datetime(["2020-01-01", "2020-01-02"])
    frame["date"] = frame["day"].dt.date
    frame["time"] = frame["day"].dt.time
    WRITERS[name](frame, tmp_path / name)
    source, rows = read(tmp_path / name)
    flaws = {column.name: column.flaw for column in source.columns}
    assert flaws == {
        **dict.fromkeys(["whole", "half"]),
        "word": "not numeric",
        **dict.fromkeys(["day", "date", "time"], "time"),
    }
    np.testing.assert_array_equal(rows, [[1, 0.5], [2, 1.5]])


@pytest.mark.parametrize("name", ["plain.sav", "rows.sav", "packed.zsav"])
def test_codes_declared_missing_in_spss(tmp_path, name):
    frame = pd.DataFrame(
        {"code": [1.0, 99, 98, 3], "range": [-5.0, 0, 5, -1], "plain": [99.0, -5, 1, 2]}
    )
    missing = {"code": [98, 99], "range": [{"lo": -10, "hi": -1}]}
    labels = {"plain": {99: "not missing", 1: "one"}}
    WRITERS[name](frame, tmp_path / name, missing_ranges=missing, variable_value_labels=labels)
    nan = np.nan
    np.testing.assert_array_equal(
        read(tmp_path / name)[1], [[1, nan, 99], [nan, 0, -5], [nan, 5, 1], [3, nan, 2]]
    )


def test_all_of_statas_missing_values(tmp_path):
    path = tmp_path / "a.dta"
    n = 27  # the dot, then .a to .z
    WRITERS["stata.dta"](pd.DataFrame({"a": 7000.0 + np.arange(n), "b": np.arange(n)}), path)
    data = path.read_bytes()
    for k in range(n):
        ordinary = struct.pack("<d", 7000.0 + k)
        assert data.count(ordinary) == 1
        data = data.replace(ordinary, struct.pack("<Q", 0x7FE0000000000000 + (k << 40)))
    path.write_bytes(data)
    _, rows = read(path)
    assert np.isnan(rows[:, 0]).all()
    np.testing.assert_array_equal(rows[:, 1], np.arange(n))


@pytest.mark.parametrize("name", WRITERS)
def test_labels_are_names_on_request(tmp_path, name):
    frame = pd.DataFrame(np.ones((2, 5)), columns=["q1", "q2", "q3", "q4", "q5"])
    labels = {"q1": "Âge ☃", "q2": "Mood", "q3": "Mood", "q4": "q5"}
    WRITERS[name](frame, tmp_path / name, column_labels=labels)
    source, _ = read(tmp_path / name)
    assert [column.name for column in source.columns] == list(frame.columns)
    assert source.labels == labels
    source, _ = read(tmp_path / name, labels=True)
    assert [column.name for column in source.columns] == [
        *("Âge ☃", "Mood (q2)", "Mood (q3)", "q5 (q4)", "q5")
    ]
    assert source.labels == labels


def test_odd_names(tmp_path):
    names = ["ünïcode", "v_1", "n" * 32]
    WRITERS["plain.sav"](pd.DataFrame(np.ones((2, 3)), columns=names), tmp_path / "a.sav")
    assert [column.name for column in read(tmp_path / "a.sav")[0].columns] == names


def example(folder, name):
    frame = pd.DataFrame(np.random.default_rng(3).normal(size=(60, 5)), columns=list("abcde"))
    WRITERS[name](frame.assign(word="ab"), folder / name)
    return (folder / name).read_bytes()


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("tenths", range(10))
def test_a_cut_file_is_refused(tmp_path, name, tenths):
    whole = example(tmp_path, name)
    (tmp_path / name).write_bytes(whole[: len(whole) * tenths // 10])
    with pytest.raises(DataError) as caught:
        read(tmp_path / name)
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore:column .* is duplicated:UserWarning")
@pytest.mark.parametrize("name", WRITERS)
def test_random_bytes_in_a_file_give_no_other_error(tmp_path, name):
    whole = example(tmp_path, name)
    rng = random.Random(7)
    refused = 0
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 3, 20])):
            # Most bytes are numbers, of which any is as good as another.
            data[rng.randrange(rng.choice([len(data), 600]))] = rng.randrange(256)
        (tmp_path / name).write_bytes(data)
        try:
            with ExitStack() as stack:
                # Any number of rows may be declared now, none among them.
                source = OPENERS[name[-3:]](tmp_path / name, stack)
                sound = [j for j, column in enumerate(source.columns) if column.flaw is None]
                for _ in source.batches(sound):
                    pass
        except DataError:
            refused += 1
    assert refused > 20


@pytest.mark.parametrize("content", [b"", b"nonsense", b"$FL2", b"<stata_dta>"])
@pytest.mark.parametrize("name", ["a.sav", "a.zsav", "a.dta"])
def test_files_that_are_not_what_their_name_says(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match="the file cannot be read: "):
        read(tmp_path / name)


@pytest.mark.parametrize("opener", [open_spss, open_stata])
def test_without_the_package_it_says_what_to_install(tmp_path, monkeypatch, opener):
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with (
        ExitStack() as stack,
        pytest.raises(ModuleNotFoundError, match=r"'pyreadstat'.*'hedgerow\[office\]'"),
    ):
        opener(tmp_path / "a", stack)
