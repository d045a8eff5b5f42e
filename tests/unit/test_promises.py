"""What a graph promises: which parameters ask for it, and how it is said."""

import re

import pytest

from hedgerow.method.promises import as_title, in_words, promise_of


@pytest.mark.parametrize(
    ("error", "level", "promise"),
    [
        ("fdr", 0.05, "fdr"),
        ("fwer", 0.999, "fwer"),
        ("fdr", "balanced", "balanced"),
    ],
)
def test_parameters_ask_for_one_promise(error, level, promise):
    assert promise_of(error, level) == promise


@pytest.mark.parametrize(
    ("error", "level", "message"),
    [
        ("fdp", 0.05, "error must be one of 'fdr', 'fwer', got 'fdp'"),
        ("balanced", 0.05, "error must be one of 'fdr', 'fwer', got 'balanced'"),
        ("balanced", "balanced", "error must be one of 'fdr', 'fwer', got 'balanced'"),
        ("fwer", "balanced", "error must be 'fdr' with level='balanced', got 'fwer'"),
        ("fdr", "Balanced", "level must be a number in (0, 1) or 'balanced', got 'Balanced'"),
        ("fwer", "0.05", "level must be a number in (0, 1) or 'balanced', got '0.05'"),
        ("fdr", 0, "level must be a number in (0, 1), got 0"),
        ("fwer", 1.0, "level must be a number in (0, 1), got 1.0"),
        ("fdr", float("nan"), "level must be a number in (0, 1), got nan"),
        ("fdr", True, "level must be a number in (0, 1), got True"),
        ("fdr", None, "level must be a number in (0, 1), got None"),
    ],
)
def test_other_parameters_are_told_by_name(error, level, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        promise_of(error, level)


@pytest.mark.parametrize(
    ("promise", "level", "words", "title"),
    [
        ("fdr", 0.125, "at a false discovery rate of 0.125", "false discovery rate 0.125"),
        ("fwer", 1e-9, "at a familywise error rate of 1e-09", "familywise error rate 1e-09"),
        (
            "balanced",
            0.12345,
            "in a balanced graph, in which an estimated share of 0.12 is false",
            "balanced, estimated share of false edges 0.12",
        ),
        (
            "balanced",
            1e-6,
            "in a balanced graph, in which an estimated share of 1e-06 is false",
            "balanced, estimated share of false edges 1e-06",
        ),
    ],
)
def test_an_error_rate_is_said_in_full_and_an_estimate_is_rounded(promise, level, words, title):
    assert in_words(promise, level, 12) == words
    assert as_title(promise, level, 12) == title


def test_a_balanced_graph_without_edges_has_no_share_of_false_ones():
    assert in_words("balanced", 0.5, 0) == (
        "in a balanced graph, because none can be told from chance"
    )
    assert as_title("balanced", 0.5, 0) == "balanced"
    assert in_words("fdr", 0.05, 0) == "at a false discovery rate of 0.05"
