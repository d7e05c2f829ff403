"""Generate `docs/reference/`, the public API of our packages, from docstrings.

The source is read and not imported, so that a page says what is written, with the names of types as
they stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import griffe

from tools.reference_source import Documented, Entry, entries, load

BAR = r"\|"
"""An escaped vertical bar, for the cells of Markdown tables."""

FOLDER = Path("docs/reference")
OURS = ("instrument.", "subscribers.", "inspector.")

_NOTE = "<!-- Generated from docstrings by `make gen`. Do not edit. -->\n"
_WIDTH = 88

_INDEX = f"""{_NOTE}# Reference

What the packages offer, one page for each; made from their docstrings.

| package | |
| --- | --- |
%s

Durations are in seconds where a name does not say its unit (`_ns`, `_ms`).
Priorities of the bus are lower first, those of guidance higher first.
Whatever may be async may be sync too, unless it says so.

The [requirements](../requirements.md) are those of five hook contracts, each with its tests.

See also: [write a hook](../guide/write-a-hook.md), [every event](../instrumentation-hooks.md),
[every span and attribute](../telemetry-spec.md), [the HTTP routes](../http.md).
"""


def outputs() -> dict[Path, str]:
    """Return the pages and their texts."""
    modules = {module.path: module for module in load()}
    pages = {
        FOLDER / f"{package}.md": _text(Page(module).lines()) for package, module in modules.items()
    }
    rows = "\n".join(
        f"| [`{package}`]({package}.md) | {_first_sentence(module)} |"
        for package, module in modules.items()
    )
    return {FOLDER / "README.md": _INDEX % rows, **pages}


class Page:
    """The page of one package."""

    def __init__(self, module: griffe.Module) -> None:
        self._module = module
        self._entries = entries(module)
        self._anchors: dict[str, str] = {}
        self._place()

    def _place(self) -> None:
        """Compute the GitHub anchor of each heading; repeated names get a number."""
        numbers: dict[str, int] = {_slug(self._module.path): 1}
        for heading in self._headings():
            slug = _slug(heading)
            number = numbers.get(slug, 0)
            numbers[slug] = number + 1
            self._anchors[heading] = f"{slug}-{number}" if number else slug

    def _headings(self) -> Iterator[str]:
        for entry in self._entries:
            yield entry.name
            yield from (member.name for member in self._methods(entry))

    def _methods(self, entry: Entry) -> list[Entry]:
        """Return the methods that this page does not also list as functions."""
        functions = {id(other.item) for other in self._entries}
        return [
            member
            for member in entry.members
            if isinstance(member.item, griffe.Function) and id(member.item) not in functions
        ]

    def lines(self) -> Iterator[str]:
        """Yield the page."""
        yield f"{_NOTE}# `{self._module.path}`\n"
        if self._module.docstring:
            yield self._linked(self._module.docstring.value.strip()) + "\n"
        yield "| name | |\n| --- | --- |"
        for entry in self._entries:
            yield f"| [`{entry.name}`](#{self._anchors[entry.name]}) | {self._summary(entry)} |"
        for entry in self._entries:
            yield from self._entry(entry)
        yield from self._types()

    def _summary(self, entry: Entry) -> str:
        if entry.same_as:
            return f"another name of `{entry.same_as}`"
        return entry.summary.replace("|", BAR)

    def _entry(self, entry: Entry) -> Iterator[str]:
        yield f"\n## `{entry.name}`\n"
        if entry.same_as:
            yield f"Another name of {self._link(entry.same_as)}."
            return
        yield f"```python\n{_signature(entry.item)}\n```\n"
        yield from self._body(entry)
        if isinstance(entry.item, griffe.Class):
            yield from self._class(entry, entry.item)

    def _class(self, entry: Entry, item: griffe.Class) -> Iterator[str]:
        yield from self._attributes(entry, item)
        methods = self._methods(entry)
        elsewhere = [
            member.item.name
            for member in entry.members
            if isinstance(member.item, griffe.Function) and member not in methods
        ]
        if elsewhere:
            names = ", ".join(self._link(name) for name in elsewhere)
            yield f"Its methods are as the functions of the same names: {names}.\n"
        for method in methods:
            yield f"\n### `{method.name}`\n"
            yield f"```python\n{_signature(method.item)}\n```\n"
            yield from self._body(method)
        for alias in entry.members:
            is_method = alias.same_as in {method.name for method in methods}
            if alias.same_as and is_method:
                yield f"`{alias.name}` is another name of {self._link(alias.same_as)}.\n"

    def _body(self, entry: Entry) -> Iterator[str]:
        """Yield the docstring without its attributes, which the class lists."""
        if not entry.item.docstring:
            return
        for section in entry.item.docstring.parsed:
            match section:
                case griffe.DocstringSectionText():
                    yield self._linked(section.value) + "\n"
                case griffe.DocstringSectionParameters():
                    yield "Arguments:\n"
                    yield from (self._item(f"`{one.name}`", one) for one in section.value)
                    yield ""
                case griffe.DocstringSectionReturns() | griffe.DocstringSectionYields():
                    yield "".join(f"Returns: {self._flat(one)}\n" for one in section.value)
                case griffe.DocstringSectionRaises():
                    yield "Raises:\n"
                    yield from (
                        self._item(self._link(str(one.annotation)), one) for one in section.value
                    )
                    yield ""
                case griffe.DocstringSectionAdmonition():
                    yield f"{section.title}:\n\n```python\n{section.value.description}\n```\n"

    def _item(self, name: str, one: griffe.DocstringElement) -> str:
        return f"* {name}: {self._flat(one)}"

    def _flat(self, one: griffe.DocstringElement) -> str:
        return self._linked(" ".join(one.description.split()))

    def _attributes(self, entry: Entry, item: griffe.Class) -> Iterator[str]:
        described = _described(item)
        methods = {method.name for method in self._methods(entry)}
        rows = []
        for member in entry.members:
            attribute = member.item
            if not isinstance(attribute, griffe.Attribute) or member.same_as in methods:
                continue
            text = described.pop(attribute.name, "") or _text_of(attribute, item)
            if member.same_as:
                other = member.same_as.rpartition(".")[2]
                rows.append(_row(attribute.name, f"another name of `{other}`"))
            elif text or _is_field(attribute, item):
                rows.append(_row(_declaration(attribute), self._linked(text)))
        rows += [_row(name, self._linked(text)) for name, text in described.items()]
        if rows:
            yield "| attribute | |\n| --- | --- |"
            yield from rows
            yield ""

    def _types(self) -> Iterator[str]:
        """Yield the definitions of our types in signatures."""
        found: dict[str, str] = {}
        for item in self._items():
            for annotation in _annotations(item):
                for name in annotation.iterate(flat=True):
                    if isinstance(name, griffe.ExprName):
                        definition = _definition(name, self._module.modules_collection)
                        if definition and name.name not in self._anchors:
                            found[name.name] = definition
        if found:
            yield "\n## Types in signatures\n\n| name | stands for |\n| --- | --- |"
            for name in sorted(found):
                yield _row(name, found[name].replace("|", BAR))

    def _items(self) -> Iterator[Documented]:
        for entry in self._entries:
            yield entry.item
            yield from (member.item for member in entry.members)

    def _link(self, name: str) -> str:
        return f"[`{name}`](#{self._anchors[name]})" if name in self._anchors else f"`{name}`"

    def _linked(self, text: str) -> str:
        """Return `text` with links from names of this page."""
        return re.sub(r"(?<!`)`(\w+(?:\.\w+)*)`(?!`)", lambda match: self._link(match[1]), text)


def _text(lines: Iterable[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _first_sentence(module: griffe.Module) -> str:
    assert module.docstring
    return " ".join(module.docstring.value.split("\n\n")[0].split())


def _slug(heading: str) -> str:
    return re.sub(r"[^\w-]", "", heading.lower())


def _row(first: str, second: str) -> str:
    return f"| `{first.replace('|', BAR)}` | {second} |"


def _signature(item: Documented) -> str:
    if isinstance(item, griffe.Attribute):
        return _declaration(item)
    if isinstance(item, griffe.Class):
        return _class_signature(item)
    keyword = "async def" if "async" in item.labels else "def"
    decorators = "".join(
        f"@{label}\n" for label in ("classmethod", "staticmethod") if label in item.labels
    )
    own = [one for one in item.parameters if one.name not in ("self", "cls")]
    end = f" -> {item.returns}" if item.returns is not None else ""
    return f"{decorators}{_call(f'{keyword} {item.name}', own, end)}"


def _class_signature(item: griffe.Class) -> str:
    bases = [str(base) for base in item.bases]
    is_made = "__init__" in item.members or "dataclass" in item.labels
    own = [one for one in item.parameters if one.name != "self"] if is_made else []
    head = f"class {item.name}({', '.join(bases)})" if bases else f"class {item.name}"
    return f"{head}\n\n{_call(item.name, own)}" if own else head


def _call(head: str, parameters: Iterable[griffe.Parameter], end: str = "") -> str:
    words = list(_words(parameters))
    line = f"{head}({', '.join(words)}){end}"
    if len(line) <= _WIDTH:
        return line
    inner = "".join(f"    {word},\n" for word in words)
    return f"{head}(\n{inner}){end}"


def _words(parameters: Iterable[griffe.Parameter]) -> Iterator[str]:
    """Yield the parameters as they are written, with `/` and `*` between the kinds."""
    kind = griffe.ParameterKind
    last: griffe.ParameterKind | None = None
    for one in parameters:
        if last is kind.positional_only and one.kind is not last:
            yield "/"
        if one.kind is kind.keyword_only and last not in (kind.keyword_only, kind.var_positional):
            yield "*"
        stars = "*" if one.kind is kind.var_positional else ""
        stars = "**" if one.kind is kind.var_keyword else stars
        word = f"{stars}{one.name}"
        if one.annotation is not None:
            word += f": {one.annotation}"
        if one.default is not None and not stars:
            word += f" = {one.default}" if one.annotation is not None else f"={one.default}"
        yield word
        last = one.kind
    if last is kind.positional_only:
        yield "/"


def _declaration(item: griffe.Attribute) -> str:
    text = item.name
    if item.annotation is not None:
        text += f": {item.annotation}"
    value = "" if item.value is None else str(item.value)
    is_shown = value and len(value) <= 40 and "\n" not in value and "property" not in item.labels
    if isinstance(item.parent, griffe.Class) and not _is_field(item, item.parent):
        is_shown = False
    return f"{text} = {value}" if is_shown else text


def _described(item: griffe.Class) -> dict[str, str]:
    """Return the attributes that the docstring of a class describes, with their texts."""
    if not item.docstring:
        return {}
    return {
        one.name: " ".join(one.description.split())
        for section in item.docstring.parsed
        if isinstance(section, griffe.DocstringSectionAttributes)
        for one in section.value
    }


def _text_of(attribute: griffe.Attribute, item: griffe.Class) -> str:
    """Return the docstring of an attribute: its own, else that of the nearest base class."""
    for holder in (item, *item.mro()):
        found = holder.members.get(attribute.name)
        if found is not None and found.docstring:
            return " ".join(found.docstring.value.split())
    return ""


def _is_field(attribute: griffe.Attribute, item: griffe.Class) -> bool:
    """Return whether an attribute is declared in the class, not only set in `__init__`."""
    made = item.members.get("__init__")
    if made is None or None in (made.lineno, made.endlineno, attribute.lineno):
        return True
    return not made.lineno <= attribute.lineno <= made.endlineno  # type: ignore[operator]  # checked


def _annotations(item: Documented) -> Iterator[griffe.Expr]:
    found: list[object] = []
    if isinstance(item, griffe.Function):
        found = [*(one.annotation for one in item.parameters), item.returns]
    elif isinstance(item, griffe.Attribute):
        found = [item.annotation]
    else:
        found = [*item.bases, *(one.annotation for one in item.parameters)]
    yield from (one for one in found if isinstance(one, griffe.Expr))


def _definition(name: griffe.ExprName, modules: griffe.ModulesCollection) -> str | None:
    """Return the definition of a type of ours that has no entry of its own."""
    if not name.canonical_path.startswith(OURS):
        return None
    item = modules[name.canonical_path]
    if isinstance(item, griffe.Alias):
        item = item.final_target
    if isinstance(item, griffe.Attribute) and str(item.annotation) == "TypeAlias":
        return f"`{item.value}`"
    if isinstance(item, griffe.Class) and item.docstring:
        return Entry(item.name, item).summary
    return None
