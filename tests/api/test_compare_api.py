"""`GET /compare`, on a real store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.support.services.process import Service, running_service
from tests.support.telemetry.export import span, span_id

LEFT, RIGHT = bytes([1] * 16), bytes([2] * 16)


def tool(number: int, trace_id: bytes, arguments: str, answered: str) -> Span:
    made = span(number, trace_id=trace_id, name="execute_tool read")
    made.parent_span_id = span_id(1)
    made.start_time_unix_nano += number
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "read",
        "gen_ai.tool.call.arguments": arguments,
        "gen_ai.tool.call.result": answered,
    }
    for key, value in attributes.items():
        made.attributes.add(key=key).value.string_value = value
    return made


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service"), store="memory:") as service:
        spans = [
            span(1, trace_id=LEFT, name="lead"),
            tool(2, LEFT, "one", "1"),
            tool(3, LEFT, "two", "2"),
            tool(4, LEFT, "three", "3"),
            span(1, trace_id=RIGHT, name="lead"),
            tool(2, RIGHT, "three", "3"),
            tool(3, RIGHT, "one", "uno"),
        ]
        service.send(*spans)
        yield service


def compared(service: Service, **more: object) -> dict:  # type: ignore[type-arg]  # JSON
    params = {"left": LEFT.hex(), "right": RIGHT.hex(), **more}
    answer = service.client.get("/compare", params=params)  # type: ignore[arg-type]  # numbers too
    assert answer.status_code == 200
    found: dict[str, object] = answer.json()
    return found


def test_spans_alike_are_paired_by_their_input(service: Service) -> None:
    found = compared(service)
    assert found["counts"] == {"removed": 1, "answered_differently": 1}
    removed, answered = found["differences"]
    assert removed["left"]["span_id"] == span_id(3).hex(), "nobody was asked about two"
    assert removed["right"] is None
    assert (answered["left_answer"], answered["right_answer"]) == ("1", "uno")
    assert answered["path"] == ["lead", "execute_tool read"]
    assert found["same_count"] == 2
    assert found["diverged"] == answered
    assert (found["left"]["id"], found["right"]["id"]) == (LEFT.hex(), RIGHT.hex())


def test_differences_come_page_by_page(service: Service) -> None:
    whole = compared(service)
    first = compared(service, limit=1)
    assert first["next_offset"] == 1
    second = compared(service, limit=1, offset=first["next_offset"])
    assert second["next_offset"] is None
    assert first["differences"] + second["differences"] == whole["differences"]


def test_a_span_that_comes_later_is_compared(tmp_path: Path) -> None:
    with running_service(tmp_path, store="memory:") as service:
        service.send(span(1, trace_id=LEFT, name="lead"), span(1, trace_id=RIGHT, name="lead"))
        assert compared(service)["counts"] == {}
        assert compared(service)["counts"] == {}
        service.send(tool(2, RIGHT, "one", "1"))
        assert compared(service)["counts"]["added"] == 1


def test_differences_can_be_those_of_some_kinds_only(service: Service) -> None:
    whole = compared(service)
    found = compared(service, change=["removed", "slower"])
    assert found["differences"] == [
        one for one in whole["differences"] if "removed" in one["changes"]
    ]
    assert found["difference_count"] == 1
    assert (found["counts"], found["diverged"]) == (whole["counts"], whole["diverged"])
    assert service.client.get("/compare?left=a&right=b&change=odd").status_code == 422


def test_a_missing_session_is_refused(service: Service) -> None:
    answer = service.client.get("/compare", params={"left": LEFT.hex(), "right": "nobody"})
    assert answer.status_code == 404
    assert answer.json()["code"] == "session_not_found"
    assert "nobody" in answer.json()["detail"]
