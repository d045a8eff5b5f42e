"""Commands end with one line, whatever the file."""

import json
from unittest.mock import patch

from click.testing import CliRunner, Result

from benchmarks.fuzz.oracles import assert_plain, buffers, on_disk
from benchmarks.fuzz.strategies import Case
from hedgerow.cli import cli


def no_traceback_of_commands(case: Case) -> None:
    """Run `hedgerow learn`, from a file and from stdin, and `hedgerow stream`."""
    options = [f"--missing={case.options.get('missing', 'error')}"]
    missing = options[0]
    options += ["--transpose"] * bool(case.options.get("transpose"))
    with on_disk(case) as path:
        page = str(path.parent / "page.html")
        learned = _run(case, "learn", str(path), *options, "--json", "--html", page)
        _run(case, "learn", str(path), *options)
        policy = "skip" if case.options.get("missing") == "drop" else "fail"
        streamed = _run(case, "stream", str(path), missing, f"--bad-rows={policy}", "--json")
        if learned and streamed and policy == "skip" and not case.options.get("transpose"):
            assert learned["edges"] == streamed["edges"]
            assert learned["rows"] == streamed["rows"]
            assert learned["rows_dropped"] == streamed["rows_dropped"]
            assert _names(learned) == _names(streamed)
        if not case.name.endswith((".gz", *_NO_TEXT)):
            _run(case, "learn", "-", *options, stdin=case.content)


def _names(summary: dict) -> list[str]:
    """Return what is left out; a stream says neither why, nor which columns have no names."""
    names = (name for names in summary["left_out"].values() for name in names)
    return sorted(name for name in names if not name.startswith("number "))


_NO_TEXT = (".parquet", ".arrow", ".feather", ".npy", ".xlsx", ".sav", ".dta", ".h5ad")


def _run(case: Case, *arguments: str, stdin: bytes = b"") -> dict | None:
    with buffers(case), patch("hedgerow.io.raw.PAUSE", 0.0):
        result = CliRunner().invoke(cli, list(arguments), input=stdin)
    _check_end(result)
    if result.exit_code == 0 and "--json" in arguments:
        return json.loads(result.stdout)
    return None


def _check_end(result: Result) -> None:
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    assert result.exit_code in (0, 1, 2), result.exit_code
    assert "should not happen" not in result.output, result.stderr
    assert "Traceback" not in result.output, result.stderr
    errors = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(errors) == (result.exit_code != 0), result.stderr
    for line in result.stderr.split("\n"):
        if line:
            assert_plain(line)
