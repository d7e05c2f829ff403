"""The arrows between the packages; the contracts are in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from grimp import build_graph

ROOT = Path(__file__).resolve().parents[2]
WEB_PACKAGES = {"fastapi", "starlette", "uvicorn", "grpc", "apsw", "typer", "rich", "httpx"}


def test_imports_keep_to_the_contracts() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_no_files_import_each_other_in_a_circle() -> None:
    """Imports for annotations count too: a reader of one file should not need the other."""
    packages = ("instrument", "subscribers", "inspector")
    graph = build_graph(*packages, cache_dir=None)

    # A package that names what is in it does so for those outside.
    imports = {
        module: {
            other
            for other in graph.find_modules_directly_imported_by(module)
            if not other.startswith(f"{module}.")
        }
        for module in graph.modules
    }
    TopologicalSorter(imports).prepare()


@pytest.mark.parametrize("module", ["inspector", "inspector.attach", "inspector.context"])
def test_the_agent_side_loads_no_web_package(module: str) -> None:
    loaded = _modules_after(f"import {module}")

    assert WEB_PACKAGES.isdisjoint(loaded)


def test_attaching_loads_no_web_package() -> None:
    loaded = _modules_after("import inspector; inspector.attach('http://127.0.0.1:9').detach()")

    assert WEB_PACKAGES.isdisjoint(loaded)


def test_the_service_loads_no_history_that_nobody_wants() -> None:
    loaded = _modules_after("import inspector.service.app")

    assert not {name for name in loaded if name.startswith("inspector.service.history.")} - {
        "inspector.service.history.address"
    }


def _modules_after(code: str) -> set[str]:
    program = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())
