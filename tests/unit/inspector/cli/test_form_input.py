import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.cli.form_input import of_pairs
from inspector.errors import SettingsError

FORM = json.dumps(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "count": {"type": "integer"},
            "sure": {"type": "boolean"},
            "maybe": {"type": ["string", "null"]},
            "odd": True,
        },
    }
)


def test_values_have_the_types_of_the_form() -> None:
    pairs = ["name=1", "count=9007199254740993", "sure=true", "maybe=null", "odd=x=y", "more=2"]
    assert of_pairs(FORM, pairs) == (
        '{"name":"1","count":9007199254740993,"sure":true,"maybe":null,"odd":"x=y","more":"2"}'
    )
    assert of_pairs(FORM, ["maybe=perhaps"]) == '{"maybe":"perhaps"}'


def test_an_object_in_a_form_is_entered_by_its_fields() -> None:
    address = {"type": "object", "properties": {"zip": {"type": "integer"}, "city": {}}}
    form = json.dumps({"properties": {"address": address, "a.b": {"type": "integer"}}})
    assert of_pairs(form, ["address.zip=9007199254740993", "a.b=1", "address.city=1", "c.d=2"]) == (
        '{"a.b":1,"c.d":"2","address":{"zip":9007199254740993,"city":"1"}}'
    )
    assert of_pairs(form, ['address={"zip":1}']) == '{"address":{"zip":1}}'
    with pytest.raises(SettingsError, match=r"address\.zip must be"):
        of_pairs(form, ["address.zip=x"])


def test_without_a_form_or_with_a_broken_one_everything_is_text() -> None:
    for form in (None, "", "[1]", "{", "[" * 100_000, '{"properties": 3}'):
        assert of_pairs(form, ["a=1"]) == '{"a":"1"}'


@pytest.mark.parametrize("pair", ["count=many", "count=", "count=NaN", "sure=yes", "count", "=3"])
def test_a_value_of_the_wrong_type_is_refused(pair: str) -> None:
    with pytest.raises(SettingsError, match=r"count|sure|name=value"):
        of_pairs(FORM, [pair])


@given(st.dictionaries(st.text(min_size=1).filter(lambda name: "=" not in name), st.text()))
def test_any_text_comes_through(values: dict[str, str]) -> None:
    assert json.loads(of_pairs(None, [f"{k}={v}" for k, v in values.items()])) == values
