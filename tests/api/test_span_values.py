"""Long values of a span, and the states that were captured on it."""

from __future__ import annotations

import json
import math

import pytest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.model.rows import Json
from inspector.service.normalise import read_span
from tests.support.services.api import Api
from tests.support.telemetry.otlp import START_NS, key_values, span
from tests.support.telemetry.records import incoming, log, span_hex, trace_hex

URL = f"/spans/{trace_hex(1)}/{span_hex(1)}"


async def test_long_values_are_cut_and_can_be_had_alone(api: Api) -> None:
    arguments = json.dumps({"id": 9007199254740993, "text": "ä/~" * 1000}, ensure_ascii=False)
    attributes: dict[str, Json] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.call.arguments": arguments,
        "a/b~c": [1] * 1000,
        "short": "as it is",
    }
    await api.submit(span(attributes=attributes))
    clamped = (await api.get(URL, params={"max_value_bytes": 300})).json()
    assert clamped["attributes"]["short"] == "as it is"
    sizes = {cut["pointer"]: cut["size_bytes"] for cut in clamped["clamped"]}
    assert sizes["/view/tool/arguments/text"] == len(arguments.encode())
    assert len(clamped["view"]["tool"]["arguments"]["text"].encode()) <= 300
    assert set(sizes) == {
        "/attributes/gen_ai.tool.call.arguments",
        "/attributes/a~1b~0c",
        "/view/tool/arguments/text",
    }
    whole = (await api.get(URL)).json()
    assert whole["clamped"] == []
    for pointer in sizes:
        answer = await api.get(f"{URL}/value", params={"pointer": pointer})
        assert len(answer.content) == sizes[pointer]
    text = await api.get(f"{URL}/value", params={"pointer": "/view/tool/arguments/text"})
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    assert text.text == arguments
    listed = await api.get(f"{URL}/value", params={"pointer": "/attributes/a~1b~0c"})
    assert listed.headers["content-type"] == "application/json"
    assert listed.json() == [1] * 1000


@pytest.mark.parametrize("pointer", ["/nothing", "/attributes/x", "/links/0", "attributes", "/-"])
async def test_a_value_that_is_not_there_is_a_problem(api: Api, pointer: str) -> None:
    await api.submit(span())
    answer = await api.get(f"{URL}/value", params={"pointer": pointer})
    assert (answer.status_code, answer.json()["code"]) == (404, "value_not_found")


def _event(offset_ns: int, attributes: dict[str, Json]) -> Span.Event:
    attributes = {f"inspector.state.{name}": value for name, value in attributes.items()}
    return Span.Event(
        name="inspector.state",
        time_unix_nano=START_NS + offset_ns,
        attributes=key_values(attributes),
    )


async def test_a_state_is_resolved_across_spans_step_by_step(api: Api) -> None:
    first = _event(10, {"name": "plan", "value": '{"left":["a","b"],"n":1}', "hash": "h1"})
    patch = '[{"op":"remove","path":"/left/0"},{"op":"replace","path":"/n","value":2}]'
    later: dict[str, Json] = {
        "inspector.state.name": "plan",
        "inspector.state.patch": patch,
        "inspector.state.base": "h1",
    }
    await api.parts.writer.submit(
        [
            incoming(span(events=[first, _event(11, {"name": "other", "value": "[]"})])),
            incoming(span(span_id=2, parent=1, events=[])),
        ],
        [log("inspector.state", trace=1, span_id=2, time_ns=START_NS + 20, attributes=later)],
    )
    url = f"/spans/{trace_hex(1)}/{span_hex(2)}/state"
    step = (await api.get(url)).json()
    assert (step["name"], step["position"], step["count"]) == ("plan", 1, 2)
    assert json.loads(step["value"]["text"]) == {"left": ["b"], "n": 2}
    assert [(one["op"], one["path"]) for one in step["changes"]] == [
        ("remove", "/left/0"),
        ("replace", "/n"),
    ]
    assert step["changes"][0]["before"]["text"] == '"a"'
    assert step["changes"][0]["after"] is None
    assert step["previous"]["span_id"] == span_hex(1)
    assert (step["next"], step["problem"], step["is_complete"]) == (None, None, True)
    before = (await api.get(url, params={"name": "plan", "position": 0})).json()
    assert before["value"]["text"] == '{"left":["a","b"],"n":1}'
    assert (before["changes"], before["at"]["span_id"]) == (None, span_hex(1))
    there = (await api.get(f"{URL}/state", params={"name": "plan"})).json()
    assert (there["names"], there["here"], there["position"]) == (["other", "plan"], [0], 0)


async def test_a_state_that_is_sent_twice_is_one_step(api: Api) -> None:
    attributes: dict[str, Json] = {"name": "plan", "value": "{}"}
    record = {f"inspector.state.{name}": value for name, value in attributes.items()}
    await api.parts.writer.submit(
        [incoming(span(events=[_event(10, attributes)]))],
        [log("inspector.state", trace=1, span_id=1, time_ns=START_NS + 10, attributes=record)],
    )
    assert (await api.get(f"{URL}/state")).json()["count"] == 1


@pytest.mark.parametrize("query", [{}, {"name": "x"}, {"name": "plan", "position": "7"}])
async def test_a_state_that_is_not_there_is_a_problem(api: Api, query: dict[str, str]) -> None:
    events = [_event(1, {"name": "plan", "value": "{}"})] if query else []
    await api.submit(span(events=events))
    answer = await api.get(f"{URL}/state", params=query)
    assert (answer.status_code, answer.json()["code"]) == (404, "state_not_found")


async def test_bytes_and_numbers_that_are_none_differ_from_text(api: Api) -> None:
    odd = {
        "nan": (AnyValue(double_value=math.nan), {"doubleValue": "NaN"}),
        "up": (AnyValue(double_value=math.inf), {"doubleValue": "Infinity"}),
        "down": (AnyValue(double_value=-math.inf), {"doubleValue": "-Infinity"}),
        "bytes": (AnyValue(bytes_value=b"\x00\x01"), {"bytesValue": "AAE="}),
        "text": (AnyValue(string_value="NaN"), "NaN"),
        "base64": (AnyValue(string_value="AAE="), "AAE="),
        "half": (AnyValue(double_value=0.5), 0.5),
    }
    inside = ArrayValue(values=[value for value, _ in odd.values()])
    odd["all"] = (AnyValue(array_value=inside), [shown for _, shown in odd.values()])
    pairs = [KeyValue(key=key, value=value) for key, (value, _) in odd.items()]
    expected = {key: shown for key, (_, shown) in odd.items()}
    sent = span()
    sent.attributes.extend(pairs)
    sent.events.add(name="e", time_unix_nano=START_NS).attributes.extend(pairs)
    sent.links.add(trace_id=b"1" * 16, span_id=b"1" * 8).attributes.extend(pairs)
    noted = log("noted", trace=1, span_id=1)
    noted.record.attributes.extend(pairs)
    noted.record.body.bytes_value = b"\x00\x01"
    received = read_span(sent, Resource(attributes=pairs))
    await api.parts.writer.submit([received], [noted])
    detail = (await api.get(URL)).json()
    of_event, of_log = (
        next(one for one in detail["events"] if one["name"] == name) for name in ("e", "noted")
    )
    for shown in (detail, of_event, of_log, detail["links"][0], detail["resource"]):
        assert {key: shown["attributes"][key] for key in expected} == expected
    assert of_log["body"] == {"bytesValue": "AAE="}
    for key in ("nan", "bytes"):
        cut = await api.get(f"{URL}/value", params={"pointer": f"/attributes/{key}"})
        assert cut.json() == expected[key]
