"""New messages of an LLM call."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.service.analysis.new_messages import new_messages
from inspector.service.normalise.messages import messages_of
from inspector.service.wire import Message, Part, Payload, ReasoningPart, TextPart, ToolCallPart


def message(role: str, *parts: Part | str, output: bool = False) -> Message:
    made: list[Part] = [TextPart(text=one) if isinstance(one, str) else one for one in parts]
    origin = "output" if output else "system" if role == "system" else "input"
    return Message(role=role, origin=origin, parts=made)  # type: ignore[arg-type]  # a literal


def call(id_: str | None, arguments: str = "{}") -> ToolCallPart:
    return ToolCallPart(id=id_, name="read", arguments=Payload(text=arguments, is_json=True))


SYSTEM, ASK = message("system", "Be brief."), message("user", "Hello")
ANSWER = message("assistant", "Hi", output=True)

WORDS = st.text("ab", max_size=3)
MESSAGES = st.lists(
    st.builds(message, st.sampled_from(["system", "user", "tool"]), WORDS), max_size=8
)


def new_of(messages: list[Message], before: list[Message] | None) -> list[Message]:
    return [messages[place] for place in new_messages(messages, before).new]


def test_a_first_call_is_new_as_a_whole() -> None:
    news = new_messages([SYSTEM, ASK, ANSWER], None)
    assert (news.new, news.repeated, news.gone) == ((0, 1, 2), 0, 0)


def test_a_call_that_goes_on_is_what_came_since() -> None:
    echoed = message("assistant", "Hi")
    messages = [
        SYSTEM,
        ASK,
        echoed,
        more := message("user", "And?"),
        end := message("assistant", "No"),
    ]
    end.origin = "output"
    assert new_of(messages, [SYSTEM, ASK, ANSWER]) == [more, end]
    assert new_messages(messages, [SYSTEM, ASK, ANSWER]).repeated == 3


def test_an_answer_that_comes_back_without_its_reasoning_is_no_news() -> None:
    thought = message("assistant", ReasoningPart(text="hm"), "Hi", output=True)
    assert new_of([ASK, message("assistant", " Hi\n")], [ASK, thought]) == []


@pytest.mark.parametrize("id_", ["call_1", None])
def test_a_call_that_is_written_another_way_is_no_news(id_: str | None) -> None:
    called = message("assistant", call(id_, '{"path": "a b", "n": 1}'), output=True)
    echoed = message("assistant", call(id_, '{"path":"a b","n":1}'))
    # Blanks within a text count for nothing here: the same call is not shown twice.
    assert new_of([ASK, echoed], [ASK, called]) == []


def test_what_a_person_put_into_an_answer_is_news() -> None:
    changed = message("assistant", "Hi, and more")
    assert new_of([ASK, changed], [ASK, ANSWER]) == [changed]


def test_a_history_that_was_compacted_is_counted() -> None:
    before = [SYSTEM, *(message("user", f"{n}") for n in range(5)), ANSWER]
    summary = message("user", "What was: 0 to 3")
    news = new_messages([SYSTEM, summary, message("user", "4"), message("user", "go on")], before)
    assert (news.new, news.repeated, news.retained, news.gone) == ((1, 3), 2, 1, 4)


def test_instructions_count_neither_as_retained_nor_as_gone() -> None:
    news = new_messages([SYSTEM, message("user", "Something else")], [SYSTEM, ASK, ANSWER])
    assert (news.new, news.repeated, news.retained, news.gone) == ((1,), 1, 0, 1)


def test_a_repeated_word_is_a_new_message() -> None:
    yes = message("user", "yes")
    assert new_of([ASK, yes, yes], [ASK, yes]) == [yes]


@given(before=MESSAGES, more=MESSAGES)
def test_what_is_appended_is_all_that_is_new(before: list[Message], more: list[Message]) -> None:
    answer = message("assistant", "c", output=True)
    echoed = message("assistant", "c")
    news = new_messages([*before, echoed, *more], [*before, answer])
    first = len(before) + 1
    assert news.new == tuple(range(first, first + len(more)))
    assert (news.repeated, news.gone) == (first, 0)


@given(messages=MESSAGES, before=MESSAGES)
def test_every_message_is_new_or_was_there(messages: list[Message], before: list[Message]) -> None:
    news = new_messages(messages, before)
    assert len(news.new) + news.repeated == len(messages)
    assert list(news.new) == sorted(set(news.new))
    assert 0 <= news.gone <= len(before)


def test_the_conventions_keep_what_distinguishes_messages() -> None:
    sent = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [_openai_call()]},
        {"role": "tool", "tool_call_id": "c1", "content": "42"},
    ]
    first = [*messages_of(sent[:1], "input"), *messages_of([sent[1]], "output")]
    second = messages_of(sent, "input")
    assert [one.role for one in new_of(second, first)] == ["tool"]


def _openai_call() -> dict[str, object]:
    function = {"name": "read", "arguments": json.dumps({"n": 1})}
    return {"id": "c1", "type": "function", "function": function}


@pytest.mark.parametrize(
    ("messages", "before", "expected"),
    [
        pytest.param([0], [0, 1], [0], id="the same question again, of an agent without memory"),
        pytest.param([0], [0, 2, 3, 1], [0], id="and of one that had used a tool"),
        pytest.param([0, 1, 4], [0, 1], [4], id="an agent with memory is asked more"),
        pytest.param([1, 4], [0, 2, 3, 1], [4], id="whose memory is short"),
        pytest.param([4], [0, 2, 3, 1], [4], id="another question, without memory"),
        pytest.param([0, 2, 3], [0, 2, 3, 1], [0, 2, 3], id="it begins where it stopped"),
    ],
)
def test_a_new_run_shows_its_question_and_rewrites_nothing(
    messages: list[int], before: list[int], expected: list[int]
) -> None:
    wrote = [ASK, message("assistant", "Hi"), message("assistant", call("1")), message("tool", "x")]
    wrote.append(message("user", "And?"))
    known = [wrote[place] for place in before[:-1]]
    known.append(message("assistant", "Hi", output=True))
    sent = [SYSTEM, *(wrote[place] for place in messages)]

    news = new_messages(sent, [SYSTEM, *known], is_new_run=True)

    assert [sent[place] for place in news.new] == [wrote[place] for place in expected]
    assert news.gone == 0
