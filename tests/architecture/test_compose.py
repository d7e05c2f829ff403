"""docker-compose.yml and Dockerfile, judged without an engine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from inspector.service.settings import Settings, load_settings

ROOT = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
IMAGE: dict[str, str] = dict(
    re.findall(r"\b(INSPECTOR_[A-Z_]+)=(\S+)", DOCKERFILE.split("FROM")[-1])
)
STORE = IMAGE["INSPECTOR_STORE"]

NOT_SETTINGS = {"INSPECTOR_URL", "INSPECTOR_TOKEN", "INSPECTOR_RUNTIME_DIR"}
"""Read by the agent side, too, which has no settings table."""


def test_it_follows_the_compose_specification() -> None:
    subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec",
         ROOT / "docker-compose.yml"],
        check=True,
    )  # fmt: skip


def test_the_service_jaeger_and_the_demo_are_there() -> None:
    assert set(SERVICES) == {"inspector", "jaeger", "demo"}
    assert re.fullmatch(r"jaegertracing/jaeger:2\.\d+\.\d+", SERVICES["jaeger"]["image"])


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_ports_are_published_on_this_machine_only(name: str) -> None:
    for port in SERVICES[name].get("ports", ()):
        assert port.startswith("127.0.0.1:"), f"{name} publishes {port} to the network"


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_service_has_a_health_check(name: str) -> None:
    own = SERVICES[name].get("healthcheck")
    assert own["test"] if own else SERVICES[name]["build"] == "." and "HEALTHCHECK" in DOCKERFILE


def test_the_demo_waits_for_the_service_and_the_service_for_nobody() -> None:
    assert SERVICES["demo"]["depends_on"] == {"inspector": {"condition": "service_healthy"}}
    assert SERVICES["inspector"]["depends_on"] == ["jaeger"], "started is enough"


def test_no_command_needs_a_variable() -> None:
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    assert re.findall(r"\$\{[^}]*\?", text) == []


def test_the_demo_reads_the_token_and_nothing_else_of_the_service() -> None:
    service, demo = SERVICES["inspector"], SERVICES["demo"]
    file = service["environment"]["INSPECTOR_TOKEN_FILE"]
    assert demo["environment"]["INSPECTOR_TOKEN_FILE"] == file
    [volume] = demo["volumes"]
    folder = str(Path(file).parent)
    assert volume == f"token:{folder}:ro"
    assert f"token:{folder}" in service["volumes"]
    assert not STORE.startswith(f"sqlite:///{folder}/")


@pytest.mark.parametrize("name", ["inspector", "demo"])
def test_ours_run_with_as_little_as_they_need(name: str) -> None:
    service = SERVICES[name]
    assert (service["read_only"], service["tmpfs"], service["cap_drop"]) == (
        True,
        ["/tmp"],
        ["ALL"],
    )
    assert "USER inspector" in DOCKERFILE.split("FROM")[-1]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_inspector_variables_are_settings_that_exist(name: str) -> None:
    known = {f"INSPECTOR_{field.upper()}" for field in Settings.model_fields} | NOT_SETTINGS
    image = IMAGE if "build" in SERVICES[name] else ()
    variables = {*SERVICES[name].get("environment", {}), *image}
    assert {key for key in variables if key.startswith("INSPECTOR_")} <= known


def test_the_service_accepts_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in {**IMAGE, **SERVICES["inspector"]["environment"]}.items():
        monkeypatch.setenv(key, "" if value.startswith("${") else value)

    settings = load_settings()

    assert settings.host == "0.0.0.0"
    assert settings.forward_otlp == ("http://jaeger:4318",)
    assert settings.open_ingest
    assert settings.token is None


def test_the_image_listens_and_stores_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in IMAGE.items():
        monkeypatch.setenv(key, value)

    settings = load_settings()

    volumes = re.findall(r"^VOLUME (\S+)$", DOCKERFILE, re.MULTILINE)
    assert settings.store.startswith(f"sqlite:///{volumes[0]}/")
    assert settings.host == "0.0.0.0"
    assert not settings.open_ingest, "who runs the image may publish its ports to everybody"
    ports = {settings.port, settings.otlp_http_port, settings.otlp_grpc_port}
    [exposed] = re.findall(r"^EXPOSE (.+)$", DOCKERFILE, re.MULTILINE)
    assert ports == set(map(int, exposed.split()))


def test_what_changes_seldom_is_installed_before_our_sources_are_copied() -> None:
    steps = DOCKERFILE.split("\n")
    sources = steps.index("COPY . .")
    for step in (
        "COPY pyproject.toml uv.lock ./",
        "COPY web/package.json web/package-lock.json web/",
    ):
        assert steps.index(step) < sources
