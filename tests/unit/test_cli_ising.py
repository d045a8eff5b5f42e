"""hedgerow learn --model ising."""

import json
from itertools import cycle

import numpy as np
import pytest
from click.testing import CliRunner

from hedgerow import IsingGraph
from hedgerow.cli import cli
from hedgerow.datasets import make_ising

HINT = "All columns are yes or no: --model ising"


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    """A file of words, with one row that misses a cell."""
    path = tmp_path_factory.mktemp("ising") / "votes.csv"
    rows = make_ising("grid", 9, strength=0.6, seed=0).sample(400, seed=0)
    lines = [",".join("yes" if cell > 0 else "no" for cell in row) for row in rows]
    lines[7] = lines[7].partition(",")[2].join([",", ""])
    path.write_text("\n".join([",".join("abcdefghi"), *lines]) + "\n")
    return path


def test_edges_have_odds_ratios_everywhere(votes, tmp_path):
    saved, page = tmp_path / "m.hedgerow", tmp_path / "p.html"
    out = [tmp_path / f"g.{suffix}" for suffix in ("csv", "gexf", "graphml", "cyjs", "npz")]
    options = [option for path in out for option in ("--out", path)]
    done = run("learn", "--model", "ising", votes, "--save", saved, "--html", page, *options)
    assert done.exit_code == 0, done.output
    assert "coupling  odds ratio" in done.output
    assert "Words stand for numbers: 'a', 'b', " in done.output
    assert "('no' 0, 'yes' 1)" in done.output
    assert "Left out 1 row with missing values" in done.output
    assert HINT not in done.output
    model = IsingGraph.load(saved)
    assert model.n_samples_seen_ == 399
    header, first, *_ = out[0].read_text().splitlines()
    assert header == "source,target,coupling,log_odds_ratio,z,p_value,q_value"
    assert float(first.split(",")[3]) == pytest.approx(model.edges_.log_odds_ratio[0])
    for path in out[1:4]:
        assert "log_odds_ratio" in path.read_text()
    np.testing.assert_array_equal(np.load(out[4])["couplings"], model.couplings_)
    assert '"odds":true' in page.read_text().replace(" ", "")


def test_json(votes):
    done = run("learn", "--model", "ising", votes, "--fwer", "0.05", "--json")
    told = json.loads(done.stdout)
    assert told["error"] == "fwer"
    assert set(told["edges"][0]) >= {"coupling", "log_odds_ratio"}


def test_tables_of_yes_or_no_are_told_of_the_model(votes):
    assert HINT in run("learn", votes, "--device", "numpy").output


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--device", "numpy"], "--device"),
        (["--kind", "a=steps"], "--kind"),
        (["--independent-rows"], "--independent-rows"),
        (["--difference"], "--difference"),
    ],
)
def test_options_without_meaning_are_refused(votes, options, named):
    done = run("learn", "--model", "ising", votes, *options)
    assert done.exit_code == 2
    assert f"{named} is for --model gaussian" in done.output


def test_three_values_are_an_error(tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("a,b\n" + "0,1\n1,0\n2,1\n" * 10)
    done = run("learn", "--model", "ising", path)
    assert done.exit_code == 1
    assert "two values in each column" in done.output


def test_columns_of_three_words_are_left_out_and_named(votes, tmp_path):
    path = tmp_path / "regions.csv"
    header, *lines = votes.read_text().splitlines()
    regions = cycle(("north", "south", "east"))
    lines = [next(regions) + line[line.index(",") :] for line in lines]
    path.write_text("\n".join([header, *lines]) + "\n")
    done = run("learn", "--model", "ising", path)
    assert done.exit_code == 0, done.output
    assert "Left out 1 column (categories without order): 'a'" in done.output


@pytest.mark.usefixtures("methods_here")
def test_rows_with_missing_cells_are_left_out_of_a_comparison_and_counted(votes):
    done = run("compare", votes, "--methods", "ising", "--resamples", "0")
    assert done.exit_code == 0, done.output
    assert "Left out 1 row with missing values" in done.output
