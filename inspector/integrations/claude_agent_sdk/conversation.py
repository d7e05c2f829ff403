"""One conversation with the command line, as operations: runs, LLM calls, tools, sub-agents."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from time import time_ns
from typing import Any

from inspector.integrations.claude_agent_sdk.lasting import LastingOperation
from inspector.integrations.conversion import AgentFacts
from inspector.integrations.deduplication import reporting
from inspector.integrations.session import in_session
from inspector.integrations.verdicts import ErrorResultError
from instrument import Bus, Operation
from instrument.parts import Injection

PROVIDER = "anthropic"
NAME = "claude"
"""The name of the main agent, which the SDK gives none."""
SYNTHETIC = "<synthetic>"
"""The model of a message that the command line wrote itself, such as an error of the API."""
MAX_MESSAGES = 200
"""The number of messages that are kept of a thread, for the next LLM call."""
_USE_ID = "claudecode/toolUseId"
_COUNTS = ("input_tokens", "output_tokens")


@dataclass
class _Thread:
    """The main agent, or a sub-agent: what was said, and the LLM call that is open."""

    messages: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=MAX_MESSAGES))
    sent_ns: int = field(default_factory=time_ns)
    """When the model was asked, as far as that is known."""
    message_id: str | None = None
    call: Operation | None = None
    context: Context | None = None
    answer: dict[str, Any] = field(default_factory=dict)


class Conversation:
    """State of one conversation. Its methods are called on the event loop of the SDK."""

    def __init__(self, bus: Bus, query: Any, session_id: str | None) -> None:
        self._bus, self._query = bus, query
        self.session_id = session_id
        self._model: str | None = None
        self._around = copy_context()
        self._run: LastingOperation | None = None
        self._prompts: list[Any] = []
        self._tools: dict[str, LastingOperation] = {}
        self._subagents: dict[str, LastingOperation] = {}
        self._starts: list[str] = []
        """Calls of tools that start sub-agents, of which none has begun yet."""
        self._threads: dict[str | None, _Thread] = {}
        self._counted: dict[str, int] = dict.fromkeys(_COUNTS, 0)
        """Tokens of the LLM calls of this run that have been reported."""
        self._cost_usd = 0.0
        """What the conversation had cost before this run."""

    def enter(self) -> None:
        """Take what is open here as what the next runs are part of."""
        self._around = copy_context()

    # --- runs ---------------------------------------------------------------------------------

    async def begin_run(self, prompt: Any) -> tuple[Injection, ...]:
        """Begin a run; return what hooks add for the model. A refused one raises."""
        if self._run is not None:  # a prompt that waited while it ran
            return ()
        facts = AgentFacts(
            self._query, NAME, prompt, model=self._model, conversation_id=self.session_id
        )
        run = LastingOperation(self._bus.operation("agent_call", agent=facts), self._interrupt)
        self._threads.clear()
        self._counted = dict.fromkeys(_COUNTS, 0)
        await run.begin(self._around, self._in_session())
        self._run = run
        self._thread(None).messages.append({"role": "user", "content": prompt})
        return run.operation.injections

    async def _end_run(self, frame: Mapping[str, Any]) -> None:
        self._end_call(None, self._rest_of_usage(frame))
        run, self._run = self._run, None
        if run is None:
            return
        await self._end_parts()
        result = frame.get("structured_output", frame.get("result"))
        if frame.get("is_error"):
            errors = frame.get("errors") or [result or frame.get("subtype") or "failed"]
            await run.end(result, ErrorResultError("; ".join(map(str, errors)), result))
        else:
            await run.end(result)

    def _rest_of_usage(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the run used beyond what was reported, for its last LLM call."""
        usage = frame.get("usage")
        if not isinstance(usage, Mapping):
            return {}
        rest: dict[str, Any] = {}
        total = usage.get("output_tokens")
        if isinstance(total, int):
            rest["output_tokens"] = max(0, total - self._counted["output_tokens"])
        cost_usd = frame.get("total_cost_usd")
        if isinstance(cost_usd, int | float):  # of the conversation until now
            rest["cost_usd"] = max(0.0, cost_usd - self._cost_usd)
            self._cost_usd = float(cost_usd)
        return rest

    async def _interrupt(self) -> None:
        """Tell the command line to stop, as the SDK does; its answer is read by nobody."""
        import json  # noqa: PLC0415 - seldom

        request = {
            "type": "control_request",
            "request_id": f"inspector_{time_ns()}",
            "request": {"subtype": "interrupt"},
        }
        await self._query.transport.write(json.dumps(request) + "\n")

    def close(self) -> list[LastingOperation]:
        """End what is open, the newest first: the conversation is over. Return what it was."""
        reason = asyncio.CancelledError("the conversation was closed")
        for thread in list(self._threads):
            self._end_call(thread, error=reason)
        lasting = [*reversed(self._tools.values()), *reversed(self._subagents.values())]
        lasting += [] if self._run is None else [self._run]
        self._tools, self._subagents, self._run = {}, {}, None
        for one in lasting:
            one.end_soon(None, reason)
        return lasting

    async def closed(self) -> None:
        """Close, and wait for the hooks of what was open."""
        for one in self.close():
            await one.ended()

    async def _end_parts(self) -> None:
        """End tools and sub-agents whose end was not reported, the newest first."""
        for lasting in (self._tools, self._subagents):
            while lasting:
                await lasting.popitem()[1].end(None, ErrorResultError("it was left open", None))

    # --- tools and sub-agents -----------------------------------------------------------------

    async def begin_tool(
        self, use_id: str, name: str, args: Any, agent_id: str | None
    ) -> Operation:
        """Begin a call of a tool; return its operation, as hooks changed it. A refused one raises.

        A tool of an MCP server is called by its own name, beside that of the server.
        """
        for thread in list(self._threads):
            if self._has_use(thread, use_id):
                self._end_call(thread)
        server, tool = _mcp_names(name)
        operation = self._bus.operation(
            "tool_call",
            tool_name=tool,
            args=args,
            context=None,
            tool_call_id=use_id,
            **({} if server is None else {"server_name": server}),
        )
        lasting = LastingOperation(operation, self._interrupt)
        await lasting.begin(self._context(agent_id), self._in_session())
        self._tools[use_id] = lasting
        if name in ("Agent", "Task"):
            self._starts.append(use_id)
        return lasting.operation

    async def end_tool(self, use_id: str, result: Any) -> Operation | None:
        """End a call with its result; return its operation, as hooks changed it."""
        lasting = self._tools.pop(use_id, None)
        if lasting is None:
            return None
        await lasting.end(result)
        return lasting.operation

    async def fail_tool(self, use_id: str, error: str) -> None:
        """End a call that failed."""
        lasting = self._tools.pop(use_id, None)
        if lasting is not None:
            await lasting.end(None, ErrorResultError(error, None))

    async def begin_subagent(self, agent_id: str, kind: Any) -> None:
        """Begin the run of a sub-agent, below the tool that started it."""
        start = self._tools.get(self._starts.pop(0)) if self._starts else None
        args = start.operation.args if start is not None else {}
        facts = AgentFacts(
            self._query,
            kind if isinstance(kind, str) else None,
            args.get("prompt") if isinstance(args, Mapping) else None,
            conversation_id=self.session_id,
        )
        lasting = LastingOperation(self._bus.operation("agent_call", agent=facts), self._interrupt)
        around = start.context if start is not None else self._context(None)
        await lasting.begin(around, self._in_session())
        self._subagents[agent_id] = lasting

    async def end_subagent(self, agent_id: str, answer: Any) -> None:
        """End the run of a sub-agent."""
        lasting = self._subagents.pop(agent_id, None)
        if lasting is not None:
            await lasting.end(answer)

    async def serve(self, message: Any, original: Callable[[], Awaitable[Any]]) -> Any:
        """Run a request to an MCP server of this process inside the call that it carries out."""
        params = message.get("params") if isinstance(message, Mapping) else None
        meta = params.get("_meta") if isinstance(params, Mapping) else None
        lasting = self._tools.get(str(meta.get(_USE_ID))) if isinstance(meta, Mapping) else None
        if lasting is not None and isinstance(params, Mapping):

            async def inside() -> Any:
                with reporting(str(params.get("name"))):
                    return await original()

            loop = asyncio.get_running_loop()
            return await loop.create_task(inside(), context=lasting.context.copy())
        if self.session_id is None:  # it is set up before there is a session
            with reporting("", "rpc_handle"):
                return await original()
        with self._in_session():
            return await original()

    # --- messages -----------------------------------------------------------------------------

    async def see(self, frame: Mapping[str, Any]) -> None:
        """Report what a message of the command line says. Never raises."""
        try:
            await self._see(frame)
        except Exception:
            import logging  # noqa: PLC0415 - seldom

            logger = logging.getLogger("inspector")
            logger.warning("Cannot report a message of Claude Code.", exc_info=True)

    async def _see(self, frame: Mapping[str, Any]) -> None:
        kind = frame.get("type")
        if isinstance(session_id := frame.get("session_id"), str) and session_id:
            self.session_id = session_id
        thread = frame.get("parent_tool_use_id")
        if kind == "system" and frame.get("subtype") == "init":
            self._model = _text(frame.get("model"))
            self._thread(None).sent_ns = time_ns()
        elif kind == "assistant":
            self._see_answer(thread, frame)
        elif kind == "stream_event":
            self._see_piece(thread, frame.get("event") or {})
        elif kind == "user":
            await self._see_results(thread, frame)
        elif kind == "result":
            await self._end_run(frame)

    def _see_answer(self, thread: str | None, frame: Mapping[str, Any]) -> None:
        message = frame.get("message") or {}
        message_id, one = str(message.get("id")), self._thread(thread)
        if message_id != one.message_id:
            self._end_call(thread)
            self._begin_call(thread, message_id, message)
        elif one.call is None:  # a late part: a tool of the message runs already
            return
        one.answer.setdefault("content", []).extend(message.get("content") or [])
        one.answer["usage"] = {**one.answer.get("usage", {}), **(message.get("usage") or {})}
        if message.get("model") == SYNTHETIC or frame.get("error"):
            text = "\n".join(str(part.get("text", "")) for part in one.answer["content"])
            self._end_call(thread, error=ErrorResultError(text, None))

    def _begin_call(self, thread: str | None, message_id: str, message: Mapping[str, Any]) -> None:
        one = self._thread(thread)
        model = _text(message.get("model"))
        one.message_id = message_id
        one.answer = {"role": "assistant", "model": model}
        call = self._bus.operation(
            "llm_generate",
            llm=NAME,
            prompt=list(one.messages),
            model=model if thread is not None and model != SYNTHETIC else self._model,
            provider=PROVIDER,
        )
        one.context = (self._above(thread)).copy()

        def begin() -> None:
            with self._in_session(), _at_time(one.sent_ns):
                call.__enter__()

        one.context.run(begin)
        one.call = call

    def _see_piece(self, thread: str | None, event: Mapping[str, Any]) -> None:
        """Read the pieces of a streamed answer, where the program has asked for them.

        Their times are those of the command line, so they are not counted.
        """
        one, kind = self._thread(thread), event.get("type")
        if kind == "message_start":
            message = event.get("message") or {}
            if (message_id := str(message.get("id"))) != one.message_id:
                self._end_call(thread)
                self._begin_call(thread, message_id, message)
        elif one.call is None:
            return
        elif kind == "content_block_delta":
            text = (event.get("delta") or {}).get("text")
            self._bus._report_chunk(one.call.call_id, text if isinstance(text, str) else "")
        elif kind == "message_delta":
            usage = event.get("usage") or {}
            one.answer["usage"] = {**one.answer.get("usage", {}), **usage}

    async def _see_results(self, thread: str | None, frame: Mapping[str, Any]) -> None:
        self._end_call(thread)
        message = frame.get("message") or {}
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if not isinstance(block, Mapping) or block.get("type") != "tool_result":
                continue
            use_id, result = str(block.get("tool_use_id")), block.get("content")
            if block.get("is_error"):  # such as a call that the program's rules forbid
                await self.fail_tool(use_id, result if isinstance(result, str) else str(result))
            else:
                await self.end_tool(use_id, result)
        one = self._thread(thread)
        one.messages.append({"role": "user", "content": content})
        one.message_id, one.sent_ns = None, time_ns()

    def _end_call(
        self,
        thread: str | None,
        rest: Mapping[str, Any] | None = None,
        error: BaseException | None = None,
    ) -> None:
        one = self._threads.get(thread)
        if one is None or one.call is None or one.context is None:
            return
        call, context, one.call = one.call, one.context, None
        usage = {**one.answer.pop("usage", {}), **(rest or {"cost_usd": 0.0})}
        for name in _COUNTS:
            self._counted[name] += usage.get(name) or 0
        call.result = one.answer
        one.messages.append({"role": "assistant", "content": one.answer.get("content")})
        if error is None:
            call.set(usage=usage)
        context.run(call.__exit__, type(error) if error else None, error, None)

    # --- where things belong ------------------------------------------------------------------

    def _thread(self, thread: str | None) -> _Thread:
        return self._threads.setdefault(thread, _Thread())

    def _has_use(self, thread: str | None, use_id: str) -> bool:
        content = self._thread(thread).answer.get("content") or ()
        return any(isinstance(one, Mapping) and one.get("id") == use_id for one in content)

    def _above(self, thread: str | None) -> Context:
        """Return the context of what a thread is part of: the run, or the tool that started it."""
        lasting = self._tools.get(thread) if thread is not None else None
        return self._context(None) if lasting is None else lasting.context

    def _context(self, agent_id: str | None) -> Context:
        lasting = self._subagents.get(agent_id or "") or self._run
        return self._around if lasting is None else lasting.context

    def _in_session(self) -> AbstractContextManager[None]:
        return in_session(self.session_id)


def _at_time(ns: int) -> AbstractContextManager[None]:
    try:
        from subscribers.bridge.event_time import at_time  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError:
        return nullcontext()
    return at_time(ns)


def _mcp_names(name: str) -> tuple[str | None, str]:
    """Return the MCP server and the tool of `mcp__server__tool`; None for one of its own."""
    if not name.startswith("mcp__"):
        return None, name
    server, _, tool = name.removeprefix("mcp__").partition("__")
    return (server, tool) if tool else (None, name)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
