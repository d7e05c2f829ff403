"""The wheel, the source distribution and the scripts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _built(kind: str, folder: Path) -> Path:
    code = (
        f"from hatchling.builders.{kind} import {kind.capitalize()}Builder as Builder\n"
        f"print(*Builder({str(ROOT)!r}).build(directory={str(folder)!r}))"
    )
    environment = os.environ | {"INSPECTOR_SKIP_UI_BUILD": "1"}
    subprocess.run([sys.executable, "-c", code], env=environment, cwd=folder, check=True)
    [built] = [*folder.glob("*.whl"), *folder.glob("*.tar.gz")]
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return zipfile.ZipFile(_built("wheel", tmp_path_factory.mktemp("dist")))


def test_the_wheel_has_the_packages_their_data_and_their_types(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())

    for package in ("instrument", "subscribers", "inspector"):
        assert f"{package}/py.typed" in names
    data = {
        "subscribers/spec/telemetry_spec.toml",
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


def test_the_description_can_be_read_away_from_the_repository(wheel: zipfile.ZipFile) -> None:
    headers, _, description = _metadata(wheel).partition("\n\n")
    repository = PROJECT["urls"]["Repository"]

    links = re.findall(r"\]\(([^)]+)\)", description)
    assert len(links) > 20
    assert [link for link in links if not link.startswith("https://")] == []
    for picture in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", description):
        assert (ROOT / picture.removeprefix(f"{repository}/raw/main/")).is_file()
    for page in re.findall(rf"\({re.escape(repository)}/blob/main/([^)]+)\)", description):
        assert (ROOT / page.partition("#")[0]).exists()
    assert f"Project-URL: Repository, {repository}" in headers
    assert all(url.startswith(repository) for url in PROJECT["urls"].values())


@pytest.mark.slow
def test_an_sdist_has_what_a_wheel_is_built_from(tmp_path: Path) -> None:
    with tarfile.open(_built("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert {"pyproject.toml", "hatch_build.py", "README.md", "LICENSE"} <= names
    site = [path for path in (ROOT / "site").rglob("*") if path.is_file()]  # `make build` makes it
    assert {path.relative_to(ROOT).as_posix() for path in site} <= names


@pytest.mark.parametrize("name", ["inspector", "mcp-agent-inspector"])
def test_each_script_says_what_to_install_where_only_the_core_is(
    wheel: zipfile.ZipFile, name: str, tmp_path: Path
) -> None:
    wheel.extractall(tmp_path)
    [listed] = [file for file in wheel.namelist() if file.endswith("entry_points.txt")]
    [module, function] = re.findall(rf"^{name} = (\S+):(\S+)$", wheel.read(listed).decode(), re.M)[
        0
    ]
    # `-S`: no package but what is in the wheel.
    code = f"import sys; sys.path[0] = {str(tmp_path)!r}; from {module} import {function} as f; f()"
    ended = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 2
    assert "uvx --from 'mcp-agent-inspector[serve]' inspector" in ended.stderr
    assert "pip install 'mcp-agent-inspector[serve]'" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def _metadata(wheel: zipfile.ZipFile) -> str:
    [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    return wheel.read(name).decode()


def test_the_core_needs_nothing(wheel: zipfile.ZipFile) -> None:
    metadata = _metadata(wheel)

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
