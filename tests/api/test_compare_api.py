"""`GET /compare`, its rows and `/compare/runs`, on a real store."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.http import compare as route
from tests.support.services.api import Api
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


def compared(service: Service, **more: Any) -> dict[str, Any]:
    params = {"left": LEFT.hex(), "right": RIGHT.hex(), **more}
    answer = service.client.get("/compare", params=params)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
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


def answer(service: Service, path: str, params: Mapping[str, Any]) -> dict[str, Any]:
    found = service.client.get(path, params=params)
    assert found.status_code == 200, found.text
    parsed: dict[str, Any] = found.json()
    return parsed


def rows(service: Service, **more: Any) -> dict[str, Any]:
    return answer(service, "/compare/rows", {"left": LEFT.hex(), "right": RIGHT.hex(), **more})


def test_rows_are_those_that_differ_and_those_above_them_page_by_page(service: Service) -> None:
    whole = rows(service)
    assert [(one["row"], one["depth"], one["changes"]) for one in whole["steps"]] == [
        (0, 0, []),
        (1, 1, ["answered_differently"]),
        (2, 1, ["removed"]),
        (3, 1, []),
    ]
    assert (whole["row_count"], whole["first_difference"], whole["later_count"]) == (4, 1, 1)
    root, answered, removed, _alone = whole["steps"]
    assert (root["size"], root["differing_below"], root["follows"]) == (4, 2, False)
    assert (answered["left_answer"], answered["right_answer"]) == ("1", "uno")
    assert removed["follows"] is True
    assert removed["right"] is None

    first = rows(service, limit=2)
    assert first["next_row"] == 2
    second = rows(service, row=2, limit=2, version=first["version"])
    assert (second["steps"], second["next_row"]) == (whole["steps"][2:], None)


def test_every_row_can_be_listed_and_a_span_be_found_in_them(service: Service) -> None:
    found = rows(service, every=True, row=1, span=f"{RIGHT.hex()}.{span_id(2).hex()}")
    assert [one["row"] for one in found["steps"]] == [1, 2, 3]
    assert found["found_row"] == 3, "the one that was asked about three"
    assert found["steps"][2]["changes"] == []
    assert found["steps"][2]["left"]["span_id"] == span_id(4).hex()


def test_rows_may_be_those_of_some_kinds_of_differences(service: Service) -> None:
    found = rows(service, change=["removed"])
    assert [one["row"] for one in found["steps"]] == [0, 2]
    assert found["steps"][0]["differing_below"] == 1
    assert (found["first_difference"], found["later_count"]) == (1, 0), "it is not listed"


def test_a_page_of_rows_is_refused_when_a_session_changed(tmp_path: Path) -> None:
    with running_service(tmp_path, store="memory:") as service:
        service.send(span(1, trace_id=LEFT, name="lead"), span(1, trace_id=RIGHT, name="lead"))
        params = {"left": LEFT.hex(), "right": RIGHT.hex(), "version": rows(service)["version"]}
        assert service.client.get("/compare/rows", params=params).status_code == 200
        service.send(tool(2, RIGHT, "one", "1"))
        refused = service.client.get("/compare/rows", params=params)
        assert (refused.status_code, refused.json()["code"]) == (409, "sessions_changed")
        assert "row 0" in refused.json()["detail"]


def test_several_runs_are_compared_with_the_first(service: Service) -> None:
    third = bytes([3] * 16)
    service.send(span(1, trace_id=third, name="lead"), tool(2, third, "one", "uno"))
    ids = [one.hex() for one in (LEFT, RIGHT, third)]
    found = answer(service, "/compare/runs", {"session": ids})
    assert [one["id"] for one in found["sessions"]] == ids
    assert [one["row"] for one in found["steps"]] == [0, 1, 2, 3]
    assert [one["differs"] for one in found["steps"]] == [False, True, True, True]
    assert (found["first_difference"], found["differing_count"]) == (1, 3)
    base, *others = found["steps"][1]["cells"]
    assert base["changes"] == []
    lead = found["steps"][0]["cells"][0]
    assert lead["own_ns"] < lead["duration_ns"], "without what runs below it"
    assert [one["changes"] for one in others] == [["answered_differently"]] * 2
    assert [one and one["span_id"] for one in found["steps"][3]["cells"]] == [
        span_id(4).hex(),
        span_id(2).hex(),
        None,
    ]


def test_runs_are_refused_when_one_is_there_twice_or_there_are_too_few_or_many(
    service: Service,
) -> None:
    def refusal(*ids: str) -> tuple[int, str]:
        found = service.client.get("/compare/runs", params={"session": ids})
        return found.status_code, found.json()["code"]

    assert refusal(LEFT.hex(), LEFT.hex()) == (422, "same_session")
    assert refusal(LEFT.hex()) == (422, "bad_request")
    assert refusal(*map(str, range(21))) == (422, "bad_request")
    assert refusal(LEFT.hex(), "nobody") == (404, "session_not_found")
    missing = service.client.get("/compare/runs", params={"session": [LEFT.hex(), "it's gone"]})
    assert missing.json()["session_id"] == "it's gone"


async def test_runs_of_too_many_spans_are_refused(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    await api.submit(*(span(1, trace_id=one, name="lead") for one in (LEFT, RIGHT)))
    ids = [LEFT.hex(), RIGHT.hex()]
    found = await api.get("/compare/runs", params={"session": ids})
    assert found.status_code == 200
    monkeypatch.setattr(route, "MAX_COMPARED_SPANS", 1)
    refused = await api.get("/compare/runs", params={"session": ids})
    assert (refused.status_code, refused.json()["code"]) == (422, "too_many_spans")
    assert "2 spans in total; the limit is 1" in refused.json()["detail"]
