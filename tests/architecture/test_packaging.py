"""What is built and shipped."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    code = (
        "from hatchling.builders.wheel import WheelBuilder\n"
        f"print(*WheelBuilder({str(ROOT)!r}).build(directory={str(folder)!r}))"
    )
    environment = os.environ | {"INSPECTOR_SKIP_UI_BUILD": "1"}
    subprocess.run([sys.executable, "-c", code], env=environment, cwd=folder, check=True)
    [built] = folder.glob("*.whl")
    return zipfile.ZipFile(built)


def test_the_wheel_has_the_packages_their_data_and_their_types(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())

    for package in ("instrument", "subscribers", "inspector"):
        assert f"{package}/py.typed" in names
    data = {
        "subscribers/telemetry_spec.toml",
        "inspector/demo/library.toml",
        "inspector/demo/cite-sources.md",
    }
    assert data <= names
    assert not any(name.startswith(("tests/", "web/", "tools/")) for name in names)


def test_the_wheel_has_the_web_ui_that_was_built(wheel: zipfile.ZipFile) -> None:
    static = ROOT / "inspector" / "static"
    if not (static / "index.html").exists():
        pytest.skip("the web UI is not built here: `make run` and `make test` build it")
    built = {
        f"inspector/static/{path.relative_to(static).as_posix()}"
        for path in static.rglob("*")
        if path.is_file()
    }

    assert built <= set(wheel.namelist())


def test_the_core_needs_nothing(wheel: zipfile.ZipFile) -> None:
    [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = wheel.read(name).decode()

    needed = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    assert needed
    assert all("; extra ==" in line or " extra == " in line for line in needed)


def test_the_extras_are_those_that_are_promised() -> None:
    extras = PROJECT["optional-dependencies"]

    assert set(extras) == {"otel", "serve", "mcp", "all", "mcp-agent"}
    assert "mcp-agent-inspector[otel]" in extras["serve"]


def test_everybody_runs_the_same_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert script.splitlines()[-1] == "exec make test"
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
