"""Values that are nested too deeply become text."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.model.nesting import MAX_DEPTH, is_too_deep, levelled, parse

values = st.recursive(
    st.none() | st.integers() | st.text('"\\\\[]{}a\n\u20ac', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('"\\\\{[', max_size=3), inner)
    ),
    max_leaves=20,
)


def cut(value: Any, left: int) -> Any:
    """Return `value` as the rule has it, made from the value itself."""
    if isinstance(value, list | dict) and left == 0:
        return json.dumps(value)
    if isinstance(value, list):
        return [cut(one, left - 1) for one in value]
    if isinstance(value, dict):
        return {key: cut(one, left - 1) for key, one in value.items()}
    return value


@given(values, st.integers(0, 4))
def test_what_is_too_deep_is_its_own_text_and_all_else_is_as_it_was(value: Any, most: int) -> None:
    assert json.loads(levelled(json.dumps(value), most)) == cut(value, most)


@pytest.mark.parametrize("loads", [json.loads, orjson.loads])
@pytest.mark.parametrize("levels", [MAX_DEPTH, MAX_DEPTH + 1, 300, 2_000, 100_000])
def test_any_depth_can_be_parsed_and_walked(loads: Any, levels: int) -> None:
    bottom = "[" * (levels - MAX_DEPTH) + "1.10" + "]" * (levels - MAX_DEPTH)
    found = parse("[" * MAX_DEPTH + bottom + "]" * MAX_DEPTH, loads)
    assert not is_too_deep(found)
    for _ in range(MAX_DEPTH):
        [found] = found
    assert found == (1.1 if levels == MAX_DEPTH else bottom)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '"' * 100_001, '["]' * 99, "]" * 99, "{" * 65 + "}"]
)
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|Unterminated|Extra|closed"):
        parse(text)
