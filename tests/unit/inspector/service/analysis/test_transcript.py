"""The clipped content of one span."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.service.analysis.transcript import MAX_CHARS, MAX_MESSAGES, clip, reading
from inspector.service.model.rows import Json, Moment, RequestRow, RequestStatus, TransitionRow
from inspector.service.normalise import span_view
from inspector.service.wire import BlobPart, Message, TextPart, View
from inspector.service.wire.transcript import Reading
from tests.support.telemetry.delegating_run import answers, asks, call, decided, text, tool
from tests.support.telemetry.otlp import START_NS, key_values

KEY = ("0" * 31 + "1", "0" * 15 + "1")
MS = 1_000_000


def read(span: Span, before: Span | None = None, **more: object) -> Reading:
    expected = span_view(before).messages if before else None
    return reading(KEY, span_view(span), expected, epoch_ns=START_NS, **more)  # type: ignore[arg-type]


def happened(name: str, at_ms: int, **attributes: Json) -> Moment:
    names = {f"inspector.{key.replace('__', '.')}": value for key, value in attributes.items()}
    return Moment("", *KEY, START_NS + at_ms * MS, f"inspector.{name}", names)


def request(status: RequestStatus, **more: object) -> RequestRow:
    fields: dict[str, object] = {
        "id": "r1",
        "session_id": "s",
        "trace_id": KEY[0],
        "span_id": KEY[1],
        "process_id": "p",
        "kind": "approval",
        "status": status,
        "hook": None,
        "interceptor": "gate",
        "tool_name": "deploy",
        "prompt": "Deploy?",
        "options": (),
        "args_json": None,
        "args_text": None,
        "args_hash": None,
        "form_json": None,
        "signal_name": None,
        "default": "deny",
        "can_always": False,
        "keeps_args": False,
        "created_ns": START_NS + 5 * MS,
        **more,
    }
    return RequestRow(**fields)  # type: ignore[arg-type]  # as above


def test_a_turn_says_what_is_new_and_what_was_answered() -> None:
    plan = asks("I look.", ("c1", "search", {"q": 1}))
    first = call(1, 2, 0, [text("system", "Be brief."), text("user", "Why?")], plan)
    second = call(
        3,
        2,
        9,
        [text("system", "Be brief."), text("user", "Why?"), plan, text("user", "And now?")],
        text("assistant", "So."),
    )
    found = read(second, first)
    expected = [(one.role, [p.clip and p.clip.text for p in one.pieces]) for one in found.said]
    assert expected == [("user", ["And now?"]), ("assistant", ["So."])]
    assert (found.repeated, found.model) == (3, "large-1")
    assert [piece.at for one in found.said for piece in one.pieces] == [(3, 0), (4, 0)]


def test_a_call_that_continues_what_the_provider_has_removes_nothing() -> None:
    plan = asks("", ("c1", "search", {"q": 1}))
    first = call(1, 2, 0, [text("user", "Why?")], plan)
    result = call(3, 2, 9, [answers("c1", "so")], text("assistant", "So."))
    assert read(result, first).rewritten is None, "the call is in the answer before"
    next_call = call(3, 2, 9, [text("user", "And now?")], text("assistant", "So."))
    assert read(next_call, first).rewritten is not None
    next_call.attributes.extend(key_values({"gen_ai.request.previous_response.id": "resp-1"}))
    assert read(next_call, first).rewritten is None


def test_a_tool_has_its_arguments_its_result_and_its_decisions() -> None:
    span = tool(1, 2, 0, ("c1", "search", {"q": 1}), "42", events=[decided(3, "deny", "gate")])
    found = read(span)
    assert found.tool is not None
    assert found.tool.arguments is not None
    assert found.tool.result is not None
    assert (found.tool.name, found.tool.call_id) == ("search", "c1")
    assert (found.tool.arguments.text, found.tool.result.text) == ('{"q": 1}', "42")
    [decision] = found.decisions
    assert (decision.action, decision.interceptor, decision.offset_ns) == ("deny", "gate", 3 * MS)


def test_assent_is_counted_and_not_listed() -> None:
    span = tool(1, 2, 0, ("c1", "search", {}), "42", events=[decided(3, "continue", "gate")])
    assert (read(span).decisions, read(span).assents) == ([], 1)


def test_long_texts_are_clipped_with_their_length() -> None:
    found = read(tool(1, 2, 0, ("c1", "search", {}), "x" * 1_000_000))
    assert found.tool is not None
    assert found.tool.result is not None
    assert (len(found.tool.result.text), found.tool.result.chars) == (MAX_CHARS, 1_000_000)


def test_of_very_many_new_messages_the_last_are_listed() -> None:
    sent = [text("user", str(number)) for number in range(500)]
    found = read(call(1, 2, 0, sent, text("assistant", "So.")))
    assert len(found.said) == MAX_MESSAGES
    assert found.left_out == 501 - MAX_MESSAGES
    assert found.said[-1].origin == "output"


def test_pictures_beyond_the_limit_have_only_their_size() -> None:
    parts = [BlobPart(modality="image", mime_type="image/png", data="A" * 120_000)] * 3
    view = span_view(Span())
    view.messages = [Message(role="user", origin="input", parts=list(parts))]
    pieces = reading(KEY, view).said[0].pieces
    assert [piece.data is not None for piece in pieces] == [True, False, False]
    assert {piece.size_bytes for piece in pieces} == {90_000}


@pytest.mark.parametrize(
    ("status", "more", "expected"),
    [
        (RequestStatus.PENDING, {}, ("pending", None, None)),
        (
            RequestStatus.EXPIRED,
            {
                "closed_ns": START_NS + 8 * MS,
                "transitions": (
                    TransitionRow(RequestStatus.EXPIRED, START_NS, "agent", "agent", "too late"),
                ),
            },
            ("expired", 3 * MS, "too late"),
        ),
    ],
)
def test_a_question_says_how_long_it_waited_and_what_came_of_it(
    status: RequestStatus, more: dict[str, object], expected: tuple[object, ...]
) -> None:
    [requests] = read(Span(), requests=[request(status, **more)]).asked
    assert (requests.status, requests.waited_ns, requests.reason) == expected
    assert (requests.prompt, requests.offset_ns) == ("Deploy?", 5 * MS)


def test_a_question_within_another_one_is_shown_once() -> None:
    both = [request(RequestStatus.WITHDRAWN), request(RequestStatus.PENDING, id="r2")]
    assert [one.id for one in read(Span(), requests=both).asked] == ["r2"]


def test_a_question_is_shown_with_its_answer() -> None:
    def answered(found: str) -> str | None:
        closed = happened("request.closed", 9, request__id="r1", request__answer=found)
        rows = [request(RequestStatus.ANSWERED, kind="question")]
        [requests] = read(Span(), moments=[closed], requests=rows).asked
        return None if requests.answer is None else requests.answer.text

    assert (
        answered('{"decision":"answer","payload":{"channel":"stable"}}') == '{"channel": "stable"}'
    )
    assert answered('{"decision":"decline"}') is None
    assert answered('{"payload":{"cut') is None
    assert answered("[1]") is None


def test_without_requests_the_pauses_of_the_span_tell_of_waits() -> None:
    moments = [
        happened("session.paused", 10, session__signal="ok", session__prompt="Go on?"),
        happened("session.resumed", 25, session__signal="ok", session__payload="yes"),
        happened("session.paused", 30, session__signal="more"),
    ]
    requests = read(Span(), moments=moments).asked
    assert [(one.status, one.prompt, one.waited_ns, one.decision) for one in requests] == [
        ("answered", "Go on?", 15 * MS, "yes"),
        ("pending", None, None, None),
    ]


def test_progress_is_the_last_that_was_reported() -> None:
    moments = [
        happened("progress", 1, progress__percent=10.0),
        happened("progress", 2, progress__percent=50.0, progress__message="half"),
    ]
    progress = read(Span(), moments=moments).progress
    assert progress is not None
    assert (progress.percent, progress.message) == (50.0, "half")


def test_state_is_listed_with_its_moment() -> None:
    event = Span.Event(
        name="inspector.state",
        time_unix_nano=START_NS + 4,
        attributes=key_values(
            {"inspector.state.name": "plan", "inspector.state.patch": '[{"op":"add"}]'}
        ),
    )
    [state] = read(Span(events=[event])).state
    assert (state.name, state.offset_ns) == ("plan", 4)
    assert state.patch is not None
    assert state.patch.text == '[{"op":"add"}]'


@given(st.text(max_size=3 * MAX_CHARS))
@settings(max_examples=30)
def test_a_clip_is_the_beginning_of_its_text(whole: str) -> None:
    made = clip(whole)
    assert whole.startswith(made.text)
    assert made.chars == len(whole)
    assert (made.text == whole) is (len(whole) <= MAX_CHARS)


def test_a_reading_is_bounded_whatever_a_span_says() -> None:
    messages = [
        Message(role="user" * 999, origin="input", parts=[TextPart(text="x" * 9_000)] * 50)
    ] * 200
    view: View = span_view(Span())
    view.messages = messages
    assert len(reading(KEY, view).model_dump_json()) < 400_000
