"""Policies from real files on a real bus: calls that run, denials, and the trail."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.agent_side.policies import install
from instrument import ApprovalAnswer, ApprovalRequest, Bus, Decision, HookDenied
from tests.unit.inspector.agent_side.policies.conftest import Enforce, Person

READ_ASK_DENY = """
[[policies]]
name = "no production"
where = { path = { under = "/prod" } }
action = "deny"
reason = "production is off limits"

[[policies]]
name = "reading"
tools = ["read_*", "list_*"]
action = "allow"

[[policies]]
name = "deletes"
tools = ["delete_*"]
action = "ask"
prompt = "Really delete?"
timeout = 12
"""


async def run(bus: Bus, tool_name: str = "tool", **fields: Any) -> Any:
    """Call a tool that returns its arguments."""
    async with bus.operation("tool_call", tool_name=tool_name, **{"args": {}, **fields}) as op:
        op.result = op.args
    return op.result


async def refusal(bus: Bus, tool_name: str = "tool", **fields: Any) -> str:
    """Return the reason for which a tool does not run."""
    with pytest.raises(HookDenied) as refused:
        await run(bus, tool_name, **fields)
    return str(refused.value)


def trail(bus: Bus) -> list[tuple[str, str, str | None]]:
    """Return a list to which every decision is added."""
    decisions: list[tuple[str, str, str | None]] = []

    def record(interceptor: str, action: str, reason: str | None, **_: Any) -> None:
        decisions.append((interceptor, action, reason))

    bus.register("hook_decided", record)
    return decisions


async def test_the_first_policy_that_matches_decides(bus: Bus, enforce: Enforce) -> None:
    enforce(READ_ASK_DENY)
    bus.set_approval_provider(person := Person("allow", "deny"))
    decisions = trail(bus)

    assert await run(bus, "read_file", args={"path": "/tmp/a"}) == {"path": "/tmp/a"}
    assert await refusal(bus, "read_file", args={"path": "/prod/a"}) == "production is off limits"
    await run(bus, "delete_file")
    assert "refused" in await refusal(bus, "delete_file")

    assert person.prompts == ["Really delete?"] * 2
    assert person.requests[0].timeout_s == 12
    assert person.requests[0].interceptor == "policy:deletes"
    assert decisions == [
        ("policy:reading", "continue", "allowed by policy 'reading'"),
        ("policy:no production", "deny", "production is off limits"),
        ("policy:deletes", "ask_user", "policy deletes asks"),
        ("approval", "continue", None),
        ("policy:deletes", "ask_user", "policy deletes asks"),
        ("approval", "deny", "refused: deny"),
    ]


async def test_a_call_without_a_policy_leaves_no_verdict(bus: Bus, enforce: Enforce) -> None:
    enforce(READ_ASK_DENY)
    decisions = trail(bus)
    await run(bus, "write_file")
    assert decisions == []


async def test_detaching_takes_policies_off_and_the_last_of_two_does(
    bus: Bus, enforce: Enforce
) -> None:
    first, second = enforce(READ_ASK_DENY), enforce()
    first()
    first()
    await refusal(bus, "delete_file")
    second()
    await run(bus, "delete_file")
    assert not bus._hooks.get("before_tool_call")


async def test_without_somebody_to_ask_an_ask_denies(bus: Bus, enforce: Enforce) -> None:
    enforce(READ_ASK_DENY)
    assert await refusal(bus, "delete_file") == "no approval provider"


@pytest.mark.parametrize(("default", "runs"), [("deny", False), ("allow", True)])
async def test_the_default_of_a_policy_applies_without_an_answer(
    bus: Bus, enforce: Enforce, default: str, runs: bool
) -> None:
    enforce(f'[[policies]]\naction = "ask"\ntimeout = 0.01\ndefault = "{default}"')

    class Nobody:
        async def ask(self, request: ApprovalRequest) -> str:
            await asyncio.Event().wait()
            raise AssertionError

    bus.set_approval_provider(Nobody())
    if runs:
        await run(bus)
    else:
        assert "nobody answered" in await refusal(bus)


async def test_arguments_that_a_person_edits_are_checked_again(bus: Bus, enforce: Enforce) -> None:
    enforce(READ_ASK_DENY)

    class Editor:
        async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
            return ApprovalAnswer("allow", changes={"args": {"path": "/prod/all"}})

    bus.set_approval_provider(Editor())
    why = await refusal(bus, "delete_file", args={"path": "/tmp/one"})
    assert why == "production is off limits"


async def test_policies_see_the_changes_of_other_interceptors(bus: Bus, enforce: Enforce) -> None:
    enforce(READ_ASK_DENY)
    bus.intercept("before_tool_call", lambda **_: Decision.modify({"path": "/prod/x"}))
    assert await refusal(bus, "read_file") == "production is off limits"


async def test_an_allow_does_not_undo_the_deny_of_another_interceptor(
    bus: Bus, enforce: Enforce
) -> None:
    enforce(READ_ASK_DENY)
    bus.intercept("before_tool_call", lambda **_: Decision.deny("not today"))
    assert await refusal(bus, "read_file") == "not today"


async def test_servers_and_agents_narrow_a_policy(bus: Bus, enforce: Enforce) -> None:
    enforce(
        """
        [[policies]]
        name = "db"
        servers = ["prod-*"]
        agents = ["junior*"]
        action = "deny"
        """
    )
    await run(bus, server_name="prod-db")
    async with bus.operation("agent_call", agent="junior 1"):
        assert "db" in await refusal(bus, server_name="prod-db")
        await run(bus, server_name="dev-db")
        await run(bus)
        async with bus.operation("agent_call", agent={"name": "senior"}):
            await run(bus, server_name="prod-db")
            async with bus.operation("llm_generate", llm=None, prompt="x"):
                await run(bus, server_name="prod-db")
        async with bus.operation("workflow_run"):
            await refusal(bus, server_name="prod-db")


async def test_other_events_are_matched_by_their_kwargs(bus: Bus, enforce: Enforce) -> None:
    enforce(
        """
        [[policies]]
        name = "secrets"
        on = "before_resource_fetch"
        where = { uri = "file:///etc/*" }
        action = "deny"

        [[policies]]
        name = "dear models"
        on = ["before_llm_generate"]
        where = { model = "big-*", "request_params.max_tokens" = { gt = 1000 } }
        action = "deny"
        """
    )
    with pytest.raises(HookDenied, match="secrets"):
        async with bus.operation("resource_fetch", uri="file:///etc/passwd"):
            raise AssertionError
    async with bus.operation("resource_fetch", uri="file:///tmp/x"):
        pass
    with pytest.raises(HookDenied, match="dear models"):
        async with bus.operation(
            "llm_generate", llm=None, prompt="", model="big-1", request_params={"max_tokens": 4000}
        ):
            raise AssertionError
    async with bus.operation("llm_generate", llm=None, prompt="", model="big-1"):
        pass
    await run(bus)


async def test_sync_code_is_guarded_too(bus: Bus, enforce: Enforce) -> None:
    enforce(READ_ASK_DENY)
    with (
        pytest.raises(HookDenied, match="off limits"),
        bus.operation("tool_call", tool_name="x", args={"path": "/prod"}),
    ):
        raise AssertionError


# --- two files ------------------------------------------------------------------------------------


async def test_a_file_in_the_working_directory_only_tightens(
    bus: Bus, enforce: Enforce, caplog: pytest.LogCaptureFixture
) -> None:
    enforce(
        READ_ASK_DENY,
        here="""
        [[policies]]
        name = "everything"
        action = "allow"

        [[policies]]
        name = "no lists"
        tools = ["list_*"]
        action = "deny"
        """,
    )
    await run(bus, "read_file")
    assert "no lists" in await refusal(bus, "list_files")
    assert await refusal(bus, "delete_file") == "no approval provider"
    warnings = [one.message for one in caplog.records if one.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "only tighten" in warnings[0]


async def test_two_files_ask_one_question(bus: Bus, enforce: Enforce) -> None:
    enforce(
        READ_ASK_DENY,
        here="""
        [[policies]]
        name = "careful"
        action = "ask"
        prompt = "Sure?"
        default = "allow"
        timeout = 5
        """,
    )
    bus.set_approval_provider(person := Person("allow"))
    await run(bus, "delete_file")
    (request,) = person.requests
    assert request.prompt == "Really delete?\nSure?"
    assert (request.timeout_s, request.default) == (5, "deny")
    assert request.interceptor == "policy:deletes + policy:./careful"


async def test_rules_of_the_working_directory_have_a_prefix(bus: Bus, enforce: Enforce) -> None:
    """Else "always" for a harmless question would be "always" for the user's own."""
    enforce(here='step = true\n[[policies]]\nname = "deletes"\naction = "ask"')
    bus.set_approval_provider(person := Person("allow"))
    await run(bus)
    assert person.requests[0].interceptor == "policy:./deletes + breakpoint:./step"


async def test_the_same_file_counts_once(
    bus: Bus, enforce: Enforce, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    here = project / "inspector.toml"
    enforce(here=READ_ASK_DENY, INSPECTOR_POLICIES=str(here))
    decisions = trail(bus)
    await run(bus, "read_file")
    assert decisions == [("policy:reading", "continue", "allowed by policy 'reading'")]
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]


@pytest.mark.parametrize("switch", ["off", "OFF", "0", "false"])
async def test_policies_can_be_switched_off(bus: Bus, enforce: Enforce, switch: str) -> None:
    enforce(READ_ASK_DENY, here=READ_ASK_DENY, INSPECTOR_POLICIES=switch)
    await run(bus, "delete_file")
    assert not bus._hooks


async def test_without_a_file_nothing_is_on_the_bus(bus: Bus, enforce: Enforce) -> None:
    enforce()
    enforce("port = 7801")
    assert not bus._hooks


# --- files that cannot be used --------------------------------------------------------------------


async def test_a_bad_policy_denies_tools_loudly_and_breaks_nothing(
    bus: Bus, enforce: Enforce, caplog: pytest.LogCaptureFixture, users_file: Path
) -> None:
    enforce(READ_ASK_DENY + '\n[[policies]]\ntools = "x"\naction = "denny"\n')
    why = await refusal(bus, "read_file")
    assert "policies are invalid" in why
    assert f"{users_file}:20: [[policies]] #4: `action` is 'denny'" in why
    async with bus.operation("llm_generate", llm=None, prompt=""):
        pass
    (error,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert "inspector policies check" in error.getMessage()


@pytest.mark.parametrize(
    ("text", "is_guarded"),
    [
        ("[[policies]]\naction = ", True),
        ("[[budgets]\n", True),
        ("step = tru", True),
        ("port = ", False),
        ("[[policies]]\n" + "x" * (1 << 20), True),
    ],
)
async def test_broken_toml_denies_if_it_may_have_guarded_something(
    bus: Bus, enforce: Enforce, text: str, is_guarded: bool
) -> None:
    enforce(text)
    if is_guarded:
        await refusal(bus)
    else:
        await run(bus)


async def test_broken_budgets_deny_models_too(bus: Bus, enforce: Enforce) -> None:
    enforce('[[budgets]]\nof = "tokns"\nat = 3')
    with pytest.raises(HookDenied, match="tokns"):
        async with bus.operation("llm_generate", llm=None, prompt=""):
            raise AssertionError
    await refusal(bus)


@pytest.mark.parametrize("variable", ["INSPECTOR_POLICIES", "INSPECTOR_CONFIG"])
async def test_a_named_file_that_does_not_exist_denies(
    bus: Bus, enforce: Enforce, tmp_path: Path, variable: str
) -> None:
    enforce(**{variable: str(tmp_path / "gone.toml")})
    assert "does not exist" in await refusal(bus)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (Path.mkdir, "not a regular file"),
        pytest.param(
            lambda file: os.mkfifo(file),
            "not a regular file",
            marks=pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="of POSIX systems"),
        ),
        (lambda file: file.write_bytes(b"[[policies]]\nname = '\xff'"), "is not UTF-8"),
    ],
    ids=["folder", "pipe", "encoding"],
)
def test_an_unreadable_file_denies(
    bus: Bus, enforce: Enforce, users_file: Path, make: Callable[[Path], object], reason: str
) -> None:
    make(users_file)
    enforce()
    with pytest.raises(HookDenied, match=reason), bus.operation("tool_call"):
        raise AssertionError


def test_the_null_device_is_an_empty_file(bus: Bus, enforce: Enforce) -> None:
    enforce(READ_ASK_DENY, INSPECTOR_POLICIES=os.devnull)
    assert not bus._hooks


def test_a_link_that_leads_nowhere_is_no_file(
    bus: Bus, enforce: Enforce, project: Path, users_file: Path
) -> None:
    (project / "inspector.toml").symlink_to(project / "gone")
    enforce()
    assert not bus._hooks


def test_a_working_directory_that_is_gone_stops_nothing(
    bus: Bus, users_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    users_file.write_text(READ_ASK_DENY)
    off = install(bus, environ={})
    with pytest.raises(HookDenied), bus.operation("tool_call", tool_name="delete_file"):
        raise AssertionError
    off()


# --- failing --------------------------------------------------------------------------------------


class Explosive:
    """An argument whose attribute raises."""

    @property
    def path(self) -> str:
        raise RuntimeError("boom")


@pytest.mark.parametrize("action", ["allow", "ask", "deny"])
async def test_a_policy_that_raises_denies(bus: Bus, enforce: Enforce, action: str) -> None:
    enforce(f'[[policies]]\nwhere = {{ "file.path" = "x" }}\naction = "{action}"')
    bus.set_approval_provider(Person("allow"))
    assert "boom" in await refusal(bus, args={"file": Explosive()})


@pytest.mark.parametrize(
    "text",
    [
        '[[policies]]\naction = "allow"',
        '[[policies]]\naction = "ask"',
        '[[policies]]\naction = "deny"',
        "[[breakpoints]]",
        "step = true",
        '[[budgets]]\nof = "calls"\nat = 10',
        '[[budgets]]\nof = "seconds"\nat = 10',
        '[[budgets]]\nof = "cost_usd"\nat = 10\naction = "ask"',
    ],
)
async def test_everything_that_is_shipped_denies_when_it_fails(
    bus: Bus, enforce: Enforce, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    enforce(text)
    bus.set_approval_provider(Person("allow"))

    def fail(*_: Any) -> None:
        raise ValueError("a bug of ours")

    monkeypatch.setattr("inspector.agent_side.policies.interceptor.combine", fail)
    assert "a bug of ours" in await refusal(bus)


async def test_arguments_that_are_no_object_are_undecidable(bus: Bus, enforce: Enforce) -> None:
    enforce(READ_ASK_DENY)
    assert await refusal(bus, "read_file", args='{"path": "/tmp"}') == "production is off limits"
    await run(bus, "read_file", args=None)


async def test_many_tool_names_are_not_all_remembered(
    bus: Bus, enforce: Enforce, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.agent_side.policies.rules.MAX_NAMES", 2)
    enforce(READ_ASK_DENY)
    for number in range(5):
        assert await refusal(bus, f"delete_{number}") == "no approval provider"
