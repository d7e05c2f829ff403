"""Settings of Sphinx for the site. `tools/build_site.py` adds the version, and runs it."""

from pathlib import Path

_ICON = Path(__file__).resolve().parents[2] / "web" / "public" / "favicon.svg"

project = "Inspector"
language = "en"
smartquotes = False
extensions = ["myst_parser"]
root_doc = "index"
templates_path = ["templates"]

# Links and headings as GitHub has them: what works there works here.
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 6
myst_links_external_new_tab = False
# Examples have `…` where something is left out, which no lexer takes.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = project
html_logo = html_favicon = str(_ICON)
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_copy_source = False
html_show_copyright = False
html_permalinks_icon = "#"
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/version.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#4a47b5",
        "color-brand-content": "#4a47b5",
        "color-brand-visited": "#4a47b5",
    },
    "dark_css_variables": {
        "color-brand-primary": "#a3a5ff",
        "color-brand-content": "#a3a5ff",
        "color-brand-visited": "#a3a5ff",
    },
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
