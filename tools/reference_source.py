"""Public names of our packages, read from the source without importing it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import griffe

ROOT = Path(__file__).resolve().parent.parent

PACKAGES = (
    "instrument",
    "instrument.control",
    "instrument.typed",
    "instrument.guidance",
    "instrument.flow",
    "instrument.testing",
    "subscribers",
    "inspector",
)

Documented: TypeAlias = griffe.Class | griffe.Function | griffe.Attribute


@dataclass(frozen=True)
class Entry:
    """A public name.

    Attributes:
        name: As a user writes it on the page of its package: `Bus`, `Bus.register`.
        item: The named object.
        same_as: The other name of this page under which it is documented, or None.
        members: The public members of a class.
    """

    name: str
    item: Documented
    same_as: str | None = None
    members: list[Entry] = field(default_factory=list)

    @property
    def docstring(self) -> str:
        """The docstring, or an empty text."""
        return self.item.docstring.value if self.item.docstring else ""

    @property
    def summary(self) -> str:
        """The first sentence of the docstring, as one line."""
        paragraph = " ".join(self.docstring.split("\n\n")[0].split())
        return re.split(r"(?<=[.!?]) (?=[A-Z`(])", paragraph)[0]


def load(packages: Iterable[str] = PACKAGES) -> list[griffe.Module]:
    """Return the modules of `packages`, parsed with all that they import of ours."""
    loader = griffe.GriffeLoader(
        search_paths=[ROOT],
        docstring_parser=griffe.Parser.google,
        docstring_options={"returns_multiple_items": False},
        allow_inspection=False,
    )
    for top in {package.partition(".")[0]: None for package in PACKAGES}:
        loader.load(top)
    found = [loader.modules_collection[package] for package in packages]
    return [module for module in found if isinstance(module, griffe.Module)]


def entries(module: griffe.Module) -> list[Entry]:
    """Return the names in the `__all__` of `module`: constants, classes, functions."""
    names = [str(name) for name in module.exports or ()]
    found: list[Entry] = []
    for name in names:
        item = _final(module, name)
        if isinstance(item, griffe.Module):
            found += [_entry(f"{name}.{member.name}", member, names) for member in _public(item)]
        else:
            found.append(_entry(name, item, names))
    return found


def _final(module: griffe.Module, name: str) -> Documented | griffe.Module:
    """Return the definition of `name`, following imports and aliases."""
    modules = module.modules_collection
    item = modules[module.imports.get(name, f"{module.path}.{name}")]
    if isinstance(item, griffe.Alias):
        item = item.final_target
    if isinstance(item, griffe.Module) and name in item.members:  # `inspector.attach`
        item = item.members[name]
    if isinstance(item, griffe.Attribute) and str(item.value).startswith("bus."):
        item = modules[f"instrument.bus.Bus.{name}"]  # of the bus that everybody shares
        item = item.final_target if isinstance(item, griffe.Alias) else item
    assert isinstance(item, griffe.Class | griffe.Function | griffe.Attribute | griffe.Module)
    return item


def _public(holder: griffe.Module | griffe.Class) -> Iterator[Documented]:
    members = dict(holder.members)
    if isinstance(holder, griffe.Class):
        members |= {
            name: member.final_target
            for name, member in holder.inherited_members.items()
            if member.is_function and not _is_exported(member.final_target.parent)
        }
    for name, member in members.items():
        is_shown = not name.startswith("_") or name == "__call__"
        if is_shown and isinstance(member, griffe.Class | griffe.Function | griffe.Attribute):
            is_private = isinstance(holder, griffe.Module) and not member.docstring
            if not is_private:
                yield member


def _is_exported(holder: griffe.Object | None) -> bool:
    """Return whether a class is in the `__all__` of a package, and so has a page entry itself."""
    assert holder is not None
    packages = (holder.modules_collection[package] for package in PACKAGES)
    return any(holder.name in (package.exports or ()) for package in packages)


def _entry(name: str, item: Documented, names: list[str]) -> Entry:
    if isinstance(item, griffe.Attribute) and str(item.value) in names:
        return Entry(name, item, same_as=str(item.value))
    members = []
    if isinstance(item, griffe.Class):
        members = [_member(name, item, member) for member in _public(item)]
    return Entry(name, item, members=members)


def _member(name: str, holder: griffe.Class, item: Documented) -> Entry:
    """Return a member of a class; `register` is meant by `on = register` and by `Alias("…")`."""
    same_as = None
    if isinstance(item, griffe.Attribute) and item.annotation is None:
        named = re.fullmatch(r"Alias\[.*\]\('(\w+)'\)|(\w+)", str(item.value))
        target = (named[1] or named[2]) if named else None
        if target in holder.members and target != item.name:
            same_as = f"{name}.{target}"
    return Entry(f"{name}.{item.name}", item, same_as=same_as)
