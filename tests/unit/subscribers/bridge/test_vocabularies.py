"""Two vocabularies on one span: where their names or meanings collide, which value goes where."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import StatusCode

from instrument import CATALOGUE
from subscribers import Vocabulary
from tests.support.telemetry.hook_examples import CALL, MCP, READ, TOOL, TOOL_RESULT, TRANSPORT
from tests.unit.subscribers.conftest import Traced
from tests.unit.subscribers.firing import Fired, fire

CURRENT, LEGACY, DUP = Vocabulary.CURRENT, Vocabulary.LEGACY, Vocabulary.DUP
OFFICIAL_MCP = {"mcp.method.name", "mcp.session.id", "mcp.resource.uri", "mcp.protocol.version"}
SECRET_URI = "https://joe:pw@mcp.example:8443/mcp?token=abc"


@lru_cache
def fired(hook: str, vocabulary: Vocabulary) -> Fired:
    return fire([hook], vocabulary=vocabulary)


def everything(vocabulary: Vocabulary) -> list[dict[str, Any]]:
    return [found for hook in CATALOGUE for found in fired(hook, vocabulary).attributes()]


def values(hook: str, vocabulary: Vocabulary, key: str) -> set[Any]:
    return {
        found[key] for found in fired(hook, vocabulary).attributes() if key in found
    }  # an absent key has no values


def spans(vocabulary: Vocabulary, *emitted: tuple[str, dict[str, Any]]) -> list[ReadableSpan]:
    traced = Traced(vocabulary=vocabulary)
    for hook, kwargs in emitted:
        traced.bus._emit_sync(hook, **kwargs)
    traced.off()
    return traced.spans


@pytest.mark.parametrize("hook", CATALOGUE)
def test_dup_is_the_two_others_together(hook: str) -> None:
    found = [fired(hook, vocabulary).attributes() for vocabulary in (DUP, CURRENT, LEGACY)]
    for dup, current, legacy in zip(*found, strict=True):
        assert dup == {**legacy, **current}


PAIRS: list[tuple[str, str, Any, str, Any]] = [
    ("before_rpc_request", "mcp.method.name", "prompts/get", "mcp.rpc.method", "prompts/get"),
    ("before_rpc_request", "jsonrpc.request.id", "4", "mcp.rpc.id", "4"),
    ("before_rpc_request", "gen_ai.tool.name", "search", "mcp.tool.name", "search"),
    ("before_prompt_apply", "gen_ai.prompt.name", "greet", "mcp.prompt.template_id", "greet"),
    ("before_llm_generate", "gen_ai.provider.name", "azure.ai.openai", "mcp.llm.provider", "azure"),
    ("after_llm_generate", "gen_ai.response.finish_reasons", ("tool_call",),
     "mcp.stop_reason", "tool_calls"),
    ("error_rpc_request", "error.type", "-32603", "mcp.error.code", "SERVER_ERROR"),
    ("error_rpc_request", "rpc.response.status_code", "-32603", "mcp.error.code", "SERVER_ERROR"),
    ("before_rpc_request", "inspector.mcp.transport", "http", "mcp.rpc.transport", "http"),
    ("before_rpc_request", "server.address", "mcp.example",
     "mcp.rpc.server_uri", "https://mcp.example:8443/mcp?token=…"),
    ("before_rpc_request", "server.port", 8443,
     "mcp.rpc.server_uri", "https://mcp.example:8443/mcp?token=…"),
    ("before_workflow_run", "gen_ai.workflow.name", "release", "mcp.workflow.type", "Release"),
    ("before_workflow_run", "inspector.workflow.run_id", "run-1", "run.id", "run-1"),
]  # fmt: skip


@pytest.mark.parametrize(("hook", "official", "value", "legacy", "legacy_value"), PAIRS)
def test_each_vocabulary_has_its_key_and_its_value(
    hook: str, official: str, value: Any, legacy: str, legacy_value: Any
) -> None:
    assert value in values(hook, CURRENT, official)
    assert not values(hook, CURRENT, legacy)
    assert legacy_value in values(hook, LEGACY, legacy)
    assert not values(hook, LEGACY, official)
    assert value in values(hook, DUP, official)
    assert legacy_value in values(hook, DUP, legacy)


@pytest.mark.parametrize("vocabulary", Vocabulary)
def test_a_resource_is_named_on_resource_operations_alone_and_scrubbed(
    vocabulary: Vocabulary,
) -> None:
    fetch, call, read, tool = spans(
        vocabulary,
        ("before_resource_fetch", {"uri": SECRET_URI, "context": None}),
        ("after_resource_fetch", {"uri": SECRET_URI, "content": "", "mime_type": None,
                                  "context": None}),
        ("before_rpc_request", {"envelope": CALL, "transport": "http", "call_id": "1"}),
        ("error_rpc_request", {"envelope": CALL, "transport": "http", "call_id": "1",
                               "exc": EOFError()}),
        ("before_rpc_request", {"envelope": READ, "transport": "http", "call_id": "2"}),
        ("error_rpc_request", {"envelope": READ, "transport": "http", "call_id": "2",
                               "exc": EOFError()}),
        ("before_tool_call", {**TOOL, "args": {"uri": SECRET_URI}}),
        ("after_tool_call", {**TOOL, "args": {"uri": SECRET_URI}, "result": None}),
    )  # fmt: skip
    assert fetch.attributes is not None
    assert fetch.attributes["mcp.resource.uri"] == "https://mcp.example:8443/mcp?token=…"
    assert read.attributes is not None
    assert read.attributes["mcp.resource.uri"] == "file:///log"
    for other in (call, tool):
        assert "mcp.resource.uri" not in (other.attributes or {})


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", Vocabulary)
def test_a_json_rpc_id_is_never_written_as_a_request_id(vocabulary: Vocabulary) -> None:
    keys = {key for found in everything(vocabulary) for key in found}
    assert not keys & {"mcp.request.id", "mcp.request_id", "mcp.parent_request_id"}


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", Vocabulary)
def test_the_session_of_the_application_has_one_key(vocabulary: Vocabulary) -> None:
    for hook in CATALOGUE.keys() - {"session_finished"}:
        assert all(
            "session.id" in (span.attributes or {}) for span in fired(hook, vocabulary).spans
        )
    for attributes in everything(vocabulary):
        conversation = attributes.get("gen_ai.conversation.id", "none")
        assert attributes.get("session.id") not in {conversation, "unknown"}
        assert attributes.get("mcp.session.id") in {None, MCP["connection_id"]}


def test_a_transport_session_is_reported_on_http_alone() -> None:
    over_stdio = {"envelope": CALL, "transport": "stdio", "connection_id": "c", "call_id": "1"}
    [span] = spans(CURRENT, ("before_rpc_request", over_stdio))
    assert "mcp.session.id" not in (span.attributes or {})
    assert values("before_rpc_request", CURRENT, "mcp.session.id") == {"mcp-session-9"}


def test_a_conversation_is_reported_only_where_there_is_one() -> None:
    assert values("before_tool_call", CURRENT, "gen_ai.conversation.id") == {"thread-7"}
    [span] = spans(
        CURRENT,
        ("session_started", {"session_id": "s", "metadata": {}}),
        ("before_tool_call", {"tool_name": "t", "args": {}, "context": None}),
    )
    assert "gen_ai.conversation.id" not in (span.attributes or {})


def test_versions_of_json_rpc_and_of_mcp_are_two_things() -> None:
    assert values("before_rpc_request", LEGACY, "mcp.jsonrpc.version") == {"2.0", "1.0"}
    assert values("before_rpc_request", CURRENT, "jsonrpc.protocol.version") == {"1.0"}
    assert values("before_rpc_request", CURRENT, "mcp.protocol.version") == {"2025-11-25"}


def test_a_tool_has_the_name_the_model_saw_and_a_nested_request_the_one_on_the_wire() -> None:
    tool = {**TOOL, "tool_name": "git_search"}
    first = {"envelope": CALL, "transport": "stdio", "call_id": "1", "parent_call_id": "0"}
    second = {**first, "call_id": "2"}
    result = {"envelope": {"id": 4, "result": TOOL_RESULT}, "transport": "stdio", "duration_ms": 1}
    found = spans(
        DUP,
        ("before_tool_call", {**tool, "call_id": "0", "parent_call_id": None}),
        ("before_rpc_request", first),
        ("after_rpc_response", {**result, "call_id": "1"}),
        ("before_rpc_request", second),
        ("after_rpc_response", {**result, "call_id": "2"}),
        ("after_tool_call", {**tool, "result": TOOL_RESULT, "call_id": "0"}),
    )
    names = {span.name: (span.attributes or {})["gen_ai.tool.name"] for span in found}
    assert names == {"execute_tool git_search": "git_search", "tools/call search": "search"}
    assert all((span.attributes or {})["mcp.tool.name"] == names[span.name] for span in found)


def test_one_conversation_has_two_renderings() -> None:
    [official] = values("before_llm_generate", CURRENT, "gen_ai.input.messages") - {
        value
        for value in values("before_llm_generate", CURRENT, "gen_ai.input.messages")
        if "Where is the log?" not in value
    }
    [legacy] = {
        value
        for value in values("before_llm_generate", LEGACY, "mcp.llm.prompt_json")
        if "Where is the log?" in value
    }
    text = "Where is the log?"
    assert json.loads(official) == [{"role": "user", "parts": [{"type": "text", "content": text}]}]
    assert json.loads(legacy) == [{"role": "user", "content": {"type": "text", "text": text}}]


def test_success_is_a_status_that_is_not_set() -> None:
    found = spans(
        DUP,
        ("before_tool_call", {**TOOL, "call_id": "1"}),
        ("after_tool_call", {**TOOL, "result": 1, "call_id": "1"}),
        ("before_tool_call", {**TOOL, "call_id": "2"}),
        ("error_tool_call", {**TOOL, "exc": ValueError("x"), "call_id": "2"}),
    )
    statuses = [((s.attributes or {})["mcp.status.code"], s.status.status_code) for s in found]
    assert statuses == [("ok", StatusCode.UNSET), ("error", StatusCode.ERROR)]


@pytest.mark.parametrize(
    ("transport", "network", "protocol"),
    [("stdio", "pipe", None), ("sse", "tcp", "http"), ("http", "tcp", "http"),
     ("websocket", "tcp", "websocket")],
)  # fmt: skip
def test_a_transport_keeps_its_own_name_beside_the_official_pair(
    transport: str, network: str, protocol: str | None
) -> None:
    [span] = spans(DUP, ("before_rpc_request", {"envelope": CALL, "transport": transport}))
    found = dict(span.attributes or {})
    assert (found["network.transport"], found.get("network.protocol.name")) == (network, protocol)
    assert found["inspector.mcp.transport"] == found["mcp.rpc.transport"] == transport


def test_a_duration_in_milliseconds_is_legacy_only() -> None:
    assert values("after_rpc_response", LEGACY, "mcp.rpc.duration_ms") == {12}
    assert not any("duration" in key for found in everything(CURRENT) for key in found)


def test_the_address_of_a_connection_is_reported_while_it_is_open() -> None:
    request = {"envelope": CALL, "server_name": "git", "transport": "http"}
    other = {**TRANSPORT, "connection_id": None, "uri": "https://other.example/mcp"}
    connected = {**TRANSPORT, "connection_id": None}
    found = spans(
        CURRENT,
        ("transport_connected", connected),
        ("before_rpc_request", {**request, "call_id": "1"}),
        ("error_rpc_request", {**request, "call_id": "1", "exc": EOFError()}),
        ("transport_connected", other),
        ("before_rpc_request", {**request, "call_id": "2"}),
        ("error_rpc_request", {**request, "call_id": "2", "exc": EOFError()}),
        ("transport_disconnected", {**other, "reason": None}),
        ("transport_connected", other),
        ("before_rpc_request", {**request, "call_id": "3"}),
    )
    addresses = [(span.attributes or {}).get("server.address") for span in found]
    assert addresses == ["mcp.example", None, "other.example"], "two cannot be told apart"


def test_legacy_names_stay_out_of_the_official_vocabulary() -> None:
    keys = {key for found in everything(CURRENT) for key in found}
    assert {key for key in keys if key.startswith("mcp.")} <= OFFICIAL_MCP
    assert "run.id" not in keys
    assert not any("_json" in key for key in keys)


def test_official_names_stay_out_of_the_legacy_vocabulary() -> None:
    keys = {key for found in everything(LEGACY) for key in found}
    ours = {"inspector.incomplete", "inspector.orphan"}
    assert {key for key in keys - ours if not key.startswith("mcp.")} <= {
        "session.id", "run.id", "exception.type", "exception.message"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("hook", "official", "legacy"),
    [
        ("before_agent_call", "invoke_agent planner", "agent.call"),
        ("before_llm_generate", "chat gpt-4o", "llm.generate"),
        ("before_tool_call", "execute_tool search", "tool.call"),
        ("before_workflow_run", "invoke_workflow release", "workflow.run"),
        ("before_resource_fetch", "resources/read", "resource.fetch"),
        ("before_prompt_apply", "prompts/get greet", "prompt.apply"),
    ],
)
def test_spans_have_official_names_but_in_the_legacy_vocabulary(
    hook: str, official: str, legacy: str
) -> None:
    names = {v: {span.name for span in fired(hook, v).spans} for v in Vocabulary}
    assert official in names[CURRENT] & names[DUP]
    assert legacy in names[LEGACY]
    assert official not in names[LEGACY]


@pytest.mark.parametrize("vocabulary", Vocabulary)
def test_what_one_span_passes_to_another_does_not_depend_on_the_vocabulary(
    vocabulary: Vocabulary,
) -> None:
    key = "mcp.agent.name" if vocabulary is LEGACY else "gen_ai.agent.name"
    assert values("before_tool_call", vocabulary, key) == {"planner"}
