"""Methods by name."""

import subprocess
import sys

import pytest

from hedgerow import rivals
from hedgerow.rivals import _registry


def test_an_unknown_name_is_answered_with_the_list():
    with pytest.raises(ValueError, match=r"method must be one of hedgerow, .*, got 'glaso'"):
        rivals.make("glaso")


def test_an_absent_package_is_answered_with_how_to_install_it(monkeypatch):
    entry = rivals.Entry("_hedge", "Hedge", "", needs="no_such_package")
    monkeypatch.setitem(_registry.REGISTRY, "absent", entry)
    advice = "absent needs the package no_such_package: pip install 'hedgerow[rivals]'"
    assert rivals.why_not("absent") == advice
    with pytest.raises(ImportError) as caught:
        rivals.make("absent")
    assert str(caught.value) == advice


@pytest.mark.parametrize("name", rivals.names())
def test_every_entry_can_be_loaded_and_is_described(name):
    entry = rivals.REGISTRY[name]
    rival = rivals.load_class(entry)
    assert issubclass(rival, rivals.Rival)
    assert getattr(rivals, entry.class_name) is rival
    assert entry.summary
    for section in ("Parameters", "Attributes", "Notes", "Examples"):
        assert f"{section}\n    ---" in rival.__doc__
    parameters = rival(**entry.parameters).get_params()
    assert [p for p in parameters if f"\n    {p} :" not in rival.__doc__] == []
    assert "time_limit" in parameters


def test_parameters_given_go_before_those_of_the_name(monkeypatch):
    entry = rivals.Entry("_hedge", "Hedge", "", parameters={"error": "fwer", "level": 0.2})
    monkeypatch.setitem(_registry.REGISTRY, "strict", entry)
    made = rivals.make("strict", level=0.1)
    assert (made.error, made.level) == ("fwer", 0.1)


def test_the_list_of_methods_loads_no_numerical_package():
    code = (
        "import sys; from hedgerow import rivals; rivals.names(); "
        "sys.exit('numpy' in sys.modules or 'sklearn' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
