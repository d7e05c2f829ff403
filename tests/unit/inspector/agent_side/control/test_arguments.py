"""Arguments: their view for a person, and the edits."""

import json
import math
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from enum import IntEnum
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.agent_side.control.arguments import (
    MAX_EDIT_BYTES,
    MAX_SHOWN_CHARS,
    EditError,
    changes_from,
    show,
)
from inspector.agent_side.control.exact_json import (
    MAX_DEPTH,
    BadJsonError,
    NotExactError,
    canonical,
    is_same,
    parsed,
    reuse_unchanged,
)

HOOK = "before_tool_call"
MIB = 2**20

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters())  # surrogates too
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.text(), values, max_size=5)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def shown(args: Any) -> Any:
    return show(HOOK, {"args": args})


# --- as text ----------------------------------------------------------------------------------


@given(values)
def test_a_value_of_json_comes_back_with_its_types(value: Any) -> None:
    if has_a_pair_of_halves(value):
        with pytest.raises(NotExactError, match="unpaired surrogates"):
            canonical(value, MIB)
        return

    text = canonical(value, MIB)

    assert is_same(parsed(text, MIB), value)
    assert is_same(json.loads(text), value)
    text.encode()  # it can be sent


def has_a_pair_of_halves(value: Any) -> bool:
    if isinstance(value, str):
        return any("\ud800" <= a < "\udc00" <= b < "\ue000" for a, b in pairwise(value))
    if isinstance(value, dict):
        return any(map(has_a_pair_of_halves, [*value, *value.values()]))
    return isinstance(value, list) and any(map(has_a_pair_of_halves, value))


@given(values)
def test_the_text_of_a_value_does_not_depend_on_the_order_of_its_keys(value: Any) -> None:
    def reversed_keys(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: reversed_keys(part[key]) for key in reversed(part)}
        return [reversed_keys(item) for item in part] if isinstance(part, list) else part

    if not has_a_pair_of_halves(value):
        assert canonical(reversed_keys(value), MIB) == canonical(value, MIB)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [1.0, -0.0, 1e16]}, '{"a":[1.0,-0.0,1e+16],"b":1}'),
        (9007199254740993, "9007199254740993"),
        ('\x07\n\x7f\u2028é"\\', '"\\u0007\\n\x7f\u2028é\\"\\\\"'),
        ({"\U0001f600": 1, "\ufb33": 2}, '{"\U0001f600":1,"\ufb33":2}'),  # RFC 8785 §3.2.3
        ("\ud800", '"\\ud800"'),
    ],
)
def test_the_text_is_canonical(value: Any, text: str) -> None:
    assert canonical(value, MIB) == text


class Colour(IntEnum):
    RED = 1


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (math.nan, "nan"),
        ([math.inf], "inf"),
        ((1, 2), "tuple"),
        ({1: 2}, "key"),
        ({"a": {None: 1}}, "key"),
        (OrderedDict(a=1), "OrderedDict"),
        (Colour.RED, "Colour"),
        (b"raw", "bytes"),
        (object(), "object"),
        pytest.param(10**5000, "cannot be encoded", id="digits"),
        pytest.param("x" * MIB, "longer", id="long text"),
        pytest.param([0] * MIB, "longer", id="long list"),
        pytest.param("é" * (MIB // 2 + 1), "longer", id="long in UTF-8"),
        pytest.param(nested(MAX_DEPTH + 1), "deeper", id="deep"),
        pytest.param(nested(100_000), "deeper", id="very deep"),
    ],
)
def test_a_value_without_exact_text_is_shown_and_not_edited(value: Any, why: str) -> None:
    found = shown(value)

    assert found.args_json is None
    assert why in found.fault
    assert found.args_text
    assert len(found.args_text) < MAX_SHOWN_CHARS + 100
    assert len(found.args_hash) == 64
    with pytest.raises(EditError, match="cannot be edited"):
        changes_from(found, {"args": value}, "{}")


def test_a_value_as_deep_as_allowed_can_be_edited() -> None:
    assert shown(nested(MAX_DEPTH)).args_json == "[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH


def test_a_value_inside_itself_is_shown() -> None:
    circle: list[Any] = []
    circle.append(circle)

    assert "deeper" in shown(circle).fault


def test_the_hash_covers_also_what_is_not_shown() -> None:
    one = shown((1, "x" * 2 * MIB))
    other = shown((1, "x" * 2 * MIB + "y"))

    assert one.args_hash != other.args_hash
    assert one.args_text.endswith("… (cut)")


def test_a_value_of_many_parts_is_not_walked_through_to_its_end() -> None:
    class Endless(Mapping[str, Any]):
        steps = 0

        def __getitem__(self, key: str) -> int:
            return 1

        def __len__(self) -> int:
            return 10**9

        def __iter__(self) -> Iterator[str]:
            for number in range(10**9):
                Endless.steps += 1
                yield str(number)

    found = shown(Endless())

    assert 'Endless{"0":1,"1":1,' in found.args_text
    assert Endless.steps < 50_000


@given(st.binary() | st.tuples(st.integers()) | st.sets(st.integers()) | st.complex_numbers())
def test_anything_can_be_shown(value: Any) -> None:
    assert shown(value).args_text


def test_a_value_whose_repr_fails_is_shown_by_its_type() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise ValueError("no")

    found = shown({"it": Shy(), "view": MappingProxyType({"a": b"\xff" * 1000})})

    assert "Shy whose repr raises ValueError" in found.args_text
    assert "<1000 bytes, SHA-256 " in found.args_text


def test_half_a_character_in_what_can_only_be_shown_can_be_sent() -> None:
    assert shown(("\ud800",)).args_text == '("\\ud800")'


@pytest.mark.parametrize(
    ("hook", "data", "kwarg"),
    [
        ("before_tool_call", {"args": {}}, "args"),
        ("after_tool_call", {"args": {}, "result": 1}, "result"),
        ("before_llm_generate", {"prompt": "hi"}, "prompt"),
        ("before_lookup", {"args": 1}, "args"),
        ("my_hook", {"args": 1}, None),
        ("session_started", {"session_id": "s"}, None),
        ("before_tool_call", {}, None),
        (None, {"args": 1}, None),
    ],
)
def test_the_value_of_the_event_is_shown(hook: str | None, data: Any, kwarg: str | None) -> None:
    found = show(hook, data)

    assert found.kwarg == kwarg
    assert (found.args_hash is None) is (kwarg is None)


# --- and back ---------------------------------------------------------------------------------


def edit(args: Any, text: str) -> dict[str, Any]:
    return changes_from(shown(args), {"args": args}, text)


@given(objects)
def test_an_edit_that_changes_nothing_changes_nothing(args: dict[str, Any]) -> None:
    found = shown(args)
    if found.args_json is not None:
        assert changes_from(found, {"args": args}, found.args_json) == {}


@given(objects, st.text(), values)
def test_editing_one_field_leaves_the_others_the_objects_they_are(
    args: dict[str, Any], key: str, value: Any
) -> None:
    wanted = {**args, key: value}
    if has_a_pair_of_halves(wanted):
        return

    changes = edit(args, canonical(wanted, MIB))

    got = changes.get("args", args)
    assert is_same(got, wanted)
    assert all(got[other] is args[other] for other in args if other != key)


def test_large_numbers_and_long_texts_come_through_an_edit_of_another_field() -> None:
    args = {"id": 9007199254740993, "text": "x" * 200_000, "ratio": 1.0, "path": "a"}
    text = shown(args).args_json.replace('"path":"a"', '"path":"b"')

    (got,) = edit(args, text).values()

    assert got == {**args, "path": "b"}
    assert list(got) == list(args)
    assert (type(got["id"]), type(got["ratio"])) == (int, float)
    assert got["text"] is args["text"]


def test_a_field_can_be_added_and_removed() -> None:
    assert edit({"a": 1, "b": 2}, '{"c": 3, "b": 2}') == {"args": {"b": 2, "c": 3}}


def test_a_number_may_become_one_of_another_type() -> None:
    (got,) = edit({"a": 1, "t": True}, '{"a": 1.0, "t": 1}').values()

    assert is_same(got, {"a": 1.0, "t": 1})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "a": 2}', "duplicated"),
        ('{"a": {"b": 1, "b": 1}}', "duplicated"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ('{"a": 1e999}', "too large"),
        ('{"a": 1', "not JSON"),
        ("{'a': 1}", "not JSON"),
        ("", "not JSON"),
        ("[1]", "must be a JSON object"),
        ("null", "must be a JSON object"),
        pytest.param('{"a": "' + "x" * MAX_EDIT_BYTES + '"}', "longer", id="long"),
        pytest.param('{"a": ' + "[" * 5000 + "]" * 5000 + "}", "deeper", id="deep"),
        pytest.param("[" * 1_000_000, "deeper", id="very deep"),
        pytest.param('{"a": ' + "9" * 5000 + "}", "not JSON", id="digits"),
    ],
)
def test_a_bad_text_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(EditError, match=why):
        edit({"a": 1}, text)


def test_brackets_in_texts_are_not_nesting() -> None:
    assert edit({"a": 1}, json.dumps({"a": '"[{' * 500})) == {"args": {"a": '"[{' * 500}}


@given(st.text(st.sampled_from('[]{}",:\\a1 ')))
def test_any_text_is_parsed_or_refused_with_a_reason(text: str) -> None:
    try:
        value = parsed(text, MIB)
    except BadJsonError:
        return
    assert is_same(json.loads(text), value)


def test_a_text_of_nothing_but_quotes_is_refused_in_time() -> None:
    with pytest.raises(BadJsonError):
        parsed('\\"' * 500_000, MIB)


@given(values, values)
def test_reusing_unchanged_parts_changes_no_value(before: Any, after: Any) -> None:
    assert is_same(reuse_unchanged(before, after), after)
