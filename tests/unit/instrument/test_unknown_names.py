"""Names outside the catalogue: accepted, and logged once."""

import logging
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from instrument import Bus
from instrument.once import FirstTimes, once
from instrument.unknown import likely_hooks

WAYS: dict[str, Callable[[Bus, str], object]] = {
    "register": lambda bus, name: bus.register(name, nothing),
    "observe": lambda bus, name: bus.observe(name, nothing),
    "intercept": lambda bus, name: bus.intercept(name, nothing),
}


def nothing(**_: Any) -> None:
    pass


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "mcp.instrument"]


@pytest.mark.parametrize("way", WAYS)
def test_an_unknown_name_is_accepted_and_logged_once_at_debug_level(
    bus: Bus, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    caplog.set_level(logging.DEBUG, "mcp.instrument")

    for _ in range(3):
        WAYS[way](bus, "before_tool_cal")

    (line,) = lines(caplog)
    assert caplog.records[0].levelno == logging.DEBUG
    assert line.startswith("'before_tool_cal' is not a hook of contract")
    assert line.endswith("Did you mean before_tool_call?")
    assert len(bus._hooks["before_tool_cal"]) == 3


@pytest.mark.parametrize("way", WAYS)
def test_a_name_of_the_catalogue_is_not_worth_a_word(
    bus: Bus, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    caplog.set_level(logging.DEBUG, "mcp.instrument")

    WAYS[way](bus, "before_tool_call")

    assert lines(caplog) == []


def test_every_unknown_name_is_logged_by_every_bus_for_itself(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "mcp.instrument")

    bus.register("before_teleport", nothing)
    bus.register("after_teleport", nothing)
    Bus().register("before_teleport", nothing)

    assert len(lines(caplog)) == 3


def test_a_name_that_nobody_could_read_is_logged_once_somebody_can(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "mcp.instrument")
    bus.register("before_teleport", nothing)
    assert lines(caplog) == []

    caplog.set_level(logging.DEBUG, "mcp.instrument")
    bus.register("before_teleport", nothing)

    assert "docs/instrumentation-hooks.md" in lines(caplog)[0]


def test_a_log_handler_may_register_while_a_name_is_logged(bus: Bus) -> None:
    class Registering(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            bus.register("before_teleport", nothing)

    logger, handler = logging.getLogger("mcp.instrument"), Registering()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        thread = Thread(target=bus.register, args=("before_teleport", nothing), daemon=True)
        thread.start()
        thread.join(5)
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)

    assert len(bus._hooks["before_teleport"]) == 2


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("before_tool_cal", ("before_tool_call",)),
        ("beforeToolCall", ("before_tool_call",)),
        ("Before_LLM_Generate", ("before_llm_generate",)),
        ("session_start", ("session_started",)),
        ("tool:pre", ("before_tool_call",)),
        ("AfterToolCallEvent", ("after_tool_call", "error_tool_call")),
        ("before_teleport", ()),
        ("", ()),
    ],
)
def test_a_typo_and_another_vocabularys_name_are_distinguished_from_a_custom_name(
    name: str, meant: tuple[str, ...]
) -> None:
    assert likely_hooks(name) == meant


def test_what_is_to_happen_once_happens_once_whatever_number_of_threads_asks() -> None:
    for _ in range(50):
        undone: list[int] = []
        off, first = once(partial(undone.append, 1)), FirstTimes()
        first_times: list[bool] = []
        start = Barrier(4)

        def ask(
            start: Barrier = start,
            off: Callable[[], None] = off,
            first: FirstTimes = first,
            first_times: list[bool] = first_times,
        ) -> None:
            start.wait(5)
            off()
            first_times.append(first.is_first("a_hook"))

        threads = [Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)

        assert undone == [1]
        assert sorted(first_times) == [False, False, False, True]


@pytest.mark.parametrize("is_heard", [True, False])
@pytest.mark.parametrize(
    ("noun", "kwargs", "text"),
    [
        (None, {}, "that is not a name; 'unnamed' is used"),
        ("", {}, "that is not a name"),
        (["tool_call"], {}, "that is not a name"),
        ("Tool Call", {"tool_name": "t"}, "no such operation; the closest is 'tool_call'."),
        ("tool_cal", {"tool_name": "t"}, "no such operation; the closest is 'tool_call'."),
        ("tool_call", {"name": "t"}, "tool_name is missing"),
    ],
)
async def test_a_mistaken_operation_runs_and_is_logged_once(
    noun: Any,
    kwargs: dict[str, Any],
    text: str,
    is_heard: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    bus = Bus()
    closed: list[dict[str, Any]] = []
    if is_heard:
        bus.register("operation_closed", lambda **first_times: closed.append(first_times))
    ran = 0
    for _ in range(2):
        with bus.operation(noun, **kwargs) as op:
            assert op.args is None or op.args == kwargs
            ran += 1
        async with bus.operation(noun, **kwargs):
            ran += 1
    assert (ran, [one["status"] for one in closed]) == (4, ["ok"] * 4 * is_heard)
    (record,) = caplog.records
    assert text in record.getMessage()


@pytest.mark.parametrize("is_heard", [True, False])
def test_a_noun_of_the_programs_own_is_not_worth_a_word(
    is_heard: bool, caplog: pytest.LogCaptureFixture
) -> None:
    bus = Bus()
    if is_heard:
        bus.register("operation_closed", nothing)

    with bus.operation("whistle", tune="a"), bus.operation("plan"):
        pass

    assert caplog.records == []


def test_a_warning_reaches_a_terminal_also_where_the_log_goes_to_a_file(tmp_path: Path) -> None:
    code = """
import logging, os, pty, sys
ours, theirs = pty.openpty()
sys.stderr = os.fdopen(theirs, "w")
logging.basicConfig(filename=sys.argv[1])
import instrument
instrument.observe_all(lambda name, /, **_: None)
with instrument.operation(None), instrument.operation(None): pass
sys.stderr.flush()
said = os.read(ours, 10_000).decode()
assert said.count("operation(None)") == 1, said
"""
    log = tmp_path / "log"
    subprocess.run([sys.executable, "-c", code, str(log)], check=True)
    assert log.read_text().count("operation(None)") == 1
