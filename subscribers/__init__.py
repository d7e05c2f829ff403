"""Subscribers turn hooks into OpenTelemetry spans.

Importing this package, and reading the spec, needs nothing but the standard library; `install`
needs `mcp-agent-inspector[otel]` and says so when it is missing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from subscribers.errors import SpecError, SubscribersError
from subscribers.options import Capture, Options, Vocabulary, read_options
from subscribers.redaction import Redactor
from subscribers.spec import Spec
from subscribers.spec_loader import load_spec
from subscribers.state import capture_state, dump_state_to_span

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

    from instrument import Bus
    from subscribers.bridge import LiveRecords

__all__ = [
    "Capture",
    "Options",
    "Redactor",
    "Spec",
    "SpecError",
    "SubscribersError",
    "Vocabulary",
    "capture_state",
    "dump_state_to_span",
    "install",
    "load_spec",
    "read_options",
]

_logger = logging.getLogger("inspector")


def install(
    bus: Bus | None = None,
    *,
    tracer_provider: TracerProvider | None = None,
    options: Options | None = None,
    redactor: Redactor | None = None,
    live: LiveRecords | None = None,
    session_id: Callable[[], str | None] | None = None,
    spec: Spec | None = None,
) -> Callable[[], None]:
    """Make spans of the hooks of `bus`.

    Args:
        bus: Default: the bus that everybody shares.
        tracer_provider: Default: OpenTelemetry's global one.
        options: Vocabulary and content capture; default: from the environment, without content.
        redactor: Default: the built-in patterns.
        live: Told about what is not over yet; default: nobody.
        session_id: Asked for the session on every span; `None` and `"unknown"` mean none.
        spec: Default: the one shipped, with what the file named by `INSPECTOR_TELEMETRY_SPEC`
            adds and changes. A file that is wrong is told in one warning and left out.

    Returns:
        A function that stops, and ends the spans that are open. Idempotent. Without OpenTelemetry
        nothing is installed, which is logged once, and it does nothing.
    """
    try:
        from subscribers.installation import connect  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("opentelemetry"):
            raise
        _logger.warning(
            "Hooks are not traced: OpenTelemetry is missing. "
            "Install it with: pip install 'mcp-agent-inspector[otel]'"
        )
        return lambda: None
    return connect(
        bus,
        tracer_provider=tracer_provider,
        options=options,
        redactor=redactor,
        live=live,
        session_id=session_id,
        spec=spec,
    )
