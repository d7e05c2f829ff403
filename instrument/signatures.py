"""The types of `operation`, `call` and `call_sync`. Generated: `make gen`.

A noun of the catalogue takes the kwargs of its before hook, and no other; any other noun is a
`CustomNoun`, which takes all. Nothing imports this at run time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, Required, TypedDict, TypeVar, Unpack, overload

from instrument.catalogue import CustomNoun
from instrument.operations import Operation

T = TypeVar("T")


class AgentCallKwargs(TypedDict, total=False):
    """The kwargs of `agent_call`."""

    agent: Required[Any]


class LlmGenerateKwargs(TypedDict, total=False):
    """The kwargs of `llm_generate`."""

    llm: Required[Any]
    prompt: Any
    model: str | None
    provider: str | None
    request_params: Mapping[str, Any] | None
    operation_name: str | None


class ToolCallKwargs(TypedDict, total=False):
    """The kwargs of `tool_call`."""

    tool_name: Required[str]
    args: Mapping[str, Any]
    context: Any
    tool_call_id: str | None
    server_name: str | None


class WorkflowRunKwargs(TypedDict, total=False):
    """The kwargs of `workflow_run`."""

    workflow: Required[Any]
    context: Any
    args: Any


class StepRunKwargs(TypedDict, total=False):
    """The kwargs of `step_run`."""

    step: Required[str]
    kind: str | None
    args: Mapping[str, Any] | None
    context: Any


class RpcRequestKwargs(TypedDict, total=False):
    """The kwargs of `rpc_request`."""

    envelope: Required[Mapping[str, Any]]
    transport: str
    direction: Literal["outbound", "inbound"]
    server_name: str | None
    protocol_version: str | None
    connection_id: str | None


class RpcHandleKwargs(TypedDict, total=False):
    """The kwargs of `rpc_handle`."""

    envelope: Required[Mapping[str, Any]]
    transport: str
    direction: Literal["outbound", "inbound"]
    server_name: str | None
    protocol_version: str | None
    connection_id: str | None


class ResourceFetchKwargs(TypedDict, total=False):
    """The kwargs of `resource_fetch`."""

    uri: Required[str]
    context: Any
    server_name: str | None


class PromptApplyKwargs(TypedDict, total=False):
    """The kwargs of `prompt_apply`."""

    template_id: Required[str]
    parameters: Mapping[str, Any]
    context: Any
    server_name: str | None


class ModelSelectKwargs(TypedDict, total=False):
    """The kwargs of `model_select`."""

    preferences: Any
    available_models: Required[Sequence[Any]]
    context: Any


class OperationSignature(Protocol):
    """The signature of `operation`."""

    @overload
    def __call__(
        self, noun: Literal["agent_call"], /, **kwargs: Unpack[AgentCallKwargs]
    ) -> Operation: ...
    @overload
    def __call__(
        self, noun: Literal["llm_generate"], /, **kwargs: Unpack[LlmGenerateKwargs]
    ) -> Operation: ...
    @overload
    def __call__(
        self, noun: Literal["tool_call"], /, **kwargs: Unpack[ToolCallKwargs]
    ) -> Operation: ...
    @overload
    def __call__(
        self, noun: Literal["workflow_run"], /, **kwargs: Unpack[WorkflowRunKwargs]
    ) -> Operation: ...
    @overload
    def __call__(
        self, noun: Literal["step_run"], /, **kwargs: Unpack[StepRunKwargs]
    ) -> Operation: ...
    @overload
    def __call__(
        self, noun: Literal["rpc_request"], /, **kwargs: Unpack[RpcRequestKwargs]
    ) -> Operation: ...
    @overload
    def __call__(
        self, noun: Literal["rpc_handle"], /, **kwargs: Unpack[RpcHandleKwargs]
    ) -> Operation: ...
    @overload
    def __call__(
        self, noun: Literal["resource_fetch"], /, **kwargs: Unpack[ResourceFetchKwargs]
    ) -> Operation: ...
    @overload
    def __call__(
        self, noun: Literal["prompt_apply"], /, **kwargs: Unpack[PromptApplyKwargs]
    ) -> Operation: ...
    @overload
    def __call__(
        self, noun: Literal["model_select"], /, **kwargs: Unpack[ModelSelectKwargs]
    ) -> Operation: ...
    @overload
    def __call__(self, noun: CustomNoun, /, **kwargs: Any) -> Operation: ...


class CallSignature(Protocol):
    """The signature of `call`."""

    @overload
    async def __call__(
        self,
        noun: Literal["agent_call"],
        fn: Callable[[Operation], Awaitable[T]],
        /,
        **kwargs: Unpack[AgentCallKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["agent_call"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[AgentCallKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["llm_generate"],
        fn: Callable[[Operation], Awaitable[T]],
        /,
        **kwargs: Unpack[LlmGenerateKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["llm_generate"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[LlmGenerateKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["tool_call"],
        fn: Callable[[Operation], Awaitable[T]],
        /,
        **kwargs: Unpack[ToolCallKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["tool_call"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[ToolCallKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["workflow_run"],
        fn: Callable[[Operation], Awaitable[T]],
        /,
        **kwargs: Unpack[WorkflowRunKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["workflow_run"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[WorkflowRunKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["step_run"],
        fn: Callable[[Operation], Awaitable[T]],
        /,
        **kwargs: Unpack[StepRunKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["step_run"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[StepRunKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["rpc_request"],
        fn: Callable[[Operation], Awaitable[T]],
        /,
        **kwargs: Unpack[RpcRequestKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["rpc_request"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[RpcRequestKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["rpc_handle"],
        fn: Callable[[Operation], Awaitable[T]],
        /,
        **kwargs: Unpack[RpcHandleKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["rpc_handle"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[RpcHandleKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["resource_fetch"],
        fn: Callable[[Operation], Awaitable[T]],
        /,
        **kwargs: Unpack[ResourceFetchKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["resource_fetch"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[ResourceFetchKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["prompt_apply"],
        fn: Callable[[Operation], Awaitable[T]],
        /,
        **kwargs: Unpack[PromptApplyKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["prompt_apply"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[PromptApplyKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["model_select"],
        fn: Callable[[Operation], Awaitable[T]],
        /,
        **kwargs: Unpack[ModelSelectKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self,
        noun: Literal["model_select"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[ModelSelectKwargs],
    ) -> T: ...
    @overload
    async def __call__(
        self, noun: CustomNoun, fn: Callable[[Operation], Awaitable[T]], /, **kwargs: Any
    ) -> T: ...
    @overload
    async def __call__(
        self, noun: CustomNoun, fn: Callable[[Operation], T], /, **kwargs: Any
    ) -> T: ...


class CallSyncSignature(Protocol):
    """The signature of `call_sync`."""

    @overload
    def __call__(
        self,
        noun: Literal["agent_call"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[AgentCallKwargs],
    ) -> T: ...
    @overload
    def __call__(
        self,
        noun: Literal["llm_generate"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[LlmGenerateKwargs],
    ) -> T: ...
    @overload
    def __call__(
        self,
        noun: Literal["tool_call"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[ToolCallKwargs],
    ) -> T: ...
    @overload
    def __call__(
        self,
        noun: Literal["workflow_run"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[WorkflowRunKwargs],
    ) -> T: ...
    @overload
    def __call__(
        self,
        noun: Literal["step_run"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[StepRunKwargs],
    ) -> T: ...
    @overload
    def __call__(
        self,
        noun: Literal["rpc_request"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[RpcRequestKwargs],
    ) -> T: ...
    @overload
    def __call__(
        self,
        noun: Literal["rpc_handle"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[RpcHandleKwargs],
    ) -> T: ...
    @overload
    def __call__(
        self,
        noun: Literal["resource_fetch"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[ResourceFetchKwargs],
    ) -> T: ...
    @overload
    def __call__(
        self,
        noun: Literal["prompt_apply"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[PromptApplyKwargs],
    ) -> T: ...
    @overload
    def __call__(
        self,
        noun: Literal["model_select"],
        fn: Callable[[Operation], T],
        /,
        **kwargs: Unpack[ModelSelectKwargs],
    ) -> T: ...
    @overload
    def __call__(self, noun: CustomNoun, fn: Callable[[Operation], T], /, **kwargs: Any) -> T: ...
