"""The code at a path: a file, a package or a distribution, parsed and never imported."""

from __future__ import annotations

import ast
import os
import tomllib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from inspector.cli.hook_validation.finding import Finding, finding
from inspector.errors import InspectorError
from instrument.control.mount import GROUP

MAX_FILES = 500
MAX_FILE_BYTES = 1_000_000
_NO_SOURCE = frozenset({"tests", "test", "build", "dist", "docs", "examples", "__pycache__"})


class UnreadablePathError(InspectorError):
    """The path holds no module of hooks."""

    code = "unreadable_path"


@dataclass(frozen=True)
class Entry:
    """The entry point of a module, which mounts it.

    Attributes:
        module: Its dotted name.
        function: The name of its mount function.
        file: The file of the module.
        import_root: The folder on the import path.
    """

    module: str
    function: str
    file: Path
    import_root: Path


@dataclass
class Target:
    """The code to check, and the findings about it so far."""

    path: Path
    entries: list[Entry] = field(default_factory=list)
    sources: dict[Path, ast.Module] = field(default_factory=dict)
    """The parsed files."""
    findings: list[Finding] = field(default_factory=list)

    def nodes(self) -> Iterator[tuple[Path, ast.AST]]:
        """Yield every node of every file."""
        for path, tree in self.sources.items():
            for node in ast.walk(tree):
                yield path, node

    @property
    def main_file(self) -> Path:
        """Return the place of findings about the whole."""
        return self.entries[0].file if self.entries else self.path


def locate(path: Path) -> Target:
    """Read the code at `path`.

    Raises:
        UnreadablePathError: It does not exist, cannot be read, is too large, or is no Python.
    """
    target = Target(path)
    try:
        if path.is_file() and path.suffix == ".py":
            _add_single(target, path.parent if path.name == "__init__.py" else path)
        elif (path / "pyproject.toml").is_file():
            _add_distribution(target)
        elif (path / "__init__.py").is_file():
            _add_single(target, path)
        else:
            wrong = "no such file or folder"
            if path.exists():
                wrong = "not a .py file, nor a folder with __init__.py or pyproject.toml"
            raise UnreadablePathError(f"Cannot validate {path}: {wrong}. Name a module of hooks.")
    except OSError as error:
        raise UnreadablePathError(f"Cannot read {path}: {error.strerror or error}.") from error
    return target


def _add_single(target: Target, path: Path) -> None:
    absolute = path.resolve()  # "." has no name
    file = path if path.is_file() else path / "__init__.py"
    target.entries.append(Entry(absolute.stem, "mount", file, absolute.parent))
    target.findings.append(finding("no-distribution", "There is no pyproject.toml with it.", path))
    _add_sources(target, path)


def _add_distribution(target: Target) -> None:
    pyproject = target.path / "pyproject.toml"
    try:
        project = tomllib.loads(_read(pyproject))["project"]
        points = project.get("entry-points", {}).get(GROUP, {})
        named = [(str(name), str(value)) for name, value in points.items()]
    except (ValueError, KeyError, AttributeError, RecursionError) as error:
        problem = f"pyproject.toml has no usable project: {type(error).__name__}: {error}"
        target.findings.append(finding("bad-pyproject", problem, pyproject))
        named = []
    else:
        if not named:
            problem = f"No entry point of the group {GROUP} is declared."
            target.findings.append(finding("no-entry-point", problem, pyproject))
    for name, value in named:
        _add_entry(target, pyproject, name, value)
    roots = {_top(entry) for entry in target.entries}
    for root in sorted(roots) if roots else [target.path]:
        _add_sources(target, root)


def _add_entry(target: Target, pyproject: Path, name: str, value: str) -> None:
    module, _, function = (part.strip() for part in value.partition(":"))
    parts = module.split(".")
    if not function.isidentifier() or not all(part.isidentifier() for part in parts):
        problem = f"{name} = {value!r} is not of the form module:function."
        target.findings.append(finding("bad-entry-point", problem, pyproject))
        return
    for root in (target.path, target.path / "src"):
        base = root.joinpath(*parts)
        for file in (base.with_name(f"{base.name}.py"), base / "__init__.py"):
            if file.is_file():
                target.entries.append(Entry(module, function, file, root.resolve()))
                return
    problem = f"{name} = {value!r}: there is no module {module} here or in src/."
    target.findings.append(finding("bad-entry-point", problem, pyproject))


def _top(entry: Entry) -> Path:
    """Return the outermost package of an entry, or its file when it is in none."""
    depth = entry.module.count(".") + (entry.file.name == "__init__.py")
    return entry.file.parents[depth - 1] if depth else entry.file


def _add_sources(target: Target, path: Path) -> None:
    for number, file in enumerate(_python_files(path)):
        if number >= MAX_FILES:
            raise UnreadablePathError(
                f"Cannot validate {target.path}: it has more than {MAX_FILES} Python files. "
                "Name the folder of the module."
            )
        parsed = _parse(file)
        if isinstance(parsed, Finding):
            target.findings.append(parsed)
        else:
            target.sources[file] = parsed


def _python_files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for folder, names, files in os.walk(path):
        names[:] = sorted(name for name in names if name[0] != "." and name not in _NO_SOURCE)
        for name in sorted(files):
            file = Path(folder, name)
            if file.suffix == ".py" and file.is_file():  # reading a FIFO would hang
                yield file


def _parse(file: Path) -> ast.Module | Finding:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(_read(file))
    except SyntaxError as error:
        return finding("cannot-parse", f"This is not Python: {error.msg}.", file, error.lineno or 0)
    except (ValueError, RecursionError, MemoryError) as error:
        return finding("cannot-parse", f"It cannot be parsed: {error}.", file)


def _read(file: Path) -> str:
    with file.open("rb") as opened:
        content = opened.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise UnreadablePathError(f"Cannot read {file}: it is larger than {MAX_FILE_BYTES} bytes.")
    return str(content, "utf-8-sig")
