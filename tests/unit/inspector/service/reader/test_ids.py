from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, get_args

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel

from inspector.service.app import ROUTERS
from inspector.service.model.writer_names import WriterAddress, split_id
from inspector.service.reader.ids import own_query, qualifier
from inspector.service.wire import SpanDetail
from inspector.service.wire.base import QUALIFIED
from inspector.service.wire.control import RequestList, StreamEvent

OF_AGENTS = ("/processes", "/v1")


def models(shape: Any, seen: set[Any]) -> Iterator[type[BaseModel]]:
    for inner in get_args(shape):
        yield from models(inner, seen)
    if isinstance(shape, type) and issubclass(shape, BaseModel) and shape not in seen:
        seen.add(shape)
        yield shape
        for field in shape.model_fields.values():
            yield from models(field.annotation, seen)


def test_every_id_of_a_session_or_a_request_that_a_reader_shows_gets_a_name() -> None:
    seen = set[Any]()
    shapes = [
        route.response_model
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and not route.path.startswith(OF_AGENTS)
    ]
    plain = {
        f"{model.__name__}.{name}"
        for shape in (*shapes, StreamEvent)
        for model in models(shape, seen)
        for name, field in model.model_fields.items()
        if name.endswith(("session_id", "request_id")) or name in ("moved_from", "moved_to")
        if QUALIFIED not in field.metadata and QUALIFIED not in str(field.annotation)
    }
    assert plain == {"McpView.request_id"}  # JSON-RPC's own


def test_names_come_before_ids_and_nothing_else() -> None:
    request = {"id": "r", "session_id": "s", "args_json": '{"session_id": "s"}', "newer": "x"}
    shape = qualifier(RequestList)
    assert shape is not None
    assert shape({"requests": [request], "as_of": "a.1"}, "eu") == {
        "requests": [{**request, "id": "eu:r", "session_id": "eu:s"}],
        "as_of": "a.1",
    }
    detail = qualifier(SpanDetail)
    assert detail is not None
    sent = {"session_id": "s", "attributes": {"session_id": "s", "moved_to": "t"}}
    assert detail(sent, "eu") == {**sent, "session_id": "eu:s"}
    assert qualifier(Annotated[str, QUALIFIED]) is not None
    assert qualifier(dict[str, int]) is None


@pytest.mark.parametrize(
    ("query", "own"),
    [
        ("id:eu:a,eu:b x", "id:a,b x"),
        ('id~"eu:ab"', 'id~"ab"'),
        ("id!=eu:a", "id!=a"),
        ("ID: eu:a", "ID: a"),
        ("-session(id:eu:a) id:eu:eu:b", "-session(id:a) id:eu:b"),
        ('session.id:"eu:a b"', 'session.id:"a b"'),
        ("(id:us:a OR id:eu:b)", "(id:us:a OR id:b)"),
        ('"see id:eu:42"', '"see id:eu:42"'),
        ("span.id:eu:a user_id:eu:b", "span.id:eu:a user_id:eu:b"),
    ],
)
def test_a_query_for_a_service_has_its_own_ids(query: str, own: str) -> None:
    assert own_query(query, "eu") == own


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("https://eu.example", "is not a name and an address"),
        ("EU=https://eu.example", "is not a name"),
        ("e:u=https://eu.example", "is not a name"),
        ("eu=ftp://eu.example", "the address of 'eu' is not http"),
        ("eu=https://user:secret@eu.example", "the address of 'eu' is not http"),
        ("eu=https://eu.example:x", "the address of 'eu' is not http"),
    ],
)
def test_what_is_no_service_is_refused_without_showing_a_password(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as refused:
        WriterAddress.parse(text)
    assert "secret" not in str(refused.value)


def test_the_first_colon_ends_a_name() -> None:
    assert split_id("eu:a:b", ["eu", "a"]) == ("eu", "a:b")
    assert split_id("a:b", ["eu"]) is None
    assert split_id("eu", ["eu"]) is None
