"""The tools that a model is offered with each call are stored once, and read as they came."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.records import MomentRecord
from inspector.service.model.rows import Json
from inspector.service.storage import open_store
from inspector.service.storage.sqlite_shared import MIN_BYTES, split, whole
from tests.support.services.recorder_rig import Rig, sweep_all
from tests.support.telemetry.otlp import span
from tests.support.telemetry.records import log, trace_hex

TOOLS: list[Json] = [
    {"type": "function", "name": f"tool_{n}", "description": "Does it. " * 40, "parameters": {}}
    for n in range(80)
]
MESSAGE: dict[str, Json] = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": "[]"}


def one_attribute(call: int) -> dict[str, Json]:
    """Return what OpenTelemetry's conventions say of a call."""
    tools = json.dumps(TOOLS)
    return {**MESSAGE, "gen_ai.tool.definitions": tools, "gen_ai.response.id": f"r{call}"}


def one_attribute_a_tool(call: int) -> dict[str, Json]:
    """Return what OpenInference says of a call."""
    named = {f"llm.tools.{n}.tool.json_schema": json.dumps(tool) for n, tool in enumerate(TOOLS)}
    return {"openinference.span.kind": "LLM", "llm.model_name": "m", **named, "call": call}


def model_call(call: int, attributes: dict[str, Json]) -> Span:
    return span("chat m", trace=1 + call % 2, span_id=call + 1, attributes=attributes)


@pytest.mark.slow
@pytest.mark.parametrize("attributes", [one_attribute, one_attribute_a_tool])
def test_a_thousand_calls_with_the_same_tools_store_them_once(
    tmp_path: Path, attributes: Callable[[int], dict[str, Json]]
) -> None:
    path = tmp_path / "store.sqlite3"
    rig = Rig(open_store(f"sqlite:///{path}"))
    calls = [model_call(call, attributes(call)) for call in range(1_000)]
    assert len(json.dumps(TOOLS)) > 30_000
    rig.record(*calls)
    with rig.store.read() as reader:
        assert reader.used_bytes() < 2_000_000, "30 MB were sent"
        both = (reader.spans_of(trace_hex(trace)) for trace in (1, 2))
        records = {record.span_id: record for spans in both for record in spans}
        for call in calls[::100]:
            assert reader.content(records[call.span_id.hex()]).payload == _bytes(call)
        page = reader.contents_of(trace_hex(1), None, 50).rows
        numbers = [record.content for record in records.values()][:50]
        assert all(Span.FromString(one.payload).attributes for one in page)
        assert len(reader.contents(numbers)) == 50
    rig.record(*calls[:3])  # a retry brings nothing new
    rig.delete(trace_hex(1))
    sweep_all(rig.store)
    assert _shared(path) == (1, 1), "the other session has them still"
    rig.delete(trace_hex(2))
    sweep_all(rig.store)
    assert _shared(path) == (0, 0)
    rig.store.close()


def test_log_records_share_them_too(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    rig = Rig(open_store(f"sqlite:///{path}"))
    details = "gen_ai.client.inference.operation.details"
    records = [
        log(details, trace=1, span_id=call + 1, attributes=one_attribute(call)) for call in range(9)
    ]
    rig.record(*(model_call(2 * call, MESSAGE) for call in range(9)), *records)
    with rig.store.read() as reader:
        (found,) = reader.moments(trace_hex(1), f"{3:016x}", None)
        assert found.content.payload == _bytes(records[2].record)
        assert len(reader.moments_of(trace_hex(1))) == 9
        changed = [one for one in reader.changes(0, 99) if isinstance(one, MomentRecord)]
    assert changed[0].content.payload == _bytes(records[0].record)
    assert _shared(path) == (1, 1)
    rig.store.close()


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["gen_ai.tool.definitions", "llm.tools.0.tool.json_schema", "ai.prompt.tools", "x"]
            ),
            st.text("ab\n\x17\x12", max_size=40).map(lambda text: text * (MIN_BYTES // 20)),
        ),
        max_size=12,
    )
)
def test_a_payload_in_pieces_is_whole_again(pairs: list[tuple[str, str]]) -> None:
    message = Span(name="chat")
    for key, text in pairs:
        message.attributes.add(key=key).value.string_value = text
        event = message.events.add(name=text[:9])
        event.attributes.add(key=key).value.string_value = text[::-1]
    for payload in (_bytes(message), _bytes(message)[: len(_bytes(message)) // 2]):
        found = split(payload)
        if found is None:
            continue
        shared = dict(enumerate(value for _, value in found.shared))
        places = json.dumps([[at, n] for n, (at, _) in enumerate(found.shared)]).encode()
        assert whole(found.payload, places, shared) == payload
        assert len(found.payload) < len(payload)


def _bytes(message: Message) -> bytes:
    return message.SerializeToString()


def _shared(path: Path) -> tuple[int, int]:
    connection = apsw.Connection(str(path))
    try:
        values = connection.execute("SELECT count(*) FROM shared").fetchall()[0][0]
        uses = "SELECT count(DISTINCT shared_no) FROM trace_shared"
        return int(str(values)), int(str(connection.execute(uses).fetchall()[0][0]))
    finally:
        connection.close()
