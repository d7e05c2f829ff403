"""Commands of the service."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.agent_side.control import commands as module
from inspector.agent_side.control.commands import (
    Commands,
    ControlCommand,
    MalformedCommandError,
    read_command,
)
from inspector.agent_side.control.gate import Gate
from inspector.agent_side.control.open_requests import AnswerOutcome, ReceivedAnswer, RequestTable
from inspector.service.wire.control import Command as WireCommand
from inspector.service.wire.control import CommandAnswer
from tests.support.agents.wired_bus import WiredBus
from tests.unit.inspector.agent_side.control.test_open_requests import pending_request


def wire(**changed: Any) -> WireCommand:
    values: dict[str, Any] = {
        "seq": 1,
        "type": "pause",
        "session_id": "s-1",
        "trace_ids": ["a" * 32],
        "answer": None,
        "signal_name": None,
        "payload_json": None,
        "reason": "look",
        "actor": "ANNA",
        "origin": "browser",
        "issued_at": "2026-11-22T09:00:00Z",
    }
    return WireCommand(**{**values, **changed})


def command(**changed: Any) -> ControlCommand:
    return read_command(wire(**changed).model_dump_json())


ANSWER = CommandAnswer(
    request_id="r-1",
    decision="allow",
    args_json='{"n":9007199254740993}',
    args_hash="h",
    payload_json=None,
)


@pytest.fixture
def requests() -> RequestTable:
    return RequestTable()


@pytest.fixture
def commands(requests: RequestTable, gate: Gate) -> Commands:
    return Commands(requests, gate)


def test_a_command_is_read_as_the_wire_writes_it() -> None:
    read = command(type="answer", answer=ANSWER)
    assert (read.seq, read.type, read.request_id) == (1, "answer", "r-1")
    assert read.session == ("s-1", ("a" * 32,))
    assert str(read.by) == "ANNA (browser): look"
    assert read.answer == ReceivedAnswer(
        "allow", "ANNA", "browser", "look", '{"n":9007199254740993}', "h"
    )


def test_an_answer_reaches_its_handler_once(commands: Commands, requests: RequestTable) -> None:
    answers: list[ReceivedAnswer] = []

    def accept(one: ReceivedAnswer) -> AnswerOutcome:
        answers.append(one)
        return AnswerOutcome(True, "edited")

    requests.open(pending_request("r-1"), accept)
    first = command(type="answer", answer=ANSWER)
    assert [commands.handle(first) for _ in range(3)] == [AnswerOutcome(True, "edited")] * 3
    assert len(answers) == 1

    requests.close("r-1", "answered", "allow", None)
    other_store = command(type="answer", answer=ANSWER, issued_at="2026-11-22T09:00:01Z")
    assert commands.handle(other_store) == AnswerOutcome(False, "the request is not open")


async def test_verbs_reach_the_gate(commands: Commands, wired: WiredBus, gate: Gate) -> None:
    async def run() -> None:
        async with wired.bus.operation("tool_call", tool_name="t", args={}):
            await asyncio.Event().wait()

    assert commands.handle(command()).applied
    assert commands.handle(command(seq=2)).reason == "already paused by ANNA (browser): look"
    assert commands.handle(command(seq=3, type="step")).applied
    task = asyncio.create_task(run())
    await asyncio.sleep(0)
    assert commands.handle(command(seq=4, type="resume")).applied
    assert commands.handle(command(seq=5, type="resume")) == AnswerOutcome(True, "not paused")
    assert commands.handle(command(seq=6, type="cancel")).applied
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_verb_for_no_session_is_not_applied(commands: Commands) -> None:
    assert commands.handle(command(session_id="")) == AnswerOutcome(False, "session_id is missing")


def test_an_unknown_command_is_refused_with_a_reason(commands: Commands) -> None:
    unknown = read_command('{"seq": 7, "type": "explode", "session_id": "s-1"}')
    assert commands.handle(unknown) == AnswerOutcome(False, "this agent does not support 'explode'")


def test_a_handler_that_fails_has_not_done_it(
    commands: Commands, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_: ControlCommand) -> AnswerOutcome:
        raise LookupError

    commands.on("signal", fails)
    assert commands.handle(command(type="signal")) == AnswerOutcome(
        False, "the agent failed to run it (LookupError)"
    )
    assert "Cannot run the command of ANNA" in caplog.text


def test_few_commands_are_remembered(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_REMEMBERED", 2)
    calls: list[int] = []

    def record(one: ControlCommand) -> AnswerOutcome:
        calls.append(one.seq)
        return AnswerOutcome(True, None)

    commands.on("signal", record)
    for seq in (1, 2, 3, 3, 1):
        commands.handle(command(seq=seq, type="signal"))
    assert calls == [1, 2, 3, 1]


@pytest.mark.parametrize(
    ("text", "seq"),
    [
        ("", None),
        ("[]", None),
        ("{}", None),
        ('{"seq": true, "type": "pause"}', None),
        ('{"seq": 0, "type": "pause"}', None),
        ('{"seq": 1e99, "type": "pause"}', None),
        ("[" * 100_000, None),
        ('{"seq": 4}', 4),
        ('{"seq": 4, "type": 5}', 4),
        ('{"seq": 4, "type": "answer", "answer": []}', 4),
        ('{"seq": 4, "type": "answer", "answer": {"request_id": "r"}}', 4),
        ('{"seq": 4, "type": "pause", "trace_ids": "abc"}', 4),
        ('{"seq": 4, "type": "pause", "reason": {}}', 4),
    ],
)
def test_a_malformed_command_is_refused_by_its_number(text: str, seq: int | None) -> None:
    with pytest.raises(MalformedCommandError) as caught:
        read_command(text)
    assert caught.value.seq == seq


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
FIELDS = ["seq", "type", "answer", "trace_ids", "actor", "session_id", "request_id", "decision"]


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(FIELDS), json_values) | json_values)
def test_reading_anything_gives_a_command_or_a_sentence(value: Any) -> None:
    try:
        read = read_command(json.dumps(value))
    except MalformedCommandError:
        return
    assert read.seq >= 1
    assert read.type
