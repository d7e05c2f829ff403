"""Guidance: texts that instruct the model what to do next, composed when they apply.

A registry has the definitions and finds those that apply now, a loader reads their texts from
markdown files, a composer makes one text of them, and a session state tracker enforces what
guidance can only request. `attach` and `attach_gate` connect them to a bus.

Names, keys and options of the guidance vocabulary exist in camelCase too.
"""

from collections.abc import Mapping
from typing import TypeAlias

from instrument.guidance.composer import ComposedHooks, Composer, HookSummary, create_composer
from instrument.guidance.definition import (
    Conditions,
    HookDefinition,
    HookLifecycle,
    HookType,
    McpFeature,
    RequirementLevel,
)
from instrument.guidance.errors import DuplicateHookError, GuidanceError, GuidanceValueError
from instrument.guidance.joining import attach, attach_gate
from instrument.guidance.loader import (
    ContentError,
    ContentLoader,
    FailedHook,
    LoadedHooks,
    ResolvedHook,
    create_content_loader,
)
from instrument.guidance.registry import (
    HookRegistry,
    QueryResult,
    SkippedHook,
    create_hook_registry,
)
from instrument.guidance.session import (
    SessionState,
    SessionStateTracker,
    StateTransition,
    TimingInfo,
    WorkflowViolationError,
    create_blocking_response,
)

ComposedHooksResult = ComposedHooks
HookDefinitionInput: TypeAlias = HookDefinition | Mapping[str, object]
"""The argument of `register`."""
HookDefinitionWithId = HookDefinition

createBlockingResponse = create_blocking_response  # noqa: N816 - mcp-toolkit's spelling
createComposer = create_composer  # noqa: N816 - mcp-toolkit's spelling
createContentLoader = create_content_loader  # noqa: N816 - mcp-toolkit's spelling
createHookRegistry = create_hook_registry  # noqa: N816 - mcp-toolkit's spelling

__all__ = [
    "ComposedHooks",
    "ComposedHooksResult",
    "Composer",
    "Conditions",
    "ContentError",
    "ContentLoader",
    "DuplicateHookError",
    "FailedHook",
    "GuidanceError",
    "GuidanceValueError",
    "HookDefinition",
    "HookDefinitionInput",
    "HookDefinitionWithId",
    "HookLifecycle",
    "HookRegistry",
    "HookSummary",
    "HookType",
    "LoadedHooks",
    "McpFeature",
    "QueryResult",
    "RequirementLevel",
    "ResolvedHook",
    "SessionState",
    "SessionStateTracker",
    "SkippedHook",
    "StateTransition",
    "TimingInfo",
    "WorkflowViolationError",
    "attach",
    "attach_gate",
    "createBlockingResponse",
    "createComposer",
    "createContentLoader",
    "createHookRegistry",
    "create_blocking_response",
    "create_composer",
    "create_content_loader",
    "create_hook_registry",
]
