"""Conversion between hook kwargs and Strands types. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.integrations.conversion import AgentFacts
from instrument import Operation
from instrument.parts import Injection

_PARAMS = ("max_tokens", "temperature", "top_p", "top_k", "stop_sequences")


def agent_facts(agent: Any, prompt: Any) -> AgentFacts:
    """Return the description of `agent`, which runs with `prompt`."""
    if isinstance(prompt, list) and all("text" in block for block in prompt):
        prompt = [{"role": "user", "content": prompt}]
    return AgentFacts(
        agent,
        agent.name,
        input=prompt,
        description=agent.description,
        instructions=agent.system_prompt,
        model=_model_id(agent.model),
    )


def tool_call(context: Any) -> dict[str, Any]:
    """Return the hook kwargs of a tool call."""
    use = context.tool_use
    return {
        "tool_name": use["name"],
        "args": use["input"],
        "context": context.agent,
        "tool_call_id": use["toolUseId"],
    }


def model_call(context: Any) -> dict[str, Any]:
    """Return the hook kwargs of an LLM call."""
    return {
        "llm": context.model,
        "prompt": context.messages,
        "model": _model_id(context.model),
        "provider": _provider(context.model),
        "request_params": _request_params(context),
    }


def text_of_event(event: Any) -> Any:
    """Return what an event of a model's stream adds to the text of its answer."""
    return event.get("data") if isinstance(event, Mapping) else None


def with_tool(context: Any, operation: Operation) -> Any:
    """Return the context with the tool and the arguments that interceptors left."""
    use, name, args = context.tool_use, operation.kwargs["tool_name"], operation.args
    if name == use["name"] and args is use["input"]:
        return context
    tool = context.tool
    if name != use["name"]:
        registry = context.agent.tool_registry
        tool = registry.dynamic_tools.get(name) or registry.registry.get(name)
    return context.replace(tool=tool, tool_use={**use, "name": name, "input": args})


def tool_result(value: Any, use_id: str) -> Any:
    """Return an interceptor's result as a Strands tool result."""
    if isinstance(value, Mapping) and "content" in value:
        if value.get("toolUseId") == use_id and "status" in value:
            return value
        return {"status": "success", **value, "toolUseId": use_id}
    content = {"text": value} if isinstance(value, str) else {"json": value}
    return {"toolUseId": use_id, "status": "success", "content": [content]}


def injected(result: Any, injections: tuple[Injection, ...]) -> Any:
    """Return a tool's result with the texts that hooks inject."""
    if not injections:
        return result
    added = [{"text": injection.text} for injection in injections]
    return {**result, "content": [*result["content"], *added]}


def text(result: Mapping[str, Any]) -> str:
    """Return the text of a tool's result."""
    blocks = result.get("content") or ()
    return "\n".join(str(block["text"]) for block in blocks if "text" in block) or "error"


def with_prompt(context: Any, operation: Operation) -> Any:
    """Return the context with the messages, the prompt and the tools that interceptors left."""
    messages, changes = operation.args, dict[str, Any]()
    if isinstance(messages, str):
        messages = [message(messages, "user")]
    params = operation.kwargs.get("request_params") or {}
    system = params.get("system", context.system_prompt)
    for injection in operation.injections:
        if injection.role == "system":
            system = _appended(system, injection.text)
        else:
            messages = [*messages, message(injection.text, injection.role)]
    tools = params.get("tools", context.tool_specs)
    if messages is not context.messages:
        changes["messages"] = messages
    if system is not context.system_prompt:
        changes["system_prompt"] = system
    if tools is not context.tool_specs:
        changes["tool_specs"] = tools
    return context.replace(**changes) if changes else context


def _appended(system: Any, text: str) -> Any:
    if isinstance(system, list):
        return [*system, {"text": text}]
    return f"{system}\n\n{text}" if system else text


def message(value: Any, role: str = "assistant") -> Any:
    """Return `value` as a message of Strands."""
    if isinstance(value, Mapping) and isinstance(value.get("content"), list):
        return {"role": role, **value}
    return {"role": role, "content": [{"text": str(value)}]}


def usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tokens of an LLM call as hooks name them."""
    names = {
        "inputTokens": "input_tokens",
        "outputTokens": "output_tokens",
        "totalTokens": "total_tokens",
        "cacheReadInputTokens": "cache_read_tokens",
        "cacheWriteInputTokens": "cache_write_tokens",
    }
    return {ours: usage[theirs] for theirs, ours in names.items() if theirs in usage}


def _config(model: Any) -> Mapping[str, Any]:
    try:
        config = model.get_config()
    except Exception:  # noqa: BLE001 - the model may be a class of the program
        return {}
    return config if isinstance(config, Mapping) else {}


def _model_id(model: Any) -> str | None:
    found = _config(model).get("model_id")
    return found if isinstance(found, str) else None


def _provider(model: Any) -> str | None:
    """Return the name of the module of one of Strands' models: that of the provider."""
    package, _, name = type(model).__module__.rpartition(".")
    return name if package == "strands.models" else None


def _request_params(context: Any) -> dict[str, Any]:
    """Return the parameters of an LLM call, without the messages."""
    config = _config(context.model)
    params = {name: config[name] for name in _PARAMS if name in config}
    more = config.get("params")
    if isinstance(more, Mapping):
        params |= {name: more[name] for name in _PARAMS if name in more}
    if context.system_prompt:
        params["system"] = context.system_prompt
    if context.tool_specs:
        params["tools"] = context.tool_specs
    return params


def stop_reason(message: Mapping[str, Any]) -> str:
    """Return the stop reason of a model that answered with `message`."""
    return "tool_use" if any("toolUse" in block for block in message["content"]) else "end_turn"
