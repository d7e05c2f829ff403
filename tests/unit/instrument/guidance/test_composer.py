"""Composition of texts, and notices about omitted hooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instrument.guidance import (
    ComposedHooks,
    FailedHook,
    GuidanceValueError,
    HookDefinition,
    HookRegistry,
    RequirementLevel,
    ResolvedHook,
    SkippedHook,
    create_composer,
    create_content_loader,
    createComposer,
)

Make = Callable[..., HookDefinition]

REFERENCE = (
    "> The following sections use requirement levels defined in "
    "[RFC 2119](https://www.rfc-editor.org/rfc/rfc2119)."
)


def hook(tag: str, level: str, priority: int = 50) -> ResolvedHook:
    definition = HookDefinition.parse(
        tag=tag,
        type="session",
        lifecycle="start",
        name=tag.title(),
        requirement_level=level,
        priority=priority,
    )
    return ResolvedHook(definition, f"Text of {tag}.")


def compose(hooks: Iterable[ResolvedHook], **options: Any) -> ComposedHooks:
    return create_composer(notify=lambda notice: None, **options).compose(hooks)


def headings(content: str) -> list[str]:
    return re.findall(r"^##+ .*", content, re.MULTILINE)


def included(result: ComposedHooks) -> list[str]:
    return [hook.tag for hook in result.included_hooks]


@given(
    st.lists(
        st.tuples(st.sampled_from(get_args(RequirementLevel)), st.integers(-3, 3)), max_size=25
    )
)
def test_every_hook_is_there_once_by_level_priority_and_input_order(
    drawn: list[tuple[str, int]],
) -> None:
    hooks = [hook(f"t{n}", level, priority) for n, (level, priority) in enumerate(drawn)]

    result = compose(hooks)

    rank = get_args(RequirementLevel).index
    keys = [
        (rank(item.requirement_level), -item.priority, int(item.tag[1:]))
        for item in result.included_hooks
    ]
    assert keys == sorted(keys)
    assert len(keys) == len(hooks)
    assert all(result.content.count(f"### T{n}\n\nText of t{n}.") == 1 for n in range(len(hooks)))


def test_the_text_has_reference_headings_preambles_and_separators() -> None:
    result = compose([hook("tips", "MAY"), hook("init", "MUST")])

    assert result.content == (
        f"{REFERENCE}\n\n"
        "## MUST\n\n"
        "These are absolute requirements. You must follow these instructions.\n\n"
        "### Init\n\nText of init.\n\n"
        "---\n\n"
        "## MAY\n\n"
        "These are optional. Use your judgment.\n\n"
        "### Tips\n\nText of tips."
    )


def test_white_space_around_a_text_does_not_count() -> None:
    padded = ResolvedHook(hook("tips", "MAY").hook, "\n\n  Text of tips.\n\n\n")

    assert compose([padded]).content == compose([hook("tips", "MAY")]).content


def test_a_hook_with_no_words_keeps_its_heading() -> None:
    empty = ResolvedHook(hook("tips", "MAY").hook, "\n")

    assert compose([empty]).content.endswith("\n\n### Tips")


def test_preambles_can_be_left_out_and_the_separator_chosen() -> None:
    hooks = [hook("a", "MUST"), hook("b", "MUST"), hook("c", "MAY")]

    result = createComposer({"includePreambles": False, "separator": "\n\n***\n\n"}).compose(hooks)

    assert result.content == (
        f"{REFERENCE}\n\n"
        "## MUST\n\n"
        "### A\n\nText of a.\n\n***\n\n### B\n\nText of b.\n\n"
        "---\n\n"
        "## MAY\n\n"
        "### C\n\nText of c."
    )


def test_by_default_hooks_of_a_section_are_separated_as_sections_are() -> None:
    result = compose([hook("a", "MUST"), hook("b", "MUST")])

    assert "Text of a.\n\n---\n\n### B" in result.content


def test_the_result_says_what_was_included_skipped_and_failed(make: Make) -> None:
    result = create_composer(notify=lambda notice: None).compose_with_transparency(
        [hook("a", "MUST", 7)],
        [SkippedHook(make(tag="b"), "requires storage: memory")],
        [FailedHook(make(tag="c"), "gone")],
    )

    assert [tuple(item) for item in result.includedHooks] == [
        ("mcp-toolkit:session:start:a", "a", "A", "MUST", 7, None)
    ]
    assert [(item.tag, item.reason) for item in result.skippedHooks] == [
        ("b", "requires storage: memory")
    ]
    assert [(item.tag, item.reason) for item in result.failedHooks] == [("c", "gone")]
    assert len(result.notices) == 2


async def test_what_a_query_skipped_and_a_load_failed_reaches_the_result(
    registry: HookRegistry, make: Make, texts: Callable[..., Any]
) -> None:
    registry.register_all(
        [
            make(),
            make(tag="gone"),
            make(tag="memory-tips", conditions={"requires_storage": ["memory"]}),
            make(tag="sampling-guide", conditions={"requires_features": ["sampling"]}),
        ]
    )
    loader = create_content_loader(base_path=texts(welcome="Hello"), log=lambda *message: None)

    result = compose(await loader.load_all(registry.query()))

    assert included(result) == ["welcome"]
    assert [item.tag for item in result.skipped_hooks] == ["memory-tips", "sampling-guide"]
    assert [item.tag for item in result.failed_hooks] == ["gone"]


def test_the_notice_is_worded_as_in_mcp_toolkit_which_counts_three_and_lists_two(
    make: Make,
) -> None:
    result = create_composer(notify=lambda notice: None).compose_with_transparency(
        [],
        [
            SkippedHook(make(tag="memory-tips"), "requires storage: memory"),
            SkippedHook(make(tag="sampling-guide"), "requires features: sampling"),
        ],
    )

    assert result.notices == (
        "2 hooks were skipped (conditions not met): memory-tips (requires storage: memory), "
        "sampling-guide (requires features: sampling). "
        "Call with different context to include them.",
    )


def test_each_notice_goes_to_notify(make: Make) -> None:
    reported: list[str] = []
    composer = create_composer(notify=reported.append)

    result = composer.compose_with_transparency(
        [], [SkippedHook(make(), "requires storage: memory")], [FailedHook(make(), "gone")]
    )

    assert reported == list(result.notices)
    assert len(reported) == 2


def test_without_notify_notices_go_to_logging(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "mcp.instrument")

    create_composer().compose_with_transparency([], [], [FailedHook(make(), "gone")])

    [record] = caplog.records
    assert (record.levelname, record.message) == (
        "INFO",
        "1 hook(s) failed to load: Welcome (gone)",
    )


def test_a_notify_that_fails_does_not_stop_the_composing(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(notice: str) -> None:
        raise ConnectionError

    result = create_composer(notify=broken).compose_with_transparency(
        [hook("a", "MAY")], [], [FailedHook(make(), "gone")]
    )

    assert included(result) == ["a"]
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_the_composed_text_is_a_prompt_of_the_assistant() -> None:
    result = compose([hook("a", "MAY")])

    assert result.role == "assistant"
    assert result.to_message() == {
        "role": "assistant",
        "content": {"type": "text", "text": result.content},
    }


def test_there_are_five_headings_for_five_levels() -> None:
    levels = get_args(RequirementLevel)

    result = compose(hook(f"t{n}", level) for n, level in enumerate(reversed(levels)))

    assert headings(result.content)[::2] == [f"## {level}" for level in levels]
    assert len(set(re.findall(r"^These .*", result.content, re.MULTILINE))) == 5


def test_the_reference_can_be_left_out() -> None:
    for options in ({"include_rfc2119_reference": False}, {"includeRfc2119Reference": False}):
        assert compose([hook("a", "MAY")], **options).content.startswith("## MAY\n\n")


def test_the_notice_of_failures_counts_and_names_them(make: Make) -> None:
    failed = [FailedHook(make(), "gone"), FailedHook(make(tag="b", name="Tips"), "not UTF-8")]

    result = createComposer(notify=len).composeWithTransparency([], [], failed)

    assert result.notices == ("2 hook(s) failed to load: Welcome (gone), Tips (not UTF-8)",)


def test_nothing_composed_is_no_text() -> None:
    assert compose([]) == ComposedHooks("")


@given(st.integers(0, 900))
def test_beyond_the_limit_the_least_binding_hooks_are_left_out_and_reported(limit: int) -> None:
    hooks = [hook("tips", "MAY"), hook("init", "MUST"), hook("more", "MUST", 1), hook("b", "MAY")]

    result = compose(hooks, max_chars=limit)

    everything = ["init", "more", "tips", "b"]
    count = len(result.included_hooks)
    assert len(result.content) <= limit
    assert included(result) == everything[:count]
    assert [item.tag for item in result.skipped_hooks] == everything[count:]
    if count < len(everything):
        assert len(compose(hooks, max_chars=None).content) > limit
        [notice] = result.notices
        assert f"left out (over the limit of {limit} characters): " in notice
        assert notice.endswith("b.")


@pytest.mark.parametrize(
    "options",
    [{"separator": None}, {"max_chars": -1}, {"max_chars": True}, {"seperator": "\n"}],
)
def test_a_composer_with_bad_options_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(GuidanceValueError, match="Cannot create a composer: "):
        create_composer(options)
