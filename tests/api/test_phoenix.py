"""A stock Phoenix that reads our spans."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from instrument import Bus
from subscribers import Capture, Options, Vocabulary, install
from tests.support.services.process import DEADLINE_S, free_port, wait_for
from tests.support.telemetry.hook_examples import (
    ANSWER,
    CALL,
    CALLED,
    MESSAGES,
    PARAMS,
    TOOL,
    TOOL_RESULT,
    USAGE,
    Llm,
    Planner,
    Release,
)

PHOENIX = os.environ.get("INSPECTOR_TEST_PHOENIX") or shutil.which("phoenix")
START_S = 240.0
"""It starts in 15 s on a machine of its own."""

pytestmark = [
    pytest.mark.timeout(400),
    pytest.mark.slow,
    pytest.mark.skipif(
        PHOENIX is None,
        reason="needs `phoenix` of arize-phoenix, in an environment of its own: on PATH, or "
        "named by INSPECTOR_TEST_PHOENIX, or the address of one that runs",
    ),
]


@pytest.fixture(scope="module")
def phoenix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if str(PHOENIX).startswith("http"):
        yield str(PHOENIX)
        return
    directory = tmp_path_factory.mktemp("phoenix")
    port = free_port()
    environ = {
        **os.environ,
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(free_port()),
        "PHOENIX_WORKING_DIR": str(directory),
        "PHOENIX_TELEMETRY_ENABLED": "false",
        "PYTHONUNBUFFERED": "1",
    }
    url = f"http://127.0.0.1:{port}"
    with (Path(directory) / "log").open("w") as log:
        process = subprocess.Popen(
            [str(PHOENIX), "serve"], env=environ, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        wait_for(lambda: _answers(url), deadline_s=START_S)
        yield url
    finally:
        process.terminate()
        process.wait(DEADLINE_S)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url).status_code == 200
    except httpx.TransportError:
        return False


def _run_agent(url: str, vocabulary: Vocabulary) -> str:
    """Run the hooks of an agent; return the id of its trace."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces")))
    bus = Bus()
    options = Options(vocabulary=vocabulary, capture=Capture.REDACTED)
    off = install(bus, tracer_provider=provider, options=options, session_id=lambda: "s-1")
    ids = []
    bus.observe("before_workflow_run", lambda **_: ids.append(_trace_id()))
    with (
        bus.operation("workflow_run", workflow=Release(), context=None, args={}),
        bus.operation("agent_call", agent=Planner()),
    ):
        llm = bus.operation(
            "llm_generate", llm=Llm(), prompt=MESSAGES, provider="azure", request_params=PARAMS
        )
        with llm:
            llm.result = ANSWER
            llm.set(usage=USAGE)
        with bus.operation("tool_call", **TOOL) as tool:
            with bus.operation("rpc_request", envelope=CALL, transport="http") as request:
                request.result = CALLED
            tool.result = TOOL_RESULT
        with bus.operation("resource_fetch", uri="file:///log", context=None) as fetch:
            fetch.result = "text"
        with bus.operation(
            "prompt_apply", template_id="greet", parameters={}, context=None
        ) as prompt:
            prompt.result = MESSAGES
        with (
            pytest.raises(PermissionError),
            bus.operation("tool_call", **{**TOOL, "tool_name": "publish"}),
        ):
            raise PermissionError("not allowed")
    off()
    provider.shutdown()
    return str(ids[0])


def _trace_id() -> str:
    return f"{trace.get_current_span().get_span_context().trace_id:032x}"


def _spans(url: str, trace_id: str) -> list[dict[str, Any]]:
    answer = httpx.get(f"{url}/v1/projects/default/spans", params={"limit": 100})
    return [s for s in answer.json()["data"] if s["context"]["trace_id"] == trace_id]


@pytest.mark.parametrize("vocabulary", [Vocabulary.DUP, Vocabulary.CURRENT])
def test_phoenix_shows_kinds_names_parents_and_tokens(phoenix: str, vocabulary: Vocabulary) -> None:
    trace_id = _run_agent(phoenix, vocabulary)
    wait_for(lambda: len(_spans(phoenix, trace_id)) == 7)
    spans = {span["name"]: span for span in _spans(phoenix, trace_id)}
    names = {span["context"]["span_id"]: name for name, span in spans.items()}
    shown = {
        name: (span["span_kind"], span["status_code"], names.get(span["parent_id"]))
        for name, span in spans.items()
    }
    agent = "invoke_agent planner"
    assert shown == {
        "invoke_workflow release": ("CHAIN", "UNSET", None),
        agent: ("AGENT", "UNSET", "invoke_workflow release"),
        "chat gpt-4o": ("LLM", "UNSET", agent),
        "execute_tool search": ("TOOL", "UNSET", agent),
        "resources/read": ("RETRIEVER", "UNSET", agent),
        "prompts/get greet": ("PROMPT", "UNSET", agent),
        "execute_tool publish": ("TOOL", "ERROR", agent),
    }
    llm = spans["chat gpt-4o"]["attributes"]
    assert llm["llm.model_name"] == "gpt-4o"
    assert llm["llm.token_count.prompt"] == 120
    assert llm["llm.token_count.completion"] == 30
    assert llm["llm.token_count.total"] == 150
    assert llm["llm.token_count.prompt_details.cache_read"] == 100
    assert llm["llm.input_messages.0.message.content"] == "Answer shortly."
    assert llm["llm.input_messages.1.message.content"] == "Where is the log?"
    assert llm["session.id"] == "s-1"
    tool = spans["execute_tool search"]["attributes"]
    assert tool["tool.name"] == "search"
    assert tool["output.value"] == '{"hits":1}'
