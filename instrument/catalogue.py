"""The catalogue: every hook of the contract, in one table.

Version 1.2 is exactly mcp-agent's table of 32 hooks; later versions add to it. Generated from this
table: the `TypedDict`s of `instrument.events`, `docs/instrumentation-hooks.md` and the check that a
change comes with a new version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NewType

CONTRACT_VERSION = "1.7"
"""Minor: a hook or kwarg was added. Major: one was removed or renamed."""

HISTORY: tuple[tuple[str, str, str], ...] = (
    ("1.0", "2025-07-11", "initial catalogue: llm, tool, workflow, rpc"),
    ("1.1", "2025-07-13", "agent hooks"),
    ("1.2", "2025-07-13", "resources, prompts, sessions, model selection, progress, transport"),
    (
        "1.3",
        "2026-11-21",
        "identity (`call_id`, `parent_call_id`), operations, decisions, requests, inbound RPC, "
        "`error_model_select`, `prompt_submitted`, `agent_initialized`, `message_added`, "
        "`before_final_response`, `state_captured`, and the kwargs marked 1.3",
    ),
    ("1.4", "2026-11-22", "questions beside approvals, and who answered: the kwargs marked 1.4"),
    ("1.5", "2026-11-22", "failed connections, and stray output of servers"),
    ("1.6", "2026-11-24", "steps of a program's own code"),
    (
        "1.7",
        "2026-11-24",
        "retries by a provider's client, and partial results of failed LLM calls",
    ),
)
"""(version, date, what it brought), oldest first."""

TRANSPORTS = ("stdio", "sse", "http", "websocket")
"""The values of `transport` and `transport_type`."""

OPERATION_STATUSES = ("ok", "error", "denied", "stopped", "cancelled")
"""The values of `status` on `operation_closed`."""

IDENTITY = ("call_id", "parent_call_id")
"""The last kwargs of every hook of an operation."""


# The rows are plain objects: making a `NamedTuple` class takes an eighth of importing all of this,
# and an attribute of a tuple takes three times as long to read.


class Kwarg:
    """A keyword argument of a hook.

    Attributes:
        name: Its name.
        type: A Python annotation.
        since: Version of the contract that added it.
        always: Whether every emission has it: always for kwargs of 1.2, not always for later ones.
    """

    __slots__ = ("always", "name", "since", "type")

    def __init__(self, name: str, type: str, since: str, always: bool) -> None:
        self.name = name
        self.type = type
        self.since = since
        self.always = always


class Value:
    """The kwarg that an interceptor replaces, with its types.

    Attributes:
        kwarg: Its name.
        input: Type of the value that interceptors get.
        output: Type of the value that they may give.
        stop: Type of the value that a stop must give; None: this event cannot be stopped.
    """

    __slots__ = ("input", "kwarg", "output", "stop")

    def __init__(self, kwarg: str, input: str, output: str, stop: str | None) -> None:
        self.kwarg = kwarg
        self.input = input
        self.output = output
        self.stop = stop


class Hook:
    """An event of the contract.

    Attributes:
        name: Its name.
        when: The occasion on which it is emitted.
        since: Version of the contract that added it.
        kwargs: Its kwargs.
        writable: Kwargs that an interceptor may replace.
        value: The kwarg that is its value, if it has one.
        retryable: Whether an interceptor may request a retry.
        aliases: Names of this event by vocabulary: `control`, `typed`, `guidance`, `flow`.
    """

    __slots__ = ("aliases", "kwargs", "name", "retryable", "since", "value", "when", "writable")

    def __init__(
        self,
        name: str,
        when: str,
        since: str,
        kwargs: tuple[Kwarg, ...],
        writable: tuple[str, ...] = (),
        value: Value | None = None,
        retryable: bool = False,
        aliases: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.when = when
        self.since = since
        self.kwargs = kwargs
        self.writable = writable
        self.value = value
        self.retryable = retryable
        self.aliases = aliases


class Noun:
    """A kind of operation: its three hooks and the kwargs of each.

    Attributes:
        name: Its name.
        before: The hook before it.
        after: The hook after it.
        error: The hook of its failure.
        input: The kwarg that `Operation.args` reads.
        output: The kwarg of the after hook that `Operation.result` becomes.
        before_defaults: Promised kwargs of the before hook, as None.
        after_defaults: Those of the after hook.
        error_defaults: Those of the error hook.
        not_after: Kwargs of the before hook that the after hook lacks.
        request_as: Name of the input on the after hook, where input and output have the same name.
        is_timed: Whether the after hook carries `duration_ms`.
        identity: The required kwarg, which identifies the operation; None for an unknown noun.
    """

    __slots__ = (
        "after",
        "after_defaults",
        "before",
        "before_defaults",
        "error",
        "error_defaults",
        "identity",
        "input",
        "is_timed",
        "name",
        "not_after",
        "output",
        "request_as",
    )

    def __init__(
        self,
        name: str,
        before: str,
        after: str,
        error: str,
        *,
        input: str | None = "args",
        output: str = "result",
        before_defaults: Mapping[str, None] = {},
        after_defaults: Mapping[str, None] = {},
        error_defaults: Mapping[str, None] = {},
        not_after: frozenset[str] = frozenset(),
        request_as: str | None = None,
        is_timed: bool = False,
        identity: str | None = None,
    ) -> None:
        self.name = name
        self.before = before
        self.after = after
        self.error = error
        self.input = input
        self.output = output
        # Plain dicts: `{**proxy}` takes three times as long.
        self.before_defaults = before_defaults
        self.after_defaults = after_defaults
        self.error_defaults = error_defaults
        self.not_after = not_after
        self.request_as = request_as
        self.is_timed = is_timed
        self.identity = identity


_OF_OPERATIONS = frozenset({"before", "after", "error"})
_IDENTITY_TYPES = dict(zip(IDENTITY, ("str", "str | None"), strict=True))
_ANY_CONTEXT = {"context": "Any"}
_EXC = {"exc": "BaseException"}


def _hook(
    name: str,
    when: str,
    since: str,
    types: Mapping[str, str],
    *,
    later: Mapping[str, str] = MappingProxyType({}),
    latest: Mapping[str, str] = MappingProxyType({}),
    newest: Mapping[str, str] = MappingProxyType({}),
    writable: tuple[str, ...] = (),
    value: Value | None = None,
    retryable: bool = False,
    **aliases: tuple[str, ...],
) -> Hook:
    """Make a row.

    Args:
        name: Name of the event.
        when: The occasion on which it is emitted.
        since: Version of the contract that added it.
        types: Kwargs since then.
        later: Kwargs since 1.3.
        latest: Kwargs since 1.4.
        newest: Kwargs since 1.7.
        writable: Kwargs that an interceptor may replace; default: the value.
        value: See `Value`.
        retryable: Whether an interceptor may request a retry.
        **aliases: Names of the event by vocabulary.
    """
    kwargs = [Kwarg(kwarg, annotation, since, True) for kwarg, annotation in types.items()]
    kwargs += [Kwarg(kwarg, annotation, "1.3", False) for kwarg, annotation in later.items()]
    kwargs += [Kwarg(kwarg, annotation, "1.4", False) for kwarg, annotation in latest.items()]
    kwargs += [Kwarg(kwarg, annotation, "1.7", False) for kwarg, annotation in newest.items()]
    if name.partition("_")[0] in _OF_OPERATIONS and name != "before_final_response":
        kwargs += [
            Kwarg(kwarg, annotation, max("1.3", since), False)
            for kwarg, annotation in _IDENTITY_TYPES.items()
        ]
    if value is not None:
        writable = writable or (value.kwarg,)
    proxied = MappingProxyType(aliases)
    return Hook(name, when, since, tuple(kwargs), writable, value, retryable, proxied)


_AGENT = (
    _hook(
        "before_agent_call",
        "Before an agent is called, at its outermost entry",
        "1.1",
        {"agent": "Any"},
        control=("execution:start",),
        typed=("BeforeInvocationEvent",),
    ),
    _hook(
        "after_agent_call",
        "The agent returned",
        "1.1",
        {"agent": "Any", "result": "Any"},
        value=Value("result", "Any", "Any", None),
        retryable=True,
        control=("execution:end",),
        typed=("AfterInvocationEvent",),
        flow=("query_end",),
    ),
    _hook(
        "error_agent_call",
        "The agent raised",
        "1.1",
        {"agent": "Any", **_EXC},
        control=("execution:end",),
        typed=("AfterInvocationEvent",),
    ),
)

_LLM_LATER = {"model": "str | None", "provider": "str | None"}
_LLM_NEWEST = {"operation_name": "str | None"}

_LLM = (
    _hook(
        "before_llm_generate",
        "Just before the provider is called",
        "1.0",
        {"llm": "Any", "prompt": "Any"},
        later={**_LLM_LATER, "request_params": "Mapping[str, Any] | None"},
        newest=_LLM_NEWEST,
        writable=("prompt", "model", "request_params"),
        value=Value("prompt", "Any", "Any", "Any"),
        control=("provider:request",),
        typed=("BeforeModelCallEvent", "BeforeModelInvocationEvent"),
        flow=("before_llm_call",),
    ),
    _hook(
        "after_llm_generate",
        "The provider answered",
        "1.0",
        {"llm": "Any", "prompt": "Any", "response": "Any", "usage": "Mapping[str, Any] | None"},
        later=_LLM_LATER,
        newest=_LLM_NEWEST,
        value=Value("response", "Any", "Any", "Any"),
        retryable=True,
        control=("provider:response",),
        typed=("AfterModelCallEvent", "AfterModelInvocationEvent"),
        flow=("after_llm_call",),
    ),
    _hook(
        "error_llm_generate",
        "The provider call raised",
        "1.0",
        {"llm": "Any", "prompt": "Any", **_EXC},
        later=_LLM_LATER,
        newest={"response": "Any", "usage": "Mapping[str, Any] | None", **_LLM_NEWEST},
        retryable=True,
        control=("provider:error",),
        typed=("AfterModelCallEvent", "AfterModelInvocationEvent"),
    ),
    _hook(
        "llm_retrying",
        "A provider's client retries by itself in `delay_s`; `attempt` counts from 1",
        "1.7",
        {
            "llm": "Any",
            "attempt": "int | None",
            "status_code": "int | None",
            "retry_after": "str | None",
            "delay_s": "float",
            "call_id": "str",
        },
    ),
)

_TOOL_INPUT = {"tool_name": "str", "args": "Mapping[str, Any]"}
_TOOL_LATER = {"tool_call_id": "str | None", "server_name": "str | None"}

_TOOL = (
    _hook(
        "before_tool_call",
        "Just before the tool is resolved",
        "1.0",
        {**_TOOL_INPUT, **_ANY_CONTEXT},
        later=_TOOL_LATER,
        writable=("tool_name", "args"),
        value=Value("args", "Mapping[str, Any]", "Mapping[str, Any]", None),
        control=("tool:pre",),
        typed=("BeforeToolCallEvent", "BeforeToolInvocationEvent"),
        guidance=("action:start",),
        flow=("before_tool_execution",),
    ),
    _hook(
        "after_tool_call",
        "The tool returned; after validation, before its structured output is serialised",
        "1.0",
        {**_TOOL_INPUT, "result": "Any", **_ANY_CONTEXT},
        later=_TOOL_LATER,
        value=Value("result", "Any", "Any", None),
        retryable=True,
        control=("tool:post",),
        typed=("AfterToolCallEvent", "AfterToolInvocationEvent"),
        guidance=("action:end",),
        flow=("after_tool_execution", "on_tool_error"),
    ),
    _hook(
        "error_tool_call",
        "The tool raised, or returned an error",
        "1.0",
        {**_TOOL_INPUT, **_EXC, **_ANY_CONTEXT},
        later={"result": "Any", **_TOOL_LATER},
        value=Value("result", "Any", "Any", None),
        retryable=True,
        control=("tool:error", "tool:post"),
        typed=("AfterToolCallEvent", "AfterToolInvocationEvent"),
        flow=("on_tool_error", "after_tool_execution"),
    ),
)

_WORKFLOW_INPUT = {"workflow": "Any", **_ANY_CONTEXT}

_WORKFLOW = (
    _hook(
        "before_workflow_run",
        "Before a workflow runs",
        "1.0",
        _WORKFLOW_INPUT,
        later={"args": "Any"},
        value=Value("args", "Any", "Any", None),
    ),
    _hook(
        "after_workflow_run",
        "The workflow returned",
        "1.0",
        {**_WORKFLOW_INPUT, "result": "Any"},
        value=Value("result", "Any", "Any", None),
    ),
    _hook(
        "error_workflow_run",
        "The workflow raised",
        "1.0",
        {**_WORKFLOW_INPUT, **_EXC},
    ),
)

_STEP = (
    _hook(
        "before_step_run",
        "Before a step of the program's own code runs; `kind` is the kind of its span",
        "1.6",
        {"step": "str", "kind": "str | None", "args": "Mapping[str, Any] | None", **_ANY_CONTEXT},
        value=Value("args", "Mapping[str, Any] | None", "Mapping[str, Any]", None),
    ),
    _hook(
        "after_step_run",
        "The step returned",
        "1.6",
        {"step": "str", "kind": "str | None", "result": "Any", **_ANY_CONTEXT},
        value=Value("result", "Any", "Any", None),
        retryable=True,
    ),
    _hook(
        "error_step_run",
        "The step raised",
        "1.6",
        {"step": "str", "kind": "str | None", **_EXC, "result": "Any", **_ANY_CONTEXT},
        value=Value("result", "Any", "Any", None),
        retryable=True,
    ),
)

_ENVELOPE = {"envelope": "Mapping[str, Any]", "transport": "str"}
_ENVELOPE_VALUE = Value("envelope", "Mapping[str, Any]", "Mapping[str, Any]", None)
_RPC_LATER = {
    "direction": 'Literal["outbound", "inbound"]',
    "server_name": "str | None",
    "protocol_version": "str | None",
    "connection_id": "str | None",
}

_RPC = (
    _hook(
        "before_rpc_request",
        "Just before a JSON-RPC message is sent",
        "1.0",
        _ENVELOPE,
        later=_RPC_LATER,
        value=_ENVELOPE_VALUE,
    ),
    _hook(
        "after_rpc_response",
        "The response arrived; `envelope` is the response",
        "1.0",
        {**_ENVELOPE, "duration_ms": "float"},
        later={"request_envelope": "Mapping[str, Any]", **_RPC_LATER},
        value=_ENVELOPE_VALUE,
    ),
    _hook(
        "error_rpc_request",
        "The transport or the RPC failed",
        "1.0",
        {**_ENVELOPE, **_EXC},
        later=_RPC_LATER,
    ),
    _hook(
        "before_rpc_handle",
        "A JSON-RPC message arrived and is about to be handled",
        "1.3",
        _ENVELOPE,
        later=_RPC_LATER,
        value=_ENVELOPE_VALUE,
    ),
    _hook(
        "after_rpc_handle",
        "The message was handled; `envelope` is our response",
        "1.3",
        {**_ENVELOPE, "duration_ms": "float"},
        later={"request_envelope": "Mapping[str, Any]", **_RPC_LATER},
        value=_ENVELOPE_VALUE,
    ),
    _hook(
        "error_rpc_handle",
        "Handling the message raised",
        "1.3",
        {**_ENVELOPE, **_EXC},
        later=_RPC_LATER,
    ),
)

_RESOURCE_LATER = {"server_name": "str | None"}

_RESOURCE = (
    _hook(
        "before_resource_fetch",
        "Before a resource is fetched",
        "1.2",
        {"uri": "str", **_ANY_CONTEXT},
        later=_RESOURCE_LATER,
        value=Value("uri", "str", "str", None),
    ),
    _hook(
        "after_resource_fetch",
        "The resource was fetched",
        "1.2",
        {"uri": "str", "content": "Any", "mime_type": "str | None", **_ANY_CONTEXT},
        later=_RESOURCE_LATER,
        writable=("content", "mime_type"),
        value=Value("content", "Any", "Any", None),
    ),
    _hook(
        "error_resource_fetch",
        "The fetch failed",
        "1.2",
        {"uri": "str", **_EXC, **_ANY_CONTEXT},
        later=_RESOURCE_LATER,
    ),
)

_PARAMETERS = "Mapping[str, Any]"

_PROMPT = (
    _hook(
        "before_prompt_apply",
        "Before a template is applied",
        "1.2",
        {"template_id": "str", "parameters": _PARAMETERS, **_ANY_CONTEXT},
        later=_RESOURCE_LATER,
        writable=("template_id", "parameters"),
        value=Value("parameters", _PARAMETERS, _PARAMETERS, None),
    ),
    _hook(
        "after_prompt_apply",
        "The template was rendered",
        "1.2",
        {"template_id": "str", "rendered": "Any", **_ANY_CONTEXT},
        later=_RESOURCE_LATER,
        value=Value("rendered", "Any", "Any", None),
    ),
    _hook(
        "error_prompt_apply",
        "The template failed",
        "1.2",
        {"template_id": "str", "parameters": _PARAMETERS, **_EXC, **_ANY_CONTEXT},
        later=_RESOURCE_LATER,
    ),
)

_SESSION = (
    _hook(
        "session_started",
        "A session starts",
        "1.2",
        {"session_id": "str", "metadata": "Mapping[str, Any]"},
        control=("session:start",),
        guidance=("session:start",),
    ),
    _hook(
        "session_paused",
        "The session waits for a signal",
        "1.2",
        {"session_id": "str", "signal_name": "str", "prompt": "Any"},
    ),
    _hook(
        "session_resumed",
        "The signal arrived",
        "1.2",
        {"session_id": "str", "signal_name": "str", "payload": "Any"},
    ),
    _hook(
        "session_finished",
        "The session ends; `status` is completed, failed or cancelled",
        "1.2",
        {"session_id": "str", "status": "str", "error": "BaseException | str | None"},
        control=("session:end",),
        guidance=("session:end",),
    ),
)

_CHOICE = {"preferences": "Any", "available_models": "Sequence[Any]"}

_MODEL = (
    _hook(
        "before_model_select",
        "Before a model is chosen",
        "1.2",
        {**_CHOICE, **_ANY_CONTEXT},
        writable=("preferences", "available_models"),
        value=Value("available_models", "Sequence[Any]", "Sequence[Any]", None),
    ),
    _hook(
        "after_model_select",
        "A model was chosen",
        "1.2",
        {"selected_model": "Any", "scores": "Mapping[str, float] | None", **_ANY_CONTEXT},
        value=Value("selected_model", "Any", "Any", None),
    ),
    _hook(
        "error_model_select",
        "Choosing a model raised",
        "1.3",
        {**_CHOICE, **_EXC, **_ANY_CONTEXT},
    ),
)

_PROGRESS = (
    _hook(
        "progress_update",
        "An operation reports its progress; `percent` is None without a known total",
        "1.2",
        {
            "operation_id": "str",
            "percent": "float | None",
            "message": "str | None",
            **_ANY_CONTEXT,
        },
        later={"progress": "float | None", "total": "float | None", "call_id": "str"},
        guidance=("action:progress",),
    ),
    _hook(
        "operation_cancelled",
        "An operation is being cancelled",
        "1.2",
        {"operation_id": "str", **_ANY_CONTEXT},
        later={"reason": "str | None", "call_id": "str"},
        control=("cancel:requested",),
        guidance=("action:cancel",),
    ),
)

_LINE = {"transport_type": "str", "uri": "str"}
_LINE_LATER = {"server_name": "str | None", "connection_id": "str | None"}

_TRANSPORT = (
    _hook("transport_connected", "A transport connected", "1.2", _LINE, later=_LINE_LATER),
    _hook(
        "transport_disconnected",
        "A transport disconnected",
        "1.2",
        {**_LINE, "reason": "BaseException | str | None"},
        later=_LINE_LATER,
    ),
    _hook(
        "transport_reconnecting",
        "A transport reconnects",
        "1.2",
        {**_LINE, "attempt": "int"},
        later=_LINE_LATER,
    ),
    _hook(
        "transport_failed",
        "A connection failed; `step` is spawn, initialize, discover or list",
        "1.5",
        {**_LINE, "step": "str", **_EXC, "server_name": "str | None"},
    ),
    _hook(
        "server_output",
        "A server wrote output that is not a message to the `stream` stderr or stdout",
        "1.5",
        {"text": "str", "stream": "str", "transport_type": "str", "server_name": "str | None"},
    ),
)

_CONVERSATION = (
    _hook(
        "prompt_submitted",
        "A user's prompt reached the agent",
        "1.3",
        {"prompt": "Any", **_ANY_CONTEXT},
        value=Value("prompt", "Any", "Any", None),
        control=("prompt:submit",),
    ),
    _hook(
        "agent_initialized",
        "An agent was built",
        "1.3",
        {"agent": "Any"},
        typed=("AgentInitializedEvent",),
    ),
    _hook(
        "message_added",
        "A message entered the agent's history",
        "1.3",
        {"agent": "Any", "message": "Any"},
        typed=("MessageAddedEvent",),
    ),
    _hook(
        "before_final_response",
        "Just before the final answer is built",
        "1.3",
        {"agent": "Any", "response": "Any"},
        value=Value("response", "Any", "Any", "Any"),
        retryable=True,
        flow=("before_final_response",),
    ),
)

_OPERATION = (
    _hook(
        "operation_opened",
        "An operation starts, before interceptors decide on it",
        "1.3",
        {
            "call_id": "str",
            "parent_call_id": "str | None",
            "noun": "str",
            "kwargs": "Mapping[str, Any]",
        },
    ),
    _hook(
        "operation_closed",
        "An operation ended; always its last event, whatever the outcome",
        "1.3",
        {
            "call_id": "str",
            "noun": "str",
            "status": 'Literal["ok", "error", "denied", "stopped", "cancelled"]',
            "exc": "BaseException | None",
        },
        later={"stream": "StreamStats | None"},
    ),
)

_STATE = (
    _hook(
        "state_captured",
        "Code reported its state, by `capture_state` or `dump_state_to_span`",
        "1.3",
        {"name": "str", "value": "Any", "description": "str | None", "is_result": "bool"},
    ),
)

_WHO = {"actor": "str | None", "origin": "str | None"}

_DECISION = (
    _hook(
        "hook_decided",
        "An interceptor decided",
        "1.3",
        {
            "call_id": "str | None",
            "hook": "str",
            "interceptor": "str",
            "action": "str",
            "reason": "str | None",
            "microseconds": "float",
            "before": "Any",
            "after": "Any",
        },
        latest=_WHO,
    ),
    _hook(
        "hook_failed",
        "An observer or an interceptor raised",
        "1.3",
        {"call_id": "str | None", "hook": "str", "handler": "str", "exc": "BaseException"},
    ),
    _hook(
        "request_opened",
        "A person is asked; the operation, if there is one, waits",
        "1.3",
        {
            "call_id": "str | None",
            "request_id": "str",
            "kind": 'Literal["approval", "question", "breakpoint"]',
            "hook": "str | None",
            "prompt": "str",
        },
        latest={"interceptor": "str", "signal_name": "str | None"},
    ),
    _hook(
        "request_closed",
        "The request is closed: answered, expired or withdrawn",
        "1.3",
        {
            "call_id": "str | None",
            "request_id": "str",
            "status": 'Literal["answered", "expired", "withdrawn"]',
            "answer": "Any",
            "reason": "str | None",
        },
        latest=_WHO,
    ),
)


def _by_name(*families: Iterable[Hook]) -> Mapping[str, Hook]:
    return MappingProxyType({hook.name: hook for family in families for hook in family})


CATALOGUE: Mapping[str, Hook] = _by_name(
    _AGENT,
    _LLM,
    _TOOL,
    _WORKFLOW,
    _STEP,
    _RPC,
    _RESOURCE,
    _PROMPT,
    _SESSION,
    _MODEL,
    _PROGRESS,
    _TRANSPORT,
    _CONVERSATION,
    _OPERATION,
    _STATE,
    _DECISION,
)
"""Rows by hook name, family by family."""


def _always(hook: str) -> Mapping[str, None]:
    """Return the kwargs that an emission of `hook` always has, each as None."""
    names = (kwarg.name for kwarg in CATALOGUE[hook].kwargs if kwarg.always)
    return dict.fromkeys(names)


def _noun(
    name: str,
    hooks: tuple[str, str, str] | None = None,
    *,
    input: str | None,
    output: str = "result",
    request_as: str | None = None,
) -> Noun:
    before, after, error = hooks or (f"before_{name}", f"after_{name}", f"error_{name}")
    names = {kwarg.name for kwarg in CATALOGUE[before].kwargs}
    carried = {kwarg.name for kwarg in CATALOGUE[after].kwargs}
    return Noun(
        name=name,
        before=before,
        after=after,
        error=error,
        input=input,
        output=output,
        before_defaults=_always(before),
        after_defaults=_always(after),
        error_defaults=_always(error),
        not_after=frozenset(names - carried),
        request_as=request_as,
        is_timed="duration_ms" in carried,
        # The first one; `preferences` is an input.
        identity=next(
            kwarg.name
            for kwarg in CATALOGUE[before].kwargs
            if kwarg.always and kwarg.name != "preferences"
        ),
    )


NOUNS: Mapping[str, Noun] = MappingProxyType(
    {
        noun.name: noun
        for noun in (
            _noun("agent_call", input=None),
            _noun("llm_generate", input="prompt", output="response"),
            _noun("tool_call", input="args"),
            _noun("workflow_run", input="args"),
            _noun("step_run", input="args"),
            _noun(
                "rpc_request",
                ("before_rpc_request", "after_rpc_response", "error_rpc_request"),
                input="envelope",
                output="envelope",
                request_as="request_envelope",
            ),
            _noun("rpc_handle", input="envelope", output="envelope", request_as="request_envelope"),
            _noun("resource_fetch", input="uri", output="content"),
            _noun("prompt_apply", input="parameters", output="rendered"),
            _noun("model_select", input="available_models", output="selected_model"),
        )
    }
)
"""The nouns of the catalogue; `find_noun` makes a row for any other."""


CustomNoun = NewType("CustomNoun", str)
"""A kind outside the catalogue, for type checkers: `operation(CustomNoun("plan"), goal=…)`."""


@lru_cache(maxsize=256)
def _custom_noun(name: str) -> Noun:
    return Noun(name, f"before_{name}", f"after_{name}", f"error_{name}")


def find_noun(name: str) -> Noun:
    """Return the row of `name`, or one with hooks named after it when it is not catalogued.

    An invalid name becomes `UNNAMED`.
    """
    if type(name) is not str or not name:
        name = UNNAMED
    return NOUNS.get(name) or _custom_noun(name)


UNNAMED = "unnamed"
