from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.service.otlp.signals import METRICS, TRACES, halve
from tests.support.telemetry.export import span, trace_request

sizes = st.lists(st.lists(st.integers(0, 4), max_size=3), max_size=3)


@given(sizes)
def test_halves_together_are_the_whole_in_its_order(groups: list[list[int]]) -> None:
    request: Any = TRACES.request()
    number = 0
    for scopes in groups:
        group = request.resource_spans.add(schema_url="resource schema")
        group.resource.attributes.add(key="n").value.int_value = number
        for count in scopes:
            scope = group.scope_spans.add(schema_url="scope schema")
            for _ in range(count):
                number += 1
                scope.spans.append(span(number))
    parts = halve(TRACES, request.SerializeToString())
    if number < 2:
        assert parts == [request.SerializeToString()]
        return
    found = [located(part) for part in parts]
    assert found[0] + found[1] == located(request.SerializeToString())
    assert [len(half) for half in found] == [number // 2, number - number // 2]


def located(body: bytes) -> list[tuple[bytes, bytes, str, str]]:
    request: Any = TRACES.request.FromString(body)
    return [
        (
            one.SerializeToString(),
            group.resource.SerializeToString(),
            group.schema_url,
            scope.schema_url,
        )
        for group in request.resource_spans
        for scope in group.scope_spans
        for one in scope.spans
    ]


def test_one_item_cannot_be_divided() -> None:
    body = trace_request(span(1)).SerializeToString()
    assert halve(TRACES, body) == [body]
    assert halve(METRICS, b"") == [b""]
