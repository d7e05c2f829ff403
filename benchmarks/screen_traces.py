"""Sessions for the page benchmarks, as OTLP in the GenAI conventions, of any length.

What the conventions name is all that is used, so that any product that reads them can show it.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Iterable, Iterator, Mapping

from ingest_load import request
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.support.telemetry.otlp import key_values

BATCH = 1000
MS = 1_000_000
_TOOLS = ("read_file", "search", "run_tests", "git_log", "edit_file")
_MODELS = ("gpt-4o", "claude-sonnet-4-5")
_TEXT = "the scheduler retries a step once and then tells the person who waits for it"
_WORDS = _TEXT.split()

Value = str | int
_Step = tuple[str, str, Mapping[str, Value], str, str | None]
_HELPERS: tuple[tuple[str, str, tuple[_Step, ...]], ...] = (
    (
        "researcher",
        "Find where prices are kept and shown.",
        (
            (
                "I look for the currency sign and for the word price.",
                "search",
                {"query": "price|\\$", "path": "shop/"},
                "shop/models.py:41 price_usd, shop/format.py:12 '$', 7 templates",
                None,
            ),
            (
                "Prices are kept in shop/models.py; I read how they are rounded.",
                "read_file",
                {"path": "shop/models.py", "first_line": 30, "last_line": 60},
                "price_usd = Decimal(places=2)  # rounded half up",
                None,
            ),
        ),
    ),
    (
        "coder",
        "Change the currency and the rounding.",
        (
            (
                "I rename the column, and round half even as euro amounts are here.",
                "edit_file",
                {"path": "shop/models.py", "find": "price_usd", "replace": "price_eur"},
                "4 lines changed",
                None,
            ),
            (
                "And the sign in the templates.",
                "edit_file",
                {"path": "shop/format.py", "find": "$", "replace": "€"},
                "1 line changed",
                None,
            ),
        ),
    ),
    (
        "tester",
        "Run the tests of the shop.",
        (
            (
                "First the unit tests, they are quick.",
                "run_tests",
                {"path": "tests/unit"},
                "212 passed in 4.1 s",
                None,
            ),
            (
                "Now those that need the server.",
                "run_tests",
                {"path": "tests/integration", "workers": 8},
                "",
                "Connection closed: the server exited with 137 (out of memory)",
            ),
        ),
    ),
)


class Tracing:
    """A trace whose spans run one after the other."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.trace_id = hashlib.sha256(session.encode()).digest()[:16]
        self.spans: list[Span] = []
        self._pick = random.Random(session)
        self._now_ns = time.time_ns() - 3600 * 1000 * MS

    def add(
        self,
        name: str,
        attributes: Mapping[str, Value],
        parent: Span | None = None,
        *,
        ms: int = 40,
        error: str | None = None,
    ) -> Span:
        """Add a span that begins where the last one did; an agent's end is set by `close`."""
        self._now_ns += 5 * MS
        status = Status(code=Status.STATUS_CODE_ERROR, message=error) if error else None
        made = Span(
            trace_id=self.trace_id,
            span_id=len(self.spans).to_bytes(4, "big") + self.trace_id[:4],
            parent_span_id=parent.span_id if parent else b"",
            name=name,
            start_time_unix_nano=self._now_ns,
            end_time_unix_nano=self._now_ns + ms * MS,
            attributes=key_values({"session.id": self.session, **attributes}),
            status=status,
        )
        if not name.startswith("invoke_agent"):
            self._now_ns += ms * MS
        self.spans.append(made)
        return made

    def agent(self, name: str, parent: Span | None = None) -> Span:
        """Begin an agent."""
        named = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
        return self.add(f"invoke_agent {name}", named, parent)

    def close(self, agent: Span) -> None:
        """End an agent after all that it did."""
        agent.end_time_unix_nano = self._now_ns

    def turn(self, agent: Span, prompt: str, *, error: str | None = None) -> None:
        """Add an LLM call that wants a tool, and the tool; `error`: why the tool failed."""
        tool, model = self._pick.choice(_TOOLS), self._pick.choice(_MODELS)
        arguments = {"path": f"src/part_{len(self.spans)}.py", "limit": 20}
        self.chat(agent, model, prompt, self.words(20), (tool, arguments))
        self.tool(agent, tool, arguments, self.words(30), error=error)

    def chat(
        self,
        agent: Span,
        model: str,
        prompt: str,
        text: str,
        wants: tuple[str, Mapping[str, Value]] | None = None,
    ) -> None:
        """Add an LLM call: its prompt, its text, and the tool that it calls."""
        parts: list[Mapping[str, object]] = [{"type": "text", "content": text}]
        if wants is not None:
            # The tool is the next span, and names the call by its own number.
            call_id = f"call_{len(self.spans) + 1}"
            called = {"type": "tool_call", "id": call_id, "name": wants[0], "arguments": wants[1]}
            parts.append(called)
        self.add(
            f"chat {model}",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai" if model.startswith("gpt") else "anthropic",
                "gen_ai.request.model": model,
                "gen_ai.input.messages": _messages("user", [{"type": "text", "content": prompt}]),
                "gen_ai.output.messages": _messages("assistant", parts),
                "gen_ai.usage.input_tokens": self._pick.randint(200, 9000),
                "gen_ai.usage.output_tokens": self._pick.randint(20, 900),
            },
            agent,
            ms=self._pick.randint(200, 2000),
        )

    def tool(
        self,
        agent: Span,
        name: str,
        arguments: Mapping[str, Value],
        found: str,
        *,
        error: str | None = None,
    ) -> None:
        """Add a tool call that found a text, or failed with `error`."""
        ended = (
            {"error.type": "ConnectionError"}
            if error
            else {"gen_ai.tool.call.result": json.dumps({"text": found})}
        )
        self.add(
            f"execute_tool {name}",
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.id": f"call_{len(self.spans)}",
                "gen_ai.tool.call.arguments": json.dumps(arguments),
                **ended,
            },
            agent,
            ms=self._pick.randint(10, 400),
            error=error,
        )

    def words(self, count: int) -> str:
        """Return `count` words."""
        return " ".join(self._pick.choice(_WORDS) for _ in range(count))


def joined(traces: Iterable[Tracing]) -> Iterator[bytes]:
    """Return OTLP requests of at most `BATCH` spans each."""
    spans: list[Span] = []
    for tracing in traces:
        for span in tracing.spans:
            spans.append(span)
            if len(spans) == BATCH:
                yield request(spans).SerializeToString()
                spans = []
    if spans:
        yield request(spans).SerializeToString()


def long_session(session: str, count: int) -> Tracing:
    """Return an agent with helpers, `count` spans in all: a helper has 12 turns."""
    tracing = Tracing(session)
    root = tracing.agent("planner")
    while len(tracing.spans) < count:
        helper = tracing.agent(f"helper {len(tracing.spans) // 25}", root)
        for _ in range(min(12, (count - len(tracing.spans)) // 2)):
            error = "it took too long" if len(tracing.spans) % 997 == 0 else None
            tracing.turn(helper, tracing.words(25), error=error)
        tracing.close(helper)
    tracing.close(root)
    return tracing


def three_helpers(session: str) -> Tracing:
    """Return a planner with three sub-agents; a tool of the last one fails."""
    tracing = Tracing(session)
    root = tracing.agent("planner")
    prompt = "Move the prices of the shop to euros, and prove that nothing broke."
    plan = "I ask three helpers: one finds where prices are, one changes them, one runs the tests."
    tracing.chat(root, "claude-sonnet-4-5", prompt, plan)
    for name, task, steps in _HELPERS:
        helper = tracing.agent(name, root)
        message = task
        for text, tool, arguments, found, error in steps:
            tracing.chat(helper, "gpt-4o", message, text, (tool, arguments))
            tracing.tool(helper, tool, arguments, found, error=error)
            message = error or found
        tracing.close(helper)
    answer = "Prices are in euros. The tests ended early: their server was killed for its memory."
    tracing.chat(root, "claude-sonnet-4-5", "All three have reported.", answer)
    tracing.close(root)
    return tracing


def many_sessions(prefix: str, count: int) -> Iterator[Tracing]:
    """Return short sessions, each an agent with one turn."""
    for number in range(count):
        tracing = Tracing(f"{prefix}-{number}")
        root = tracing.agent(f"{_TOOLS[number % len(_TOOLS)]} agent")
        tracing.turn(root, f"Job {number}: {tracing.words(8)}")
        tracing.close(root)
        yield tracing


def large_value(session: str, size_bytes: int) -> Tracing:
    """Return a tool call with a JSON result of about this size."""
    tracing = Tracing(session)
    root = tracing.agent("reader")
    row = json.dumps({"id": 0, "name": "a row", "tags": ["x", "y"], "value": 1.5, "note": "n" * 40})
    result = f"[{','.join([row] * (size_bytes // (len(row) + 1)))}]"
    tracing.add(
        "execute_tool dump",
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "dump",
            "gen_ai.tool.call.arguments": "{}",
            "gen_ai.tool.call.result": result,
        },
        root,
    )
    tracing.close(root)
    return tracing


def _messages(role: str, parts: list[Mapping[str, object]]) -> str:
    return json.dumps([{"role": role, "parts": parts}])
