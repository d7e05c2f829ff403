import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.analysis.json_text import differences, indented

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=20,
)


@given(values, st.booleans())
def test_only_white_space_outside_of_strings_changes(value: object, is_ascii: bool) -> None:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=is_ascii)
    shown = indented(text)
    assert json.loads(shown) == json.loads(text)
    assert indented(shown) == shown
    chars, is_string, is_escaped = [], False, False
    for char in shown:
        if is_string or not char.isspace():
            chars.append(char)
        if is_string and not is_escaped and char == '"':
            is_string = False
        elif not is_string and char == '"':
            is_string = True
        is_escaped = is_string and char == "\\" and not is_escaped
    assert "".join(chars) == text


def test_numbers_and_repeated_names_stay_as_they_are() -> None:
    text = '{"n":9007199254740993,"f":1.0,"n":1e400,"a":[],"o":{}}'
    assert indented(text) == (
        '{\n  "n": 9007199254740993,\n  "f": 1.0,\n  "n": 1e400,\n  "a": [],\n  "o": {}\n}'
    )


@pytest.mark.parametrize("text", ['"', '{"a', "]]]", ',":', "[" * 50_000, '"\\'])
def test_what_is_no_json_is_shown_in_time_that_grows_with_its_length(text: str) -> None:
    assert "".join(indented(text).split()) == "".join(text.split())
    assert len(indented(text)) < 100 * len(text) + 10


def test_differences_are_the_lines_that_changed() -> None:
    before = '{"id":9007199254740993,"path":"/etc","mode":1}'
    after = '{"id":9007199254740993,"path":"/tmp","mode":1}'
    assert list(differences(before, after)) == ['-   "path": "/etc",', '+   "path": "/tmp",']
    assert list(differences(before, before)) == []
    many = json.dumps(list(range(3_000)))
    others = json.dumps(list(range(1, 3_001)))
    assert len(list(differences(many, others))) == 6_000 - 2 + 2
