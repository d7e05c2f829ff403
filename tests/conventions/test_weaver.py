"""OpenTelemetry's Weaver, run on the registry and on what the demo sends."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest

from tests.support.services.otlp_receiver import Receiver
from tests.support.services.process import DEADLINE_S, environment, free_port
from tools.generate_registry import OPENTELEMETRY_VERSION, outputs

ROOT = Path(__file__).resolve().parents[2]
WEAVER = os.environ.get("INSPECTOR_TEST_WEAVER") or shutil.which("weaver")
MODEL = os.environ.get("INSPECTOR_TEST_SEMCONV")
DEMO_S = 240.0

pytestmark = [
    pytest.mark.timeout(400),
    pytest.mark.slow,
    pytest.mark.skipif(
        not (WEAVER and MODEL),
        reason=f"needs Weaver and `model` of OpenTelemetry's conventions {OPENTELEMETRY_VERSION}: "
        "INSPECTOR_TEST_WEAVER=/path/to/weaver INSPECTOR_TEST_SEMCONV=/path/to/model "
        "pytest -m slow tests/conventions/test_weaver.py",
    ),
]

METHODS = {"/v1/traces": "trace.v1.TraceService", "/v1/logs": "logs.v1.LogsService"}
"""Path of OTLP over HTTP to service of OTLP over gRPC: Weaver has the latter only."""
UNDEFINED = re.compile(r"openinference\.span\.kind|gen_ai\.prompt\.variable\..+")
"""What the demo sends and neither registry defines."""
FINDINGS = frozenset(
    {
        "missing_attribute",  # of the undefined
        "extends_namespace",  # the same
        "not_stable",  # nothing of GenAI and MCP is
        "undefined_enum_variant",  # of open sets: providers, methods, errors
        "conditionally_required_attribute_not_present",
        "recommended_attribute_not_present",
        "opt_in_attribute_not_present",
    }
)


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our registry, with OpenTelemetry's on this disk."""
    folder = tmp_path_factory.mktemp("semconv")
    for path, text in outputs().items():
        local = re.sub(r"registry_path: .+", f"registry_path: {MODEL}", text)
        (folder / path.name).write_text(local, encoding="utf-8")
    return folder


def test_the_registry_passes_without_a_warning(registry: Path) -> None:
    found = subprocess.run(
        [str(WEAVER), "registry", "check", "-r", str(registry), "--future"],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    printed = found.stdout + found.stderr
    assert found.returncode == 0, printed
    assert "Diagnostic report" not in printed


def test_the_demo_sends_nothing_more_that_no_registry_defines_and_no_wrong_type(
    registry: Path, tmp_path: Path
) -> None:
    with Receiver() as sent:
        subprocess.run(
            [sys.executable, "-m", "inspector.demo", "--url", sent.url, "--speed", "20"],
            env={**environment(tmp_path), "PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            timeout=DEMO_S,
            check=True,
        )
    report = tmp_path / "report"
    with _live_check(registry, report) as channel:
        for path, method in METHODS.items():
            export: Any = channel.unary_unary(f"/opentelemetry.proto.collector.{method}/Export")
            for body in sent.bodies[path]:
                export(body)
    statistics: dict[str, Any] = json.loads((report / "live_check.json").read_text())["statistics"]
    entities = statistics["total_entities_by_type"]
    assert entities["span"] == len(sent.spans) > 100
    assert entities["log"] == len(sent.logs) > 100
    assert entities["attribute"] > 4_000
    undefined = statistics["seen_non_registry_attributes"]
    assert [key for key in undefined if not UNDEFINED.fullmatch(key)] == []
    assert statistics["seen_non_registry_events"] == {}
    assert statistics["advice_type_counts"].keys() - FINDINGS == set()


@contextmanager
def _live_check(registry: Path, report: Path) -> Iterator[grpc.Channel]:
    """Run Weaver as a receiver, which writes its report into a folder at the end."""
    port, admin_port = free_port(), free_port()
    options = {
        "-r": registry,
        "--otlp-grpc-address": "127.0.0.1",
        "--otlp-grpc-port": port,
        "--admin-port": admin_port,
        "--inactivity-timeout": 300,
        "--format": "json",
        "--output": report,
    }
    words = [str(word) for option in options.items() for word in option]
    process = subprocess.Popen([str(WEAVER), "registry", "live-check", *words])
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            grpc.channel_ready_future(channel).result(DEADLINE_S)
            yield channel
        httpx.post(f"http://127.0.0.1:{admin_port}/stop").raise_for_status()
        process.wait(DEADLINE_S)
    finally:
        process.kill()
        process.wait(DEADLINE_S)
