"""What the context of an LLM call consists of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.service.analysis.context import PARTS, Context, context_of, pieces_of, scaled
from inspector.service.wire import (
    BlobPart,
    LlmView,
    Message,
    OtherPart,
    Part,
    Payload,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    View,
)

ROLES = ("system", "developer", "user", "assistant", "tool", "context", "stranger")
TEXTS = st.text(max_size=60)
DOCUMENT = "The mirror answers 504 between nine and ten."


def payload(text: str) -> Payload:
    return Payload(text=text, is_json=False)


def result(text: str) -> ToolResultPart:
    return ToolResultPart(id="c", result=payload(text))


def message(role: str, *parts: Part | str, is_output: bool = False) -> Message:
    made: list[Part] = [TextPart(text=one) if isinstance(one, str) else one for one in parts]
    origin = "output" if is_output else "system" if role == "system" else "input"
    return Message(role=role, origin=origin, parts=made)  # type: ignore[arg-type]  # a literal


def view(*messages: Message, tools: list[ToolDefinition] | None = None) -> View:
    llm = LlmView(
        provider=None,
        model_requested=None,
        model_responded=None,
        finish_reasons=[],
        finish_reasons_raw=[],
        time_to_first_chunk_ms=None,
        request_params={},
        tools_offered=tools or [],
        so_far=None,
    )
    return View(
        messages=list(messages),
        llm=llm,
        tool=None,
        usage=None,
        state=[],
        decisions=[],
        mcp=None,
        error=None,
        user_id=None,
        metadata={},
        request={},
        truncated=[],
    )


def chars_by_part(context: Context) -> dict[str, int]:
    return {one.part: one.chars for one in context.sums(None)}


def context(*messages: Message, before: View | None = None, is_same_run: bool = True) -> Context:
    earlier = pieces_of(before)[0] if before is not None else ()
    return context_of(*pieces_of(view(*messages)), earlier, is_same_run=is_same_run)


PART = st.one_of(
    st.builds(TextPart, text=TEXTS),
    st.builds(ToolCallPart, id=st.none(), name=TEXTS, arguments=st.none()),
    st.builds(result, TEXTS),
    st.builds(OtherPart, part_type=st.sampled_from(["document", "x"]), value=TEXTS.map(payload)),
)
MESSAGE = st.builds(
    lambda role, parts, is_output: message(role, *parts, is_output=is_output),
    st.sampled_from(ROLES),
    st.lists(PART, max_size=4),
    st.booleans(),
)
TOOL = st.builds(ToolDefinition, name=TEXTS, description=TEXTS, parameters=st.none())


def length(part: Part) -> int:
    match part:
        case TextPart():
            return len(part.text)
        case ToolCallPart():
            return len(part.name)
        case ToolResultPart() if part.result is not None:
            return len(part.result.text)
        case OtherPart():
            return len(part.value.text)
    return 0


@given(
    st.lists(MESSAGE, max_size=6),
    st.lists(TOOL, max_size=3),
    st.lists(TEXTS, max_size=4),
    st.integers(0, 10**7),
)
def test_parts_add_up_to_all_that_was_sent(
    messages: list[Message], tools: list[ToolDefinition], retrieved: list[str], tokens: int
) -> None:
    pieces, _ = pieces_of(view(*messages, tools=tools), retrieved)
    sums = context_of(pieces, 0).sums(tokens)
    sent = [part for one in messages if one.origin != "output" for part in one.parts]
    expected = sum(map(length, sent)) + sum(len(t.name + (t.description or "")) for t in tools)
    assert sum(one.chars for one in sums) == expected
    assert sum(one.tokens or 0 for one in sums) == (tokens if expected else 0)
    assert [one.part for one in sums] == [name for name in PARTS if name in {s.part for s in sums}]


@given(st.lists(st.integers(0, 10**9), max_size=8), st.integers(0, 10**9))
def test_scaling_preserves_the_sum_and_each_share_within_one(sizes: list[int], total: int) -> None:
    shares = scaled(sizes, total)
    whole = sum(sizes)
    assert sum(shares) == (total if whole else 0)
    assert (
        all(
            abs(share * whole - size * total) < whole
            for share, size in zip(shares, sizes, strict=True)
        )
        or not whole
    )


def test_each_text_counts_for_the_part_that_its_message_says() -> None:
    found = chars_by_part(
        context(
            message("system", "Be brief."),
            message("user", "Why?", OtherPart(part_type="document", value=payload("A page."))),
            message("assistant", ToolCallPart(id="c", name="look", arguments=payload("{}"))),
            message("tool", result("504")),
            message("user", OtherPart(part_type="audio_token", value=payload("?"))),
            message("assistant", "Because.", is_output=True),
        )
    )
    assert found == {"system": 9, "history": 10, "retrieved": 7, "tool_results": 3, "other": 1}


def test_what_was_retrieved_counts_wherever_it_was_pasted_and_once_where_chunks_overlap() -> None:
    sent = view(message("user", f"Given: {DOCUMENT} Why?"), message("tool", result(DOCUMENT)))
    pieces, _ = pieces_of(sent, [DOCUMENT, DOCUMENT[:34], DOCUMENT[8:]])
    assert chars_by_part(context_of(pieces, 0)) == {"history": 12, "retrieved": 2 * len(DOCUMENT)}


def test_a_text_that_stands_there_before_is_repeated_and_a_short_one_is_not() -> None:
    found = context(
        message("tool", result(DOCUMENT)), message("tool", result(DOCUMENT)), message("user", "ok"),
        message("user", "ok"),
    )  # fmt: skip
    assert list(found.repeats.items()) == [(1, 0)]
    assert found.sums(None)[1].repeated_chars == len(DOCUMENT)


def test_what_the_call_before_was_sent_and_this_one_was_not_is_dropped() -> None:
    before = view(message("system", "Be."), message("user", "First."), message("tool", result("5")))
    found = context(message("system", "Be."), message("tool", result("5")), before=before)
    assert [(one.part, one.beginning) for one in found.dropped] == [("history", "First.")]


def test_a_run_with_a_conversation_of_its_own_has_dropped_nothing() -> None:
    before = view(message("system", "Be."), message("user", "First."))
    fresh = (message("system", "Be."), message("user", "Second."))
    assert not context(*fresh, before=before, is_same_run=False).dropped
    assert context(*fresh, before=before, is_same_run=True).dropped
    continued = (message("user", "First."), message("user", "Second."))
    assert len(context(*continued, before=before, is_same_run=False).dropped) == 1


def test_media_is_counted_and_not_measured() -> None:
    picture = BlobPart(modality="image", mime_type="image/png", data="A" * 9000)
    pieces, media = pieces_of(view(message("user", "Look:", picture)))
    assert (sum(one.chars for one in pieces), media) == (5, 1)
