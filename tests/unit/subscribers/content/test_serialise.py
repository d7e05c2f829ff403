from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, SecretStr

from subscribers.content.redaction import REDACTED, Redactor
from subscribers.content.serialise import MAX_NODES, cut_text, to_json

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.text(alphabet='é\n"\\\x00😀\ud800sk-_=:@/[', max_size=400)
    | st.binary()
    | st.sampled_from(["Bearer " + "a" * 30, "password=hunter22", "data:image/png;base64,AAAA"])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=8)
        | st.dictionaries(st.text(max_size=20) | st.integers(), inner, max_size=8)
        | st.tuples(inner, inner)
    ),
    max_leaves=60,
)
redactor = Redactor()


@given(values, st.integers(min_value=16, max_value=600))
def test_any_value_becomes_valid_json_within_its_bytes(value: Any, max_bytes: int) -> None:
    content = to_json(value, redactor=redactor, max_bytes=max_bytes)
    json.loads(content.text)
    assert len(content.text.encode("utf-8")) <= max_bytes


@given(values, st.integers(min_value=16, max_value=600))
def test_its_own_output_comes_out_unchanged(value: Any, max_bytes: int) -> None:
    once = to_json(value, redactor=redactor, max_bytes=max_bytes).text
    assert to_json(json.loads(once), redactor=redactor, max_bytes=max_bytes).text == once


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5)
        ),
        max_leaves=30,
    )
)
def test_what_fits_and_holds_no_secret_stays_as_it_is(value: Any) -> None:  # fmt: skip
    content = to_json(value)
    if not content.is_truncated and "\\ud8" not in ascii(value):
        assert json.loads(content.text) == json.loads(json.dumps(value))


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    label: str


class Inner(BaseModel):
    name: str
    mime_type: str = Field("text/plain", alias="mimeType")
    absent: str | None = None


class Outer(BaseModel):
    inner: Inner
    secret: SecretStr


class Talkative:
    def __repr__(self) -> str:
        raise AssertionError("repr must never be called")

    __str__ = __repr__


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Point(1, "a"), {"x": 1, "label": "a"}),
        (Colour.RED, "red"),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
        (PurePosixPath("/a"), "/a"),
        (b"12345", {"bytes": 5}),
        (Talkative(), "<Talkative>"),
        ({1: "a", None: "b", Talkative(): "c"}, {"1": "a", "None": "b", "<Talkative>": "c"}),
        (math.inf, "inf"),
        ((1, 2), [1, 2]),
        (Inner(name="n", mimeType="x/y"), {"name": "n", "mimeType": "x/y"}),
        ({"type": "image", "mimeType": "image/png", "data": "A" * 400},
         {"modality": "image", "mime_type": "image/png", "bytes": 300}),
        ("data:image/png;base64," + "A" * 400, "data:image/png;base64,<300 bytes>"),
        ("\ud800x", "?x"),
    ],
)  # fmt: skip
def test_known_kinds_of_values(value: Any, expected: Any) -> None:
    assert json.loads(to_json(value).text) == expected


def test_a_secret_string_of_pydantic_is_not_unwrapped() -> None:
    model = Outer(inner=Inner(name="n", mimeType="x/y"), secret=SecretStr("hunter2"))
    assert "hunter2" not in to_json(model).text


def test_a_cycle_ends() -> None:
    value: dict[str, Any] = {}
    value["self"] = value
    content = to_json(value)
    assert content.is_truncated
    json.loads(content.text)


class Unreadable(dict[str, Any]):
    """A mapping that fails when it is read."""

    def items(self) -> Any:
        raise RuntimeError


def nothing() -> Any:
    """Return an object without a readable class."""

    class Nothing:
        @property  # type: ignore[misc] # the class that an object reports
        def __class__(self) -> Any:
            raise RuntimeError

    return Nothing()


def breaking_off() -> Any:
    """Return a sequence whose third item cannot be read."""

    class Breaking(Sequence[int]):
        def __len__(self) -> int:
            return 5

        def __getitem__(self, index: Any) -> Any:
            if index >= 2:
                raise RuntimeError
            return index

    return Breaking()


def changing() -> dict[str, Any]:
    """Return a dict to which a key is added while it is read, as another thread may do."""

    class Adding:
        @property
        def unicode_string(self) -> str:
            raise AssertionError("not read")

        def __getattribute__(self, name: str) -> Any:
            state["new"] = 1
            raise AttributeError(name)

    state: dict[str, Any] = {"a": 1, "b": Adding(), "c": 3}
    return state


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: Unreadable(x=1), "<Unreadable>"),
        (lambda: [nothing()], ["<Nothing>"]),
        (breaking_off, [0, 1]),
        (changing, {"a": 1, "b": "<Adding>"}),
    ],
)
def test_what_cannot_be_read_costs_nothing_else_its_place(
    make: Callable[[], Any], expected: Any
) -> None:
    content = to_json({"before": 1, "value": make(), "after": 2})
    assert json.loads(content.text) == {"before": 1, "value": expected, "after": 2}
    assert content.is_truncated


def test_a_key_too_long_to_be_printed_has_a_name() -> None:
    assert json.loads(to_json({10**5_000: 1, "b": 2}).text) == {"<int>": 1, "b": 2}


def test_the_longest_strings_are_cut_first() -> None:
    value = {"a": "x" * 50_000, "b": "short", "c": "y" * 50_000}
    content = to_json(value)
    parsed = json.loads(content.text)
    assert content.is_truncated
    assert parsed["b"] == "short"
    assert abs(len(parsed["a"]) - len(parsed["c"])) <= 1
    assert len(content.text) > 30_000


@pytest.mark.parametrize("value", ["x" * 999, {"text": "x" * 999}, ["x" * 999]])
def test_a_long_string_fills_the_least_room(value: Any) -> None:
    for max_bytes in range(32, 300):
        assert max_bytes - 8 <= len(to_json(value, max_bytes=max_bytes).text.encode()) <= max_bytes


def test_a_secret_that_lies_across_the_cut_is_not_left_in_half() -> None:
    for offset in range(40):
        text = "x" * (30_700 - offset) + " sk-" + "S" * 40
        assert "SSSS" not in to_json(text, redactor=redactor).text


def test_redaction_comes_before_cutting_for_keys_too() -> None:
    value = {"api_key": "A" * 100_000, "max_tokens": 5, "note": "n"}
    parsed = json.loads(to_json(value, redactor=redactor).text)
    assert parsed == {"api_key": REDACTED, "max_tokens": 5, "note": "n"}


class Counting(Mapping[str, int]):
    """A mapping that counts how much of it is read."""

    def __init__(self) -> None:
        self.read_count = 0

    def __getitem__(self, key: str) -> int:
        self.read_count += 1
        return 1

    def __iter__(self) -> Any:
        return (str(number) for number in range(10_000_000))

    def __len__(self) -> int:
        return 10_000_000


def test_no_more_nodes_are_read_than_the_budget() -> None:
    value = Counting()
    assert to_json(value).is_truncated
    assert value.read_count <= MAX_NODES + 10


@given(st.text(max_size=60), st.integers(min_value=1, max_value=50))
def test_cut_text_keeps_its_length(text: str, max_chars: int) -> None:
    cut = cut_text(text, max_chars)
    assert len(cut) <= max_chars
    assert cut == text or cut.endswith("…")


def test_a_redaction_is_never_cut_in_half() -> None:
    for max_chars in range(1, 30):
        assert "[" not in cut_text("password=" + REDACTED + "tail", max_chars).replace(REDACTED, "")


def test_the_type_of_inline_media_is_redacted_and_cleaned_as_any_text() -> None:
    blob = {"mime_type": "password=hunter2secret\ud800", "data": "aGk="}
    text = to_json(blob, redactor=redactor).text
    assert "hunter2" not in text
    assert text.encode("utf-8")
