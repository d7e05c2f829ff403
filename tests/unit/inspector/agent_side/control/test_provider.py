"""The provider: the agent checks each answer, and a failure grants nothing."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from inspector.agent_side.control.hold import Issuer
from inspector.agent_side.control.open_requests import (
    MAX_OPEN,
    AnswerOutcome,
    PendingRequest,
    ReceivedAnswer,
    RequestClosed,
    RequestTable,
)
from inspector.agent_side.control.provider import InspectorProvider
from instrument import Bus, Decision, HookDenied
from instrument.typed import BeforeToolCallEvent, HookRegistry
from subscribers.bridge.location import NO_LOCATION, TraceLocation

Story = list[tuple[str, dict[str, Any]]]
ARGS = {"path": "/tmp/a", "id": 9007199254740993, "text": "x" * 200_000}


HERE = TraceLocation("s-1", "a" * 32, "b" * 16)


class Viewer:
    """The channel, with a person who answers at once."""

    def __init__(self, **options: Any) -> None:
        self.is_open = threading.Event()
        self.requests = RequestTable(self._changed)
        options = {"location_of": lambda _: HERE, **options}
        self.provider = InspectorProvider(self.requests, **options)

    async def shown(self) -> PendingRequest:
        """Wait for a request and return it."""
        await asyncio.to_thread(self.is_open.wait, 5)
        return self.requests.pending()[-1]

    async def answer(self, decision: str, **parts: Any) -> AnswerOutcome:
        """Answer the open request from another thread, as the channel does."""
        request = await self.shown()
        return await asyncio.to_thread(
            self.requests.answer, request.id, received(request, decision, **parts)
        )

    def _changed(self) -> None:
        if self.requests.pending():
            self.is_open.set()
        else:
            self.is_open.clear()

    def closed(self) -> list[tuple[str, str | None]]:
        reports = self.requests.unconfirmed(100)
        return [(r.status, r.decision) for r in reports if isinstance(r, RequestClosed)]


def received(request: PendingRequest, decision: str, **parts: Any) -> ReceivedAnswer:
    return ReceivedAnswer(decision, "ANNA", "browser", **{"args_hash": request.args_hash, **parts})


@pytest.fixture
def viewer(bus: Bus) -> Viewer:
    viewer = Viewer()
    viewer.provider.install(bus)
    return viewer


def asking(**options: Any) -> Callable[..., Decision]:
    return lambda **_: Decision.ask_user("Delete?", **{"timeout": 5, **options})


def delete(bus: Bus, **args: Any) -> asyncio.Task[Any]:
    call = bus.call("tool_call", lambda op: op.args, tool_name="delete_file", args={**ARGS, **args})
    return asyncio.create_task(call)


def ask_and_delete(bus: Bus, **options: Any) -> asyncio.Task[Any]:
    """Call a tool of which an interceptor asks."""
    bus.intercept("before_tool_call", asking(**options))
    return delete(bus)


async def test_a_person_sees_the_request_and_its_location(bus: Bus, viewer: Viewer) -> None:
    bus.intercept("before_tool_call", asking(), name="gate")

    task = delete(bus)
    request = await viewer.shown()

    assert (request.kind, request.hook, request.interceptor) == (
        "approval",
        "before_tool_call",
        "gate",
    )
    assert (request.tool_name, request.prompt, request.default) == (
        "delete_file",
        "Delete?",
        "deny",
    )
    assert (request.session_id, request.trace_id, request.span_id) == HERE[:3]
    assert request.can_always
    assert request.timeout_s == 5
    assert (request.args_json or "").startswith('{"id":9007199254740993,"path":"/tmp/a"')
    await viewer.answer("allow", reason="fine")
    assert await task == ARGS
    assert viewer.closed() == [("answered", "allow")]


async def test_a_tool_runs_with_the_edited_arguments_and_no_others(
    bus: Bus, viewer: Viewer, emitted: Story
) -> None:
    task = ask_and_delete(bus)
    text = (await viewer.shown()).args_json or ""

    outcome = await viewer.answer("allow", args_json=text.replace("/tmp/a", "/tmp/b"))

    got = await task
    assert outcome == AnswerOutcome(True, None)
    assert got == {**ARGS, "path": "/tmp/b"}
    assert got["text"] is ARGS["text"]
    (decided,) = [k for n, k in emitted if n == "hook_decided" and k["interceptor"] == "approval"]
    assert (decided["action"], decided["actor"], decided["origin"]) == ("modify", "ANNA", "browser")
    assert decided["before"]["args"]["path"] == "/tmp/a"
    assert decided["after"]["args"]["path"] == "/tmp/b"


async def test_a_policy_decides_again_about_an_edit(bus: Bus, viewer: Viewer) -> None:
    def policy(args: Any, **_: Any) -> Decision | None:
        return Decision.deny("not in /etc") if args["path"].startswith("/etc") else None

    bus.intercept("before_tool_call", policy)
    task = ask_and_delete(bus)
    text = (await viewer.shown()).args_json or ""

    await viewer.answer("allow", args_json=text.replace("/tmp/a", "/etc/passwd"))

    with pytest.raises(HookDenied, match="not in /etc"):
        await task


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"path": "a", "path": "b"}', "duplicated"),
        ("[]", "must be a JSON object"),
        ("{", "not JSON"),
        ('{"path": NaN}', "NaN"),
    ],
)
async def test_a_bad_edit_is_refused_with_a_reason_and_the_request_waits_on(
    bus: Bus, viewer: Viewer, text: str, why: str
) -> None:
    task = ask_and_delete(bus, default="allow")

    outcome = await viewer.answer("allow", args_json=text)

    assert not outcome.applied
    assert why in (outcome.reason or "")
    assert not task.done()
    assert (await viewer.answer("allow", args_json='{"path": "/tmp/b"}')).applied
    assert await task == {"path": "/tmp/b"}


async def test_arguments_that_changed_before_the_answer_are_not_allowed(
    bus: Bus, viewer: Viewer
) -> None:
    args = {"path": "a"}
    bus.intercept("before_tool_call", asking())
    task = asyncio.create_task(bus.call("tool_call", lambda op: op.args, args=args))
    request = await viewer.shown()
    args["path"] = "/"

    outcome = await viewer.answer("allow", args_hash=request.args_hash)

    assert "changed while" in (outcome.reason or "")
    with pytest.raises(HookDenied, match="asking failed: the arguments changed while"):
        await task
    assert viewer.closed() == [("withdrawn", "deny")]


@pytest.mark.parametrize("edited", [None, '{"path":"b","deep":{"id":1}}'])
async def test_arguments_that_changed_after_the_answer_do_not_run(
    bus: Bus, viewer: Viewer, edited: str | None
) -> None:
    """The loop stands still: the answer is taken meanwhile, and taken up when it is back."""
    args: dict[str, Any] = {"path": "a", "deep": {"id": 1}}
    bus.intercept("before_tool_call", asking())
    ran: list[Any] = []
    task = asyncio.create_task(bus.call("tool_call", lambda op: ran.append(op.args), args=args))
    request = await viewer.shown()
    mine = received(request, "allow", args_json=edited)
    answering = threading.Thread(target=viewer.requests.answer, args=(request.id, mine))
    answering.start()
    answering.join()  # and nothing else happens on the loop
    args["deep"]["id"] = 2

    with pytest.raises(HookDenied, match="changed after they were allowed"):
        await task
    assert ran == []


@pytest.mark.parametrize("hook", ["request_closed", "before_tool_call"])
async def test_an_observer_that_changes_what_was_allowed_keeps_it_from_running(
    bus: Bus, viewer: Viewer, hook: str
) -> None:
    args = {"path": "a"}
    bus.intercept("before_tool_call", asking())
    bus.observe(hook, lambda **_: args.update(path="/"))
    ran: list[Any] = []
    task = asyncio.create_task(bus.call("tool_call", lambda op: ran.append(op.args), args=args))

    await viewer.answer("allow")

    with pytest.raises(HookDenied, match="changed after they were allowed"):
        await task
    assert ran == []


async def test_a_policy_that_rewrites_an_edit_in_place_keeps_it_from_running(
    bus: Bus, viewer: Viewer
) -> None:
    def tidy(args: Any, **_: Any) -> None:
        args["path"] = args["path"].removeprefix("./")

    bus.intercept("before_tool_call", tidy)
    bus.intercept("before_tool_call", asking())
    ran: list[Any] = []
    call = bus.call("tool_call", lambda op: ran.append(op.args), args={"path": "./a"})
    task = asyncio.create_task(call)
    assert (await viewer.shown()).args_json == '{"path":"a"}'

    await viewer.answer("allow", args_json='{"path":"./b"}')

    with pytest.raises(HookDenied, match="changed after they were allowed"):
        await task
    assert ran == []


async def test_an_interrupt_about_arguments_that_changed_is_not_answered(
    bus: Bus, viewer: Viewer
) -> None:
    args = {"path": "a"}

    def confirm(event: BeforeToolCallEvent) -> None:
        if event.interrupt("confirm") != "y":
            event.cancel_tool = "no"

    HookRegistry(bus=bus).add_callback(BeforeToolCallEvent, confirm)
    task = asyncio.create_task(bus.call("tool_call", lambda op: op.args, args=args))
    await viewer.shown()
    args["path"] = "/"

    outcome = await viewer.answer("answer", payload_json='"y"')

    assert not outcome.applied
    with pytest.raises(HookDenied, match="changed while"):
        await task


@pytest.mark.parametrize(
    ("decision", "parts", "why"),
    [
        ("allow", {"args_hash": "0" * 64}, "different arguments"),
        ("deny", {"args_hash": None}, "different arguments"),
        ("answer", {}, "not a valid answer"),
        ("cancel", {}, "not a valid answer"),
        ("allow everything", {}, "not a valid answer"),
        ("deny", {"args_json": "{}"}, "does not accept arguments"),
    ],
)
async def test_an_answer_to_something_else_is_refused_and_the_request_waits_on(
    bus: Bus, viewer: Viewer, decision: str, parts: dict[str, Any], why: str
) -> None:
    task = ask_and_delete(bus)

    outcome = await viewer.answer(decision, **parts)

    assert not outcome.applied
    assert why in (outcome.reason or "")
    assert not task.done()
    assert (await viewer.answer("deny", reason="no")).applied
    with pytest.raises(HookDenied, match="no"):
        await task


async def test_the_first_of_many_answers_counts(bus: Bus, viewer: Viewer) -> None:
    task = ask_and_delete(bus)
    request = await viewer.shown()
    start = threading.Barrier(8)
    outcome: list[tuple[int, AnswerOutcome]] = []

    def answer(number: int) -> None:
        text = (request.args_json or "").replace("/tmp/a", str(number))
        start.wait(5)
        mine = received(request, "allow", args_json=text)
        outcome.append((number, viewer.requests.answer(request.id, mine)))

    threads = [threading.Thread(target=answer, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    got = await task
    for thread in threads:
        await asyncio.to_thread(thread.join, 5)

    (winner,) = [number for number, result in outcome if result.applied]
    assert got["path"] == str(winner)


async def test_each_request_ends_once_whoever_is_first(bus: Bus, viewer: Viewer) -> None:
    """Answers from another thread race with time limits; neither may win in part."""
    count = 300
    outcome: list[str] = []
    is_over = threading.Event()

    def answer_all() -> None:
        while not is_over.is_set():
            outcome.extend(
                request.id
                for request in viewer.requests.pending()
                if viewer.requests.answer(request.id, received(request, "allow")).applied
            )

    def gate(number: int, **_: Any) -> Decision:
        return Decision.ask_user("?", timeout=0.0001 + number % 7 * 0.03)

    emitted: list[dict[str, Any]] = []
    bus.intercept("my_hook", gate)
    bus.register("request_closed", lambda **kwargs: emitted.append(kwargs))
    answering = threading.Thread(target=answer_all)
    answering.start()
    work = [bus.dispatch("my_hook", number=number) for number in range(count)]
    outcomes = await asyncio.gather(*work)
    is_over.set()
    await asyncio.to_thread(answering.join, 10)

    statuses = {one["request_id"]: one["status"] for one in emitted}
    assert len(emitted) == len(statuses) == count
    answered = [one for one, status in statuses.items() if status == "answered"]
    assert sorted(outcome) == sorted(answered)
    assert sum(outcome.is_allowed for outcome in outcomes) == len(outcome)
    closed = [
        r.request_id for r in viewer.requests.unconfirmed(10**6) if isinstance(r, RequestClosed)
    ]
    assert sorted(closed) == sorted(statuses)


@pytest.mark.parametrize(("default", "decision"), [("deny", "deny"), ("allow", "allow")])
async def test_when_nobody_answers_the_default_counts_and_is_reported(
    bus: Bus, viewer: Viewer, default: str, decision: str
) -> None:
    bus.intercept("before_tool_call", asking(default=default, timeout=0.01))

    outcome = await bus.dispatch("before_tool_call", tool_name="t", args={})

    assert outcome.is_allowed is (decision == "allow")
    assert viewer.closed() == [("expired", decision)]


async def test_an_answer_after_the_time_limit_is_refused(bus: Bus, viewer: Viewer) -> None:
    task = ask_and_delete(bus, timeout=0.05)
    request = await viewer.shown()
    wait_until(
        lambda: time.monotonic() > request.opened_monotonic_s + 0.05
    )  # the loop stands still

    outcome = viewer.requests.answer(request.id, received(request, "allow"))

    assert outcome == AnswerOutcome(False, "the request has timed out")
    with pytest.raises(HookDenied, match="nobody answered"):
        await task


async def test_an_answer_in_time_counts_also_for_a_loop_that_stood_still(
    bus: Bus, viewer: Viewer
) -> None:
    task = ask_and_delete(bus, timeout=0.2)
    request = await viewer.shown()
    outcome = viewer.requests.answer(request.id, received(request, "allow"))
    wait_until(lambda: time.monotonic() > request.opened_monotonic_s + 0.3)  # the loop stands still

    assert await task == ARGS
    assert outcome.applied
    assert viewer.closed() == [("answered", "allow")]


def wait_until(is_true: Callable[[], bool]) -> None:
    while not is_true():
        pass


async def test_a_cancelled_agent_withdraws_what_it_asks(bus: Bus, viewer: Viewer) -> None:
    task = ask_and_delete(bus)
    request = await viewer.shown()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert viewer.closed() == [("withdrawn", None)]
    assert viewer.requests.answer(request.id, received(request, "allow")).applied is False


def call_tool(bus: Bus) -> Any:
    return bus.call_sync("tool_call", lambda op: op.args, args={"path": "a"})


async def test_sync_code_waits_for_the_browser_too(bus: Bus, viewer: Viewer) -> None:
    bus.intercept("before_tool_call", asking())
    call = asyncio.create_task(asyncio.to_thread(lambda: call_tool(bus)))

    await viewer.answer("allow", args_json='{"path":"b"}')

    assert await call == {"path": "b"}
    assert viewer.closed() == [("answered", "allow")]


@pytest.mark.parametrize(("name", "is_meant"), [("s-1", True), ("a" * 32, True), ("s-2", False)])
async def test_a_request_of_sync_code_is_refused_when_its_session_is_cancelled(
    bus: Bus, viewer: Viewer, name: str, is_meant: bool
) -> None:
    bus.intercept("before_tool_call", asking(default="allow"))
    work = asyncio.create_task(asyncio.to_thread(lambda: call_tool(bus)))
    request = await viewer.shown()

    count = viewer.provider.cancel(frozenset({name}), Issuer("ANNA", "browser", "enough"))

    assert count == is_meant
    outcome = viewer.requests.answer(request.id, received(request, "allow"))
    assert outcome.applied is not is_meant
    if is_meant:
        with pytest.raises(HookDenied, match="cancelled by ANNA"):
            await work
    else:
        assert await work == {"path": "a"}


async def test_a_question_of_a_cancelled_session_is_cancelled(bus: Bus, viewer: Viewer) -> None:
    task = asyncio.create_task(bus.ask("How many?"))
    await viewer.shown()

    viewer.provider.cancel(frozenset({"s-1"}), Issuer("ANNA", "browser"))

    answer = await task
    assert (answer.decision, answer.actor, answer.is_answered) == ("cancel", "ANNA", False)


def test_sync_code_leaves_no_thread_behind_when_nobody_answers(bus: Bus, viewer: Viewer) -> None:
    bus.intercept("before_tool_call", asking(timeout=0.01))
    before = set(threading.enumerate())

    assert bus.dispatch_sync("before_tool_call", args={}).action == "deny"

    for thread in set(threading.enumerate()) - before:
        thread.join(5)
        assert not thread.is_alive()
    assert viewer.closed() == [("expired", "deny")]


async def test_too_many_requests_are_refused_with_a_reason(bus: Bus, viewer: Viewer) -> None:
    bus.intercept("my_hook", asking())
    request = PendingRequest("id", None, "approval", "Sure?", "deny", 0.0)
    for number in range(MAX_OPEN):
        viewer.requests.open(request._replace(id=str(number)), lambda _: AnswerOutcome(True, None))

    outcome = await bus.dispatch("my_hook")

    assert (outcome.action, "requests are open" in (outcome.reason or "")) == ("deny", True)


async def test_a_request_without_a_span_is_opened_too(bus: Bus) -> None:
    def broken(_: object) -> TraceLocation:
        raise LookupError

    viewer = Viewer(location_of=broken)
    viewer.provider.install(bus)
    task = ask_and_delete(bus)

    request = await viewer.shown()

    assert (request.session_id, request.can_always) == (None, False)
    await viewer.answer("allow")
    assert await task == ARGS


async def test_a_request_that_does_not_fit_on_the_wire_is_cut_and_can_be_sent(
    bus: Bus, viewer: Viewer
) -> None:
    decision = Decision.ask_user("\ud800" * 100_000, options=("x" * 300,) * 60, timeout=1e300)
    bus.intercept("before_tool_call", lambda **_: decision, name="n" * 300)
    task = asyncio.create_task(bus.dispatch("before_tool_call", tool_name="t" * 600, args=b"raw"))

    request = await viewer.shown()

    assert len(request.prompt.encode()) <= 64 * 1024 + 3
    assert (len(request.options), len(request.options[0])) == (50, 200)
    assert (len(request.tool_name or ""), len(request.interceptor or "")) == (500, 200)
    assert request.timeout_s is None
    assert request.args_json is None
    await viewer.answer("deny")
    await task


# --- allowed always ---------------------------------------------------------------------------


async def test_an_allowance_answers_later_requests_and_names_its_person(
    bus: Bus, viewer: Viewer, emitted: Story
) -> None:
    bus.intercept("before_tool_call", asking(), name="gate")
    task = delete(bus)
    await viewer.answer("allow_always")
    await task

    assert await delete(bus, path="other") == {**ARGS, "path": "other"}

    assert viewer.requests.pending() == []
    last = [kwargs for name, kwargs in emitted if name == "request_closed"][-1]
    assert last["reason"].startswith("always allowed by ANNA at ")
    assert (last["actor"], last["origin"]) == ("ANNA", "agent")
    decided = [k for n, k in emitted if n == "hook_decided" and k["interceptor"] == "approval"][-1]
    assert decided["reason"] == last["reason"]


@pytest.mark.parametrize("other", ["interceptor", "session", "ended", "detached", "forked"])
async def test_an_allowance_ends_with_its_session_interceptor_and_connection(
    bus: Bus, other: str
) -> None:
    at = [HERE]
    viewer = Viewer(location_of=lambda _: at[0])
    off = viewer.provider.install(bus)
    remove = bus.intercept("before_tool_call", asking(), name="gate")
    task = delete(bus)
    await viewer.answer("allow_always")
    await task

    match other:
        case "interceptor":
            remove()
            bus.intercept("before_tool_call", asking(), name="another")
        case "session":
            at[0] = HERE._replace(session_id="s-2")
        case "ended":
            await bus._emit("session_finished", session_id="s-1", status="completed", error=None)
        case "detached":
            off()
            viewer.provider.install(bus)
        case "forked":
            viewer.provider.forget()
    task = delete(bus)

    await viewer.answer("deny")
    with pytest.raises(HookDenied):
        await task


async def test_always_is_of_one_interceptor_and_not_of_another_of_its_name(
    bus: Bus, viewer: Viewer
) -> None:
    """Closures, lambdas and the objects of one class all have one name."""

    def asks_for(tool: str) -> Callable[..., Decision | None]:
        def gate(tool_name: str, **_: Any) -> Decision | None:
            return Decision.ask_user(f"{tool}?", timeout=5) if tool_name == tool else None

        return gate

    bus.intercept("before_tool_call", asks_for("read"))
    bus.intercept("before_tool_call", asks_for("delete"))

    async def run(tool: str) -> None:
        await bus.call("tool_call", lambda op: None, tool_name=tool, args={})

    reading = asyncio.create_task(run("read"))
    await viewer.answer("allow_always")
    await reading
    await run("read")
    deleting = asyncio.create_task(run("delete"))

    assert (await viewer.shown()).prompt == "delete?"
    await viewer.answer("deny")
    with pytest.raises(HookDenied):
        await deleting


async def test_always_for_one_who_asks_does_not_cover_another_who_asks_too(
    bus: Bus, viewer: Viewer
) -> None:
    def careful(tool_name: str, **_: Any) -> Decision | None:
        return Decision.ask_user("Sure?", timeout=5) if tool_name == "delete" else None

    bus.intercept("before_tool_call", asking(), name="curious")
    bus.intercept("before_tool_call", careful, name="careful")
    reading = asyncio.create_task(bus.call("tool_call", lambda op: None, tool_name="read", args={}))
    await viewer.answer("allow_always")
    await reading
    deleting = asyncio.create_task(
        bus.call("tool_call", lambda op: None, tool_name="delete", args={})
    )

    assert (await viewer.shown()).interceptor == "curious, careful"
    await viewer.answer("deny")
    with pytest.raises(HookDenied):
        await deleting


@pytest.mark.parametrize(
    "location", [HERE._replace(session_id=None), HERE._replace(session_id="unknown")]
)
async def test_without_a_session_the_trace_is_what_always_means(
    bus: Bus, location: TraceLocation
) -> None:
    at = [location]
    viewer = Viewer(location_of=lambda _: at[0])
    viewer.provider.install(bus)
    bus.intercept("before_tool_call", asking(), name="gate")
    task = delete(bus)
    await viewer.answer("allow_always")
    await task
    await delete(bus)  # nobody is asked

    at[0] = location._replace(trace_id="c" * 32)
    task = delete(bus)

    await viewer.answer("allow")
    await task


@pytest.mark.parametrize("kind", ["unknown place", "breakpoint", "question"])
async def test_always_is_not_offered_where_it_would_mean_too_much(bus: Bus, kind: str) -> None:
    viewer = Viewer(location_of=lambda _: NO_LOCATION if kind == "unknown place" else HERE)
    viewer.provider.install(bus)
    bus.intercept("my_hook", asking(kind="breakpoint" if kind == "breakpoint" else "approval"))
    question: Any = bus.ask("What?") if kind == "question" else bus.dispatch("my_hook")
    task = asyncio.create_task(question)

    assert not (await viewer.shown()).can_always
    assert not (await viewer.answer("allow_always")).applied
    assert not task.done()
    task.cancel()


# --- questions --------------------------------------------------------------------------------

FORM = {
    "type": "object",
    "properties": {"zulu": {"type": "string"}, "alpha": {"type": "integer", "minimum": 1}},
    "required": ["alpha"],
}


async def test_a_question_is_answered_by_its_form(bus: Bus, viewer: Viewer) -> None:
    task = asyncio.create_task(bus.ask("Which?", form=FORM, signal_name="choice"))
    request = await viewer.shown()

    assert (request.kind, request.signal_name, request.default) == ("question", "choice", "decline")
    assert (request.form_json or "").index("zulu") < (request.form_json or "").index("alpha")
    assert (await viewer.answer("answer", payload_json='{"alpha": 9007199254740993}')).applied
    answer = await task
    assert (answer.payload, answer.actor) == ({"alpha": 9007199254740993}, "ANNA")
    assert viewer.closed() == [("answered", "answer")]


@pytest.mark.parametrize(
    ("payload", "why"),
    [('{"alpha": 0}', "at least 1"), ("{}", "lacks 'alpha'"), ("{", "not JSON"), (None, "lacks")],
)
async def test_an_answer_that_does_not_fit_is_refused_and_the_question_waits_on(
    bus: Bus, viewer: Viewer, payload: str | None, why: str
) -> None:
    task = asyncio.create_task(bus.ask("Which?", form=FORM))

    outcome = await viewer.answer("answer", payload_json=payload)

    assert not outcome.applied
    assert why in (outcome.reason or "")
    assert not task.done()
    assert (await viewer.answer("answer", payload_json='{"alpha": 1}')).applied
    assert (await task).payload == {"alpha": 1}


async def test_a_form_that_is_no_json_declines(bus: Bus, viewer: Viewer) -> None:
    answer = await bus.ask("Which?", form={"type": object()})

    assert (answer.decision, "the form is not JSON" in (answer.reason or "")) == ("decline", True)
    assert viewer.requests.pending() == []
