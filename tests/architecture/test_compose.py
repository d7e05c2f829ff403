"""docker-compose.yml, judged without an engine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from inspector.settings import Settings, load_settings

ROOT = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]

NOT_SETTINGS = {"INSPECTOR_URL", "INSPECTOR_TOKEN"}
"""Read by the agent side, which has no settings table."""


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
def test_every_service_can_be_asked_for_its_health(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]
    for wanted in SERVICES[name].get("depends_on", {}).values():
        assert wanted["condition"] == "service_healthy"


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_inspector_variables_are_settings_that_exist(name: str) -> None:
    known = {f"INSPECTOR_{field.upper()}" for field in Settings.model_fields} | NOT_SETTINGS
    given = {key for key in SERVICES[name].get("environment", {}) if key.startswith("INSPECTOR_")}
    assert given <= known


def test_the_service_accepts_what_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in SERVICES["inspector"]["environment"].items():
        monkeypatch.setenv(key, "0" * 48 if value.startswith("${") else value)

    settings = load_settings()

    assert settings.host == "0.0.0.0"
    assert settings.forward_otlp == ("http://jaeger:4318",)
