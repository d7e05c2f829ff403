from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from inspector.agent_side.adapters import ADAPTERS, Adapter, check_version, select_adapters
from inspector.agent_side.on_import import after_import

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    name = "a_framework_nobody_has"
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").write_text("VALUE = 1\n")
    (package / "inner.py").write_text("from . import VALUE\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    for imported in [one for one in sys.modules if one.split(".")[0] == name]:
        del sys.modules[imported]


def test_the_callback_runs_once_after_the_module_is_complete(module: str) -> None:
    seen: list[int] = []
    after_import(module, lambda: seen.append(sys.modules[module].VALUE))
    assert seen == []
    importlib.import_module(f"{module}.inner")
    importlib.reload(importlib.import_module(module))
    assert seen == [1]


def test_the_callback_of_an_imported_module_runs_at_once(module: str) -> None:
    importlib.import_module(module)
    seen: list[str] = []
    after_import(module, lambda: seen.append("now"))
    assert seen == ["now"]


def test_a_withdrawn_callback_leaves_no_finder(module: str) -> None:
    before = list(sys.meta_path)
    seen: list[str] = []
    withdraw = after_import(module, lambda: seen.append("never"))
    withdraw()
    withdraw()
    importlib.import_module(module)
    assert seen == []
    assert sys.meta_path == before


def test_a_callback_that_raises_does_not_fail_the_import(
    module: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise RuntimeError("broken")

    after_import(module, fail)
    assert importlib.import_module(module).VALUE == 1
    assert module in caplog.text


def test_the_module_keeps_its_own_loader(module: str) -> None:
    after_import(module, lambda: None)
    loaded = importlib.import_module(module)
    assert loaded.__spec__ is not None
    # A package that checks types puts a loader of its own, of a class derived from that.
    assert isinstance(loaded.__spec__.loader, SourceFileLoader)
    assert loaded.__loader__ is loaded.__spec__.loader


def test_two_callbacks_of_one_module_both_run(module: str) -> None:
    seen: list[str] = []
    after_import(module, lambda: seen.append("first"))
    after_import(module, lambda: seen.append("second"))
    importlib.import_module(module)
    assert sorted(seen) == ["first", "second"]


def test_a_callback_that_comes_during_a_watched_import_runs(
    module: str,
) -> None:
    seen: list[str] = []
    _register_during_import(module, lambda: seen.append("late"))
    after_import(module, lambda: seen.append("first"))
    _imports_its_own_part(module)
    importlib.import_module(module)
    assert seen == ["first", "late"]


def test_a_callback_that_comes_during_an_import_runs_at_the_next_one(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    _register_during_import(module, lambda: seen.append("late"))
    _imports_its_own_part(module)
    importlib.import_module(module)
    monkeypatch.delitem(sys.modules, "this", raising=False)
    monkeypatch.setattr("builtins.print", lambda *_: None)
    importlib.import_module("this")
    assert seen == ["late"]
    assert sys.modules[module].VALUE == 1


def _register_during_import(module: str, do: Callable[[], None]) -> None:
    def register() -> None:
        after_import(module, do)

    after_import(f"{module}.inner", register)


def _imports_its_own_part(module: str) -> None:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    Path(spec.origin).write_text("VALUE = 1\nfrom . import inner\n")


@pytest.mark.slow
def test_a_programs_own_modules_by_the_names_of_frameworks_are_left_alone(tmp_path: Path) -> None:
    names = [adapter.imports for adapter in ADAPTERS]
    for name in names[::2]:
        (tmp_path / f"{name}.py").write_text("class Agent: pass\n")
    for name in names[1::2]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("class Agent: pass\n")
    (tmp_path / "program.py").write_text(
        f"import inspector, sys\ninspector.attach('http://127.0.0.1:9')\nimport {', '.join(names)}"
        "\nprint([one for one in sys.modules if one.startswith('inspector.integrations.')"
        " and one.split('.')[2] in {'mcp', 'strands', 'openai_agents', 'pydantic_ai', 'langchain',"
        " 'amplifier'}])"
    )
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "INSPECTOR_ENABLE_PATCH": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "[]\n", done.stderr
    assert "watch" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_that_is_no_adapter_is_an_error_that_lists_them() -> None:
    with pytest.raises(ValueError, match=r"Unknown adapter 'langchian'.*langchain"):
        select_adapters(["langchian"])


@pytest.mark.parametrize(
    ("first", "below", "warns"), [("0", "1", True), ("1", "99", False), ("98", "99", True)]
)
def test_a_version_outside_the_tested_range_is_one_warning(
    first: str, below: str, warns: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "inspector"):
        check_version(Adapter("x", "x", "pytest", first, below))
    assert len(caplog.records) == int(warns)
    if warns:
        assert f"{first} to below {below}" in caplog.text
