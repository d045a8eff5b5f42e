"""Measured numbers in README and docs are those of the records, and none stands there by hand."""

import re
import subprocess

import pytest

from benchmarks import document, kept
from benchmarks.kept import Block, Made, Table
from benchmarks.speed import gpu_page

PAGES = {path.stem: path for path in document.pages()}
RECORDS = kept.read_all()

# What a measurement looks like: a decimal, a share, an error, a number with a unit.
MEASURED = re.compile(
    r"±|(?<![\w.^])\d*\.\d+|\d ?%|\d ?(?:ms|s|seconds|minutes|hours|[kMG]i?B|TB/s|TFLOP/s)\b"
    r"|\d times\b"
)
CODE = re.compile(r"^```.*?^```$|^    .*$|`[^`]*`|<code>.*?</code>|\]\([^)]*\)", re.S | re.M)

# What looks like one and is none. On any page:
NEVER = (
    r"levels? (?:of )?0\.\d+(?:, 0\.2 and)?",  # chosen, not found
    r"(?:FDR|FWER) 0\.\d+",
    r"[δ=Qr≤] 0\.\d+",
    r"(?:error|rate|share|promise)(?: is| of)?,? (?:at most |of )?0\.05(?! ±)",
    r"at 0\.05",
    r"[Ss]ections? \d+\.\d+|^#+ \d+\.\d.*$|algorithm 17\.1|of \d+\.\d+ \(section",  # names
    r"^\| `\w+` \| .* \|$",  # the families, whose constants test_datasets works out again
    r"127\.0\.0\.1|Python 3\.11|±1e145|±inf",
)
# On one page, by the words around it; each says why.
NOT_HERE = {
    "cli": ["0.05 by default"],
    "comparison": [
        "more than 0.02",  # what is worth telling
        "up to 0.3",  # two standard errors of ten draws, by arithmetic
        "below 5 ms",  # what is fitted
    ],
    "data": ["at most 5 %"],  # the promise
    "datasets": [
        "less 0.01 %",  # a definition
    ],
    "files": ["pieces of 4 MB"],
    "gpu": [
        *["correlation 0.25", "correlations 0.4"],  # of the models
        *["less than 2%"],  # what tests ask for
        *["within 0.05 of the cut", "(0.002 up to"],  # margins
        *["more than 0.999", "to 0.4%"],  # limits of the arithmetic
        *["averaged 32 times", "about 7 GiB", "29 GiB", "60 GiB"],  # what the code does
    ],
    "guide": ["stricter than 0.05", "take 2 GiB"],  # arithmetic: 21 bytes for each pair
    "quality": [
        *["below 1 %", "± is one", "more than 0.02", "at most 0.06", "(aim: 0.06)", "(aim: 0.24)"],
        *["(aim: 0.05)", "rows 0.5 to 40", "grid are 15 %", "probability 0.9", "star at 99 %"],
        "a promise of 0.05",
    ],
    "report": [
        "middle 99 %",  # what is drawn
        *["up to 15 seconds", "½ and 3 times", "allow 30 seconds", "5 seconds for each"],
    ],
    "speed": ["more than 15 s", "size, and 300 s"],  # limits
    "streams": [
        *["4 MiB of text", "about 2.9 half-lives", "(at most 0.5)"],  # rules
        *["known to ±0.016", "rates near 0.05"],  # arithmetic
        *["at most 1.02 times", "at most 0.051", "about 0.051 times"],  # proved
        "told of 95 %",  # the quantile whose time is measured
    ],
    "theory": [
        *["in 95 %", "κ = λ = 0.8", "and 0.25 at 2000", "b is 1.4", "rows, 0.7 at"],  # by formula
        *["a bound\n  of 1.5", "b > 1.5", "b/1.5", "The 1.5"],  # constants of the method
        *["0.05/p", "1 - 0.025/p", "probability 0.05", "about 1.02 α", "0.05 leaves"],
        *["probability 0.39", "below 0.13", "probability 0.13"],  # of an exponential distribution
        *["probability 0.025, 0.0125, 0.00625", "add up to 0.05", "probability of 0.05"],
    ],
}  # fmt: skip


def blank(found):
    return re.sub(r"[^\n]", " ", found[0])


def by_hand(name, text):
    """Return the lines with a number that looks measured and is neither filled in nor listed."""
    for pattern in [*map(re.escape, NOT_HERE.get(name, [])), *NEVER]:
        text = re.sub(pattern, blank, text, flags=re.M)
    for found in (document.BLOCK, document.NUMBER, CODE):
        text = found.sub(blank, text)
    return [line.strip() for line in text.splitlines() if MEASURED.search(line)]


@pytest.mark.parametrize("name", PAGES)
def test_what_is_filled_in_is_what_the_records_say(name):
    text = PAGES[name].read_text()
    assert document.fill(text, name, RECORDS) == text, "python -m benchmarks.document fills it"


@pytest.mark.parametrize("name", PAGES)
def test_no_measured_number_is_written_by_hand(name):
    assert by_hand(name, PAGES[name].read_text()) == []


@pytest.mark.parametrize("name", NOT_HERE)
def test_nothing_is_excused_that_is_gone(name):
    text = PAGES[name].read_text()
    assert [fragment for fragment in NOT_HERE[name] if fragment not in text] == []


@pytest.mark.parametrize(
    "claim",
    ["its F1 was 0.63", "false in 14 % of them", "in 3.5 s", "it took 2 GiB", "6 times as fast"],
)
def test_a_number_by_hand_is_noticed(claim):
    assert by_hand("README", f"At a level of 0.05 and `x = 0.5`,\n{claim}.\n") == [f"{claim}."]
    assert by_hand("README", f"Now <!--=f1-->{claim}<!--/-->.\n") == []


@pytest.mark.parametrize("name", PAGES)
def test_no_mark_begins_a_line(name):
    """Markdown would take the line for HTML, and end the paragraph."""
    assert not re.search(r"^\s*(?:- )?<!--=", PAGES[name].read_text(), re.M)


def test_every_named_figure_is_used():
    text = "".join(path.read_text() for path in PAGES.values())
    used = set(re.findall(r"<!--=([^|]*?)-->", text))
    assert used == {*document.FIGURES, *document.CELLS}


@pytest.mark.parametrize("page", RECORDS)
def test_records_say_how_they_were_made(page, tmp_path, monkeypatch):
    for name, block in RECORDS[page].items():
        assert block.made.command.startswith("python -m benchmarks."), name
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", block.made.date), name
        assert block.made.machine, name
        assert block.parts, name
        for commit in block.made.commits:
            assert re.fullmatch(r"[0-9a-f]{9,40}", commit), f"{name}: changed since {commit}"
        for table in (part for part in block.parts if isinstance(part, Table)):
            assert {len(row) for row in table.rows} == {len(table.header)}, name
    text = (kept.FOLDER / f"{page}.json").read_text()
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    kept.write(page, RECORDS[page])
    assert (tmp_path / f"{page}.json").read_text() == text


def git(*arguments):
    return subprocess.run(
        ["git", *arguments], capture_output=True, text=True, cwd=document.ROOT, check=False
    )


def test_commits_of_records_are_in_the_history():
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("there is no history, or not all of it")
    commits = {c for blocks in RECORDS.values() for b in blocks.values() for c in b.made.commits}
    strange = [c for c in commits if git("merge-base", "--is-ancestor", c, "HEAD").returncode]
    assert strange == []


@pytest.fixture
def site(tmp_path, monkeypatch):
    """An empty README, a page, and a folder for records."""
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "records")
    monkeypatch.setattr(document, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("")
    return tmp_path


def test_what_is_published_is_kept_and_filled_in(site):
    made = Made("python -m benchmarks.it", ["0123456789"], "2026-01-02", "1 core")
    page = site / "docs" / "it.md"
    page.write_text("a <!--=it|t|y; 2|n|2 .1f-->?<!--/-->\n<!-- t -->\nold\n<!-- /t -->\nb\n")
    table = document.table(["k", "r", "n"], [["y", "1", "0.1"], ["y", "2", "0.4 (1.26)"]])
    document.publish("it", made, {"t": f"Text.\n\n{table}"})
    assert page.read_text() == (
        f"a <!--=it|t|y; 2|n|2 .1f-->1.3<!--/-->\n<!-- t -->\nText.\n\n{table}\n\n"
        "*`python -m benchmarks.it`, at commit `0123456789`, 2026-01-02, 1 core.*\n"
        "<!-- /t -->\nb\n"
    )
    again = Made("python -m benchmarks.it", ["abcdef012"], "2026-01-03", "1 core")
    document.publish("it", again, {"other": "Text."})
    assert kept.read("it")["t"] == Block(made, ["Text.", kept.parts_of(table)[0]])
    assert page.read_text().count("0123456789") == 1


def test_a_block_without_record_is_refused(site):
    (site / "docs" / "it.md").write_text("<!-- t -->\n<!-- /t -->\n")
    with pytest.raises(ValueError, match="it has a block 't', and no record of it"):
        document.fill_all()


@pytest.mark.parametrize(
    ("row", "column"), [("y", "n"), ("x", "n"), ("y; 1", "m"), ("y; 1", "n#2")]
)
def test_a_cell_that_is_not_there_or_not_alone_is_refused(row, column):
    with pytest.raises(KeyError):
        Table(["k", "r", "n"], [["y", "1", "0.1"], ["y", "2", "0.2"]]).cell(row, column)


def test_what_a_gpu_printed_becomes_the_table_on_its_page():
    line = {"p": 20000, "graph": "blocks", "error": "fdr", "edges": 30000, "false": 43, "f1": 0.999}
    times = {"seconds": 0.17, "learning": 0.08, "fit": 0.27, "transfer": 0.02}
    timed = (
        line | times | {"gib": 5.6, "fit_gib": 5.8, "bytes_floor_s": 0.04, "flops_floor_s": 0.02}
    )
    runs = [{"copy": 4.01e12, "product": 7.1e14}, {"copy": 4.2e12, "product": 7.1e14}]
    made = gpu_page.blocks(runs, [timed, line | {"false": 49, "f1": 0.9991}])
    assert made["measured"].splitlines()[-1] == (
        "| 20,000 | blocks | fdr | 0.17 | 0.08 | 0.04 | 0.02 | 0.27 | 5.6 | 30,000 | .9990 "
        "| 43, 49 |"
    )
    [beside] = kept.parts_of(made["beside"])
    assert [row[1] for row in beside.rows] == ["4.0 to 4.2", "710", "0.02", "5.8"]
    assert RECORDS["gpu"]["measured"].table.header == kept.parts_of(made["measured"])[0].header


def test_problems_with_many_columns_join_those_that_were_measured_before():
    old = [["250,000", "trees", "fdr", "1.00", "0.50", "2.0", "9", "1", "0.00000", "0"]]
    again = {"p": 250_000, "graph": "trees", "error": "fdr", "edges": 9, "false": 1, "f1": 0.9}
    again |= {"seconds": 3.0, "learning": 2.0, "gib": 4.0, "fdp": 0.1}
    lines = [again | {"p": 1_000_000}, again | {"graph": "blocks"}, again | {"fdp": 0.2}]
    made = gpu_page.many([], lines, Table(RECORDS["gpu"]["many"].table.header, old))
    [found] = kept.parts_of(made["many"])
    assert [row[:2] for row in found.rows] == [
        ["250,000", "blocks"],
        ["250,000", "trees"],
        ["1,000,000", "trees"],
    ]
    assert found.rows[1][3:] == ["3.00", "2.00", "4.0", "9", ".9000", "0.20000", "1"]


def test_what_it_took_from_file_to_file_becomes_a_table():
    line = {"p": 5000, "graph": "chains", "error": "fdr", "edges": 9, "false": 0, "f1": 1}
    made = gpu_page.file([], [line | {"seconds": 3.0, "host_gib": 4.4, "fdp": 0.0}])
    assert made["file"].splitlines()[-1] == "| 5,000 | chains | 3.00 | 4 | 9 | 1 | 0.00000 | 0 |"
    assert RECORDS["gpu"]["file"].table.header == kept.parts_of(made["file"])[0].header
