"""Any value of an emitter: spans that can be encoded, or nothing; never an exception."""

from __future__ import annotations

import contextvars
import json
import logging
import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

from instrument import CATALOGUE
from subscribers import Capture, Vocabulary
from subscribers.content import paths
from subscribers.content.redaction import Redactor
from subscribers.content.serialise import to_json
from tests.unit.subscribers.conftest import Traced

MEBIBYTE = 2**20


class Hostile:
    """An object that fails or shows a secret on every access."""

    @property
    def name(self) -> str:
        raise RuntimeError("sk-hostile-name-abcdefgh")

    content = arguments = model = usage = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ValueError(f"sk-hostile-{name}-abcdefgh")

    def __repr__(self) -> str:
        return "sk-hostile-repr-abcdefgh"

    def __str__(self) -> str:
        return "sk-hostile-str-abcdefgh"

    def __eq__(self, other: object) -> bool:
        raise ValueError("sk-hostile-eq-abcdefgh")

    def __hash__(self) -> int:
        raise TypeError("sk-hostile-hash-abcdefgh")

    def __bool__(self) -> bool:
        raise ValueError("sk-hostile-bool-abcdefgh")

    def __len__(self) -> int:
        raise ValueError("sk-hostile-len-abcdefgh")


class BadMapping(dict[Any, Any]):
    """A dict that fails when it is read."""

    def items(self) -> Any:
        raise RuntimeError("sk-hostile-items-abcdefgh")

    def get(self, *args: Any) -> Any:
        raise RuntimeError("sk-hostile-get-abcdefgh")


class BadError(Exception):
    """An exception that cannot be printed."""

    def __str__(self) -> str:
        raise RuntimeError("sk-hostile-error-abcdefgh")


def cycle() -> dict[str, Any]:
    value: dict[str, Any] = {"name": "c"}
    value["content"] = value["messages"] = [value]
    return value


def deep() -> Any:
    value: Any = []
    for _ in range(5_000):
        value = [value]
    return value


bad_values = st.sampled_from(
    [
        None, math.nan, math.inf, -math.inf, 10**5_000, -(2**63) - 1, b"\xff", "\ud800", "",
        "x\0y", object, object(), lambda: 0, Hostile(), BadMapping(a=1), BadError("sk-x"),
        cycle(), deep(), {Hostile: 1}, {1: 2, (1,): "\ud800"}, [math.nan, "\udfff"], range(10**9),
        {"api_key": "sk-hostile-value-abcdefgh"}, {"isError": True, "content": Hostile()},
        {"jsonrpc": 2.0, "id": {"a": []}, "method": ["x"], "params": "y", "result": 5},
        {"role": "user", "content": [{"type": "image", "data": "\ud800", "mimeType": "\ud800"}]},
        "é" * 40_000, "\n" * 40_000, True, 0, "unknown", {"error": {"code": 10**40}},
    ]
)  # fmt: skip
HOOKS = sorted(CATALOGUE)


@st.composite
def emissions(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    hook = draw(st.sampled_from(HOOKS))
    names = [kwarg.name for kwarg in CATALOGUE[hook].kwargs]
    chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    return hook, {name: draw(bad_values) for name in chosen}


@given(
    st.lists(emissions(), max_size=6), st.sampled_from(list(Vocabulary)),
    st.sampled_from(list(Capture)), st.booleans(),
)  # fmt: skip
def test_hooks_with_anything_in_any_order_leave_spans_that_can_be_sent(
    script: list[Any], vocabulary: Vocabulary, capture: Capture, structured: bool
) -> None:
    def run() -> Traced:
        traced = Traced(vocabulary=vocabulary, capture=capture, has_structured_content=structured)
        for hook, kwargs in script:
            traced.bus._emit_sync(hook, **kwargs)
        traced.off()
        return traced

    logging.disable(logging.CRITICAL)
    try:
        traced = contextvars.Context().run(run)
    finally:
        logging.disable(logging.NOTSET)
    sent = encode_spans(traced.spans).SerializeToString()
    if capture is not Capture.FULL:
        assert b"sk-hostile" not in sent
    assert len(sent) < MEBIBYTE
    for span in traced.spans:
        for attributes in (span.attributes, *(event.attributes for event in span.events)):
            for key, value in (attributes or {}).items():
                # With structured content an official key has plain text.
                is_json = key.endswith("_json") or (
                    not structured and key.endswith((".messages", ".value", ".patch"))
                )
                if is_json and isinstance(value, str):
                    json.loads(value)


@pytest.mark.parametrize("noun", ["tool_call", "llm_generate", "agent_call", "resource_fetch"])
@pytest.mark.parametrize("make", [Hostile, BadMapping, cycle, deep])
async def test_an_operation_with_anything_runs_as_it_would_alone(
    noun: str, make: Callable[[], Any]
) -> None:
    traced, value = Traced(), make()
    names = [kwarg.name for kwarg in CATALOGUE[f"before_{noun}"].kwargs if kwarg.always]
    with pytest.raises(BadError):
        async with traced.bus.operation(noun, **dict.fromkeys(names, value)):
            raise BadError
    async with traced.bus.operation(noun, **dict.fromkeys(names, value)) as op:
        op.result = value
    traced.off()
    assert len(traced.spans) == 2
    encode_spans(traced.spans).SerializeToString()
    assert all(span.end_time for span in traced.spans)


class Lazy:
    """An agent with a slow property."""

    read_count = 0

    @property
    def name(self) -> str:
        Lazy.read_count += 1
        return "slow"


def test_a_property_that_takes_long_is_not_read_again(
    traced: Traced, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(paths, "SLOW_NS", -1)
    for _ in range(3):
        with traced.bus.operation("agent_call", agent=Lazy()):
            pass
    assert Lazy.read_count == 1
    logged = [record.getMessage() for record in caplog.records]
    assert sum("Lazy.name" in message for message in logged) == 1
    paths._slow.clear()


@pytest.mark.parametrize("letter", ["x", "é"])
def test_of_a_huge_string_only_the_beginning_is_copied(letter: str) -> None:
    huge = letter * (100 * MEBIBYTE)
    to_json({"warm": "up"}, redactor=Redactor())
    tracemalloc.start()
    content = to_json({"text": huge, "key": [huge] * 20}, redactor=Redactor())
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert content.is_truncated
    assert peak_bytes < 4 * MEBIBYTE


@pytest.mark.parametrize(
    ("hook", "kwargs"),
    [
        ("before_tool_call", {"tool_name": "huge", "args": "huge", "context": None}),
        ("before_llm_generate", {"llm": "huge", "prompt": "huge", "model": "huge"}),
        ("before_resource_fetch", {"uri": "huge", "context": None}),
        ("after_resource_fetch",
         {"uri": "huge", "content": "huge", "mime_type": "huge", "context": None}),
        ("error_tool_call", {"tool_name": "t", "args": {}, "exc": "huge", "context": None}),
        ("progress_update",
         {"operation_id": "huge", "percent": 1, "message": "huge", "context": None}),
        ("transport_connected", {"transport_type": "huge", "uri": "huge"}),
        ("session_paused", {"session_id": "huge", "signal_name": "huge", "prompt": "huge"}),
        ("before_prompt_apply",
         {"template_id": "huge", "parameters": {"huge": "huge"}, "context": None}),
        ("state_captured", {"name": "huge", "value": "huge", "description": "huge",
                            "is_result": False}),
    ],
)  # fmt: skip
def test_a_hook_with_a_huge_value_copies_little_of_it(
    traced: Traced, hook: str, kwargs: dict[str, Any]
) -> None:
    huge = "https://é" + "é" * (20 * MEBIBYTE)

    def grown(value: Any) -> Any:
        if isinstance(value, dict):
            return {grown(key): grown(item) for key, item in value.items()}
        return huge if value == "huge" else value

    chosen = {name: grown(value) for name, value in kwargs.items()}
    tracemalloc.start()
    traced.bus._emit_sync(hook, **chosen)
    traced.off()
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 4 * MEBIBYTE
    assert len(encode_spans(traced.spans).SerializeToString()) < MEBIBYTE


@pytest.mark.parametrize(
    "value", [Hostile(), 10**5_000, object()], ids=["hostile", "huge", "plain"]
)
@pytest.mark.parametrize("name", ["transport", "method", "server_name", "connection_id"])
def test_a_request_whose_kwargs_cannot_be_read_is_no_failure_of_ours(
    caplog: pytest.LogCaptureFixture, name: str, value: Any
) -> None:
    traced = Traced()
    for hook in ("error_rpc_request", "after_rpc_handle", "transport_connected"):
        traced.bus._emit_sync(hook, **{name: value})
    traced.off()
    assert caplog.messages == []
