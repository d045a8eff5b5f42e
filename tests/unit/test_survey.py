"""The survey of docs/survey.md is what its generator makes, and is as odd as the page says."""

import csv
import re
import shlex

import numpy as np
from click.testing import CliRunner

from benchmarks import survey
from hedgerow.cli import cli

PAGE = survey.FOLDER.parent / "survey.md"


def rows():
    with (survey.FOLDER / "survey.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_files_are_those_that_the_generator_writes():
    assert (survey.FOLDER / "survey.csv").read_text() == survey.table()
    assert (survey.FOLDER / "survey-truth.csv").read_text() == survey.truth()


def test_gaps_and_codes_are_there():
    cells = [(name, cell) for row in rows() for name, cell in row.items()]
    assert {"", "NA"} <= {cell for _, cell in cells}
    assert {name for name, cell in cells if cell == survey.DONT_KNOW} == {"visits"}
    known = {name: {cell for n, cell in cells if n == name} - {"", "NA"} for name in survey.ITEMS}
    assert all(steps == set("12345") for steps in known.values())
    assert len({row["id"] for row in rows()}) == survey.PEOPLE


def test_reversed_items_have_reversed_signs():
    behind = survey.latent(np.random.default_rng(survey.SEED))
    at = {name: k for k, name in enumerate(survey.VARIABLES)}
    answers = survey.answers(np.random.default_rng(survey.SEED))
    for item in survey.ITEMS:
        steps = np.array(answers[item], dtype=float)
        agree = np.corrcoef(steps, behind[:, at[item]])[0, 1]
        assert (agree < -0.8) if item.endswith("_r") else (agree > 0.8)
    assert "mood_low,mood_hope_r,-0." in survey.truth()


def test_the_command_on_the_page_prints_what_stands_there(tmp_path, monkeypatch):
    [(command, printed)] = re.findall(
        r"```sh\nhedgerow (learn .*)\n```\n\n```\n(.*?)```", PAGE.read_text(), re.S
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(PAGE.parent)
    done = CliRunner().invoke(cli, shlex.split(command))
    assert done.exit_code == 0, done.output
    assert done.output.startswith(printed)
    assert {path.name for path in tmp_path.iterdir()} == {"docs", "survey.html", "edges.csv"}
