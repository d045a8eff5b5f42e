"""The rooms of the package: each keeps what is its own, and the map in docs/design.md shows all."""

import ast
import re
from pathlib import Path

import hedgerow

PACKAGE = Path(hedgerow.__file__).parent
DESIGN = Path(__file__).parents[2] / "docs" / "design.md"
MODULES = {
    path.relative_to(PACKAGE.parent).with_suffix("").parts: ast.parse(path.read_text())
    for path in sorted(PACKAGE.rglob("*.py"))
}


def imported(tree):
    """Yield the dotted names that a module imports from the package, as tuples."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, "imports are absolute, so that this test sees them"
            yield from ((*node.module.split("."), alias.name) for alias in node.names)


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def strangers(module, tree):
    """Yield what a module imports although it is another room's own."""
    for name in imported(tree):
        for k, part in enumerate(name):
            owner = name[:k]
            if name[0] == "hedgerow" and is_private(part) and module[: len(owner)] != owner:
                yield ".".join(name)


def test_no_module_imports_what_is_private_to_another_package():
    found = {
        f"{'.'.join(module)} imports {name}"
        for module, tree in MODULES.items()
        for name in strangers(module[:-1], tree)
    }
    assert found == set()


def test_private_imports_are_noticed():
    sample = ast.parse("from hedgerow.io._write import write\nfrom hedgerow.io import _table")
    assert list(strangers(("hedgerow", "stream"), sample)) == [
        "hedgerow.io._write.write",
        "hedgerow.io._table",
    ]
    assert list(strangers(("hedgerow", "io"), sample)) == []
    sample = ast.parse("from hedgerow import _version")
    assert list(strangers(("hedgerow", "io"), sample)) == []


def rooms_on_the_map():
    """Return the files that the page names under the heading of each room."""
    text = DESIGN.read_text()
    map_ = text[text.index("## The map") : text.index("## The way of a row")]
    parts = re.split(r"^### `([\w/.]+)`.*$", map_, flags=re.MULTILINE)
    rows = re.compile(r"^\| `([\w/]+\.py)` \|", flags=re.MULTILINE)
    return {room: set(rows.findall(body)) for room, body in zip(parts[1::2], parts[2::2])}


def files():
    """Return the files of each room, but for those that only say what the room is."""
    rooms = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).parts
        room = f"{parts[0]}/" if len(parts) > 1 else "hedgerow/"
        if path.name != "__init__.py":
            rooms.setdefault(room, set()).add("/".join(parts[1:]) if len(parts) > 1 else parts[0])
    return rooms


def test_every_module_is_on_the_map():
    on_the_map, there = rooms_on_the_map(), files()
    assert set(on_the_map) == set(there)
    for room, names in there.items():
        assert on_the_map[room] == names, f"docs/design.md, {room}"


def test_the_way_of_a_row_names_files_that_are_there():
    text = DESIGN.read_text()
    way = text[text.index("## The way of a row") : text.index("## Engines")]
    named = re.findall(r"`([a-z_]+/[\w/]+\.py)`", way)
    assert {name.split("/")[0] for name in named} >= {"cli", "io", "estimators", "engines"}
    for name in named:
        assert (PACKAGE / name).exists(), name
