"""The reference, written anew for each build from what the public modules list in ``__all__``."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx

import hedgerow

MODULES = (
    *("estimators", "comparison", "datasets", "metrics", "theory", "io", "plot", "report"),
    *("stream", "live", "changes", "river", "rivals", "progress"),
)
# Classes whose members are not ours.
FOREIGN = "object, str, tuple, dict, BaseEstimator, BaseException, Exception"
FOLDER = Path(__file__).parent / "built_reference"
PUBLIC = (
    "What is listed here is public; everything else may change without notice. "
    "Examples are run by tests."
)
OUTSIDE = ("CONTRIBUTING", "CHANGELOG", "SECURITY")  # beside this folder, not in it


def public_names(module: ModuleType) -> list[str]:
    """Return the public names of a module that are no modules themselves."""
    return [name for name in module.__all__ if not inspect.ismodule(getattr(module, name))]


def entry(module: str, name: str, value: Any) -> str:
    """Return the directive that shows a name's docstring."""
    if inspect.isclass(value):
        kind, options = "class", f"   :members:\n   :inherited-members: {FOREIGN}\n"
    else:
        kind, options = ("function", "") if callable(value) else ("data", "   :no-value:\n")
    return f".. auto{kind}:: {module}.{name}\n{options}"


def page(title: str, *parts: str) -> str:
    return "\n".join([f"``{title}``", "=" * (len(title) + 4), "", *parts])


def pages_of_names() -> Iterator[tuple[str, Any, str]]:
    """Yield a title, what it names, and a page for each name of the package."""
    for name in sorted(public_names(hedgerow)):
        if not name.startswith("__"):
            value = getattr(hedgerow, name)
            yield name, value, page(name, entry("hedgerow", name, value))


def pages_of_modules() -> Iterator[tuple[str, Any, str]]:
    """Yield the same for each public module, with the names that have no page of their own."""
    above = {id(value) for _, value, _ in pages_of_names()}
    for short in MODULES:
        module = import_module(f"hedgerow.{short}")
        entries = [
            entry(module.__name__, name, getattr(module, name))
            for name in sorted(public_names(module), key=str.lower)
            if id(getattr(module, name)) not in above
        ]
        head = f".. automodule:: {module.__name__}\n"
        yield module.__name__, module, page(module.__name__, head, *entries)


def file_of(title: str, value: Any) -> str:
    """Return a name for a page; some names differ by capitals alone, and some disks do not care."""
    kind = "class" if inspect.isclass(value) else "function" if callable(value) else "module"
    return f"{kind}.{title.removeprefix('hedgerow.')}"


def write_reference(app: Sphinx, config: Any) -> None:
    """Write all pages, and one that lists them, each with the first sentence about it."""
    FOLDER.mkdir(exist_ok=True)
    pages, first = {}, ["Reference", "=========", "", PUBLIC, ""]
    for caption, group in (("The package", pages_of_names()), ("Its modules", pages_of_modules())):
        first += [f".. rubric:: {caption}", ""]
        files = []
        for title, value, text in group:
            files.append(file_of(title, value))
            pages[files[-1]] = text
            said = inspect.cleandoc(value.__doc__).partition("\n\n")[0].replace("\n", " ")
            first.append(f"- :doc:`{title} <{files[-1]}>`: {said}")
        listed = [f"   {name}" for name in files]
        first += ["", ".. toctree::", f"   :caption: {caption}", "   :hidden:", "", *listed, ""]
    pages["index"] = "\n".join(first)
    for name, text in pages.items():
        path = FOLDER / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    for path in FOLDER.glob("*.rst"):
        if path.stem not in pages:
            path.unlink()


def skip(app: Sphinx, what: str, name: str, value: Any, skipped: bool, options: Any) -> bool | None:
    """Leave out what comes from other packages, and the fields of tuples, which say nothing."""
    if type(value).__name__ == "_tuplegetter":
        return True
    inner = getattr(value, "fget", None) or getattr(value, "__func__", value)
    module = getattr(inspect.unwrap(inner) if callable(inner) else inner, "__module__", None)
    return True if module and not module.startswith("hedgerow") else None


def link_pages(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: Any) -> None:
    """Where a docstring names a page of this folder, link to it."""
    for i, line in enumerate(lines):
        lines[i] = re.sub(r"(?:``)?docs/(\w+)\.md(?:``)?", r":doc:`docs/\1.md </\1>`", line)


def inside(app: Sphinx, name: str, content: list[str]) -> None:
    """Let links to files beside this folder, and to the gallery, lead to pages of the site."""
    up = "../" * name.count("/")
    content[0] = content[0].replace("](gallery)", "](built_gallery/index)")
    for stem in OUTSIDE:
        link = rf"\]\((?:\.\./)*{stem}\.md"
        content[0] = re.sub(link, f"]({up}site/{stem.lower()}.md", content[0])


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", write_reference)
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-docstring", link_pages, priority=900)
    app.connect("source-read", inside)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
