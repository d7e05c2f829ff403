"""Patches of tools, model calls, agents, workflows and model selection."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

from inspector.integrations.mcp_agent.given import CallArguments, context_of, engine_of
from inspector.integrations.mcp_agent.layers import identity, is_told, telling
from inspector.integrations.mcp_agent.patches import Function, PatchContext
from inspector.integrations.verdicts import REFUSALS, ErrorResultError, HookStopped, refusal
from instrument import Operation

COMPOSITES = tuple(
    f"mcp_agent.workflows.{name}."
    for name in ("orchestrator", "deep_orchestrator", "parallel", "router", "evaluator_optimizer")
)
"""Modules whose `generate` asks no model: it lets other agents do so."""

_acting: ContextVar[tuple[int, ...]] = ContextVar("inspector.mcp_agent.acting", default=())


def tool_call(teller: PatchContext, original: Function) -> Function:
    """`Agent.call_tool`: tools of servers, local functions, and asking a human."""

    async def told(*args: Any, **kwargs: Any) -> Any:
        agent, given = args[0], CallArguments(args, kwargs)
        name = str(given.get(1, "name"))
        if is_told("tool_call", name):  # a subclass calls the one it overrides
            return await original(*args, **kwargs)
        return await tell_tool(
            teller,
            given,
            original,
            context=context_of(agent),
            server_name=given.get(3, "server_name") or _server_of(agent, name),
        )

    return told


async def tell_tool(
    teller: PatchContext, given: CallArguments, original: Function, **about: Any
) -> Any:
    """Report a call whose second and third arguments are a tool and its arguments."""
    arguments = given.get(2, "arguments")

    async def run(operation: Operation) -> Any:
        name = operation.kwargs["tool_name"]
        final = dict(operation.args)
        given.put(1, "name", name)
        given.put(2, "arguments", None if arguments is None and not final else final)
        with telling("tool_call", name):
            result = await given.call(original)
        if isinstance(result, Exception) or getattr(result, "isError", False):
            operation.set(result=result)
            raise ErrorResultError(_error_text(result), result)
        return result

    try:
        result = await teller.bus.call(
            "tool_call", run, tool_name=str(given.get(1, "name")), args=arguments or {}, **about
        )
    except ErrorResultError as error:
        return error.result
    except HookStopped as stop:
        return _as_result(stop.value)
    except REFUSALS as error:
        return _as_result(refusal(error), is_error=True)
    return _as_result(result)


def _as_result(value: Any, *, is_error: bool = False) -> Any:
    """Return what mcp-agent takes for the result of a tool; an interceptor may give a text."""
    if hasattr(value, "content") or isinstance(value, Exception):
        return value
    types = import_module("mcp.types")
    text = types.TextContent(type="text", text=str(value))
    return types.CallToolResult(content=[text], isError=is_error)


def _error_text(result: Any) -> str:
    if isinstance(result, Exception):
        return f"{type(result).__name__}: {result}"
    texts = (getattr(part, "text", None) for part in result.content or ())
    return "\n".join(text for text in texts if text) or "The tool answered with an error."


def _server_of(agent: Any, tool_name: str) -> str | None:
    tools = getattr(agent, "_namespaced_tool_map", None) or {}
    return getattr(tools.get(tool_name), "server_name", None)


def generate(teller: PatchContext, original: Function) -> Function:
    """`AugmentedLLM.generate*`: a model call; the outermost of an agent is the agent's too.

    It runs the whole loop of model and tools. `generate_str` calls `generate`: told once.
    """

    async def told(*args: Any, **kwargs: Any) -> Any:
        llm, given = args[0], CallArguments(args, kwargs)
        key = identity(llm)
        if is_told("llm_generate", key) or is_told("agent_call", key):
            return await original(*args, **kwargs)
        agent = getattr(llm, "agent", None)
        is_composite = type(llm).__module__.startswith(COMPOSITES)

        async def ask() -> Any:
            if is_composite:
                with telling("agent_call", key):
                    return await original(*args, **kwargs)
            return await _tell_model(teller, llm, key, given, original)

        if agent is None or id(agent) in _acting.get():
            return await ask()
        return await teller.bus.call("agent_call", _as_agent(agent, ask), agent=agent)

    return told


def _as_agent(agent: Any, do: Callable[[], Awaitable[Any]]) -> Callable[[Operation], Any]:
    async def act(_: Operation) -> Any:
        before = _acting.get()
        _acting.set((*before, id(agent)))
        try:
            return await do()
        finally:
            _acting.set(before)

    return act


async def _tell_model(
    teller: PatchContext, llm: Any, key: str, given: CallArguments, original: Function
) -> Any:
    name = "request_params"
    params = given.get(2, name) if name not in given.kwargs else given.kwargs[name]
    if not hasattr(params, "maxTokens"):  # of `generate_structured` the second is the model class
        params = next((one for one in given.args if hasattr(one, "maxTokens")), None)

    async def run(operation: Operation) -> Any:
        given.put(1, "message", operation.args)
        with telling("llm_generate", key), _asking() as asked:
            try:
                answer = await given.call(original)
            finally:
                if asked.used:
                    operation.set(usage=asked.used)
        if asked.refusal is not None:
            refused.append((asked.refusal, answer))
            raise asked.refusal
        return answer

    refused: list[tuple[Exception, Any]] = []
    default = getattr(llm, "default_request_params", None)
    try:
        return await teller.bus.call(
            "llm_generate",
            run,
            llm=llm,
            prompt=given.get(1, "message"),
            model=getattr(params, "model", None) or getattr(default, "model", None),
            provider=getattr(llm, "provider", None),
            request_params=params,
        )
    except Exception as error:
        if refused and error is refused[-1][0]:  # mcp-agent goes on with what it has by then
            return refused[-1][1]
        raise


class _Asked:
    """What comes of asking a model until it has answered."""

    def __init__(self) -> None:
        self.used: dict[str, Any] = {}
        self.refusal: Exception | None = None
        """What the provider raised at last: mcp-agent logs it, and takes it for the end."""


_asked: ContextVar[_Asked | None] = ContextVar("inspector.mcp_agent.asked", default=None)


@contextmanager
def _asking() -> Iterator[_Asked]:
    """Collect what models in the block say; the tasks that it starts included."""
    mine = _Asked()
    before = _asked.get()
    _asked.set(mine)
    try:
        yield mine
    finally:
        _asked.set(before)


def execute(teller: PatchContext, original: Function) -> Function:
    """`Executor.execute`, which calls models and returns the provider's exceptions."""

    async def told(*args: Any, **kwargs: Any) -> Any:
        returned = await original(*args, **kwargs)
        asked = _asked.get()
        if asked is not None:
            asked.refusal = returned if isinstance(returned, Exception) else None
        return returned

    return told


def record_usage(teller: PatchContext, original: Function) -> Function:
    """`TokenCounter.record_usage`: a provider's reported usage, once per request."""

    async def told(*args: Any, **kwargs: Any) -> Any:
        asked = _asked.get()
        if asked is not None:
            used, given = asked.used, CallArguments(args, kwargs)
            for place, name in enumerate(("input_tokens", "output_tokens"), start=1):
                used[name] = used.get(name, 0) + int(given.get(place, name) or 0)
            model = given.get(3, "model_name")
            if model:
                used["model"] = model
        return await original(*args, **kwargs)

    return told


def workflow_run(teller: PatchContext, original: Function) -> Function:
    """`Workflow.run`. Under Temporal it may be a replay, which is not reported again."""

    async def told(*args: Any, **kwargs: Any) -> Any:
        workflow = args[0]
        key = identity(workflow)
        if is_told("workflow_run", key) or engine_of(workflow) == "temporal":
            return await original(*args, **kwargs)

        async def run(_: Operation) -> Any:
            with telling("workflow_run", key):
                return await original(*args, **kwargs)

        given = [*args[1:], kwargs] if kwargs else list(args[1:])
        return await teller.bus.call(
            "workflow_run", run, workflow=workflow, context=context_of(workflow), args=given
        )

    return told


def model_select(teller: PatchContext, original: Function) -> Function:
    """`ModelSelector.select_best_model`, which is sync; a refusal means that no model fits."""

    def told(*args: Any, **kwargs: Any) -> Any:
        selector, given = args[0], CallArguments(args, kwargs)
        provider = str(given.get(2, "provider") or "").lower()
        known = getattr(selector, "models_by_provider", {}).get(provider, ())
        try:
            return teller.bus.call_sync(
                "model_select",
                lambda _: original(*args, **kwargs),
                preferences=given.get(1, "model_preferences"),
                available_models=list(known or getattr(selector, "models", ())),
                context=context_of(selector),
            )
        except HookStopped as stop:
            return stop.value
        except REFUSALS as error:
            raise ValueError(refusal(error)) from error

    return told
