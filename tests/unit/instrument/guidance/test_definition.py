"""Fields of a hook's definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrument.guidance import (
    Conditions,
    GuidanceValueError,
    HookDefinition,
    HookLifecycle,
    HookType,
    McpFeature,
    RequirementLevel,
)

Make = Callable[..., HookDefinition]


def test_a_definition_has_the_fields_of_mcp_toolkit() -> None:
    hook = HookDefinition.parse(
        {
            "app": "mcp-toolkit",
            "tag": "welcome",
            "type": "action",
            "lifecycle": "running",
            "name": "Welcome",
            "description": "Says hello",
            "requirementLevel": "MUST NOT",
            "priority": 70,
            "contentFile": "hello.md",
            "conditions": {
                "requiresStorage": ["memory", "file"],
                "requiresFeatures": ["sampling"],
                "requiresConfig": {"debug": True},
            },
            "requestId": "abc-123",
        }
    )

    assert (hook.app, hook.tag, hook.type, hook.lifecycle) == (
        "mcp-toolkit",
        "welcome",
        "action",
        "running",
    )
    assert (hook.name, hook.description, hook.priority) == ("Welcome", "Says hello", 70)
    assert hook.requirementLevel == hook.requirement_level == "MUST NOT"
    assert hook.contentFile == hook.content_file == "hello.md"
    assert hook.requestId == hook.request_id == "abc-123"
    conditions = hook.conditions
    assert conditions.requiresStorage == conditions.requires_storage == ("memory", "file")
    assert conditions.requiresFeatures == conditions.requires_features == ("sampling",)
    assert conditions.requiresConfig == conditions.requires_config == {"debug": True}


def test_what_is_optional_has_its_default(fields: dict[str, Any]) -> None:
    hook = HookDefinition(**fields)

    assert hook.priority == 50
    assert hook.conditions == Conditions()
    optional = (hook.app, hook.description, hook.content_file, hook.request_id, hook.session_id)
    assert optional == (None,) * 5


@pytest.mark.parametrize("name", ["tag", "type", "lifecycle", "name", "requirement_level"])
def test_what_is_required_is_named_when_it_is_missing(name: str, fields: dict[str, Any]) -> None:
    del fields[name]

    with pytest.raises(GuidanceValueError, match=rf"Cannot define hook .*: {name} missing\. Every"):
        HookDefinition.parse(fields)


def test_the_id_is_made_of_app_type_lifecycle_and_tag(make: Make) -> None:
    assert make(app="my-server").id == "my-server:session:start:welcome"


@pytest.mark.parametrize(
    ("field", "allowed"),
    [
        ("type", get_args(HookType)),
        ("lifecycle", get_args(HookLifecycle)),
        ("requirementLevel", get_args(RequirementLevel)),
    ],
)
def test_an_enumerated_field_takes_its_values_and_no_other(
    field: str, allowed: tuple[str, ...], fields: dict[str, Any]
) -> None:
    fields.pop("requirement_level")
    fields = {"requirementLevel": "MAY", **fields}
    for value in allowed:
        HookDefinition.parse({**fields, field: value})

    for bad in ("", "must", "Session", None, 7, ["session"]):
        with pytest.raises(GuidanceValueError, match=f"Give one of {', '.join(allowed)}"):
            HookDefinition.parse({**fields, field: bad})


def test_the_enumerations_are_mcp_toolkits() -> None:
    assert get_args(HookType) == ("session", "action", "storage", "config")
    assert get_args(HookLifecycle) == ("start", "running", "progress", "cancel", "end")
    assert get_args(RequirementLevel) == ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY")
    assert get_args(McpFeature) == ("tools", "resources", "prompts", "sampling", "elicitation")


@pytest.mark.parametrize("tag", ["welcome", "init-required", "tips_2", "7", "a" * 64])
def test_a_filesystem_safe_tag_is_accepted(tag: str, make: Make) -> None:
    assert make(tag=tag).tag == tag


@pytest.mark.parametrize(
    "tag",
    [
        *("", ".", "..", "../etc", "a/b", "a\\b", "a:b", "a b", "a\n", "Welcome", "-x", "é"),
        *("a" * 65, "con", "nul", "com1", None, 7),
    ],
)
def test_a_tag_that_is_not_filesystem_safe_is_refused(tag: object, make: Make) -> None:
    with pytest.raises(GuidanceValueError, match=r"Cannot define hook .*: tag is .*\. Give "):
        make(tag=tag)


@given(st.text(max_size=80))
def test_an_accepted_tag_stays_one_path_segment(tag: str) -> None:
    fields = {"type": "session", "lifecycle": "end", "name": "N", "requirement_level": "MAY"}
    try:
        hook = HookDefinition.parse(fields, tag=tag)
    except GuidanceValueError:
        return
    assert not set(hook.tag) & set('/\\:*?"<>|\0. \n')
    assert hook.tag == tag.lower()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "   "),
        ("name", "Welcome\n## MUST"),
        ("name", "x" * 201),
        ("name", None),
        ("priority", "high"),
        ("priority", True),
        ("priority", 1.5),
        ("description", 7),
        ("content_file", ""),
        ("content_file", "a\0b"),
        ("app", "my:server"),
        ("app", ""),
        ("request_id", ""),
        ("request_id", True),
        ("session_id", ["s"]),
        ("tags", "one"),
        ("tags", [1]),
    ],
)
def test_a_bad_field_is_refused_with_a_message_that_names_it(
    field: str, value: object, make: Make
) -> None:
    with pytest.raises(GuidanceValueError, match=rf"Cannot define hook 'welcome': {field} is "):
        make(**{field: value})


@pytest.mark.parametrize(
    "conditions",
    [
        {"requiresStorage": "memory"},
        {"requiresStorage": [1]},
        {"requiresFeatures": ["telepathy"]},
        {"requiresConfig": ["debug"]},
        {"requiresMoon": ["full"]},
        ["memory"],
    ],
)
def test_bad_conditions_are_refused(conditions: object, make: Make) -> None:
    with pytest.raises(GuidanceValueError, match="Cannot define a hook's conditions: "):
        make(conditions=conditions)


def test_an_unknown_field_is_refused_with_those_that_there_are(make: Make) -> None:
    with pytest.raises(GuidanceValueError, match=r"unknown 'prioritty'\. Known: app, "):
        make(prioritty=1)


def test_what_is_no_definition_is_refused() -> None:
    with pytest.raises(GuidanceValueError, match=r"Cannot define a hook: got str\. Give a mapping"):
        HookDefinition.parse("welcome")  # type: ignore[arg-type]  # the point of the test


def test_a_huge_value_does_not_fill_the_message(make: Make) -> None:
    with pytest.raises(GuidanceValueError) as raised:
        make(tag="x" * 1_000_000)

    assert len(str(raised.value)) < 600


def test_a_definition_does_not_change_after_it_was_made(make: Make) -> None:
    config = {"debug": True}
    hook = make(conditions={"requires_config": config})
    config["debug"] = False

    assert hook.conditions.requires_config == {"debug": True}
    with pytest.raises(FrozenInstanceError):
        hook.priority = 1  # type: ignore[misc]  # the point of the test
    assert len({hook, make(conditions={"requires_config": {"debug": True}})}) == 1
