"""`instrument` is standard library only, and light."""

import ast
import json
import subprocess
import sys

from tools.generate import ROOT

MODULES = sorted(
    path.stem for path in (ROOT / "instrument").glob("*.py") if path.stem != "__init__"
)


def test_instrument_imports_only_the_standard_library() -> None:
    allowed = sys.stdlib_module_names | {"instrument"}
    for path in (ROOT / "instrument").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=aliases):
                    roots = {alias.name.partition(".")[0] for alias in aliases}
                case ast.ImportFrom(module=str(module), level=0):
                    roots = {module.partition(".")[0]}
                case _:
                    continue
            assert roots <= allowed, f"{path.relative_to(ROOT)} imports {roots - allowed}"


def test_every_module_of_instrument_can_be_imported_without_site_packages() -> None:
    imports = "; ".join(f"import instrument.{module}" for module in MODULES)
    result = _isolated(f"import instrument; {imports}; print(instrument.CONTRACT_VERSION)")

    assert result.strip() == "1.7"


def test_importing_instrument_starts_no_thread_and_loads_little() -> None:
    result = _isolated(
        "import asyncio, logging, dataclasses, typing\n"
        "before = set(sys.modules)\n"
        "import instrument, json, threading\n"
        "new = sorted(set(sys.modules) - before)\n"
        "print(json.dumps([new, threading.active_count()]))"
    )
    new, threads = json.loads(result)

    own = {"__future__", "json"}
    assert [
        name for name in new if name.partition(".")[0] not in own | {"instrument", "_json"}
    ] == []
    assert "instrument.events" not in new
    assert "instrument.signatures" not in new
    assert "instrument.testing" not in new
    assert threads == 1


def _isolated(code: str) -> str:
    setup = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    completed = subprocess.run(
        [sys.executable, "-I", "-S", "-c", setup + code],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return completed.stdout
