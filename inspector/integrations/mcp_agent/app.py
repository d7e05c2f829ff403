"""Patches of the application: its session and its `inspector:` settings section."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from inspector.integrations.mcp_agent.arguments import context_of, engine_of, session_of
from inspector.integrations.mcp_agent.patches import Function, PatchContext
from inspector.integrations.session import in_session

if TYPE_CHECKING:
    from inspector.attach import Handle

_logger = logging.getLogger("inspector")

_KEYS = {"enabled", "capture", "semconv", "service_name"}


def run(patch: PatchContext, original: Function) -> Function:
    """`MCPApp.run`: one session, from its beginning to its end."""

    @asynccontextmanager
    async def patched(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        async with original(*args, **kwargs) as app:
            # Read now: at the end the context is gone.
            with in_session(getattr(app, "session_id", None)):
                session_id = session_of(app)
                metadata = {"app_name": app.name, "engine": engine_of(app), "title": app.name}
                await patch.bus._emit("session_started", session_id=session_id, metadata=metadata)
                status, error = "completed", None
                try:
                    yield app
                except BaseException as raised:
                    is_end = isinstance(raised, asyncio.CancelledError | GeneratorExit)
                    status, error = ("cancelled", None) if is_end else ("failed", raised)
                    raise
                finally:  # which may be a cancellation: nothing is awaited
                    patch.bus._emit_sync(
                        "session_finished", session_id=session_id, status=status, error=error
                    )

    return patched


class Section:
    """Attaches once where the settings of an app ask for it, until `close`."""

    def __init__(self) -> None:
        self._handle: Handle | None = None
        self.is_attaching = False
        """Whether this section attaches now."""

    def apply(self, settings: Any, bus: Any) -> None:
        """Apply the `inspector:` section of mcp_agent.config.yaml. Nothing is raised.

        Environment variables win over it, and `attach` in the program over both. The address and
        the token are never read from here: such files are checked out with a repository.
        """
        section = getattr(settings, "inspector", None)
        if self._handle is not None or not isinstance(section, Mapping):
            return
        unknown = sorted(str(key) for key in section.keys() - _KEYS)
        if unknown:
            _logger.warning(
                "Unknown keys below inspector: in mcp_agent.config.yaml: %s. Known: %s; set the "
                "address and the token with INSPECTOR_URL and INSPECTOR_TOKEN.",
                ", ".join(unknown),
                ", ".join(sorted(_KEYS)),
            )
        if section.get("enabled") is True:
            self.is_attaching = True
            try:
                self._handle = _attach(section, bus)
            except Exception as error:  # noqa: BLE001 - never into the program that is watched
                _logger.warning(
                    "Cannot attach with the settings in mcp_agent.config.yaml: %s", error
                )
            finally:
                self.is_attaching = False

    def close(self) -> None:
        """Detach again. Idempotent."""
        handle, self._handle = self._handle, None
        if handle is not None:
            handle.detach()


def _attach(section: Mapping[str, Any], bus: Any) -> Handle:
    from inspector.attach import attach  # noqa: PLC0415 - it loads adapters
    from subscribers.options import Capture, read_options  # noqa: PLC0415 - only if enabled

    # The program does not attach: no content, unless the file or the environment asks for it.
    default = Capture(section.get("capture") or Capture.OFF)
    options = read_options(default_capture=default)
    return attach(
        capture=options.capture,
        semconv=section.get("semconv"),
        service_name=section.get("service_name"),
        bus=bus,
    )


def initialize(section: Section, patch: PatchContext, original: Function) -> Function:
    """`MCPApp.initialize`: applies our section of its settings."""

    async def patched(*args: Any, **kwargs: Any) -> Any:
        section.apply(getattr(args[0], "config", None), patch.bus)
        result = await original(*args, **kwargs)
        context = context_of(args[0])
        if context is not None and (quiet := _quiet_tracer(context)) is not None:
            context.tracer = quiet
        return result

    return patched


def get_tracer(_: PatchContext, original: Function) -> Function:
    """`get_tracer` of `agents.agent`, which calls it before an agent has a context."""

    def patched(context: Any) -> Any:
        quiet = _quiet_tracer(context)
        return original(context) if quiet is None else quiet

    return patched


def _quiet_tracer(context: Any) -> Any:
    """Return a tracer without spans for an app whose tracing is off; None where it is on.

    Otherwise our tracer provider would make mcp-agent report each call a second time.
    """
    if getattr(context, "tracer", None) or getattr(context, "tracing_enabled", False):
        return None
    try:
        from opentelemetry.trace import NoOpTracer  # noqa: PLC0415 - mcp-agent has it
    except ImportError:
        return None
    return NoOpTracer()
