"""Words that the glossary retires are in no identifier and in no text that a person reads.

Identifiers: except in the names that it lists. A field has a dot before its name here: `.said` is
`x.said`, `said=…` and a field of a class. Texts: by its table *Words in texts*.
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


# --- texts -------------------------------------------------------------------------------------

WRITE_INSTEAD: dict[str, str] = {
    word.strip(): term
    for term, words in re.findall(
        r"^\| ([^|`]+) \| ([^|`]+) \|$",
        GLOSSARY.partition("## Words in texts")[2].partition("\n## ")[0],
        re.MULTILINE,
    )[2:]
    for word in words.split(",")
}
"""Word that no text has → the term to use."""

UNWANTED = re.compile(
    rf"(?<![\w-])(?:{'|'.join(map(re.escape, WRITE_INSTEAD))})(?![\w-])", re.IGNORECASE
)
SQL = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE)\b")
TSX_TEXT = re.compile(r"[>}]([^<>{}=();&]+)(?=[<{])")

TEXT_FOLDERS = ("inspector", "subscribers", "instrument", "web/src", "sdks/typescript/src")
NO_TEXTS = ("inspector/demo/", "web/src/model/examples.ts")
"""What stands for an agent's content."""


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of several words with their lines; of docstrings, those of commands."""
    nodes = list(ast.walk(ast.parse(source)))
    help_texts = {
        id(node.body[0])
        for node in nodes
        if isinstance(node, ast.FunctionDef)
        if any(
            re.search(r"\.(command|callback)\b", ast.unparse(one)) for one in node.decorator_list
        )
    }
    docstrings = {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Expr) and id(node) not in help_texts
    }
    for node in nodes:
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            text = node.value
            if isinstance(text, str) and " " in text.strip() and not SQL.search(text):
                yield node.lineno, text


def typescript_texts(source: str, name: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module with their lines: of a catalogue all, else of several words."""
    is_catalogue = name.endswith("texts.ts")

    def line(at: int) -> int:
        return source.count("\n", 0, at) + 1

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    for match in TS_TEXT.finditer(source):
        if match[0][0] in "'\"`" and (is_catalogue or " " in match[0]):
            yield line(match.start()), TS_INSERTED.sub("", match[0])
    code = TS_TEXT.sub(blank, source) if name.endswith(".tsx") else ""
    for match in TSX_TEXT.finditer(code):
        yield line(match.start(1)), match[1]


def unwanted_words(path: Path) -> Iterator[str]:
    """Yield where a text of a file has a word that the glossary replaces, and by what."""
    source = path.read_text(encoding="utf-8")
    place = path.relative_to(ROOT).as_posix()
    if not UNWANTED.search(source) or place.startswith(NO_TEXTS):
        return
    texts = python_texts(source) if path.suffix == ".py" else typescript_texts(source, path.name)
    for line, text in texts:
        for word in UNWANTED.findall(text):
            yield f"{place}:{line}: {word!r}: write {WRITE_INSTEAD[word.lower()]!r}"


@pytest.mark.parametrize("folder", TEXT_FOLDERS)
def test_a_text_has_the_terms_of_the_glossary(folder: str) -> None:
    files = [path for path in sources(folder) if ".test." not in path.name]
    assert [found for path in files for found in unwanted_words(path)] == []


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (python_texts("def f():\n    'Held here.'\n    return 'is held'"), [(3, "is held")]),
        (python_texts("@app.command()\ndef f():\n    'It is held.'"), [(3, "It is held.")]),
        (python_texts("x = f'{a} is held'"), [(1, " is held")]),
        (python_texts("x = 'held'; y = 'SELECT held FROM x'"), []),
        (typescript_texts("// held\nx('held', `${held} is held`)", "a.ts"), [(2, "` is held`")]),
        (typescript_texts("a: 'Held'", "texts.ts"), [(1, "'Held'")]),
        (
            typescript_texts("const held = <p>\nIt is held <b>{now}</b></p>", "a.tsx"),
            [(1, "\nIt is held ")],
        ),
    ],
)
def test_a_text_is_found_and_code_is_not(
    texts: Iterator[tuple[int, str]], expected: list[tuple[int, str]]
) -> None:
    assert "held" in WRITE_INSTEAD
    assert [(line, text) for line, text in texts if UNWANTED.search(text)] == expected
