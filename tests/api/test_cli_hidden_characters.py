"""Characters that act on a terminal, or are invisible, are escaped by every command."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from inspector.cli.main import run
from inspector.service.analysis.sanitise import visible
from tests.support.agents.connected_agent import ConnectedAgent
from tests.support.services.process import (
    DEADLINE_S,
    Service,
    command,
    environment,
    running_service,
)
from tests.support.telemetry.otlp import key_values, resource, span

HIDDEN = "a\u202e\x00\x1b]0;evil\x07\x9b2J\u200b\u2066\u00ad\ufeff\u3164z"
TYPED = HIDDEN.replace("\0", "")
"""What may stand on a command line, or in the name of a file."""
OURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""Colours and cursor movements of ours; a trace's escape sequence has another form."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as service:
        for trace in (1, 2):
            send(service, *session(trace))
        yield service


def session(trace: int, *, duration_ns: int | None = 10**9) -> list[Span]:
    about = {"session.id": f"S{trace}{HIDDEN}", "user.id": HIDDEN, HIDDEN: f"{HIDDEN}{trace}"}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": HIDDEN,
        "gen_ai.tool.call.arguments": f'{{"{HIDDEN}": "{HIDDEN}"}}',
        "gen_ai.tool.call.result": f"{HIDDEN}{trace}",
        "error.type": HIDDEN,
    }
    model = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": HIDDEN,
        "gen_ai.input.messages": f'[{{"role":"{HIDDEN}","content":"{HIDDEN}"}}]',
        "gen_ai.output.messages": HIDDEN,
    }
    event = Span.Event(name=HIDDEN, attributes=key_values({HIDDEN: HIDDEN}))
    failure = {
        "exception.type": HIDDEN,
        "exception.message": HIDDEN,
        "exception.stacktrace": HIDDEN,
    }
    raised = Span.Event(name="exception", attributes=key_values(failure))
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": HIDDEN, **about}
    return [
        span(HIDDEN, trace=trace, attributes=agent, error=HIDDEN, duration_ns=duration_ns),
        span(HIDDEN, trace=trace, span_id=2, parent=1, attributes={**about, **tool}, error=HIDDEN,
             events=[event, raised]),
        span(HIDDEN, trace=trace, span_id=3, parent=1, attributes={**about, **model}),
    ]  # fmt: skip


def send(service: Service, *spans: Span) -> None:
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add(resource=resource(service_name=HIDDEN))
    group.scope_spans.add().spans.extend(spans)
    service.post("/v1/traces", request.SerializeToString())


def variables(service: Service, directory: Path) -> dict[str, str]:
    settings = {**environment(directory), "INSPECTOR_RUNTIME_DIR": str(service.runtime_dir)}
    return {**settings, "COLUMNS": "300", "TERM": "xterm-256color"}


def raw(text: str) -> str:
    """Return the characters of `text` that are not escaped."""
    text_left = OURS.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char for char in text_left if visible(char) != char)


def on_a_terminal(env: dict[str, str], *arguments: str, until: str) -> str:
    """Return what a command writes to a terminal up to a text."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(*arguments), env=env, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    output = b""
    try:
        while until.encode() not in output:
            assert select.select([ours], [], [], DEADLINE_S)[0], f"nothing more than {output!r}"
            output += os.read(ours, 65_536)
    finally:
        process.terminate()
        os.close(ours)
        process.wait(DEADLINE_S)
    return output.decode(errors="ignore")


@pytest.mark.slow
def test_no_command_shows_anything_raw(
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in variables(service, tmp_path).items():
        monkeypatch.setenv(name, value)
    whole, broken = tmp_path / "whole.jsonl", tmp_path / f"{TYPED}.jsonl"
    broken.write_text(HIDDEN)

    def output(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["inspector", *arguments])
        with pytest.raises(SystemExit):
            run()
        return "".join(capsys.readouterr())

    commands = [
        ["sessions"], ["sessions", f"name:{TYPED}"], ["search", "kind:tool"], ["audit"],
        ["show"], ["show", "S1", "--full"], ["show", "S1", "--errors"], ["show", TYPED],
        *(["show", "S1", f"000000000000000{place}", "--full"] for place in (1, 2, 3)),
        ["show", "S1", TYPED], ["compare", "S1", "S2"],
        ["requests"], ["requests", "--all"], ["requests", "r1"], ["requests", TYPED],
        ["approve", "r1"], ["deny", TYPED], ["signal", "S1", TYPED], ["pause", TYPED],
        ["pause", "S1"], ["resume"], ["cancel", "S1"], ["audit"],
        ["export", "S1", "--output", str(whole)], ["import", str(whole)], ["import", str(broken)],
        ["import", f"no {TYPED}"], ["hooks", "validate", f"no {TYPED}"], ["policies"], ["doctor"],
    ]  # fmt: skip
    pending = {"session_id": f"S1{HIDDEN}", "interceptor": HIDDEN, "prompt": HIDDEN}
    with ConnectedAgent(service) as agent:
        agent.ask(
            "r1", **pending, tool_name=HIDDEN, args_json=f'{{"{HIDDEN}":1}}', options=[HIDDEN]
        )
        shown = {" ".join(one): output(*one) for one in commands}
    assert {name: found for name, text in shown.items() if (found := raw(text))} == {}
    written = visible(HIDDEN)
    for name in ("sessions", "search kind:tool", "show", "show S1 --errors", "requests r1"):
        assert written in shown[name], name


@pytest.mark.slow
def test_tail_shows_nothing_raw_to_a_pipe_or_a_terminal(service: Service, tmp_path: Path) -> None:
    env = variables(service, tmp_path)
    send(service, *session(3, duration_ns=None))
    screen = on_a_terminal(env, "tail", until="tool")
    assert visible(HIDDEN) in screen
    assert raw(screen) == ""
    with subprocess.Popen(command("tail"), env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            # It began to follow at a moment that only its first line tells.
            for trace in range(4, 200):
                send(service, *session(trace))
                if select.select([process.stdout], [], [], 0.2)[0]:
                    break
            lines = [process.stdout.readline() for _ in range(3)]
        finally:
            process.terminate()
    assert visible(HIDDEN) in "".join(lines)
    assert raw("".join(lines)) == ""
