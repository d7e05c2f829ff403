"""A scripted model of Google's Agent Development Kit, and agents with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, ClassVar

import google.adk.flows.llm_flows.base_llm_flow  # noqa: F401 - else the first run imports it
from google.adk.agents import Agent
from google.adk.agents._streaming_mode import StreamingMode
from google.adk.agents.run_config import RunConfig
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import (
    Content,
    FunctionCall,
    FunctionResponse,
    GenerateContentResponseUsageMetadata,
    Part,
)
from pydantic import PrivateAttr

from tests.integrations.contract import QUESTION, ScriptedAgent

ToolError = FileNotFoundError
USAGE = GenerateContentResponseUsageMetadata(
    prompt_token_count=10, candidates_token_count=5, total_token_count=15
)


def calls(name: str, *args: dict[str, Any]) -> LlmResponse:
    """Return an answer that calls a tool, once for each of `args`."""
    parts = [
        Part(function_call=FunctionCall(id=f"call-{name}-{n}", name=name, args=one))
        for n, one in enumerate(args)
    ]
    return LlmResponse(content=Content(role="model", parts=parts), usage_metadata=USAGE)


def says(text: str) -> LlmResponse:
    """Return an answer that is a text."""
    content = Content(role="model", parts=[Part(text=text)])
    return LlmResponse(content=content, usage_metadata=USAGE)


class ScriptedModel(BaseLlm):
    """A model with the answers of its script, word by word; an exception in it is raised."""

    model: str = "scripted-1"
    _script: list[LlmResponse | Exception] = PrivateAttr(default_factory=list)
    _sent: list[LlmRequest] = PrivateAttr(default_factory=list)

    @classmethod
    def of(cls, *script: LlmResponse | Exception) -> ScriptedModel:
        """Return a model with this script."""
        model = cls()
        model._script = list(script)
        return model

    @property
    def sent(self) -> list[LlmRequest]:
        """The request of each call."""
        return self._sent

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer from the script."""
        self._sent.append(llm_request.model_copy(update={"contents": [*llm_request.contents]}))
        answer = self._script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        assert answer.content is not None
        for part in answer.content.parts or ():
            if stream and part.text:
                for word in part.text.split():
                    piece = Content(role="model", parts=[Part(text=f"{word} ")])
                    yield LlmResponse(content=piece, partial=True)
        yield answer

    def read(self) -> FunctionResponse:
        """Return the result of the first tool call, as the model read it."""
        return next(
            part.function_response
            for content in self._sent[-1].contents
            for part in content.parts or ()
            if part.function_response is not None
        )


class NoAnswerError(Exception):
    """The framework ended a run quietly."""


async def ask(
    agent: Agent,
    question: str = QUESTION,
    *,
    session_id: str | None = None,
    mode: StreamingMode = StreamingMode.NONE,
) -> str:
    """Run an agent with a runner of its own; return the last answer."""
    runner = InMemoryRunner(agent, app_name="tests")
    session = await runner.session_service.create_session(
        app_name="tests", user_id="ada", session_id=session_id
    )
    message = Content(role="user", parts=[Part(text=question)])
    answer = ""
    async for event in runner.run_async(
        user_id="ada",
        session_id=session.id,
        new_message=message,
        run_config=RunConfig(streaming_mode=mode),
    ):
        if event.is_final_response() and event.content and not event.partial:
            answer = "".join(part.text or "" for part in event.content.parts or ())
    if not answer:
        raise NoAnswerError
    return answer


class AdkAgent(ScriptedAgent):
    """An agent of the framework, which can be streamed, or run on a thread."""

    WAYS: ClassVar[tuple[str, ...]] = ("async", "stream", "sync")
    CANCELLED = (NoAnswerError,)
    calls = staticmethod(calls)
    says = staticmethod(says)

    def __init__(self, *script: Any, tools: Sequence[Callable[..., Any]]) -> None:
        self._model = ScriptedModel.of(*script)
        self.native = Agent(name=self.NAME, model=self._model, tools=list(tools))

    async def run(self, way: str) -> str:
        if way == "sync":
            return await asyncio.to_thread(self._run_sync)
        mode = StreamingMode.SSE if way == "stream" else StreamingMode.NONE
        return (await ask(self.native, mode=mode)).strip()

    def _run_sync(self) -> str:
        runner = InMemoryRunner(self.native, app_name="tests")
        creating = runner.session_service.create_session(app_name="tests", user_id="ada")
        session = asyncio.run(creating)
        message = Content(role="user", parts=[Part(text=QUESTION)])
        answer = ""
        for event in runner.run(user_id="ada", session_id=session.id, new_message=message):
            if event.is_final_response() and event.content:
                answer = "".join(part.text or "" for part in event.content.parts or ())
        return answer

    def read(self) -> str:
        response = self._model.read().response or {}
        return str(response.get("result", response.get("error")))

    def count_model_calls(self) -> int:
        return len(self._model.sent)
