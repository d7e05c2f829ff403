"""Pages of the documentation site: their order, their addresses, and links that lead to them.

`docs/site/navigation.toml` is the order. A page's links are those of the repository: here they
become links of the site where it has what they lead to, else links to the repository's host.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

FRONT_PAGE = "docs/site/index.md"

_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)[^)#\s]+")


@dataclass(frozen=True)
class Section:
    """A part of the site: its title and its pages, as paths in the repository."""

    title: str
    pages: list[str]


@dataclass(frozen=True)
class SitePages:
    """The pages of the repository at `root` that the site has."""

    root: Path
    repository: str
    """Address of the repository, for links to files that the site does not have."""
    sections: list[Section] = field(init=False)
    below: dict[str, list[str]] = field(init=False)
    """Pages under another page."""
    addresses: dict[str, str] = field(init=False)
    """Path in the repository to path in the site, of every file that the site has."""

    def __post_init__(self) -> None:
        text = (self.root / "docs" / "site" / "navigation.toml").read_text(encoding="utf-8")
        navigation = tomllib.loads(text)
        lists = [section["pages"] for section in navigation["section"]]
        below: dict[str, list[str]] = navigation.get("below", {})
        named = {path for paths in (*lists, *below.values(), [*below]) for path in paths}
        found = [list(self._found(paths, named)) for paths in lists]
        sections = [
            Section(section["title"], pages)
            for section, pages in zip(navigation["section"], found, strict=True)
            if pages
        ]
        object.__setattr__(self, "sections", sections)
        object.__setattr__(
            self, "below", {page: list(self._found(paths, named)) for page, paths in below.items()}
        )
        object.__setattr__(self, "addresses", dict(self._addresses(navigation.get("address", {}))))

    def _found(self, paths: list[str], named: set[str]) -> Iterator[str]:
        for path in paths:
            if "*" not in path:
                yield path
                continue
            for file in sorted(self.root.glob(path)):
                name = file.relative_to(self.root).as_posix()
                if name not in named:
                    named.add(name)
                    yield name

    def _addresses(self, special: dict[str, str]) -> Iterator[tuple[str, str]]:
        for path in (FRONT_PAGE, *self.in_order()):
            yield path, special.get(path, path.removeprefix("docs/"))
        for file in sorted((self.root / "docs" / "images").rglob("*.*")):
            path = file.relative_to(self.root).as_posix()
            yield path, path.removeprefix("docs/")
        yield from ((path, to) for path, to in special.items() if not path.endswith(".md"))

    def in_order(self) -> Iterator[str]:
        """Yield all pages but the front page."""
        for section in self.sections:
            for page in section.pages:
                yield page
                yield from self.below.get(page, [])

    def text(self, page: str, folder: str | None = None) -> str:
        """Return a page with the links of the site, line by line as it is in the repository.

        Args:
            page: Path in the repository.
            folder: The site's folder, for a text outside of it; None: for the page's own place.
        """

        def moved(found: re.Match[str]) -> str:
            path = os.path.normpath(f"{PurePosixPath(page).parent}/{found[0]}").replace("\\", "/")
            if path in self.addresses and folder is not None:
                return f"{folder}/{self.addresses[path]}"
            if path in self.addresses:
                here = PurePosixPath(self.addresses[page]).parent
                return os.path.relpath(self.addresses[path], here).replace("\\", "/")
            if (self.root / path).exists():
                kind = "tree" if (self.root / path).is_dir() else "blob"
                return f"{self.repository}/{kind}/main/{path}"
            return found[0]  # Sphinx says what it misses, and where.

        return _LINK.sub(moved, (self.root / page).read_text(encoding="utf-8"))

    def lists_below(self, page: str) -> str:
        """Return what Sphinx makes the navigation of, to be put after the text of a page."""
        if page == FRONT_PAGE:
            return "".join(self._list(page, one.title, one.pages) for one in self.sections)
        return self._list(page, "", self.below[page]) if page in self.below else ""

    def _list(self, page: str, caption: str, pages: list[str]) -> str:
        names = [f"/{self.addresses[one].removesuffix('.md')}" for one in pages]
        title = [f":caption: {caption}"] if caption else []
        return "\n".join(["\n```{toctree}", ":hidden:", ":titlesonly:", *title, *names, "```\n"])
