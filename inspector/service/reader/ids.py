"""Put the name of a service before the ids in its answers, and take it off in queries.

Which fields are ids, their types say (`wire.base.QualifiedId`): what agents sent stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, TypeAlias, get_args, get_origin
from urllib.parse import quote

from lark import Token
from pydantic import BaseModel

from inspector.service.http.problems import session_not_found
from inspector.service.model.writer_names import qualified
from inspector.service.query.syntax import parse_syntax
from inspector.service.wire.base import QUALIFIED

Qualify: TypeAlias = Callable[[Any, str], Any]
"""Returns a value with a name before its ids; objects and lists are changed in place."""


@cache
def qualifier(shape: Any) -> Qualify | None:
    """Return what qualifies the ids in a value of `shape`; None where it has none.

    Args:
        shape: A model, or a type that is made of models.
    """
    return _qualifier(shape, frozenset())


def _qualifier(shape: Any, above: frozenset[Any]) -> Qualify | None:
    arguments = get_args(shape)
    if get_origin(shape) is Annotated:
        if QUALIFIED in arguments[1:]:
            return lambda value, name: qualified(name, value) if isinstance(value, str) else value
        return _qualifier(arguments[0], above)
    if isinstance(shape, type) and issubclass(shape, BaseModel):
        return None if shape in above else _of_model(shape, above | {shape})
    inner = [one for argument in arguments if (one := _qualifier(argument, above))]
    if not inner:
        return None
    if get_origin(shape) is list:
        return lambda value, name: [inner[0](one, name) for one in value]
    if get_origin(shape) is dict:
        return lambda value, name: {key: inner[0](one, name) for key, one in value.items()}
    return _any_of(inner)


def _any_of(alternatives: list[Qualify]) -> Qualify:
    """Return what qualifies a union. Models know their fields, so each changes what is its own."""
    if len(alternatives) == 1:
        only = alternatives[0]
        return lambda value, name: value if value is None else only(value, name)
    merged = _Fields({})
    for one in alternatives:
        assert isinstance(one, _Fields)  # of the alternatives only models have ids
        merged.fields.update(one.fields)
    return merged


def _of_model(model: type[BaseModel], above: frozenset[Any]) -> Qualify | None:
    fields: dict[str, Qualify] = {}
    for name, field in model.model_fields.items():
        shape: Any = field.annotation
        if QUALIFIED in field.metadata:
            shape = Annotated[shape, QUALIFIED]  # pydantic takes the outermost mark off
        if one := _qualifier(shape, above):
            fields[name] = one
    return _Fields(fields) if fields else None


class _Fields:
    """Qualifies the fields of an object; one that an older service lacks is passed over."""

    def __init__(self, fields: dict[str, Qualify]) -> None:
        self.fields = fields

    def __call__(self, value: Any, name: str) -> Any:
        if isinstance(value, dict):
            for key, qualify in self.fields.items():
                if value.get(key) is not None:
                    value[key] = qualify(value[key], name)
        return value


_IDS = ("id", "session.id")


def own_query(query: str, name: str) -> str:
    """Return a query for the service `name`: `id:eu:ID` means `id:ID` there.

    Raises:
        QueryError: It is not valid.
    """
    before = re.compile(rf'(^|,)("?){re.escape(name)}:(?=[^",])')
    values = dict[int, Token]()
    for compare in parse_syntax(query).find_data("compare"):
        field, _, value = (one for one in compare.children if isinstance(one, Token))
        if field.lower() in _IDS and value.start_pos is not None:
            values[value.start_pos] = value
    for start in sorted(values, reverse=True):
        value = values[start]
        query = query[:start] + before.sub(r"\1\2", value) + query[start + len(value) :]
    return query


def segment(own_id: str) -> str:
    """Return an id as a part of a path.

    Raises:
        ProblemError: It would lead to another path.
    """
    if own_id in ("", ".", ".."):
        raise session_not_found(own_id)
    return quote(own_id, safe="")
