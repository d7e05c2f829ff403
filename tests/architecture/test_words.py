"""Words that the glossary retires are in no identifier, except in the names that it lists.

A field has a dot before its name here: `.said` is `x.said`, `said=…` and a field of a class.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tools.generate import ROOT

RETIRED = {
    *("told", "tells", "desk", "twin", "twins", "homes", "noting"),
    *("held", "kept", "asked", "given", "taken", "said"),
}
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
STAY: dict[str, list[str]] = {
    name: re.findall(r"`([^`]+)`", where)
    for names, where in re.findall(
        r"^\| (`[^|]+`) \| [^|]+ \| ([^|]+) \|$",
        GLOSSARY.partition("## Words that stay")[2],
        re.MULTILINE,
    )
    for name in re.findall(r"`([^`]+)`", names)
}
"""Name to the beginnings of the paths where it may stand."""

FOLDERS = ("inspector", "subscribers", "instrument", "tools", "benchmarks", "tests", "web/src")

ANY_RETIRED = re.compile("|".join(RETIRED), re.IGNORECASE)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
TS_TEXT = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`"
    # A pattern, which may hold a quote.
    r"|(?:(?<=[(,!=:?])|(?<=[=:?,&|] )|(?<=return ))"
    r"/(?![*/ ])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/",
    re.DOTALL,
)
TS_INSERTED = re.compile(r"\$\{([^{}]*)\}")
JSX_TEXT = re.compile(r">[^<>{}=();]*<")


@cache
def is_retired(name: str) -> bool:
    """Whether a word of an identifier is retired."""
    return any(word.lower() in RETIRED for word in WORD.findall(name))


def python_names(source: str) -> Iterator[str]:
    """Yield the identifiers of a module, without those that it imports from a library."""
    nodes = list(ast.walk(ast.parse(source)))
    imported = {
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module
        if node.module.partition(".")[0] not in FOLDERS
        for alias in node.names
    }
    fields = {
        id(line.target)
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.AnnAssign)
    }
    for node in nodes:
        match node:
            case ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                yield name if name[0].isupper() else f".{name}"
            case ast.Name(id=name) if name not in imported:
                yield f".{name}" if id(node) in fields else name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.alias(name=name, asname=asname):
                yield from () if name in imported else (asname or name).split(".")


def typescript_names(source: str) -> Iterator[str]:
    """Yield the identifiers of a module, and those inserted into its texts."""
    code = JSX_TEXT.sub("><", TS_TEXT.sub("''", source))
    for text in (code, *TS_INSERTED.findall(source)):
        for match in re.finditer(r"(\??\.)?([A-Za-z_$][\w$]*)(\??:)?", text):
            yield f".{match[2]}" if match[1] or match[3] else match[2]


def retired_names(path: Path) -> set[str]:
    """Return the names in a file, and of it, that have a retired word and may not stay."""
    source = path.read_text(encoding="utf-8")
    if not ANY_RETIRED.search(f"{path.name} {source}"):  # most files: parsing takes a while
        return set()
    place = path.relative_to(ROOT).as_posix()
    names = python_names(source) if path.suffix == ".py" else typescript_names(source)
    return {
        name
        for name in (*names, path.name.partition(".")[0])
        if is_retired(name) and not place.startswith(tuple(STAY.get(name, ())))
    }


def sources(folder: str) -> list[Path]:
    """Return the modules below a folder."""
    found = [path for kind in ("*.py", "*.ts", "*.tsx") for path in (ROOT / folder).rglob(kind)]
    skipped = {"static", "node_modules"}
    return [path for path in found if ".gen." not in path.name and skipped.isdisjoint(path.parts)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_identifier_has_a_retired_word(folder: str) -> None:
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in sources(folder)
        if (names := retired_names(path))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            python_names("def f(is_told, kept=1): twinOf = g(Held=a.b.said)"),
            {"is_told", "kept", "twinOf", "Held", ".said"},
        ),
        (python_names("from hypothesis import given\n@given(x)\ndef f(): 'told'"), set()),
        (
            python_names("class A:\n    said: str\n    def homes(self): household = 1"),
            {".said", "homes"},
        ),
        (
            typescript_names("const isTold = `${a.kept} said`, b = { said: 1 } // told"),
            {"isTold", ".kept", ".said"},
        ),
        (typescript_names("return <p title='told'>What was said</p>"), set()),
        (typescript_names("""x.replace(/["'`]/g, ''); f(said, '')"""), {"said"}),
    ],
)
def test_a_word_is_found_in_a_name_and_not_in_a_text(
    names: Iterator[str], expected: set[str]
) -> None:
    assert {name for name in names if is_retired(name)} == expected
