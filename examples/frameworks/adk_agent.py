"""An agent of Google's ADK with one tool, and a model that needs no provider, watched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from google.adk.agents import Agent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, GenerateContentResponseUsageMetadata, Part

import inspector

inspector.attach()

USAGE = GenerateContentResponseUsageMetadata(prompt_token_count=10, candidates_token_count=5)


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


class Calculator(BaseLlm):
    """A model that calls `add`, and reads the sum out."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer one request."""
        last = (llm_request.contents[-1].parts or [Part()])[-1]
        if last.function_response is None:
            part = Part.from_function_call(name="add", args={"a": 1, "b": 2})
        else:
            response = last.function_response.response or {}
            part = Part(text=f"It is {response.get('result', response.get('error'))}.")
        yield LlmResponse(content=Content(role="model", parts=[part]), usage_metadata=USAGE)


async def main() -> None:
    """Ask the agent, in a session with a name."""
    agent = Agent(
        name="calculator",
        model=Calculator(model="calculator-1"),
        instruction="Add what you are given.",
        tools=[add],
    )
    runner = InMemoryRunner(agent, app_name="example")
    await runner.session_service.create_session(
        app_name="example", user_id="ada", session_id="adk-example"
    )
    message = Content(role="user", parts=[Part(text="What is 1 + 2?")])
    async for event in runner.run_async(
        user_id="ada", session_id="adk-example", new_message=message
    ):
        if event.is_final_response() and event.content and event.content.parts:
            print(event.content.parts[0].text)


asyncio.run(main())
