"""Captures of real packages: each LLM call reads as the conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from inspector.service.model.rows import SpanKind
from tests.emitters.reading import (
    CAPTURED,
    CapturedSpan,
    captured_spans,
    message_parts,
    of_kind,
    parsed,
)
from tests.emitters.record import emitters
from tests.emitters.scripts.story import (
    ANSWER,
    CALL_ID,
    CITY,
    QUESTION,
    SYSTEM,
    TOOL,
    TOOL_SCHEMA,
    TOOL_TEXT,
    WEATHER,
)
from tests.support.services.app import service_client

NAMES = emitters()
OVER_MCP = ("fastmcp_tools", "mcp_sdk")
NO_MESSAGES = ("spring_ai",)
"""It writes prompts and answers into its log only."""
NO_ROLES = ("langchain4j",)
"""It writes all messages as one text, and no answer that calls a tool."""
WITHOUT_MODEL = (*OVER_MCP, "openinference_agent", "openllmetry_mcp")
WITH_MODEL = [name for name in NAMES if name not in (*WITHOUT_MODEL, *NO_MESSAGES, *NO_ROLES)]
# Emitters that do not send a part.
NO_CACHE = (
    *("ai5", "haystack_agent", "litellm_proxy", "otel_openai_v2", "pydantic_ai_old"),
    "smolagents_agent",
)
NO_REASON = (
    *("agno_agent", "dspy_module", "haystack_agent", "pydantic_ai_agent", "pydantic_ai_old"),
    "smolagents_agent",
)
NO_TOOLS = ("agent_framework_agent", "openai_agents_js", "otel_openai_v2")
RETOLD = ("ag2_chat", "dspy_module", "haystack_agent", "litellm_proxy", "smolagents_agent")
"""Emitters that leave a message out, or tell it in words of their own or as Python's `repr`."""
NO_PROVIDER = ("genkit", "langchain_js")
NO_MODEL = (
    *("ag2_chat", "agno_agent", "autogen_team", "dspy_module", "haystack_agent"),
    *("openai_agents_js", "openinference_bedrock", "smolagents_agent", "strands_agent"),
)
NO_USAGE = ("dspy_module", "openllmetry_openai_old")
"""The one of all calls, the other of streams."""
# The sums of an emitter: LLM calls, tokens in, tokens out. An embedding is 4 tokens.
SUMS = {
    "ag2_chat": (2, 270, 30),
    "agent_framework_agent": (2, 270, 30),
    "agno_agent": (2, 270, 30),
    "autogen_team": (2, 270, 30),
    "dspy_module": (2, 0, 0),
    "haystack_agent": (2, 270, 30),
    "litellm_proxy": (2, 270, 30),
    "smolagents_agent": (2, 270, 30),
    "spring_ai": (2, 270, 30),
    "ai5": (2, 270, 30),
    "ai6": (2, 270, 30),
    "ai7": (4, 540, 60),
    "fastmcp_tools": (0, 0, 0),
    "genkit": (3, 270, 30),
    "langchain4j": (2, 270, 30),
    "langchain_js": (2, 270, 30),
    "langsmith_otel": (2, 270, 30),
    "logfire_openai": (4, 540, 60),
    "mcp_agent_workflow": (2, 270, 30),
    "mcp_sdk": (0, 0, 0),
    "openai_agents_js": (2, 270, 30),
    "openinference_agent": (0, 0, 0),
    "openinference_bedrock": (7, 810, 90),
    "openinference_langchain": (2, 270, 30),
    "openinference_openai": (5, 544, 60),
    "openllmetry_mcp": (0, 0, 0),
    "openllmetry_openai": (5, 544, 60),
    "openllmetry_openai_old": (5, 274, 30),
    "otel_genai_openai": (10, 1088, 120),
    "otel_openai_v2": (4, 540, 60),
    "pydantic_ai_agent": (10, 1350, 150),
    "pydantic_ai_old": (2, 270, 30),
    "strands_agent": (4, 540, 60),
}
PROMPT = [("system", "text", SYSTEM), ("user", "text", QUESTION)]
CALL = ("assistant", "tool_call", (CALL_ID, TOOL, {"city": CITY}))
RESULT = ("tool", "tool_result", (CALL_ID, WEATHER))
ANSWERED = ("assistant", "text", ANSWER)


def conversation(call: CapturedSpan) -> list[object]:
    """Return the parts of a conversation without reasoning, which not every emitter sends."""
    return [_plain(part) for part in message_parts(call.view) if part[1] != "reasoning"]


def _plain(part: tuple[str, str, object]) -> object:
    # mcp-agent hands the model Python's text of a dict.
    if part[:2] == ("tool", "tool_result") and part[2] == (CALL_ID, str(WEATHER)):
        return RESULT
    return part


def calls(name: str) -> list[CapturedSpan]:
    """Return the successful LLM calls that have their answer."""
    return [
        call
        for call in of_kind(captured_spans(name), SpanKind.LLM)
        if call.view.error is None and any(m.origin == "output" for m in call.view.messages)
    ]


def test_at_least_ten_emitters_are_captured() -> None:
    assert len(NAMES) >= 10
    assert {file.name.removesuffix(".otlp.jsonl") for file in CAPTURED.iterdir()} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_capture_names_its_package_versions_and_nothing_of_the_machine(name: str) -> None:
    text = (CAPTURED / f"{name}.otlp.jsonl").read_text(encoding="utf-8")
    assert "emitter.packages" in text
    assert "==" in text
    for part in ("host.name", "process.", "/root/", "/home/", str(Path.cwd()), "site-packages"):
        assert part not in text


@pytest.mark.parametrize("name", RETOLD)
def test_what_an_emitter_retells_has_the_question_the_call_and_the_answer(name: str) -> None:
    first, second = calls(name)
    assert any(QUESTION in str(part[2]) for part in message_parts(first.view))
    assert TOOL in str(message_parts(first.view)[-1][2])
    assert message_parts(second.view)[-1] == ANSWERED
    assert {role for role, *_ in message_parts(second.view)} <= {
        *("system", "user", "assistant", "tool"),
    }


@pytest.mark.parametrize("name", [n for n in WITH_MODEL if n not in RETOLD])
def test_every_model_call_reads_as_its_prompt_and_answer(name: str) -> None:
    conversations = [conversation(call) for call in calls(name)]
    first, second = [*PROMPT, CALL], [*PROMPT, CALL, RESULT, ANSWERED]
    assert conversations == [first, second] * (len(conversations) // 2)
    assert conversations


@pytest.mark.parametrize("name", WITH_MODEL)
def test_every_model_call_has_its_finish_reasons_and_usage(name: str) -> None:
    for first, second in zip(*[iter(calls(name))] * 2, strict=True):
        assert first.view.llm is not None
        assert second.view.llm is not None
        reasons = (first.view.llm.finish_reasons, second.view.llm.finish_reasons)
        stopped = ["stop"] if name == "genkit" else ["tool_call"]
        assert reasons == (([], []) if name in NO_REASON else (stopped, ["stop"]))
        for call, tokens in ((first, (120, 18, 64)), (second, (150, 12, 128))):
            usage = call.view.usage
            if usage is None and name in NO_USAGE:
                continue
            assert usage is not None
            assert not usage.is_aggregate
            assert not usage.is_suspect
            assert (usage.input_tokens, usage.output_tokens) == tokens[:2]
            assert usage.cache_read_tokens == (None if name in NO_CACHE else tokens[2])


@pytest.mark.parametrize("name", [n for n in WITH_MODEL if n not in NO_MODEL])
def test_every_model_call_names_provider_model_and_tools(name: str) -> None:
    for call in calls(name):
        assert call.view.llm is not None
        is_function = name.startswith("pydantic_ai")
        model = "function:answer:" if is_function else "gpt-4o-mini"
        model = f"openai/{model}" if name == "genkit" else model
        provider = "function" if is_function else "openai"
        assert call.view.llm.provider == (None if name in NO_PROVIDER else provider)
        assert call.view.llm.model_requested == model
        offered = [tool.name for tool in call.view.llm.tools_offered]
        assert offered == ([] if name in NO_TOOLS else [TOOL])


@pytest.mark.parametrize(
    "name",
    [
        "ag2_chat",
        "agent_framework_agent",
        "agno_agent",
        "ai5",
        "ai6",
        "ai7",
        "genkit",
        "langchain4j",
        "langsmith_otel",
        "mcp_agent_workflow",
        "openai_agents_js",
        "openinference_agent",
        "openllmetry_mcp",
        "pydantic_ai_agent",
        "pydantic_ai_old",
        "spring_ai",
        "strands_agent",
    ],
)
def test_every_tool_has_its_arguments_and_result(name: str) -> None:
    used = of_kind(captured_spans(name), SpanKind.TOOL)
    assert used
    for span in used:
        tool = span.view.tool
        assert tool is not None
        assert tool.arguments is not None
        assert tool.result is not None
        assert (tool.name, parsed(tool.arguments.text)) == (TOOL, {"city": CITY})
        assert parsed(tool.result.text) in (WEATHER, [{"json": WEATHER}], str(WEATHER))
        assert not tool.is_error
        assert span.view.messages == []


def test_the_result_of_a_tool_of_langchain_js_is_read_from_its_message() -> None:
    [span] = of_kind(captured_spans("langchain_js"), SpanKind.TOOL)
    tool = span.view.tool
    assert tool is not None
    assert tool.result is not None
    assert (tool.name, tool.call_id) == (TOOL, CALL_ID)
    assert (parsed(tool.result.text), tool.is_error) == (WEATHER, False)


def test_no_span_of_genkit_is_of_another_kind() -> None:
    spans = captured_spans("genkit")
    kinds = Counter(span.facts.record.kind for span in spans)
    assert kinds == {"workflow": 1, "step": 3, "llm": 3, "tool": 1}
    assert [span.facts.record.model for span in of_kind(spans, SpanKind.LLM)] == [
        "openai/gpt-4o-mini",
        "openai/gpt-4o-mini",
        "openai/broken",
    ]
    thoughts = [
        part for span in spans for part in message_parts(span.view) if part[1] == "reasoning"
    ]
    assert {part[2] for part in thoughts} == {"Ask the tool."}
    [first, *_] = [span.view.usage for span in of_kind(spans, SpanKind.LLM)]
    assert first is not None
    assert first.reasoning_tokens == 8


def test_a_service_of_langchain4j_is_an_agent_with_its_model_calls_texts_and_their_cost() -> None:
    spans = captured_spans("langchain4j")
    kinds = Counter(span.facts.record.kind for span in spans)
    assert kinds == {"agent": 1, "llm": 2, "tool": 1, "http": 2}
    [agent] = of_kind(spans, SpanKind.AGENT)
    assert agent.facts.record.subject == "Assistant.answer"
    first, second = of_kind(spans, SpanKind.LLM)
    prompt = f"{SYSTEM}\n{QUESTION}"
    assert message_parts(first.view) == [("user", "text", prompt)]
    assert str(message_parts(second.view)[0][2]).startswith(prompt)
    assert message_parts(second.view)[1:] == [ANSWERED]
    reasons_and_costs = [
        (call.view.llm and call.view.llm.finish_reasons, call.facts.record.cost_usd)
        for call in (first, second)
    ]
    assert reasons_and_costs == [(["tool_call"], 2.88e-5), (["stop"], 2.97e-5)]
    assert {call.facts.record.model for call in (first, second)} == {"gpt-4o-mini"}


@pytest.mark.parametrize(
    "name",
    [
        "ai5",
        "ai6",
        "ai7",
        "mcp_agent_workflow",
        "pydantic_ai_agent",
        "pydantic_ai_old",
        "strands_agent",
    ],
)
def test_what_an_agent_used_is_marked_as_a_sum(name: str) -> None:
    agents = of_kind(captured_spans(name), SpanKind.AGENT)
    assert agents
    assert all(agent.view.usage is None or agent.view.usage.is_aggregate for agent in agents)
    assert all(str(agent.facts.agent).startswith("weather") for agent in agents)


@pytest.mark.parametrize(
    "name", ["openinference_openai", "openllmetry_openai", "otel_genai_openai"]
)
def test_a_refused_model_call_has_its_error(name: str) -> None:
    failed = [call for call in captured_spans(name) if call.view.error is not None]
    for call in failed:
        assert call.view.error is not None
        assert str(call.view.error.type).endswith("RateLimitError")
        assert "429" in str(call.view.error.message)
        assert [part[2] for part in message_parts(call.view)] == ["Now?"]
    assert failed


async def test_calls_of_bedrock_name_model_and_tools_and_have_a_cost(
    api: httpx.AsyncClient,
) -> None:
    *spans, refused = captured_spans("openinference_bedrock")
    name = "claude-sonnet-4-5-20250929"
    models = [call.facts.record.model for call in spans]
    assert models == [f"anthropic.{name}-v1:0"] * 4 + [name] * 2
    for call in spans:
        assert call.view.llm is not None
        assert call.view.llm.provider == "aws.bedrock"
        [tool] = call.view.llm.tools_offered
        assert tool.parameters is not None
        assert (tool.name, tool.description, parsed(tool.parameters.text)) == (
            *(TOOL, TOOL_TEXT, TOOL_SCHEMA),
        )
    assert refused.view.error is not None
    assert str(refused.view.error.type).endswith("ThrottlingException")
    assert message_parts(refused.view) == [("user", "text", "Now?")]
    sessions = await sent("openinference_bedrock", api)
    # By million: input 3.30 USD, from the cache 0.33 USD, output 16.50 USD.
    first = 56 * 3.30 + 64 * 0.33 + 18 * 16.50
    second = 22 * 3.30 + 128 * 0.33 + 12 * 16.50
    assert sum(session["cost_usd"] or 0 for session in sessions) * 1e6 == pytest.approx(
        3 * (first + second)
    )


def test_a_streamed_call_has_the_time_to_its_first_chunk() -> None:
    for name in ("openinference_openai", "openllmetry_openai", "otel_genai_openai"):
        models = [call.view.llm for call in calls(name) if call.view.llm is not None]
        assert any((model.time_to_first_chunk_ms or 0) > 0 for model in models)


def test_both_ends_of_an_mcp_call_are_one_tool_and_one_exchange() -> None:
    spans = captured_spans("mcp_sdk")
    tools = of_kind(spans, SpanKind.TOOL)
    assert [span.view.tool and span.view.tool.name for span in tools] == [TOOL, TOOL]
    assert all(span.view.mcp is not None for span in spans)
    methods = [span.view.mcp.method for span in of_kind(spans, SpanKind.MCP) if span.view.mcp]
    assert methods.count("tools/call") == 2
    assert methods.count("initialize") == 2
    [failed] = [span for span in spans if span.view.error]
    assert failed.view.error is not None
    assert failed.view.error.type == "tool_error"


def test_an_mcp_span_of_openllmetry_is_an_exchange_with_its_envelopes() -> None:
    exchanges = [span.view.mcp for span in of_kind(captured_spans("openllmetry_mcp"), SpanKind.MCP)]
    assert [exchange and exchange.method for exchange in exchanges] == ["initialize", "tools/list"]
    for exchange in exchanges:
        assert exchange is not None
        assert exchange.request is not None
        assert exchange.response is not None


@pytest.fixture
async def api() -> AsyncIterator[httpx.AsyncClient]:
    async with service_client() as client:
        yield client


async def sent(name: str, api: httpx.AsyncClient) -> list[dict[str, Any]]:
    """Send a capture as its emitter did; return its sessions."""
    lines = (CAPTURED / f"{name}.otlp.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        path = "/v1/logs" if line.startswith('{"resourceLogs"') else "/v1/traces"
        headers = {"Content-Type": "application/json"}
        answer = await api.post(path, content=line.encode(), headers=headers)
        assert (answer.status_code, answer.json()) == (200, {})
    sessions: list[dict[str, Any]] = (await api.get("/sessions")).json()["sessions"]
    return sessions


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
async def test_a_session_sums_up_its_model_calls_and_nothing_twice(
    name: str, api: httpx.AsyncClient
) -> None:
    sessions = await sent(name, api)
    totals = [
        sum(session[key] for session in sessions)
        for key in ("llm_calls", "input_tokens", "output_tokens")
    ]
    assert tuple(totals) == SUMS[name]
    if name not in (*OVER_MCP, *NO_MESSAGES, "openllmetry_mcp"):
        titles = {session["title"] for session in sessions}
        # smolagents puts its own words before it, Quarkus those of the system.
        assert any(title.endswith(QUESTION) for title in titles)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
async def test_all_calls_with_tokens_of_a_model_that_is_sold_have_a_cost(
    name: str, api: httpx.AsyncClient
) -> None:
    for session in await sent(name, api):
        for span in (await api.get(f"/sessions/{session['id']}/spans")).json()["spans"]:
            is_sold = (span["model"] or "").startswith(("gpt-", "text-embedding-"))
            if is_sold and span["input_tokens"] and span["kind"] != "agent":
                assert span["cost_usd"], span


@pytest.mark.parametrize("name", OVER_MCP)
async def test_a_call_over_mcp_that_two_or_three_spans_report_is_shown_and_counts_once(
    name: str, api: httpx.AsyncClient
) -> None:
    sessions = await sent(name, api)
    assert sum(session["tool_calls"] for session in sessions) == 2
    assert sum(session["error_count"] for session in sessions) == 1
    spans = [
        span
        for session in sessions
        for span in (await api.get(f"/sessions/{session['id']}/spans")).json()["spans"]
    ]
    shown = Counter(span["name"] for span in spans if span["duplicate_of"] is None)
    assert shown["tools/call get_weather"] == 2
    assert set(shown.values()) == {1, 2}
