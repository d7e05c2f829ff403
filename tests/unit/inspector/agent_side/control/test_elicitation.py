"""Requests of MCP servers as questions in the inspector, in both eras of the protocol."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from mcp import Client
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from inspector.agent_side.control.elicitation import input_responses, make_elicit
from inspector.agent_side.control.open_requests import (
    AnswerOutcome,
    PendingRequest,
    ReceivedAnswer,
    RequestTable,
)
from inspector.agent_side.control.provider import InspectorProvider
from instrument import ApprovalAnswer, ApprovalRequest, Bus
from tests.support.services.eliciting_servers import legacy_server, modern_server


class Viewer:
    """A person who answers in the inspector."""

    def __init__(self, bus: Bus) -> None:
        self.requests = RequestTable(self._on_change)
        self._is_open = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        InspectorProvider(self.requests).install(bus)

    def _on_change(self) -> None:
        self._loop.call_soon_threadsafe(self._is_open.set)

    async def answer(
        self, decision: str, payload_json: str | None = None
    ) -> tuple[PendingRequest, AnswerOutcome]:
        async with asyncio.timeout(10):
            await self._is_open.wait()
        (request,) = self.requests.pending()
        received = ReceivedAnswer(decision, "ANNA", "browser", payload_json=payload_json)
        return request, self.requests.answer(request.id, received)


@pytest.mark.parametrize("era", ["legacy", "auto"])
@pytest.mark.parametrize(
    ("decision", "payload_json", "text"),
    [
        ("answer", '{"channel": "beta", "copies": 3}', "3 to beta"),
        ("decline", None, "decline"),
        ("cancel", None, "cancel"),
    ],
)
async def test_a_request_of_a_server_is_answered_in_the_inspector(
    bus: Bus, era: Any, decision: str, payload_json: str | None, text: str
) -> None:
    viewer = Viewer(bus)
    server = legacy_server() if era == "legacy" else modern_server()
    callback = make_elicit(bus=bus, server_name="release desk")

    async with Client(server, mode=era, elicitation_callback=callback) as client:
        call = asyncio.create_task(client.call_tool("publish", {}))
        request, outcome = await viewer.answer(decision, payload_json)
        result = await call

    assert (request.kind, request.prompt, request.interceptor) == (
        "question",
        "Where to?",
        "release desk",
    )
    assert '"enum": ["stable", "beta"]' in (request.form_json or "")
    assert outcome.applied
    assert result.content[0].text == text  # type: ignore[union-attr] # the tool gives text


async def test_an_address_is_shown_and_nothing_is_filled_in(bus: Bus) -> None:
    viewer = Viewer(bus)
    url = "https://login.example/?next=inspector"
    params = SimpleNamespace(message="Log in.", mode="url", url=url)

    task = asyncio.create_task(make_elicit(bus=bus)(None, params))
    request, _ = await viewer.answer("answer")

    assert request.prompt == f"Log in.\n\nOpen this link only if you trust it: {url}"
    assert request.form_json == '{"type": "object", "properties": {}}'
    assert await task == ElicitResult(action="accept")


async def test_the_other_spelling_of_a_form_is_understood(bus: Bus) -> None:
    viewer = Viewer(bus)
    form = {"type": "object", "properties": {"n": {"type": "integer"}}}
    params = SimpleNamespace(message="How many?", requestedSchema=form)  # version 1 of the SDK

    task = asyncio.create_task(make_elicit(bus=bus)(None, params))
    await viewer.answer("answer", '{"n": 2}')

    assert await task == ElicitResult(action="accept", content={"n": 2})


async def test_without_an_answer_it_cancels(bus: Bus) -> None:
    params = ElicitRequestFormParams(message="?", requested_schema={"type": "object"})

    nobody = await make_elicit(bus=bus)(None, params)
    Viewer(bus)
    silence = await make_elicit(bus=bus, timeout_s=0.01)(None, params)

    assert (nobody.action, silence.action) == ("cancel", "cancel")


async def test_another_may_answer_when_no_person_does(bus: Bus) -> None:
    request = ElicitRequestFormParams(message="?", requested_schema={"type": "object"})

    async def otherwise(context: Any, params: Any) -> ElicitResult:
        assert params is request
        return ElicitResult(action="accept", content={"by": "default"})

    elicit = make_elicit(bus=bus, timeout_s=5, otherwise=otherwise)
    assert (await elicit(None, request)).content == {"by": "default"}

    viewer = Viewer(bus)
    task = asyncio.create_task(elicit(None, request))
    await viewer.answer("decline")
    assert (await task).action == "decline"


async def test_an_answer_of_a_careless_provider_is_not_passed_on(bus: Bus) -> None:
    class Careless:
        async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
            return ApprovalAnswer("answer", payload={"n": "text"})

    bus.set_approval_provider(Careless())
    form = {"type": "object", "properties": {"n": {"type": "integer"}}}
    params = ElicitRequestFormParams(message="?", requested_schema=form)

    assert (await make_elicit(bus=bus)(None, params)).action == "cancel"


async def test_requests_of_an_input_required_result_are_answered_by_key() -> None:
    one = ElicitRequestFormParams(message="?", requested_schema={"type": "object"})
    result = InputRequiredResult(
        input_requests={"a": ElicitRequest(params=one), "b": ElicitRequest(params=one)}
    )
    request: list[Any] = []

    async def callback(context: Any, params: Any) -> str:
        request.append(params)
        return f"answer {len(request)}"

    assert await input_responses(result, callback) == {"a": "answer 1", "b": "answer 2"}
    assert await input_responses(InputRequiredResult(request_state="s"), callback) == {}
