"""How the site is built from the pages of this folder: `make docs`.

Everything it shows is in the built folder; nothing is loaded from elsewhere.
"""

import sys
from pathlib import Path

import hedgerow

sys.path.insert(0, str(Path(__file__).parent))

project = "Hedgerow"
author = "The Hedgerow developers"
copyright = f"2026, {author}"
version = release = hedgerow.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "_reference",
]
exclude_patterns = ["gallery/*", "examples/*"]
default_role = "py:obj"

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
suppress_warnings = ["myst.header"]  # pages of one kind begin at the level that suits them alone

autodoc_typehints = "none"  # numpydoc has the types, in words
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "built_gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "remove_config_comments": True,
    "image_srcset": [],
    "reset_argv": "_gallery.arguments",
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "Hedgerow"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # would be fetched, which browsers forbid to pages from disk
html_context = {"default_mode": "auto"}
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
}
