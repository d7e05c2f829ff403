"""Validation of answers by their form."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.agent_side.control.forms import problem_of

FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 5},
        "age": {"type": "integer", "minimum": 18, "maximum": 99},
        "ratio": {"type": "number"},
        "is_new": {"type": "boolean"},
        "colour": {"type": "string", "enum": ["red", "blue"], "enumNames": ["Red", "Blue"]},
        "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l"}]},
        "tags": {"type": "array", "minItems": 1, "items": {"anyOf": [{"const": "a"}]}},
    },
    "required": ["name"],
}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"age": 18, "ratio": 1, "is_new": False},
        {"age": 20.0},
        {"colour": "red", "size": "l", "tags": ["a", "a"]},
        {"other": [None]},
    ],
)
def test_a_payload_that_fits_has_no_problem(more: dict[str, Any]) -> None:
    assert problem_of(FORM, {"name": "Ada", **more}) is None


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        ("text", "the answer must be of type object"),
        ({}, "the answer lacks 'name'"),
        ({"name": 7}, "'name' must be of type string"),
        ({"name": "x"}, "'name' must be at least 2 characters long"),
        ({"name": "xxxxxx"}, "'name' must be at most 5 characters long"),
        ({"name": "Ada", "age": 17}, "'age' must be at least 18"),
        ({"name": "Ada", "age": 100}, "'age' must be at most 99"),
        ({"name": "Ada", "age": 20.5}, "'age' must be of type integer"),
        ({"name": "Ada", "age": True}, "'age' must be of type integer"),
        ({"name": "Ada", "ratio": "1"}, "'ratio' must be of type number"),
        ({"name": "Ada", "is_new": 1}, "'is_new' must be of type boolean"),
        ({"name": "Ada", "colour": "green"}, "'colour' must be one of 'red', 'blue'"),
        ({"name": "Ada", "size": "m"}, "'size' must be one of 's', 'l'"),
        ({"name": "Ada", "tags": []}, "'tags' must be at least 1 items long"),
        ({"name": "Ada", "tags": ["a", "b"]}, "an item of 'tags' must be one of 'a'"),
    ],
)
def test_a_payload_that_does_not_fit_has_a_problem(payload: Any, problem: str) -> None:
    assert problem_of(FORM, payload) == problem


def test_a_closed_form_takes_nothing_else() -> None:
    closed = {**FORM, "additionalProperties": False}

    assert problem_of(closed, {"name": "Ada", "x": 1}) == "the answer has an unknown field 'x'"


@pytest.mark.parametrize("type_", [["string", "null"], "null"])
def test_a_field_may_have_several_types(type_: Any) -> None:
    assert problem_of({"type": type_}, None) is None
    assert problem_of({"type": type_}, 7) is not None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
keywords = st.sampled_from(
    ["type", "enum", "const", "oneOf", "anyOf", "properties", "required", "items", "minItems",
     "minLength", "maximum", "additionalProperties"]
)  # fmt: skip


@given(st.dictionaries(keywords, json_values), json_values)
def test_a_form_that_makes_no_sense_breaks_nothing(form: dict[str, Any], payload: Any) -> None:
    problem = problem_of(form, payload)

    assert problem is None or problem.startswith(("the answer", "an item", "'", '"'))


def test_a_form_inside_itself_ends() -> None:
    form: dict[str, Any] = {}
    form["items"] = form
    payload: Any = []
    for _ in range(99):
        payload = [payload]

    assert problem_of(form, payload) is None
