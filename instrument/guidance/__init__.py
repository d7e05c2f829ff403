"""Guidance: texts that tell the model what to do next, composed when they count.

A registry holds definitions and finds those that count now, a loader gets their texts from
markdown files, and a composer makes one text of them.

Names of the guidance vocabulary are also there in camelCase, as are keys and options.
"""

from instrument.guidance.composer import ComposedHooks, Composer, HookSummary, create_composer
from instrument.guidance.definition import (
    Conditions,
    HookDefinition,
    HookLifecycle,
    HookType,
    McpFeature,
    RequirementLevel,
)
from instrument.guidance.errors import (
    ContentError,
    DuplicateHookError,
    GuidanceError,
    GuidanceValueError,
)
from instrument.guidance.loader import (
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

createComposer = create_composer  # noqa: N816 - the seed's spelling
createContentLoader = create_content_loader  # noqa: N816 - the seed's spelling
createHookRegistry = create_hook_registry  # noqa: N816 - the seed's spelling

__all__ = [
    "ComposedHooks",
    "Composer",
    "Conditions",
    "ContentError",
    "ContentLoader",
    "DuplicateHookError",
    "FailedHook",
    "GuidanceError",
    "GuidanceValueError",
    "HookDefinition",
    "HookLifecycle",
    "HookRegistry",
    "HookSummary",
    "HookType",
    "LoadedHooks",
    "McpFeature",
    "QueryResult",
    "RequirementLevel",
    "ResolvedHook",
    "SkippedHook",
    "createComposer",
    "createContentLoader",
    "createHookRegistry",
    "create_composer",
    "create_content_loader",
    "create_hook_registry",
]
