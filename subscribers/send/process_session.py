"""The session of spans that begin a trace and name none: that of the script, or of the notebook.

A script that calls a model twice has done one thing, which is two traces. A process that serves
does something else for each request, so there each trace is a session of its own.
"""

from __future__ import annotations

import logging
import os
import sys
import uuid
from collections.abc import Callable, Container, Mapping
from time import monotonic
from typing import Any, TypeAlias

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind

from subscribers.bridge.location import TraceLocation
from subscribers.exits import multiprocessing_parent

_Locate: TypeAlias = Callable[[str | None], TraceLocation]

_logger = logging.getLogger("inspector")

RUN_ID = "inspector.run.id"
RUN_STATUS = "inspector.run.status"
VARIABLE = "INSPECTOR_SESSION"
RUN = "INSPECTOR_RUN_ID"
"""Variable with a random id of what `inspector run` started, for children by `multiprocessing`."""
PER_PROCESS, PER_TRACE = "per-process", "per-trace"
MODES = (PER_PROCESS, PER_TRACE)
IDLE_S = 30 * 60.0
"""Time after which somebody who goes on with a notebook begins something new."""
_REMEMBERED_TRACES = 256
_KERNEL = "ipykernel.kernelapp"
_SERVING = (
    *("uvicorn.lifespan", "hypercorn.asyncio", "daphne.server", "granian.server"),
    *("gunicorn.arbiter", "django.core.servers.basehttp", "werkzeug.serving", "celery.worker"),
    "_pytest.runner",
)
"""Modules that are imported where requests are served or tests are run, and hardly elsewhere."""
_PROGRAMS = frozenset({"flask", "streamlit", "chainlit", "unittest", "pytest", "py", "nose2"})


class ProcessSession:
    """Decides which spans are of the session of this process; forked ones go on with it."""

    def __init__(
        self, modules: Container[str], *, is_kernel: bool = False, run: str | None = None
    ) -> None:
        """Create one with the names of the modules that are imported, and the id of the run."""
        self._modules = modules
        self._is_kernel = is_kernel
        self._is_serving = program() in _PROGRAMS
        self._traces: dict[int, str | None] = {}
        """The session of each of the last traces that began here."""
        self._begun = 0
        """How many traces of the session began here."""
        self._run, self._made_in = run, os.getpid()
        self._id = self._id_in(self._made_in)
        self._active_s = monotonic()

    def id_of(self, span: ReadableSpan, parent_context: Context | None) -> str | None:
        """Return the session of a span that starts; None: its own trace or connection is one."""
        parent = trace.get_current_span(parent_context).get_span_context()
        context, is_remote = span.get_span_context(), False
        if parent.is_valid:
            is_remote = parent.is_remote and parent.trace_id not in self._traces
            if not is_remote:
                return None
        found = self._of_root(span, is_remote=is_remote)
        if context is not None:
            if len(self._traces) >= _REMEMBERED_TRACES:
                self._traces.pop(next(iter(self._traces)), None)
            self._traces[context.trace_id] = found
        return found

    def _of_root(self, span: ReadableSpan, *, is_remote: bool) -> str | None:
        # A script may hold a server of MCP that only its own agent calls.
        is_mcp = "mcp.method.name" in (span.attributes or {})
        self._is_serving = (
            self._is_serving
            or is_remote
            or (span.kind in (SpanKind.SERVER, SpanKind.CONSUMER) and not is_mcp)
            or any(name in self._modules for name in _SERVING)
        )
        if self._is_serving:
            return None
        if self._is_kernel and monotonic() - self._active_s > IDLE_S:
            self._id = _new_id()
        parent = multiprocessing_parent()
        if self._run and parent is not None and self._made_in == os.getpid():
            self._id = self._id_in(parent)  # spawned; one that is forked has the id already
        self.keep_active()
        self._begun += 1
        return self._id

    def ending(self) -> dict[str, str]:
        """Return how the session ends, for the last heartbeat: as the script does.

        Empty where that is not known. Of a script that ends well, its only trace knows better.
        """
        is_child = multiprocessing_parent() is not None or self._made_in != os.getpid()
        if is_child or self._is_kernel or self._is_serving:
            return {}
        raised = getattr(sys, "last_value", None)
        status = "completed" if raised is None else "failed"
        if isinstance(raised, KeyboardInterrupt):
            status = "cancelled"
        if status == "completed" and self._begun == 1:
            return {}
        return {RUN_ID: self._id, RUN_STATUS: status}

    def _id_in(self, pid: int) -> str:
        """Return the id of the session of a process, the same one in each of its children."""
        if not self._run:
            return _new_id()
        return _new_id(uuid.uuid5(uuid.NAMESPACE_OID, f"{self._run} {pid}"))

    def locating(self, location_of: _Locate) -> _Locate:
        """Return a function that names the run of the trace in what `location_of` returns, too."""

        def located(call_id: str | None) -> TraceLocation:
            location = location_of(call_id)
            run_id = location.trace_id and self._traces.get(int(location.trace_id, 16))
            return location._replace(run_id=run_id) if run_id else location

        return located

    def keep_active(self) -> None:
        """Say that something happens now."""
        self._active_s = monotonic()


def session_of_process(environ: Mapping[str, str] = os.environ) -> ProcessSession | None:
    """Return the session of this process, if its traces are to be one: see `INSPECTOR_SESSION`."""
    is_kernel = _KERNEL in sys.modules
    mode = environ.get(VARIABLE, "").strip().lower() or (PER_PROCESS if is_kernel else PER_TRACE)
    if mode not in MODES:
        _logger.warning("%s=%s is invalid: use %s or %s.", VARIABLE, mode, *MODES)
    if mode != PER_PROCESS:
        return None
    return ProcessSession(sys.modules, is_kernel=is_kernel, run=environ.get(RUN))


def program() -> str:
    """Return what runs, by the name of its package or file: `pytest`, `my_agent`."""
    spec: Any = getattr(sys.modules.get("__main__"), "__spec__", None)
    if spec is not None and spec.name:
        return str(spec.name).partition(".")[0]
    name = os.path.basename(sys.argv[0]) if sys.argv else ""  # noqa: PTH119 - it may be no path
    return name.partition(".")[0]


def _new_id(unique: uuid.UUID | None = None) -> str:
    return f"run-{(unique or uuid.uuid4()).hex[:16]}"
