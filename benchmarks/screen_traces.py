"""Sessions to look at, as OTLP: an agent at work, as long as wanted, in the GenAI conventions.

What the conventions name is all that is used, so that any product that reads them can show it.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Iterator, Mapping

from ingest_load import request
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

BATCH = 1000
MS = 1_000_000
_TOOLS = ("read_file", "search", "run_tests", "git_log", "edit_file")
_MODELS = ("gpt-4o", "claude-sonnet-4-5")
_WORDS = [
    "the",
    "scheduler",
    "retries",
    "a",
    "step",
    "once",
    "and",
    "then",
    "tells",
    "the",
    "person",
    "who",
    "waits",
    "for",
    "it",
]

Value = str | int


class Tracing:
    """One trace, a span after the other."""

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
            attributes=[
                _attribute(key, value)
                for key, value in {"session.id": self.session, **attributes}.items()
            ],
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

    def turn(self, agent: Span, asked: str, *, error: str | None = None) -> None:
        """Add a model call that wants a tool, and the tool; `error`: why the tool failed."""
        tool, call_id = self._pick.choice(_TOOLS), f"call_{len(self.spans)}"
        arguments = {"path": f"src/part_{len(self.spans)}.py", "limit": 20}
        said = [
            {"type": "text", "content": self.words(20)},
            {"type": "tool_call", "id": call_id, "name": tool, "arguments": arguments},
        ]
        self.add(
            f"chat {(model := self._pick.choice(_MODELS))}",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": model,
                "gen_ai.input.messages": _messages("user", [{"type": "text", "content": asked}]),
                "gen_ai.output.messages": _messages("assistant", said),
                "gen_ai.usage.input_tokens": self._pick.randint(200, 9000),
                "gen_ai.usage.output_tokens": self._pick.randint(20, 900),
            },
            agent,
            ms=self._pick.randint(200, 2000),
        )
        self.add(
            f"execute_tool {tool}",
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool,
                "gen_ai.tool.call.id": call_id,
                "gen_ai.tool.call.arguments": json.dumps(arguments),
                "gen_ai.tool.call.result": json.dumps({"text": self.words(30)}),
                **({"error.type": "TimeoutError"} if error else {}),
            },
            agent,
            ms=self._pick.randint(10, 400),
            error=error,
        )

    def words(self, count: int) -> str:
        """Return so many words."""
        return " ".join(self._pick.choice(_WORDS) for _ in range(count))

    def requests(self) -> Iterator[ExportTraceServiceRequest]:
        """Return what a sender makes of it."""
        for at in range(0, len(self.spans), BATCH):
            yield request(self.spans[at : at + BATCH])


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
    """Return a planner that asks three sub-agents; the tool of one of them fails."""
    tracing = Tracing(session)
    root = tracing.agent("planner")
    tracing.turn(root, "Move the prices of the shop to euros, and prove that nothing broke.")
    for name, task, error in (
        ("researcher", "Find where prices are kept and shown.", None),
        ("coder", "Change the currency and the rounding.", None),
        ("tester", "Run the tests of the shop.", "Connection closed: the server exited with 137"),
    ):
        helper = tracing.agent(name, root)
        tracing.turn(helper, task)
        tracing.turn(helper, f"{task} And report.", error=error)
        tracing.close(helper)
    tracing.turn(root, "All have answered. The tests could not be run to their end.")
    tracing.close(root)
    return tracing


def large_value(session: str, size_bytes: int) -> Tracing:
    """Return a tool call whose result is JSON of about this size."""
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


def _attribute(key: str, value: Value) -> KeyValue:
    held = AnyValue(int_value=value) if isinstance(value, int) else AnyValue(string_value=value)
    return KeyValue(key=key, value=held)
