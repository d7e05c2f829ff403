"""Patches of tools, LLM calls, agents, workflows and model selection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

from inspector.integrations.conversion import tool_definition
from inspector.integrations.deduplication import TOOL_CALL, innermost, reporting
from inspector.integrations.mcp_agent.arguments import CallArguments, context_of, engine_of
from inspector.integrations.mcp_agent.patches import Function, PatchContext
from inspector.integrations.verdicts import (
    NO_RESULT,
    ErrorResultError,
    instead_of,
    refused_as,
)
from instrument import HookStopped, Operation

COMPOSITES = tuple(
    f"mcp_agent.workflows.{name}."
    for name in ("orchestrator", "deep_orchestrator", "parallel", "router", "evaluator_optimizer")
)
"""Modules whose `generate` calls no model: other agents do so for it."""

_acting: ContextVar[tuple[int, ...]] = ContextVar("inspector.mcp_agent.acting", default=())
"""The ids of the agents whose calls enclose this one."""


def tool_call(patch: PatchContext, original: Function) -> Function:
    """`Agent.call_tool`: tools of servers, local functions, and human input."""

    async def patched(*args: Any, **kwargs: Any) -> Any:
        agent, call = args[0], CallArguments(args, kwargs)
        name, arguments = str(call.get(1, "name")), call.get(2, "arguments")
        if innermost() == (TOOL_CALL, name):  # a subclass calls the one it overrides
            return await original(*args, **kwargs)

        async def run(operation: Operation) -> Any:
            final = dict(operation.args)
            call.put(1, "name", operation.kwargs["tool_name"])
            call.put(2, "arguments", None if arguments is None and not final else final)
            with reporting(operation.kwargs["tool_name"]):
                result = await call.call(original)
            if isinstance(result, Exception) or getattr(result, "isError", False):
                operation.set(result=result)
                raise ErrorResultError(_error_text(result), result)
            return result

        try:
            result = await patch.bus.call(
                TOOL_CALL,
                run,
                tool_name=name,
                args=arguments or {},
                context=context_of(agent),
                server_name=call.get(3, "server_name") or _server_of(agent, name),
            )
        except NO_RESULT as error:
            result = instead_of(error, lambda text: _as_result(text, is_error=True))
        return _as_result(result)

    return patched


def _as_result(value: Any, *, is_error: bool = False) -> Any:
    """Return the tool result of mcp-agent; an interceptor may provide a text."""
    if hasattr(value, "content") or isinstance(value, Exception):
        return value
    types = import_module("mcp.types")
    text = types.TextContent(type="text", text=str(value))
    return types.CallToolResult(content=[text], isError=is_error)


def _error_text(result: Any) -> str:
    if isinstance(result, Exception):
        return f"{type(result).__name__}: {result}"
    texts = (getattr(part, "text", None) for part in result.content or ())
    return "\n".join(text for text in texts if text) or "The tool returned an error."


def _server_of(agent: Any, tool_name: str) -> str | None:
    tools = getattr(agent, "_namespaced_tool_map", None) or {}
    return getattr(tools.get(tool_name), "server_name", None)


def _identity(thing: Any) -> str:
    """Return a name for an object, for as long as it lives."""
    return f"{type(thing).__name__}#{id(thing):x}"


def generate(patch: PatchContext, original: Function) -> Function:
    """`AugmentedLLM.generate*`: an LLM call; the outermost of an agent is the agent's too.

    It runs the whole loop of model and tools. `generate_str` calls `generate`: one operation.
    """

    async def patched(*args: Any, **kwargs: Any) -> Any:
        llm, call = args[0], CallArguments(args, kwargs)
        key = _identity(llm)
        if innermost() in (("llm_generate", key), ("agent_call", key)):
            return await original(*args, **kwargs)
        agent = getattr(llm, "agent", None)
        is_composite = type(llm).__module__.startswith(COMPOSITES)

        async def act(_: Operation | None = None) -> Any:
            before = _acting.get()
            _acting.set((*before, id(agent)))
            try:
                if not is_composite:
                    return await _call_model(patch, llm, key, call, original)
                with reporting(key, "agent_call"):
                    return await original(*args, **kwargs)
            finally:
                _acting.set(before)

        if agent is None or id(agent) in _acting.get():
            return await act()
        return await patch.bus.call("agent_call", act, agent=agent)

    return patched


async def _call_model(
    patch: PatchContext, llm: Any, key: str, call: CallArguments, original: Function
) -> Any:
    params = call.get(2, "request_params")
    if not hasattr(params, "maxTokens"):  # the model class, in `generate_structured`
        params = next((one for one in call.args if hasattr(one, "maxTokens")), None)
    failures: list[tuple[Exception, Any]] = []

    async def run(operation: Operation) -> Any:
        call.put(1, "message", operation.args)
        with reporting(key, "llm_generate"), _collecting() as outcome:
            try:
                answer = await call.call(original)
            finally:
                if outcome.usage:
                    operation.set(usage=outcome.usage)
        if outcome.failure is not None:
            failures.append((outcome.failure, answer))
            raise outcome.failure
        return answer

    default = getattr(llm, "default_request_params", None)
    try:
        return await patch.bus.call(
            "llm_generate",
            run,
            llm=llm,
            prompt=call.get(1, "message"),
            model=getattr(params, "model", None) or getattr(default, "model", None),
            provider=getattr(llm, "provider", None),
            request_params=_params_and_tools(params, getattr(llm, "agent", None)),
        )
    except Exception as error:
        if failures and error is failures[-1][0]:  # mcp-agent goes on with what it has by then
            return failures[-1][1]
        raise


def _params_and_tools(params: Any, agent: Any) -> Any:
    """Return the parameters of an LLM call, with the tools that its agent knows by now."""
    named = getattr(agent, "_namespaced_tool_map", None) or {}
    functions = getattr(agent, "_function_tool_map", None) or {}
    tools = [
        *(
            tool_definition(name, one.tool.description, one.tool.inputSchema)
            for name, one in list(named.items())
        ),
        *(
            tool_definition(one.name, one.description, one.parameters)
            for one in list(functions.values())
        ),
    ]
    return {**dict(params or {}), "tools": tools} if tools else params


class _ModelOutcome:
    """The usage and the last failure of a model's requests, until it has answered."""

    def __init__(self) -> None:
        self.usage: dict[str, Any] = {}
        self.failure: Exception | None = None
        """The provider's last exception: mcp-agent logs it, and takes it for the end."""


_outcome: ContextVar[_ModelOutcome | None] = ContextVar("inspector.mcp_agent.outcome", default=None)


@contextmanager
def _collecting() -> Iterator[_ModelOutcome]:
    """Collect the outcome of the model requests in the block and in its tasks."""
    before, mine = _outcome.get(), _ModelOutcome()
    _outcome.set(mine)
    try:
        yield mine
    finally:
        _outcome.set(before)


def execute(patch: PatchContext, original: Function) -> Function:
    """`Executor.execute`, which calls models and returns the provider's exceptions."""

    async def patched(*args: Any, **kwargs: Any) -> Any:
        returned = await original(*args, **kwargs)
        outcome = _outcome.get()
        if outcome is not None:
            outcome.failure = returned if isinstance(returned, Exception) else None
        return returned

    return patched


def record_usage(patch: PatchContext, original: Function) -> Function:
    """`TokenCounter.record_usage`: a provider's reported usage, once per request."""

    async def patched(*args: Any, **kwargs: Any) -> Any:
        outcome = _outcome.get()
        if outcome is not None:
            usage, call = outcome.usage, CallArguments(args, kwargs)
            for position, name in enumerate(("input_tokens", "output_tokens"), start=1):
                usage[name] = usage.get(name, 0) + int(call.get(position, name) or 0)
            if model := call.get(3, "model_name"):
                usage["model"] = model
        return await original(*args, **kwargs)

    return patched


def workflow_run(patch: PatchContext, original: Function) -> Function:
    """`Workflow.run`. Under Temporal it may be a replay, which is not reported again."""

    async def patched(*args: Any, **kwargs: Any) -> Any:
        workflow = args[0]
        key = _identity(workflow)
        if innermost() == ("workflow_run", key) or engine_of(workflow) == "temporal":
            return await original(*args, **kwargs)

        async def run(_: Operation) -> Any:
            with reporting(key, "workflow_run"):
                return await original(*args, **kwargs)

        arguments = [*args[1:], kwargs] if kwargs else list(args[1:])
        return await patch.bus.call(
            "workflow_run", run, workflow=workflow, context=context_of(workflow), args=arguments
        )

    return patched


def model_select(patch: PatchContext, original: Function) -> Function:
    """`ModelSelector.select_best_model`, which is sync; a refusal means that no model fits."""

    def patched(*args: Any, **kwargs: Any) -> Any:
        selector, call = args[0], CallArguments(args, kwargs)
        provider = str(call.get(2, "provider") or "").lower()
        known = getattr(selector, "models_by_provider", {}).get(provider, ())
        try:
            with refused_as(ValueError):
                return patch.bus.call_sync(
                    "model_select",
                    lambda _: original(*args, **kwargs),
                    preferences=call.get(1, "model_preferences"),
                    available_models=list(known or getattr(selector, "models", ())),
                    context=context_of(selector),
                )
        except HookStopped as stop:
            return stop.value

    return patched
