"""The kwargs of every hook, as `TypedDict`s. Generated from the catalogue: `make gen`.

For observers that want their kwargs checked:

    def on_tool_call(**event: Unpack[BeforeToolCall]) -> None: ...

What 1.2 promises is required, what came later is `NotRequired`.
"""

# Annotations are not postponed here: `__required_keys__` would then take all for required.

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from instrument.stream import StreamStats

__all__ = [
    "AfterAgentCall",
    "AfterLlmGenerate",
    "AfterModelSelect",
    "AfterPromptApply",
    "AfterResourceFetch",
    "AfterRpcHandle",
    "AfterRpcResponse",
    "AfterStepRun",
    "AfterToolCall",
    "AfterWorkflowRun",
    "AgentInitialized",
    "BeforeAgentCall",
    "BeforeFinalResponse",
    "BeforeLlmGenerate",
    "BeforeModelSelect",
    "BeforePromptApply",
    "BeforeResourceFetch",
    "BeforeRpcHandle",
    "BeforeRpcRequest",
    "BeforeStepRun",
    "BeforeToolCall",
    "BeforeWorkflowRun",
    "ErrorAgentCall",
    "ErrorLlmGenerate",
    "ErrorModelSelect",
    "ErrorPromptApply",
    "ErrorResourceFetch",
    "ErrorRpcHandle",
    "ErrorRpcRequest",
    "ErrorStepRun",
    "ErrorToolCall",
    "ErrorWorkflowRun",
    "HookDecided",
    "HookFailed",
    "LlmRetrying",
    "MessageAdded",
    "OperationCancelled",
    "OperationClosed",
    "OperationOpened",
    "ProgressUpdate",
    "PromptSubmitted",
    "RequestClosed",
    "RequestOpened",
    "ServerOutput",
    "SessionFinished",
    "SessionPaused",
    "SessionResumed",
    "SessionStarted",
    "StateCaptured",
    "TransportConnected",
    "TransportDisconnected",
    "TransportFailed",
    "TransportReconnecting",
]


class BeforeAgentCall(TypedDict):
    """Before an agent is called, at its outermost entry."""

    agent: Any
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class AfterAgentCall(TypedDict):
    """The agent returned."""

    agent: Any
    result: Any
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class ErrorAgentCall(TypedDict):
    """The agent raised."""

    agent: Any
    exc: BaseException
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class BeforeLlmGenerate(TypedDict):
    """Just before the provider is called."""

    llm: Any
    prompt: Any
    model: NotRequired[str | None]
    provider: NotRequired[str | None]
    request_params: NotRequired[Mapping[str, Any] | None]
    operation_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class AfterLlmGenerate(TypedDict):
    """The provider answered."""

    llm: Any
    prompt: Any
    response: Any
    usage: Mapping[str, Any] | None
    model: NotRequired[str | None]
    provider: NotRequired[str | None]
    operation_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class ErrorLlmGenerate(TypedDict):
    """The provider call raised."""

    llm: Any
    prompt: Any
    exc: BaseException
    model: NotRequired[str | None]
    provider: NotRequired[str | None]
    response: NotRequired[Any]
    usage: NotRequired[Mapping[str, Any] | None]
    operation_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class LlmRetrying(TypedDict):
    """A provider's client retries by itself in `delay_s`; `attempt` counts from 1."""

    llm: Any
    attempt: int | None
    status_code: int | None
    retry_after: str | None
    delay_s: float
    call_id: str


class BeforeToolCall(TypedDict):
    """Just before the tool is resolved."""

    tool_name: str
    args: Mapping[str, Any]
    context: Any
    tool_call_id: NotRequired[str | None]
    server_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class AfterToolCall(TypedDict):
    """The tool returned; after validation, before its structured output is serialised."""

    tool_name: str
    args: Mapping[str, Any]
    result: Any
    context: Any
    tool_call_id: NotRequired[str | None]
    server_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class ErrorToolCall(TypedDict):
    """The tool raised, or returned an error."""

    tool_name: str
    args: Mapping[str, Any]
    exc: BaseException
    context: Any
    result: NotRequired[Any]
    tool_call_id: NotRequired[str | None]
    server_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class BeforeWorkflowRun(TypedDict):
    """Before a workflow runs."""

    workflow: Any
    context: Any
    args: NotRequired[Any]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class AfterWorkflowRun(TypedDict):
    """The workflow returned."""

    workflow: Any
    context: Any
    result: Any
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class ErrorWorkflowRun(TypedDict):
    """The workflow raised."""

    workflow: Any
    context: Any
    exc: BaseException
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class BeforeStepRun(TypedDict):
    """Before a step of the program's own code runs; `kind` is the kind of its span."""

    step: str
    kind: str | None
    args: Mapping[str, Any] | None
    context: Any
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class AfterStepRun(TypedDict):
    """The step returned."""

    step: str
    kind: str | None
    result: Any
    context: Any
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class ErrorStepRun(TypedDict):
    """The step raised."""

    step: str
    kind: str | None
    exc: BaseException
    result: Any
    context: Any
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class BeforeRpcRequest(TypedDict):
    """Just before a JSON-RPC message is sent."""

    envelope: Mapping[str, Any]
    transport: str
    direction: NotRequired[Literal["outbound", "inbound"]]
    server_name: NotRequired[str | None]
    protocol_version: NotRequired[str | None]
    connection_id: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class AfterRpcResponse(TypedDict):
    """The response arrived; `envelope` is the response."""

    envelope: Mapping[str, Any]
    transport: str
    duration_ms: float
    request_envelope: NotRequired[Mapping[str, Any]]
    direction: NotRequired[Literal["outbound", "inbound"]]
    server_name: NotRequired[str | None]
    protocol_version: NotRequired[str | None]
    connection_id: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class ErrorRpcRequest(TypedDict):
    """The transport or the RPC failed."""

    envelope: Mapping[str, Any]
    transport: str
    exc: BaseException
    direction: NotRequired[Literal["outbound", "inbound"]]
    server_name: NotRequired[str | None]
    protocol_version: NotRequired[str | None]
    connection_id: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class BeforeRpcHandle(TypedDict):
    """A JSON-RPC message arrived and is about to be handled."""

    envelope: Mapping[str, Any]
    transport: str
    direction: NotRequired[Literal["outbound", "inbound"]]
    server_name: NotRequired[str | None]
    protocol_version: NotRequired[str | None]
    connection_id: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class AfterRpcHandle(TypedDict):
    """The message was handled; `envelope` is our response."""

    envelope: Mapping[str, Any]
    transport: str
    duration_ms: float
    request_envelope: NotRequired[Mapping[str, Any]]
    direction: NotRequired[Literal["outbound", "inbound"]]
    server_name: NotRequired[str | None]
    protocol_version: NotRequired[str | None]
    connection_id: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class ErrorRpcHandle(TypedDict):
    """Handling the message raised."""

    envelope: Mapping[str, Any]
    transport: str
    exc: BaseException
    direction: NotRequired[Literal["outbound", "inbound"]]
    server_name: NotRequired[str | None]
    protocol_version: NotRequired[str | None]
    connection_id: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class BeforeResourceFetch(TypedDict):
    """Before a resource is fetched."""

    uri: str
    context: Any
    server_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class AfterResourceFetch(TypedDict):
    """The resource was fetched."""

    uri: str
    content: Any
    mime_type: str | None
    context: Any
    server_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class ErrorResourceFetch(TypedDict):
    """The fetch failed."""

    uri: str
    exc: BaseException
    context: Any
    server_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class BeforePromptApply(TypedDict):
    """Before a template is applied."""

    template_id: str
    parameters: Mapping[str, Any]
    context: Any
    server_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class AfterPromptApply(TypedDict):
    """The template was rendered."""

    template_id: str
    rendered: Any
    context: Any
    server_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class ErrorPromptApply(TypedDict):
    """The template failed."""

    template_id: str
    parameters: Mapping[str, Any]
    exc: BaseException
    context: Any
    server_name: NotRequired[str | None]
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class SessionStarted(TypedDict):
    """A session starts."""

    session_id: str
    metadata: Mapping[str, Any]


class SessionPaused(TypedDict):
    """The session waits for a signal."""

    session_id: str
    signal_name: str
    prompt: Any


class SessionResumed(TypedDict):
    """The signal arrived."""

    session_id: str
    signal_name: str
    payload: Any


class SessionFinished(TypedDict):
    """The session ends; `status` is completed, failed or cancelled."""

    session_id: str
    status: str
    error: BaseException | str | None


class BeforeModelSelect(TypedDict):
    """Before a model is chosen."""

    preferences: Any
    available_models: Sequence[Any]
    context: Any
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class AfterModelSelect(TypedDict):
    """A model was chosen."""

    selected_model: Any
    scores: Mapping[str, float] | None
    context: Any
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class ErrorModelSelect(TypedDict):
    """Choosing a model raised."""

    preferences: Any
    available_models: Sequence[Any]
    exc: BaseException
    context: Any
    call_id: NotRequired[str]
    parent_call_id: NotRequired[str | None]


class ProgressUpdate(TypedDict):
    """An operation reports its progress; `percent` is None without a known total."""

    operation_id: str
    percent: float | None
    message: str | None
    context: Any
    progress: NotRequired[float | None]
    total: NotRequired[float | None]
    call_id: NotRequired[str]


class OperationCancelled(TypedDict):
    """An operation is being cancelled."""

    operation_id: str
    context: Any
    reason: NotRequired[str | None]
    call_id: NotRequired[str]


class TransportConnected(TypedDict):
    """A transport connected."""

    transport_type: str
    uri: str
    server_name: NotRequired[str | None]
    connection_id: NotRequired[str | None]


class TransportDisconnected(TypedDict):
    """A transport disconnected."""

    transport_type: str
    uri: str
    reason: BaseException | str | None
    server_name: NotRequired[str | None]
    connection_id: NotRequired[str | None]


class TransportReconnecting(TypedDict):
    """A transport reconnects."""

    transport_type: str
    uri: str
    attempt: int
    server_name: NotRequired[str | None]
    connection_id: NotRequired[str | None]


class TransportFailed(TypedDict):
    """A connection failed; `step` is spawn, initialize, discover or list."""

    transport_type: str
    uri: str
    step: str
    exc: BaseException
    server_name: str | None


class ServerOutput(TypedDict):
    """A server wrote output that is not a message to the `stream` stderr or stdout."""

    text: str
    stream: str
    transport_type: str
    server_name: str | None


class PromptSubmitted(TypedDict):
    """A user's prompt reached the agent."""

    prompt: Any
    context: Any


class AgentInitialized(TypedDict):
    """An agent was built."""

    agent: Any


class MessageAdded(TypedDict):
    """A message entered the agent's history."""

    agent: Any
    message: Any


class BeforeFinalResponse(TypedDict):
    """Just before the final answer is built."""

    agent: Any
    response: Any


class OperationOpened(TypedDict):
    """An operation starts, before interceptors decide on it."""

    call_id: str
    parent_call_id: str | None
    noun: str
    kwargs: Mapping[str, Any]


class OperationClosed(TypedDict):
    """An operation ended; always its last event, whatever the outcome."""

    call_id: str
    noun: str
    status: Literal["ok", "error", "denied", "stopped", "cancelled"]
    exc: BaseException | None
    stream: NotRequired[StreamStats | None]


class StateCaptured(TypedDict):
    """Code reported its state, by `capture_state` or `dump_state_to_span`."""

    name: str
    value: Any
    description: str | None
    is_result: bool


class HookDecided(TypedDict):
    """An interceptor decided."""

    call_id: str | None
    hook: str
    interceptor: str
    action: str
    reason: str | None
    microseconds: float
    before: Any
    after: Any
    actor: NotRequired[str | None]
    origin: NotRequired[str | None]


class HookFailed(TypedDict):
    """An observer or an interceptor raised."""

    call_id: str | None
    hook: str
    handler: str
    exc: BaseException


class RequestOpened(TypedDict):
    """A person is asked; the operation, if there is one, waits."""

    call_id: str | None
    request_id: str
    kind: Literal["approval", "question", "breakpoint"]
    hook: str | None
    prompt: str
    interceptor: NotRequired[str]
    signal_name: NotRequired[str | None]


class RequestClosed(TypedDict):
    """The request is closed: answered, expired or withdrawn."""

    call_id: str | None
    request_id: str
    status: Literal["answered", "expired", "withdrawn"]
    answer: Any
    reason: str | None
    actor: NotRequired[str | None]
    origin: NotRequired[str | None]
