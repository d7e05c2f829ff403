"""Ask a person in every vocabulary at once; answer in the browser.

Run `inspector serve` first. Six requests wait in the inbox, each put there by another contract:
whoever knows one of them from elsewhere asks as they are used to.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import inspector
from instrument import Decision, HookDenied, call, intercept, operation
from instrument import _emit as emit
from instrument.control import HookRegistry, HookResult
from instrument.default import bus
from instrument.flow import AgentEvent, AgentStatus, HookDecision, HookPoint
from instrument.guidance import SessionStateTracker, attach_gate
from instrument.typed import BeforeToolCallEvent
from instrument.typed import HookRegistry as TypedRegistry

SESSION = "five-ways-to-ask"


def ask_natively() -> Callable[[], None]:
    """`Decision.ask_user`, on the bus itself."""

    def guard(tool_name: str, args: dict[str, Any], **_: Any) -> Decision | None:
        if tool_name != "delete_file":
            return None
        return Decision.ask_user(f"Delete {args['path']}?", timeout=600)

    return intercept("before_tool_call", guard, name="guard deletion", on_error="deny")


def ask_by_a_result() -> Callable[[], None]:
    """`HookResult(action="ask_user")`, of a handler."""

    async def guard(_event: str, data: dict[str, Any]) -> HookResult:
        if data["tool_name"] != "send_mail":
            return HookResult()
        return HookResult(action="ask_user", approval_prompt="Send this mail?")

    return HookRegistry().register("tool:pre", guard, name="guard mail")


def ask_by_an_interrupt() -> Callable[[], None]:
    """`event.interrupt` in a callback: a question; the callback gets the answer."""

    def choose(event: BeforeToolCallEvent) -> None:
        if event.tool_use.name == "paint":
            colour = event.interrupt("colour", reason="Which colour?")
            event.tool_use.input["colour"] = colour

    return TypedRegistry().add_callback(BeforeToolCallEvent, choose)


def ask_by_a_gate() -> Callable[[], None]:
    """A gate: `deploy` before the session is initialised needs a person."""
    tracker = SessionStateTracker(requires_init=["deploy"])
    return attach_gate(bus, tracker, asks=True)


def ask_by_a_rule() -> Callable[[], None]:
    """`on().when().handle()`: a rule that lets a person decide."""

    def is_push(status: AgentStatus) -> bool:
        return bool(status.tool_call.name == "git_push")

    rule = HookPoint().on(AgentEvent.BEFORE_TOOL_EXECUTION).when(is_push)
    return rule.handle(decision=HookDecision.ASK, value="Push to the remote?").remove


async def wait_for_a_signal() -> str:
    """`session_paused` and `session_resumed`, around a wait of the program's own."""
    answered = asyncio.get_running_loop().create_future()

    async def wake(signal: Any) -> None:
        if not answered.done():
            answered.set_result(signal)

    off = inspector.on_signal(wake)
    prompt = "The release is ready. When shall it go out?"
    await emit("session_paused", session_id=SESSION, signal_name="release", prompt=prompt)
    try:
        signal = await answered
    finally:
        off()
    await emit("session_resumed", session_id=SESSION, signal_name="release", payload=signal.payload)
    return f"signal {signal.name}: {signal.decision} {signal.payload!r}"


async def use_tool(name: str, **args: Any) -> str:
    """Call a tool that returns its arguments."""
    try:
        ran_with = await call("tool_call", lambda op: dict(op.args), tool_name=name, args=args)
    except HookDenied as denied:
        return f"{name}: refused, {denied.reason}"
    return f"{name}: ran with {ran_with}"


async def main() -> None:
    """Ask six times at once, and print the answers."""
    inspector.context.set(SESSION)
    await emit("session_started", session_id=SESSION, metadata={"title": "Five ways to ask"})
    offs = [
        ask_natively(),
        ask_by_a_result(),
        ask_by_an_interrupt(),
        ask_by_a_gate(),
        ask_by_a_rule(),
    ]
    async with operation("workflow_run", workflow="five ways to ask"):
        waiting = [
            use_tool("delete_file", path="/tmp/report.txt", id=9007199254740993, force=False),
            use_tool("send_mail", to="team@example.com", subject="Release", body="It is out."),
            use_tool("paint", thing="the bike shed"),
            use_tool("deploy", target="staging"),
            use_tool("git_push", remote="origin", branch="main"),
            wait_for_a_signal(),
        ]
        for done in asyncio.as_completed(waiting):
            print(await done, flush=True)
    for off in offs:
        off()
    await emit("session_finished", session_id=SESSION, status="completed", error=None)


if __name__ == "__main__":
    handle = inspector.attach(service_name="five-ways-to-ask", capture="redacted")
    if not handle.is_attached:
        raise SystemExit("No Inspector service is running. Start one: inspector serve")
    try:
        asyncio.run(main())
    finally:
        handle.detach()
