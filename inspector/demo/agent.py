"""The agent loop: call the model, run the requested tools in parallel, until it is done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.demo import house_rules
from inspector.demo.connection import RunContext, Tool, ToolFailedError, result_text
from inspector.demo.model import Delta, Message, Model, ToolCall
from inspector.demo.openai_model import ModelEndpointError
from inspector.demo.pace import Pace
from instrument import HookDenied, Operation, dispatch, operation
from instrument import _emit as emit
from instrument.typed import HookHost

_MAX_TURNS = 12


@dataclass(eq=False)
class Agent(HookHost):
    """An agent with a conversation of its own.

    Hooks get the agent itself and read `name`, `description`, `instruction` and `tools`. An agent
    may have hooks of its own: pass `hooks=[…]`, or add them to `.hooks`.
    """

    name: str
    description: str
    instruction: str
    model: Model
    tools: Sequence[Tool]
    context: RunContext
    pace: Pace
    time_limits_s: Mapping[str, float] = field(default_factory=dict)
    """Time limits of tools, in seconds of the story's time."""
    cites_sources: bool = False
    """Whether its answers must cite their sources."""

    async def run(self, task: str) -> str:
        """Work on a task and return the final answer.

        Raises:
            ModelEndpointError: The model could not be asked.
        """
        async with operation("agent_call", agent=self) as op:
            guided = await dispatch(
                house_rules.AGENT_STARTS, agent=self, context=self.context, call_id=op.call_id
            )
            messages: list[Message] = [
                {"role": "system", "content": self.instruction},
                *({"role": text.role, "content": text.text} for text in guided.injections),
                {"role": "user", "content": task},
            ]
            op.result = answer = await self._work(messages, op)
        return answer

    def as_tool(self) -> Tool:
        """Return a tool by which a planner hands a task to this agent."""

        async def call(arguments: Mapping[str, Any], _call_id: str) -> dict[str, Any]:
            try:
                answer = await self.run(str(arguments.get("task", "")))
            except ModelEndpointError as error:
                raise ToolFailedError(f"Cannot ask the {self.name}: {error}") from error
            return {"content": [{"type": "text", "text": answer}], "isError": False}

        task = {"type": "string", "description": "What it should do, with all it needs to know."}
        return Tool(
            name=f"ask_{self.name.replace(' ', '_')}",
            description=f"Hand a task to the {self.name}. {self.description}",
            parameters={"type": "object", "properties": {"task": task}, "required": ["task"]},
            call=call,
        )

    @property
    def _owner(self) -> dict[str, Any]:
        """What tells rules that belong to one agent whose event it is."""
        return {"agent": self}

    async def _work(self, messages: list[Message], op: Operation) -> str:
        for iteration in range(_MAX_TURNS):
            text, calls = await self._generate(messages)
            messages.append(_assistant_message(text, calls))
            if calls:
                messages += await self._use_tools(calls)
                continue
            final = await dispatch(
                "before_final_response",
                agent=self,
                response=text,
                conversation_history=messages,
                iteration=iteration,
                call_id=op.call_id,
            )
            if final.action == "stop":
                return str(final.stop_value)
            final.raise_if_ended()
            if final.action != "retry":
                return str(final.data["response"])
        return "I could not finish within the number of turns that I am allowed."

    async def _generate(self, messages: Sequence[Message]) -> tuple[str, list[ToolCall]]:
        offered = [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in self.tools
        ]
        async with operation(
            "llm_generate",
            **self._owner,
            llm=self.model,
            prompt=list(messages),
            model=self.model.model,
            provider=self.model.provider,
            request_params=dict(self.model.request_params),
        ) as op:
            texts: list[str] = []
            calls: list[ToolCall] = []
            last = Delta()
            deltas: AsyncIterator[Delta] = self.model.stream(messages, offered)
            async for delta in op.stream(deltas, text_of=lambda delta: delta.text):
                texts.append(delta.text)
                if delta.tool_call is not None:
                    calls.append(delta.tool_call)
                last = delta
            text = "".join(texts)
            op.result = _completion(self.model.model, text, calls, last)
            op.set(usage=last.usage)
        return text, calls

    async def _use_tools(self, calls: Sequence[ToolCall]) -> list[Message]:
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(self._use_tool(call)) for call in calls]
        return [
            {"role": "tool", "tool_call_id": call.id, "content": task.result()}
            for call, task in zip(calls, running, strict=True)
        ]

    async def _use_tool(self, call: ToolCall) -> str:
        """Call a tool; report any failure to the model, which may try something else."""
        tool = next((tool for tool in self.tools if tool.name == call.name), None)
        if tool is None:
            return f"There is no tool {call.name!r}."
        limit_s = self.time_limits_s.get(call.name)
        try:
            async with asyncio.timeout(limit_s / self.pace.speed if limit_s else None):
                return await self._execute(tool, call)
        except TimeoutError:
            return f"{call.name} timed out after {limit_s:g} s."
        except HookDenied as denied:
            return f"{call.name} was refused: {denied.reason}."
        except ToolFailedError as error:
            return str(error)

    async def _execute(self, tool: Tool, call: ToolCall) -> str:
        arguments = _parse_arguments(call)
        context = RunContext(self.context.session_id, tool_call_id=call.id)
        async with operation(
            "tool_call",
            **self._owner,
            tool_name=tool.name,
            args=arguments,
            context=context,
            tool_call_id=call.id,
            server_name=tool.server_name,
        ) as op:
            try:
                op.result = result = await tool.call(op.args, op.call_id)
            except asyncio.CancelledError:
                await emit(
                    "operation_cancelled",
                    operation_id=op.call_id,
                    context=context,
                    call_id=op.call_id,
                )
                raise
        return result_text(result)


def _parse_arguments(call: ToolCall) -> dict[str, Any]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError as error:
        raise ToolFailedError(f"The arguments of {call.name} are not JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise ToolFailedError(f"The arguments of {call.name} must be a JSON object.")
    return arguments


def _assistant_message(text: str, calls: Sequence[ToolCall]) -> Message:
    message: Message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in calls
        ]
    return message


def _completion(model: str, text: str, calls: Sequence[ToolCall], last: Delta) -> dict[str, Any]:
    """Return the answer in the shape of an OpenAI chat completion."""
    choice = {
        "index": 0,
        "message": _assistant_message(text, calls),
        "finish_reason": last.finish_reason,
    }
    return {"object": "chat.completion", "model": model, "choices": [choice]}
