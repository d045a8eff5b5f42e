"""The site builds without a warning, holds all it shows, and no link in it leads nowhere."""

import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from sphinx.util.inventory import InventoryFile

ROOT = Path(__file__).parents[2]
DESIGN = (ROOT / "docs" / "design.md").read_text()
EXAMPLES = sorted((ROOT / "docs" / "gallery").glob("*.py"))


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it that can be linked to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "link" and found.get("href"):
            self.loads.append(found["href"])
        if found.get("src"):
            self.loads.append(found["src"])


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}


def test_every_link_and_picture_leads_somewhere(pages):
    broken, known = [], cache(Page)
    for path, page in pages.items():
        for target in page.links + page.loads:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or target.startswith("data:"):
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            lost = not file.is_file()
            if parts.fragment and not lost and file.suffix == ".html":
                places = (pages.get(file) or known(file)).places
                lost = unquote(parts.fragment) not in places
            if lost:
                broken.append(f"{path.name}: {target}")
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(site, pages):
    loaded = {target for page in pages.values() for target in page.loads}
    assert loaded
    assert {target for target in loaded if urlsplit(target).netloc} == set()
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"""(?:url\(|@import)\s*["']?(?:https?:)?//""", text), style.name


def public_modules():
    """Return the modules that docs/design.md calls public."""
    text = DESIGN[DESIGN.index("Only what `hedgerow/__init__.py`") : DESIGN.index("## The way")]
    return ["hedgerow", *re.findall(r"`(hedgerow\.\w+)`", text)]


def test_every_public_name_is_in_the_reference(site):
    with (site / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, uri: uri)
    listed = {name for kind in inventory if kind.startswith("py:") for name in inventory[kind]}
    missing = set()
    for module in map(import_module, public_modules()):
        for name in module.__all__:
            short, long = f"hedgerow.{name}", f"{module.__name__}.{name}"
            if not name.startswith("__") and not {short, long} & listed:
                missing.add(long)
    assert missing == set()


def test_every_page_is_on_the_site(pages, site):
    built = {path.relative_to(site).with_suffix("").as_posix() for path in pages}
    assert {path.stem for path in (ROOT / "docs").glob("*.md")} <= built


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_short_and_say_what_is_true(script):
    text = script.read_text()
    assert text.count("\n") < 60
    assert "# **True in the data:**" in text
    assert "plt.show()" in text


def test_every_example_has_its_figure(site):
    assert len(EXAMPLES) >= 12
    for script in EXAMPLES:
        page = (site / "built_gallery" / f"{script.stem}.html").read_text()
        assert f"sphx_glr_{script.stem}_001" in page


def test_the_page_to_start_from_runs(tmp_path):
    text = (ROOT / "docs" / "start.md").read_text()
    script = ["set -eu", f'hedgerow() {{ "{sys.executable}" -m hedgerow "$@"; }}']
    for language, block in re.findall(r"^```(sh|python)\n(.*?)^```$", text, re.M | re.S):
        run = f'"{sys.executable}" - <<"END"\n{block}END' if language == "python" else block
        script.append(run)
    assert len(script) == 4
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "They are related by way of x1." in done.stdout
    assert (tmp_path / "network.html").exists()
