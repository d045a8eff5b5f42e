"""``hedgerow learn``: what it prints and writes, and how it fails."""

import json
import os
import sys
from importlib import import_module

import click
import networkx as nx
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from hedgerow import HedgeGraph, engines
from hedgerow.__main__ import main
from hedgerow.cli import _progress, _summary, cli
from hedgerow.datasets import make
from hedgerow.io import FORMATS
from hedgerow.io import raw as _bytes

learn = import_module("hedgerow.cli.learn")  # the module, not its command


def run(*arguments, **extra):
    return CliRunner().invoke(cli, ["learn", *map(str, arguments)], **extra)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return make("chain", 8, seed=rng).sample(600, rng)


@pytest.fixture(scope="module")
def frame(rows):
    return pl.DataFrame(rows, schema=[f"v{j}" for j in range(8)], orient="row")


@pytest.fixture
def table(tmp_path, frame):
    path = tmp_path / "table.csv"
    frame.with_columns(who=pl.lit("Ada, or Bob")).write_csv(path)
    return path


def embedded(page):
    """Return what a page shows."""
    return json.loads(page.read_text().split('type="application/json">')[1].split("</script>")[0])


LEFT_OUT = "Left out 1 column (not numeric): 'who'\n"  # of the table


def one_line(result, code, *parts):
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    told = result.stderr.removeprefix(LEFT_OUT)  # said before anything can go wrong
    assert told.count("\n") == 1
    assert told.startswith("Error: ")
    for part in parts:
        assert part in result.stderr


def test_the_summary_has_what_people_want(table, frame):
    result = run(table)
    assert result.exit_code == 0, result.output
    model = HedgeGraph().fit(frame)
    strongest = max(model.edges_, key=lambda edge: abs(edge.partial_corr))
    lines = result.stdout.splitlines()
    assert lines[0] == f"{table}: 600 rows, 8 columns"
    assert lines[1] == (
        f"{len(model.edges_)} edges among 28 pairs, at a false discovery rate of 0.05"
    )
    first = lines[lines.index("Strongest edges") + 2].split()
    assert first[:3] == [strongest.source, strongest.target, f"{strongest.partial_corr:+.3f}"]
    degrees = dict(model.to_networkx().degree)
    (most,) = (line for line in lines if line.startswith("Most connected"))
    assert f"({max(degrees.values())})" in most
    assert "Left out 1 column (not numeric): 'who'" in lines
    assert lines[-1].startswith("Took ")
    assert result.stderr == LEFT_OUT


def test_the_summary_of_a_balanced_graph_promises_nothing(table, frame):
    result = run(table, "--balanced")
    assert result.exit_code == 0, result.output
    model = HedgeGraph(level="balanced").fit(frame)
    assert result.stdout.splitlines()[1] == (
        f"{len(model.edges_)} edges among 28 pairs, in a balanced graph, "
        f"in which an estimated share of {model.level_:.2g} is false"
    )


def test_a_balanced_graph_is_balanced_wherever_it_is_told(tmp_path, table, frame):
    page, saved, graph = (tmp_path / name for name in ("page.html", "model", "graph.graphml"))
    result = run(table, "--balanced", "--json", "--html", page, "--save", saved, "--out", graph)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    model = HedgeGraph(level="balanced").fit(frame)
    for error, level in (
        (told["error"], told["level"]),
        (embedded(page)["error"], embedded(page)["level"]),
        (nx.read_graphml(graph).graph["error"], nx.read_graphml(graph).graph["level"]),
    ):
        assert (error, level) == ("balanced", model.level_)
    assert told["edges"] == [edge._asdict() for edge in model.edges_]
    assert (
        embedded(page)["q"]
        == model.edges_up_to(0.2 if model.level_ <= 0.2 else 0.5).q_value.tolist()
    )
    assert HedgeGraph.load(saved).level == "balanced"


@pytest.mark.parametrize(
    ("options", "error", "level"),
    [
        ([], "fdr", 0.05),
        (["--fdr", 0.2], "fdr", 0.2),
        (["--fwer", 0.01], "fwer", 0.01),
    ],
)
def test_json_has_every_edge_of_the_model(table, frame, options, error, level):
    result = run(table, "--json", *options)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    model = HedgeGraph(error=error, level=level).fit(frame)
    assert told["edges"] == [edge._asdict() for edge in model.edges_]
    assert (told["rows"], told["columns"], told["rows_dropped"]) == (600, 8, 0)
    assert (told["error"], told["level"]) == (error, level)
    assert told["left_out"] == {"not numeric": ["who"]}
    assert told["warnings"] == []
    degrees = dict(model.to_networkx().degree)
    for each in told["most_connected"]:
        assert degrees[each["name"]] == each["neighbours"]


def test_pieces_of_any_size_give_the_same_edges(table, monkeypatch):
    whole = json.loads(run(table, "--json").stdout)["edges"]
    monkeypatch.setattr(_bytes, "BLOCK", 1000)
    assert json.loads(run(table, "--json").stdout)["edges"] == whole


def test_stdin_and_stdout(table, frame):
    result = run("-", "--out", "-", input=table.read_bytes())
    assert result.exit_code == 0, result.output
    edges = pl.read_csv(result.stdout_bytes)
    assert edges.equals(HedgeGraph().fit(frame).edges_.to_polars())
    assert "stdin: 600 rows, 8 columns" in result.stderr


def test_every_kind_of_output_at_once(tmp_path, table, frame):
    names = ["edges.csv", "edges.tsv", "edges.parquet", "edges.json", "all.npz"]
    names += ["graph.graphml", "graph.gexf", "graph.cyjs"]
    outputs = [tmp_path / name for name in names]
    page, saved = tmp_path / "page.html", tmp_path / "model.hedgerow"
    options = [word for path in outputs for word in ("--out", path)]
    result = run(table, *options, "--html", page, "--save", saved)
    assert result.exit_code == 0, result.output
    for path in [*outputs, page, saved]:
        assert f"Wrote {path}" in result.stdout.splitlines()
    expected = HedgeGraph().fit(frame)
    assert pl.read_csv(outputs[0]).equals(expected.edges_.to_polars())
    assert sorted(nx.read_graphml(outputs[5]).edges) == sorted(expected.to_networkx().edges)
    loaded = HedgeGraph.load(saved)
    assert loaded.feature_names_in_.tolist() == frame.columns
    assert list(loaded.edges_) == list(expected.edges_)
    assert sorted(tmp_path.iterdir()) == sorted([table, *outputs, page, saved])


def test_the_page_holds_the_graph(tmp_path, table, frame):
    page = tmp_path / "page.html"
    assert run(table, "--html", page, "--quiet").exit_code == 0
    data = embedded(page)
    edges = HedgeGraph().fit(frame).edges_up_to(0.2)
    assert (data["title"], data["rows"], data["columns"]) == ("table.csv", 600, 9)
    assert data["names"] == frame.columns
    assert data["q"] == edges.q_value.tolist()
    assert [data["names"][j] for j in data["source"]] == edges.source.tolist()


def test_format_rules_over_the_name(tmp_path, table):
    path = tmp_path / "graph.txt"
    assert run(table, "--out", path, "--format", "node-link", "--quiet").exit_code == 0
    assert set(json.loads(path.read_text())) >= {"nodes", "edges"}


def test_choices_are_those_of_the_library():
    assert tuple(FORMATS) == learn.FORMATS
    assert engines.ON_ONE_MACHINE == learn.DEVICES


def test_the_device_reaches_the_model(tmp_path, table, monkeypatch):
    saved = tmp_path / "model"
    assert run(table, "--device", "auto", "--save", saved).exit_code == 0
    assert HedgeGraph.load(saved).device == "auto"
    monkeypatch.setattr(engines, "_why_no_gpu", lambda: "there is none")
    one_line(run(table, "--device", "cuda"), 1, 'device="cuda" is not available: there is none')


def test_warnings_of_writing_are_told_too(tmp_path, frame):
    path = tmp_path / "total.parquet"
    copies = frame.with_columns(v8=pl.col("v0") + pl.col("v1"), v9=pl.col("v0") - pl.col("v1"))
    copies.write_parquet(path)
    known = ("--independent-rows", "--normal-columns")  # scores of a sum are no sum of scores
    result = run(path, "--json", "--out", tmp_path / "all.npz", *known)
    told = json.loads(result.stdout)["warnings"]
    assert any(message.startswith("columns that others determine") for message in told)
    assert any(message.startswith("the likelihood has no maximum") for message in told)


def test_quiet_prints_warnings_and_what_is_left_out_alone(tmp_path, table):
    numbers = tmp_path / "numbers.csv"
    pl.read_csv(table).drop("who").write_csv(numbers)
    result = run(numbers, "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    constant = tmp_path / "constant.csv"
    pl.read_csv(table).with_columns(five=pl.lit(5)).write_csv(constant)
    result = run(constant, "--quiet")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr == f"{LEFT_OUT}Warning: constant columns are isolated nodes: 'five'\n"
    assert "Warning: constant columns are isolated nodes: 'five'" in run(constant).stdout
    assert json.loads(run(constant, "--json").stdout)["warnings"] == [
        "constant columns are isolated nodes: 'five'"
    ]


def test_dropped_rows_are_counted(tmp_path, table):
    lines = table.read_text().splitlines()
    lines[3] = ",".join(["NA", *lines[3].split(",")[1:]])
    table.write_text("\n".join(lines) + "\n")
    refused = run(table, "--missing", "error")
    one_line(refused, 1, "got 1 missing in 1 of the 600 rows", "--missing use learns from such")
    used = run(table)
    assert "600 rows, 8 columns" in used.stdout
    assert "1 cell is missing" in used.stdout
    result = run(table, "--missing", "drop")
    assert "599 rows, 8 columns" in result.stdout
    assert "Left out 1 row with missing values" in result.stdout
    quiet = run(table, "--missing", "drop", "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", f"{LEFT_OUT}Left out 1 row with missing values\n")


@pytest.mark.parametrize(
    "command", [["learn"], ["compare", "--methods", "inverse_gram", "--resamples", "0"]]
)
@pytest.mark.usefixtures("methods_here")
def test_columns_left_out_are_said_once_in_one_place(table, command, tmp_path, monkeypatch):
    name, *options = command
    monkeypatch.setattr(sys, "argv", ["hedgerow", name, str(table), *options])
    both, out, err = (tmp_path / each for each in ("both", "out", "err"))

    def ask(stdout, stderr):
        with stdout, stderr, monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stdout)
            patch.setattr(sys, "stderr", stderr)
            with pytest.raises(SystemExit) as end:
                main()
        assert end.value.code == 0

    stdout = both.open("w")
    ask(stdout, os.fdopen(os.dup(stdout.fileno()), "w"))  # as 2>&1 does
    assert both.read_text().count(LEFT_OUT) == 1
    ask(out.open("w"), err.open("w"))
    assert (out.read_text().count(LEFT_OUT), err.read_text().count(LEFT_OUT)) == (1, 1)


def test_what_is_left_out_is_said_before_the_work_and_on_the_page(tmp_path, table, monkeypatch):
    page = tmp_path / "page.html"
    lines = table.read_text().splitlines()
    table.write_text("\n".join([*lines, ",".join(["NA", *lines[3].split(",")[1:]])]))
    result = run(table, "--missing", "drop", "--html", page, "--json")
    assert result.exit_code == 0, result.output
    told = embedded(page)
    assert told["columnsLeftOut"] == [{"reason": "not numeric", "count": 1, "names": ["who"]}]
    assert told["rowsLeftOut"] == [{"reason": "with missing values", "count": 1}]

    def stopped(*_, **__):
        raise click.ClickException("stopped")

    monkeypatch.setattr(learn, "_learn_rows", stopped)
    assert run(table, "--quiet").stderr == f"{LEFT_OUT}Error: stopped\n"


def test_names_cannot_draw_on_the_terminal(tmp_path, rows):
    names = ["[bold]b", "\x1b[31mred", "new\nline", "x" * 200, "tab\t", "🌿", '"', "<b>"]
    path = tmp_path / "odd.parquet"
    pl.DataFrame(rows, schema=names, orient="row").write_parquet(path)
    result = run(path)
    assert result.exit_code == 0, result.output
    for text in ("[bold]b", "\\x1b[31mred", "new\\nline", "x" * 27 + "…", "tab\\t", "🌿", "<b>"):
        assert text in result.stdout
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) < 300


@pytest.mark.parametrize("width", [40, 80])
def test_names_and_numbers_survive_a_narrow_terminal(tmp_path, monkeypatch, rows, width):
    monkeypatch.setenv("COLUMNS", str(width))
    path = tmp_path / "long.parquet"
    pl.DataFrame(rows, schema=["x" * 60 + str(j) for j in range(8)], orient="row").write_parquet(
        path
    )
    lines = run(path).stdout.splitlines()
    start = lines.index("Strongest edges") + 2
    assert all(len(line) <= max(width, 72) for line in lines[start : start + 7])
    assert all(line.count("xxxxx") >= 2 and line.count("…") == 2 for line in lines[start:][:7])
    assert all(float(line.split()[-2]) for line in lines[start : start + 7])


BAD_FILES = [
    (b"", "the file is empty"),
    (b"a,b\n", "the file has a header, and no rows below it"),
    (b"a,b\n1,2\n3\n", "line 3: a row must have 2 cells, got 1"),
    (b"a,b\nx,y\n", "at least two columns of numbers are needed, got none"),
    (b"a,a\n1,2\n", "column names must differ, got more than once: 'a'"),
    (b"a\n1\n", "at least two columns are needed, got one with the delimiter ','"),
    (b"a,b\n1,inf\n", "numbers must be between ±1e+145, got inf in column 'b', line 2"),
    (b"\x89PNG\0", "must be text in UTF-8 or UTF-16"),
]


@pytest.mark.parametrize(("content", "message"), BAD_FILES)
def test_bad_files_are_one_line_and_status_one(tmp_path, content, message):
    path, page = tmp_path / "bad.csv", tmp_path / "page.html"
    path.write_bytes(content)
    one_line(run(path, "--html", page, "--save", tmp_path / "m"), 1, f"{path}: ", message)
    assert list(tmp_path.iterdir()) == [path]


def test_a_wrong_delimiter_is_told_with_the_right_one(table):
    one_line(run(table, "--delimiter", ";"), 1, "got one with the delimiter ';'; --delimiter , ")


def test_a_cell_of_text_is_named_wherever_it_stands(tmp_path):
    path = tmp_path / "late.csv"
    for line in (2, 3, 40, 5000):
        lines = ["a,b,it's me", *["1,2,3"] * 6000]
        lines[line - 1] = "1,2,oops"
        path.write_text("\n".join(lines))
        told = f"line {line}: column \"it's me\" must hold numbers, got 'oops'; --missing use takes"
        one_line(run(path, "--missing", "error"), 1, told)


def test_options_with_odd_values_are_quoted_for_the_shell(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a;b\n1;2\n")
    one_line(run(path, "--delimiter", ","), 1, "--delimiter ';' finds 2")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["{t}", "--fdr", "2"], 2, "--fdr must be a number in (0, 1), got 2"),
        (["{t}", "--fwer", "0"], 2, "--fwer must be a number in (0, 1), got 0"),
        (["{t}", "--fdr", "nan"], 2, "--fdr must be a number in (0, 1), got nan"),
        (["{t}", "--fdr", ".1", "--fwer", ".1"], 2, "--fdr and --fwer exclude each other"),
        (["{t}", "--balanced", "--fdr", ".1"], 2, "--fdr and --balanced exclude each other"),
        (["{t}", "--fwer", ".1", "--balanced"], 2, "--fwer and --balanced exclude each other"),
        (
            ["{t}", "--fdr", ".1", "--fwer", ".1", "--balanced"],
            2,
            "--fdr and --fwer and --balanced exclude each other",
        ),
        (["{t}", "--fdr", "balanced"], 2, "'balanced' is not a valid float"),
        (["{t}", "--out", "a.doc"], 2, "--out: file name must end in .csv"),
        (["{t}", "--format", "csv"], 2, "--format needs one --out, got 0"),
        (["{t}", "--json", "--quiet"], 2, "--json prints to stdout"),
        (["{t}", "--json", "--out", "-"], 2, "--json prints to stdout"),
        (["{t}", "--out", "{t}"], 2, "results must not replace the input"),
        (["{t}", "--out", "{d}/a.csv", "--html", "{d}/a.csv"], 2, "needs a file of its own"),
        (["{t}", "--delimiter", "ab"], 2, "delimiter must be one ASCII character or 'tab'"),
        (["{t}", "--nonsense"], 2, "No such option '--nonsense'."),
        ([], 2, "Missing argument 'FILE'."),
        (["{t}", "--missing", "mean"], 2, "'mean' is not one of 'use', 'error', 'drop'"),
        (["{d}/table.dat"], 2, "file name must end in .csv"),
        (["{d}/absent.csv"], 1, "absent.csv: No such file or directory"),
        (["{d}"], 1, "is a folder, not a file"),
        (["{t}", "--columns", "v1,v22"], 1, "no column is called 'v22'; did you mean 'v2'?"),
        (["{t}", "--columns", "who,v1"], 1, "column 'who' cannot be learned from: not numeric"),
        (["{t}", "--out", "{d}/absent/a.csv"], 1, "a.csv: its folder does not exist"),
        (["{t}", "--html", "{d}"], 1, "is a folder, not a file"),
    ],
)
def test_misuse_is_one_line(tmp_path, table, arguments, code, message):
    texts = [text.format(t=table, d=tmp_path) for text in arguments]
    one_line(run(*texts), code, message)
    assert list(tmp_path.iterdir()) == [table]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(tmp_path, table):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    one_line(run(table, "--out", locked / "a.csv"), 1, "a.csv: cannot be written to")


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, table):
    def full(model, stream):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(FORMATS, "csv", FORMATS["csv"]._replace(write=full))
    old = tmp_path / "edges.csv"
    old.write_text("old")
    one_line(run(table, "--out", old), 1, "edges.csv: No space left on device")
    assert old.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [old, table]


def test_a_bug_is_one_line_unless_debugged(monkeypatch, table):
    def broken(*_):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(learn, "_results", broken)
    one_line(run(table), 1, "RuntimeError: two lines; this should not happen, --debug shows where")
    result = run(table, "--debug")
    assert result.exit_code == 1
    assert "Traceback (most recent call last)" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: RuntimeError")


def test_debug_shows_where_bad_data_was_noticed(table):
    result = run(table, "--debug", "--columns", "w")
    assert result.exit_code == 1
    assert "choose.py" in result.stderr


def test_too_little_memory_is_one_line(monkeypatch, table):
    def greedy(self, rows, **names):
        raise MemoryError

    monkeypatch.setattr(HedgeGraph, "partial_fit", greedy)
    one_line(run(table), 1, "not enough memory")


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False), ({}, False)],
)
def test_colour_only_where_wanted(monkeypatch, tmp_path, frame, environment, coloured):
    path = tmp_path / "constant.parquet"
    frame.with_columns(five=pl.lit(5)).write_parquet(path)
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", **environment}.items():
        monkeypatch.setenv(name, value)
    output = run(path).stdout
    assert "Warning: constant columns" in output
    assert ("\x1b[33m" in output) == coloured


def test_the_bar_tells_rows_and_speed(monkeypatch, capsys, table):
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    monkeypatch.setattr(_bytes, "BLOCK", 1000)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with pytest.raises(SystemExit):
        cli(["learn", str(table), "--quiet"])
    assert capsys.readouterr() == ("", LEFT_OUT)
    with pytest.raises(SystemExit) as done:
        cli(["learn", str(table)])
    assert done.value.code == 0
    shown = capsys.readouterr().err
    assert "Learning" in shown
    assert "rows/s" in shown


def test_printable_keeps_letters():
    assert _summary.printable("Größe 🌿 a b") == "Größe 🌿 a b"
    assert _summary.printable("\u202eabc\u200b") == "\\u202eabc\\u200b"
