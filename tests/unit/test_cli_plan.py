"""``hedgerow plan``: the table, the JSON, the files it reads, and what it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import sparse

from hedgerow.cli import cli
from hedgerow.theory import IsingProblem, Problem, constants, plan, plan_ising

NUMBERS = ["-p100", "--kappa=0.2", "--lambda=2", "--nu-max=1", "--theta-max=1", "--degree=4"]
CHAIN = np.eye(5) + 0.4 * (np.eye(5, k=1) + np.eye(5, k=-1))


def run(*arguments):
    return CliRunner().invoke(cli, ["plan", *map(str, arguments)])


def plan_json(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def assert_refused(result, code, message):
    """One line on stderr, nothing on stdout, no traceback."""
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


class TestOutput:
    def test_json_is_the_plan(self):
        answer = plan_json(*NUMBERS, "--delta=0.1")
        problem = Problem(100, 0.2, lambda_max=2.0, nu_max=1.0, theta_max=1.0, degree=4, delta=0.1)
        assert answer["bounds"] == [bound._asdict() for bound in plan(problem)]
        assert answer["problem"] == {
            "p": 100,
            "kappa": 0.2,
            "lambda_max": 2.0,
            "nu_max": 1.0,
            "theta_max": 1.0,
            "degree": 4,
            "delta": 0.1,
            "row_norm": 3.0,
        }

    def test_row_norm_is_used(self):
        def aclime(*extra):
            bounds = plan_json(*NUMBERS, *extra)["bounds"]
            return next(bound["rows"] for bound in bounds if bound["name"] == "ACLIME")

        assert aclime("--row-norm=1.5") < aclime()

    def test_table_shows_every_bound_under_the_right_heading(self):
        result = run(*NUMBERS, "--delta=0.1")
        assert result.exit_code == 0
        explicit, orders = result.stdout.split("Orders without constants")
        bounds = plan(Problem(100, 0.2, 2.0, 1.0, 1.0, degree=4, delta=0.1))
        for bound in bounds:
            assert bound.name in (orders if bound.is_order else explicit)
        assert "3,296,180" in orders
        assert "1.06e+12" in explicit

    def test_the_example_in_the_documents_is_what_is_printed(self):
        page = Path(__file__).parents[2] / "docs" / "planning.md"
        example = page.read_text(encoding="utf-8").split("```")[1].strip()
        command, _, shown = example.partition("\n")
        result = run(*command.removeprefix("$ hedgerow plan ").split())
        assert [line.rstrip() for line in result.stdout.splitlines()] == shown.splitlines()

    def test_table_fits_a_terminal_of_80_columns(self):
        result = run(*NUMBERS)
        assert max(map(len, result.stdout.splitlines())) <= 80

    @pytest.mark.parametrize(("no_color", "coloured"), [("1", False), ("", True)])
    def test_no_color_is_honoured(self, no_color, coloured):
        shown = in_process(*NUMBERS, NO_COLOR=no_color, FORCE_COLOR="1")
        assert ("\x1b[36m" in shown) is coloured

    def test_a_terminal_without_greek_letters(self):
        assert "3,296,180" in in_process(*NUMBERS, "--delta=0.1", PYTHONIOENCODING="ascii")


def in_process(*arguments, **environment):
    command = [sys.executable, "-m", "hedgerow", "plan", *arguments]
    result = subprocess.run(
        command, env=os.environ | environment, capture_output=True, check=True, text=True
    )
    return result.stdout


class TestPrecisionFile:
    @pytest.fixture(params=["npy", "npz", "sparse", "csv", "csv with names"])
    def chain_file(self, request, tmp_path):
        kind = request.param
        path = tmp_path / f"chain.{'npz' if kind == 'sparse' else kind[:3]}"
        if kind == "npy":
            np.save(path, CHAIN)
        elif kind == "npz":
            np.savez(path, CHAIN)
        elif kind == "sparse":
            sparse.save_npz(path, sparse.csr_array(CHAIN))
        else:
            names = "a,b,c,d,e" if kind == "csv with names" else ""
            np.savetxt(path, CHAIN, delimiter=",", header=names, comments="", encoding="utf-8")
        return path

    def test_every_format_gives_the_constants(self, chain_file):
        answer = plan_json("--precision", chain_file, "--delta=0.1")
        expected = constants(CHAIN)
        assert answer["problem"]["delta"] == 0.1
        for name in ("p", "kappa", "lambda_max", "nu_max", "theta_max", "degree", "row_norm"):
            assert answer["problem"][name] == pytest.approx(getattr(expected, name))
        assert answer["condition"] == pytest.approx(expected.condition)

    def test_table_shows_the_condition_number(self, chain_file):
        assert "condition number 5.51" in run("--precision", chain_file).stdout

    def test_rounding_noise_is_refused_and_can_be_dropped(self, tmp_path):
        path = tmp_path / "noisy.npy"
        np.save(path, CHAIN + 1e-15)
        assert_refused(run("--precision", path), 1, "--zero-below drops such edges")
        answer = plan_json("--precision", path, "--zero-below=1e-9")
        assert answer["problem"]["degree"] == 2

    def test_byte_order_mark_and_windows_line_ends(self, tmp_path):
        path = tmp_path / "windows.csv"
        path.write_bytes(b"\xef\xbb\xbf1,0.3\r\n0.3,1\r\n")
        assert plan_json("--precision", path)["problem"]["kappa"] == pytest.approx(0.3)

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("x.txt", b"1", "file name must end in .npy, .npz or .csv, got 'x.txt'"),
            ("x.csv", b"", "file must hold a matrix, got no line of numbers"),
            ("x.csv", b"a,b\n", "file must hold a matrix, got no line of numbers"),
            ("x.csv", b"1,0\n0\n", "line 2 must hold 2 numbers, got 1"),
            ("x.csv", b"a,b\n1,0\n0,x\n", "line 3 must hold numbers, could not convert"),
            ("x.csv", b"1,2\n2,1\n", "precision must be positive definite, got"),
            ("x.csv", b"1,0\n0,1\n", "precision must have at least one edge"),
            ("x.csv", b"\xff\xfe", "can't decode"),
            ("x.npy", b"", "file must hold one NumPy array or SciPy sparse array of numbers"),
            ("x.npy", b"junk", "file must hold one NumPy array or SciPy sparse array of numbers"),
            ("x.npz", b"PK\x03\x04junk", "file must hold one NumPy array or SciPy sparse array"),
        ],
    )
    def test_bad_content(self, tmp_path, name, content, message):
        path = tmp_path / name
        path.write_bytes(content)
        assert_refused(run("--precision", path), 1, message)

    def test_pickles_are_never_opened(self, tmp_path):
        path = tmp_path / "pickle.npy"
        marker = tmp_path / "executed"
        np.save(path, np.array([[Trap(marker)]], dtype=object), allow_pickle=True)
        assert_refused(run("--precision", path), 1, "file must hold one NumPy array")
        assert not marker.exists()

    def test_archives_of_several_arrays(self, tmp_path):
        path = tmp_path / "two.npz"
        np.savez(path, CHAIN, CHAIN)
        assert_refused(run("--precision", path), 1, "file must hold one NumPy array")

    def test_sparse_files_with_missing_or_false_indices(self, tmp_path):
        good = sparse.csr_array(CHAIN)
        path = tmp_path / "half.npz"
        np.savez(path, format=np.array(b"csr"), data=good.data)
        assert_refused(run("--precision", path), 1, "file must hold one NumPy array")
        good.indices[3] = 10**6
        sparse.save_npz(path, good)
        assert_refused(run("--precision", path), 1, "file must hold one NumPy array")


class Trap:
    """An object whose unpickling leaves a trace."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return (self.marker.touch, ())


class TestMisuse:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ("--kappa=2", "kappa must be a number in (1e-12, 1), got 2.0"),
            ("-p1", "p must be an integer >= 2, got 1"),
            ("--lambda=0.1", "lambda_max must be at least kappa = 0.2"),
            ("--nu-max=0.5", "nu_max * theta_max must be at least 1"),
            ("--degree=100", "degree must be at most p - 1 = 99, got 100"),
            ("--delta=0", "delta must be a number in (1e-12, 1), got 0.0"),
            ("--row-norm=0.5", "row_norm must be at least theta_max = 1"),
            ("--zero-below=0.1", "--zero-below needs --precision FILE"),
        ],
    )
    def test_values_out_of_range(self, change, message):
        assert_refused(run(*NUMBERS, change), 2, message)

    def test_missing_numbers_are_named(self):
        result = run(*NUMBERS[:4])
        assert_refused(result, 2, "give --precision FILE, or the missing --theta-max, --degree")

    @pytest.mark.parametrize(
        ("extra", "message"),
        [
            ("--kappa=0.2", "--precision FILE already gives --kappa"),
            ("--row-norm=2", "--precision FILE already gives --row-norm"),
            ("--zero-below=1", "zero_below must be a number in [0, 1), got 1"),
            ("--delta=1", "delta must be a number in (0, 1), got 1"),
        ],
    )
    def test_precision_with_other_options(self, tmp_path, extra, message):
        path = tmp_path / "chain.npy"
        np.save(path, CHAIN)
        assert_refused(run("--precision", path, extra), 2, message)

    @pytest.mark.parametrize("name", ["missing.npy", "."])
    def test_no_such_file(self, tmp_path, name):
        result = run("--precision", tmp_path / name)
        assert result.exit_code == 2
        assert "Invalid value for '--precision'" in result.stderr


class TestIsing:
    def test_json_is_the_plan(self):
        answer = plan_json("--model=ising", "-p50", "--eta=0.3", "--lambda=1.2", "--delta=0.1")
        problem = IsingProblem(50, min_coupling=0.3, width=1.2, delta=0.1)
        assert answer["bounds"] == [bound._asdict() for bound in plan_ising(problem)]
        assert answer["problem"] == {"p": 50, "min_coupling": 0.3, "width": 1.2, "delta": 0.1}

    def test_the_table_has_every_bound(self):
        result = run("--model=ising", "-p50", "--eta=0.3", "--lambda=1.2")
        assert result.exit_code == 0
        assert result.stdout.startswith("p=50 η=0.3 λ=1.2 δ=0.05\n")
        for bound in plan_ising(IsingProblem(50, 0.3, 1.2)):
            assert bound.name in result.stdout

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--model=ising", "-p9"], "give the missing --eta, --lambda"),
            (["--model=ising", "-p9", "--kappa=.1"], "--kappa goes with --model gaussian"),
            (["--model=ising", "--zero-below=.1"], "--zero-below go with --model gaussian"),
            (["--model=ising", "-p9", "--eta=2", "--lambda=1"], "width must be at least"),
            ([*NUMBERS, "--eta=.1"], "--eta goes with --model ising"),
        ],
    )
    def test_misuse(self, arguments, message):
        assert_refused(run(*arguments), 2, message)
