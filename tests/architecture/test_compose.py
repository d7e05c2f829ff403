"""docker-compose.yml, docker-compose.scale.yml and Dockerfile, judged without an engine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from inspector.service.history.address import HistoryAddress
from inspector.service.model.writer_names import WriterAddress
from inspector.service.settings import Settings, load_settings
from tests.support.docs.page import DocPage
from tests.support.services.compose import ROOT, ComposeFile

ALONE = ComposeFile("docker-compose.yml")
SCALE = ComposeFile("docker-compose.scale.yml")
SERVICES = ALONE.services
EACH = pytest.mark.parametrize(
    "service",
    [
        pytest.param(service, id=f"{file.name}:{name}")
        for file in (ALONE, SCALE)
        for name, service in file.services.items()
    ],
)

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
IMAGE: dict[str, str] = dict(
    re.findall(r"\b(INSPECTOR_[A-Z_]+)=(\S+)", DOCKERFILE.split("FROM")[-1])
)
STORE = IMAGE["INSPECTOR_STORE"]

NOT_SETTINGS = {"INSPECTOR_URL", "INSPECTOR_TOKEN", "INSPECTOR_RUNTIME_DIR"}
"""Read by the agent side, too, which has no settings table."""


def test_both_follow_the_compose_specification() -> None:
    subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec",
         ALONE.path, SCALE.path],
        check=True,
    )  # fmt: skip


def test_the_service_jaeger_and_the_demo_are_there() -> None:
    assert set(SERVICES) == {"inspector", "jaeger", "demo"}
    assert re.fullmatch(r"jaegertracing/jaeger:2\.\d+\.\d+", SERVICES["jaeger"]["image"])


@EACH
def test_ports_are_published_on_this_machine_only(service: dict[str, Any]) -> None:
    for port in service.get("ports", ()):
        assert port.startswith("127.0.0.1:"), f"{port} is published to the network"


@EACH
def test_every_service_whose_image_has_a_program_for_it_has_a_health_check(
    service: dict[str, Any],
) -> None:
    if service.get("build") == ".":
        assert "HEALTHCHECK" in DOCKERFILE
    elif not service["image"].startswith("otel/"):  # of one file alone
        assert service["healthcheck"]["test"]


def test_the_demo_waits_for_the_service_and_the_service_for_nobody() -> None:
    assert SERVICES["demo"]["depends_on"] == {"inspector": {"condition": "service_healthy"}}
    assert SERVICES["inspector"]["depends_on"] == ["jaeger"], "started is enough"


def test_no_command_needs_a_variable() -> None:
    assert re.findall(r"\$\{[^}]*\?", ALONE.text) == []


def test_the_demo_reads_the_token_and_nothing_else_of_the_service() -> None:
    service, demo = SERVICES["inspector"], SERVICES["demo"]
    file = service["environment"]["INSPECTOR_TOKEN_FILE"]
    assert demo["environment"]["INSPECTOR_TOKEN_FILE"] == file
    [volume] = demo["volumes"]
    folder = str(Path(file).parent)
    assert volume == f"token:{folder}:ro"
    assert f"token:{folder}" in service["volumes"]
    assert not STORE.startswith(f"sqlite:///{folder}/")


@EACH
def test_ours_run_with_as_little_as_they_need(service: dict[str, Any]) -> None:
    if "build" in service:
        found = service["read_only"], service["tmpfs"], service["cap_drop"]
        assert found == (True, ["/tmp"], ["ALL"])
    assert "USER inspector" in DOCKERFILE.split("FROM")[-1]


@EACH
def test_inspector_variables_are_settings_that_exist(service: dict[str, Any]) -> None:
    known = {f"INSPECTOR_{field.upper()}" for field in Settings.model_fields} | NOT_SETTINGS
    image = IMAGE if "build" in service else ()
    variables = {*service.get("environment", {}), *image}
    assert {key for key in variables if key.startswith("INSPECTOR_")} <= known


def test_the_service_accepts_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in {**IMAGE, **SERVICES["inspector"]["environment"]}.items():
        monkeypatch.setenv(key, "" if value.startswith("${") else value)

    settings = load_settings()

    assert settings.host == "0.0.0.0"
    assert settings.forward_otlp == ("http://jaeger:4318",)
    assert settings.open_ingest
    assert settings.token is None


def test_every_variable_of_the_larger_file_is_made_by_its_first_lines() -> None:
    listed = re.search(r"for name in (.+); do", SCALE.text)
    assert listed is not None
    assert set(re.findall(r"(?<!\$)\$\{(\w+)", SCALE.text)) == set(listed[1].split())


@pytest.mark.parametrize("name", ["acme", "default"])
def test_a_writer_stores_on_a_volume_and_copies_to_all_replicas_of_a_database(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    settings = accepted(monkeypatch, name)

    assert SCALE.services[name]["volumes"] == [f"{name}:/data"]
    assert settings.history is not None
    history = HistoryAddress.parse(settings.history)
    assert [host for host, _ in history.hosts] == servers("clickhouse")
    assert history.user == SCALE.services["clickhouse-1"]["environment"]["CLICKHOUSE_USER"]
    scripts = "/docker-entrypoint-initdb.d/databases.sql"
    for server in servers("clickhouse"):
        created = SCALE.file(server, scripts)
        assert f"CREATE DATABASE IF NOT EXISTS {history.database};" in created
    assert settings.allowed_hosts == (name,), "the others reach it by its name"


@pytest.mark.parametrize("name", ["reader-1", "reader-2"])
def test_a_reader_reads_every_writer_with_its_token_and_has_no_volume(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    settings = accepted(monkeypatch, name)

    assert [WriterAddress.parse(one) for one in settings.writers] == [
        WriterAddress(one, f"http://{one}:7800") for one in ("acme", "default")
    ]
    assert settings.tokens_of_writers() == {
        one: SCALE.environment(one)["INSPECTOR_TOKEN"] for one in ("acme", "default")
    }
    assert "volumes" not in SCALE.services[name]
    [port] = SCALE.services[name]["ports"]
    assert port.endswith(f":{settings.port}")


def accepted(monkeypatch: pytest.MonkeyPatch, name: str) -> Settings:
    for key, value in {**IMAGE, **SCALE.environment(name)}.items():
        monkeypatch.setenv(key, value)
    return load_settings()


def servers(image: str) -> list[str]:
    return [f"{image}-{number}" for number in (1, 2, 3)]


def test_the_collector_routes_as_the_page_says_with_one_tenant_of_its_own() -> None:
    [block] = DocPage("docs/operate/several-services.md").of("yaml")
    wanted = yaml.safe_load(re.sub(r"https://(\w+)\.example", r"http://\1:7800", block.text))
    del wanted["exporters"]["otlp_http/globex"]
    for signal in ("traces", "logs"):
        del wanted["connectors"][f"routing/{signal}"]["table"][1]
        del wanted["service"]["pipelines"][f"{signal}/globex"]

    assert yaml.safe_load(SCALE.file("collector", "/etc/otelcol-contrib/config.yaml")) == wanted


def test_three_keepers_agree_and_each_replica_has_a_name_and_knows_them_all() -> None:
    voters = set()
    for number, name in enumerate(servers("keeper"), start=1):
        keeper = ElementTree.fromstring(
            SCALE.file(name, "/etc/clickhouse-keeper/keeper_config.xml")
        )
        own = keeper.find("keeper_server/server_id")
        assert own is not None
        assert SCALE.services[name]["environment"] == {own.attrib["from_env"]: str(number)}
        voters.add(
            tuple(
                (one.findtext("id"), one.findtext("hostname"))
                for one in keeper.iterfind("keeper_server/raft_configuration/server")
            )
        )
        assert keeper.findtext("keeper_server/tcp_port") == "9181"
    assert voters == {tuple((str(n), name) for n, name in enumerate(servers("keeper"), start=1))}
    for name in servers("clickhouse"):
        server = ElementTree.fromstring(
            SCALE.file(name, "/etc/clickhouse-server/config.d/replicas.xml")
        )
        known = [(one.findtext("host"), one.findtext("port")) for one in server.iter("node")]
        assert known == [(one, "9181") for one in servers("keeper")]
        replica = server.find("macros/replica")
        assert replica is not None
        assert SCALE.services[name]["environment"][replica.attrib["from_env"]] == name
        assert server.findtext("macros/shard") == "1"
    for name in (*servers("keeper"), *servers("clickhouse")):
        assert SCALE.services[name]["hostname"] == name
        assert SCALE.services[name]["volumes"] == [f"{name}:/var/lib/clickhouse"]
        assert name in SCALE.volumes


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
