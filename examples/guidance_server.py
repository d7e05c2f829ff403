"""An MCP server that guides the model which uses it, and holds it to the one rule that matters.

Run by an MCP host over stdio: `python examples/guidance_server.py`. It keeps notes. Around that it
shows guidance hooks at work: the texts in `guidance_hooks/` are composed into a prompt of the
assistant, two tools list and register hooks and one triggers them, what is left out goes to MCP
logging, and no tool runs before `session_init`.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any, get_args

from mcp import MCPDeprecationWarning, MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import AssistantMessage
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ClientCapabilities,
    ElicitationCapability,
    EmptyResult,
    LoggingLevel,
    SamplingCapability,
    SetLevelRequestParams,
    TextContent,
)
from pydantic import Field

from instrument.guidance import (
    ComposedHooks,
    GuidanceValueError,
    HookLifecycle,
    HookType,
    McpFeature,
    RequirementLevel,
    SessionStateTracker,
    create_blocking_response,
    create_composer,
    create_content_loader,
    create_hook_registry,
)

# MCP calls its logging deprecated since 2026-07-28; hosts have it, and there is no successor.
warnings.filterwarnings("ignore", category=MCPDeprecationWarning)

TEXTS = Path(__file__).parent / "guidance_hooks"
LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)  # the least severe first
MAX_NOTES = 1000
MAX_NOTE_CHARS = 10_000
MAX_HOOKS = 200

# Over stdio one process serves one session.
tracker = SessionStateTracker(init_tools=["session_init", "list_hooks"])
registry = create_hook_registry(app="notes")
notes: list[str] = []

START: dict[str, Any] = {"type": "session", "lifecycle": "start"}
registry.register_all(
    [
        {
            **START,
            "tag": "init-required",
            "name": "Initialization Required",
            "requirement_level": "MUST",
            "priority": 100,
        },
        {**START, "tag": "no-secrets", "name": "No Secrets", "requirement_level": "MUST NOT"},
        {**START, "tag": "welcome", "name": "Welcome", "requirement_level": "SHOULD"},
        {**START, "tag": "tips", "name": "Tips", "requirement_level": "MAY", "priority": 30},
        {
            **START,
            "tag": "memory-tips",
            "name": "Notes Are in Memory",
            "requirement_level": "SHOULD",
            "conditions": {"requires_storage": ["memory"]},
        },
        {
            **START,
            "tag": "sampling-guide",
            "name": "Summaries",
            "requirement_level": "SHOULD",
            "conditions": {"requires_features": ["sampling"]},
        },
    ]
)


class ClientLog:
    """Messages to the client, from the level on that it wants."""

    def __init__(self) -> None:
        self._level: LoggingLevel = "debug"

    async def set_level(
        self, ctx: ServerRequestContext[Any, Any], params: SetLevelRequestParams
    ) -> EmptyResult:
        """Answer `logging/setLevel`."""
        self._level = params.level
        return EmptyResult()

    async def send(self, ctx: Context[Any], level: LoggingLevel, message: str) -> None:
        """Send a message along with the answer to the request of `ctx`."""
        if LEVELS.index(level) >= LEVELS.index(self._level):
            await ctx.log(level, message, logger_name="guidance")


class SessionGate(Extension):
    """Middleware that checks each tool call with the tracker, and records it."""

    identifier = "example.notes/session-gate"

    async def intercept_tool_call(
        self,
        params: CallToolRequestParams,
        ctx: ServerRequestContext[Any, Any],
        call_next: CallNext,
    ) -> HandlerResult:
        """Refuse the call with a directive, or run it and add what to do next."""
        refusal = tracker.check_tool_allowed(params.name, ctx.request_id)
        if refusal is not None:
            return CallToolResult.model_validate(create_blocking_response(refusal))
        result = await call_next(ctx)
        if isinstance(result, CallToolResult) and not result.is_error:
            done = tracker.record_tool_call(params.name, params.arguments, ctx.request_id)
            if done.guidance is not None:
                result.content.append(TextContent(type="text", text=done.guidance))
        return result


client_log = ClientLog()
server = MCPServer(
    "notes",
    version="1.0.0",
    instructions="Keeps notes. Apply the prompt `guidance` first.",
    log_level="ERROR",
    extensions=[SessionGate()],
)


@server.prompt()
async def guidance(
    ctx: Context[Any], type: str = "session", lifecycle: str = "start"
) -> list[AssistantMessage]:
    """The current guidance."""
    try:
        composed = await compose(ctx, {"type": type, "lifecycle": lifecycle})
    except GuidanceValueError as error:
        raise MCPError(INVALID_PARAMS, str(error)) from error
    return [AssistantMessage(composed.content)] if composed.content else []


@server.tool()
def session_init() -> str:
    """Begin the session. Call this first."""
    return f"{len(notes)} notes so far."


@server.tool()
def list_hooks() -> list[str]:
    """List the ids of all guidance hooks."""
    return [hook.id for hook in registry.all()]


@server.tool()
def register_hook(
    tag: str,
    type: HookType,
    lifecycle: HookLifecycle,
    name: str,
    requirement_level: RequirementLevel,
    priority: int = 50,
    request_id: str | None = None,
) -> str:
    """Add a guidance hook whose text is in `<tag>.md`; returns its id."""
    if registry.size() >= MAX_HOOKS:
        raise ToolError(f"Cannot register hook {tag!r}: there are {MAX_HOOKS}, which is the most.")
    try:
        hook = registry.register(
            tag=tag,
            type=type,
            lifecycle=lifecycle,
            name=name,
            requirement_level=requirement_level,
            priority=priority,
            request_id=request_id,
        )
    except GuidanceValueError as error:
        raise ToolError(str(error)) from error
    return hook.id


@server.tool()
async def trigger_hooks(
    ctx: Context[Any], type: HookType, lifecycle: HookLifecycle, request_id: str | None = None
) -> str:
    """Get the guidance for a moment; for a running request, that of the request too."""
    query = {"type": type, "lifecycle": lifecycle, "request_id": request_id}
    try:
        composed = await compose(ctx, query)
    except GuidanceValueError as error:
        raise ToolError(str(error)) from error
    return composed.content or "No guidance for this moment."


@server.tool()
def add_note(text: Annotated[str, Field(max_length=MAX_NOTE_CHARS)]) -> str:
    """Keep a note."""
    if len(notes) >= MAX_NOTES:
        raise ToolError(f"Cannot keep the note: there are {MAX_NOTES}, which is the most.")
    notes.append(text)
    return f"{len(notes)} notes."


@server.tool()
def read_notes() -> list[str]:
    """Read all notes."""
    return notes


async def compose(ctx: Context[Any], query: dict[str, Any]) -> ComposedHooks:
    """Compose the hooks that apply; log to the client those left out, and why."""
    notices: list[tuple[LoggingLevel, str]] = []
    # A loader of its own for each request, so that an edited text counts at once.
    loader = create_content_loader(
        base_path=TEXTS, log=lambda level, message: notices.append((level, message))
    )
    composer = create_composer(notify=lambda notice: notices.append(("notice", notice)))
    hooks = registry.query(query, storage="memory", features=available_features(ctx))
    composed = composer.compose(await loader.load_all(hooks))
    for level, message in notices:
        await client_log.send(ctx, level, message)
    return composed


def available_features(ctx: Context[Any]) -> list[McpFeature]:
    """Return the features of this server, and those that the client declares."""
    features: list[McpFeature] = ["tools", "prompts"]
    session = ctx.request_context.session
    if session.check_client_capability(ClientCapabilities(sampling=SamplingCapability())):
        features.append("sampling")
    if session.check_client_capability(ClientCapabilities(elicitation=ElicitationCapability())):
        features.append("elicitation")
    return features


# Clients from before 2026-07-28 ask for this, and `MCPServer` has no public way to answer.
server._lowlevel_server.add_request_handler(
    "logging/setLevel", SetLevelRequestParams, client_log.set_level
)

if __name__ == "__main__":
    server.run()
