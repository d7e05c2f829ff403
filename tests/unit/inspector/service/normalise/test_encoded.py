"""Attributes read from their bytes equal those read from their objects."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from inspector.service.model.otlp_values import json_value
from inspector.service.model.rows import Json
from inspector.service.normalise import read_span
from inspector.service.normalise.duplicates import OPERATION_KEYS
from inspector.service.normalise.encoded import MAX_BYTES, EncodedAttributes
from inspector.service.normalise.facts import content_facts, read_encoded_span, resource_facts
from tests.support.telemetry.otlp import any_value, resource, span
from tests.unit.inspector.service.normalise.test_facts import JSON, KNOWN_KEYS

KEYS = st.sampled_from(["", "a", "wanted.x", "wanted." + "y" * 130, "x" * 127, "x" * 128])
PAIRS = st.lists(st.tuples(KEYS, JSON | st.text(min_size=100, max_size=200)), max_size=8)


def is_wanted(key: str) -> bool:
    return key.startswith("wanted.") or key == ""


def plain(pairs: list[KeyValue]) -> str:
    """Return the wanted ones of `pairs`; as text, in which NaN is equal to itself."""
    return repr({pair.key: json_value(pair.value) for pair in pairs if is_wanted(pair.key)})


@given(st.lists(PAIRS, max_size=3))
def test_what_is_picked_is_what_decoding_everything_would_give(
    spans: list[list[tuple[str, Json]]],
) -> None:
    attributes = EncodedAttributes(is_wanted)
    for drawn_pairs in spans:  # the later ones find what was learnt from the first
        pairs = [KeyValue(key=key, value=any_value(value)) for key, value in drawn_pairs]
        encoded = [pair.SerializeToString() for pair in pairs]
        assert repr(attributes.pick(encoded)) == plain([pair for pair in pairs if pair.ByteSize()])


@given(st.lists(st.tuples(KEYS, st.text(max_size=5)), min_size=1, max_size=4), st.booleans())
@example([("wanted.x", "sixsix"), ("wanted.z", "sixsix")], False)  # encoded as long as the keys
def test_a_value_before_its_key_is_read_as_well(
    drawn_pairs: list[tuple[str, str]], is_known: bool
) -> None:
    attributes = EncodedAttributes(is_wanted)
    pairs = [KeyValue(key=key, value=any_value(value)) for key, value in drawn_pairs]
    if is_known:
        attributes.pick([pair.SerializeToString() for pair in pairs])
    reversed_ = [
        KeyValue(value=pair.value).SerializeToString() + KeyValue(key=pair.key).SerializeToString()
        for pair in pairs
    ]
    for _ in range(2):  # what is learnt of it is of no use the second time
        assert repr(attributes.pick(reversed_)) == plain(pairs)


def test_of_a_value_that_is_written_twice_the_last_counts() -> None:
    attributes = EncodedAttributes(is_wanted)
    key = KeyValue(key="wanted.x").SerializeToString()
    twice = any_value("a").SerializeToString() + any_value(5).SerializeToString()
    inside = key + bytes([0x12, len(twice)]) + twice
    beside = key + b"".join(
        KeyValue(value=any_value(value)).SerializeToString() for value in ("a", 5)
    )
    for _ in range(2):
        assert attributes.pick([inside]) == {"wanted.x": 5}
        assert attributes.pick([beside]) == {"wanted.x": 5}


def test_an_attribute_that_is_too_long_to_be_a_fact_is_left_out() -> None:
    attributes = EncodedAttributes(is_wanted)
    short, long = "y", "y" * MAX_BYTES
    for value in (short, long, short):
        pair = KeyValue(key="wanted.x", value=AnyValue(string_value=value))
        found = attributes.pick([pair.SerializeToString()])
        assert found == ({"wanted.x": short} if value == short else {})


def test_any_number_of_keys_is_remembered_in_bounded_memory() -> None:
    attributes = EncodedAttributes(is_wanted)
    for number in range(20_000):
        pair = KeyValue(key=f"wanted.{number}", value=AnyValue(int_value=number))
        assert attributes.pick([pair.SerializeToString()]) == {f"wanted.{number}": number}
    assert len(attributes._wanted) + len(attributes._unwanted) < 5_000


@given(
    st.dictionaries(st.sampled_from(KNOWN_KEYS), JSON | st.sampled_from([7, "agent"]), max_size=6),
    st.dictionaries(st.sampled_from(["service_name", "session_id", "inspector_engine"]), JSON),
)
def test_facts_are_the_same_from_bytes(
    attributes: dict[str, Json], of_resource: dict[str, Json]
) -> None:
    sent, owner = span(attributes=attributes), resource(**of_resource)
    encoded = [pair.SerializeToString() for pair in sent.attributes]
    expected = read_span(sent, owner)
    read = read_encoded_span(sent, expected.content, encoded, resource_facts(owner))
    assert read == expected
    compared = content_facts(sent)
    assert read.content.facts is not None
    found = {k: v for k, v in read.content.facts.attributes.items() if k in OPERATION_KEYS}
    assert repr((read.content.facts.span_kind, found)) == repr(tuple(compared))
