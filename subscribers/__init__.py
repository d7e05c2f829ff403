"""Subscribers that turn hooks into OpenTelemetry spans.

Importing this package, and reading the spec, needs only the standard library; `install` needs
`mcp-agent-inspector[otel]`, and logs when it is missing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from instrument.default import bus as default_bus
from subscribers.content.redaction import Redactor
from subscribers.errors import PriceError, SpecError, SubscribersError
from subscribers.options import Capture, Options, SpanMode, Vocabulary, read_options
from subscribers.spec.loader import load_spec
from subscribers.spec.model import Spec
from subscribers.state import capture_state, dump_state_to_span

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from instrument import Bus
    from subscribers.bridge.moments import LiveRecords

__all__ = [
    "Capture",
    "Options",
    "PriceError",
    "Redactor",
    "SpanMode",
    "Spec",
    "SpecError",
    "SubscribersError",
    "Vocabulary",
    "capture_state",
    "dump_state_to_span",
    "extract",
    "inject",
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
    session_details: Callable[[], Mapping[str, Any]] | None = None,
    spec: Spec | None = None,
    meter_provider: MeterProvider | None = None,
) -> Callable[[], None]:
    """Turn the hooks of `bus` into spans.

    Args:
        bus: Default: the shared one.
        tracer_provider: Default: OpenTelemetry's global one.
        options: Vocabulary and content capture; default: from the environment, without content.
        redactor: Default: the built-in patterns.
        live: Receives live records of running spans; default: none.
        session_id: Called for the session of every span; `None` and `"unknown"` mean none.
        session_details: Called for what is known of the session: its `user`, `tags` and `title`.
        spec: Default: the built-in one, with the additions and changes of the file named by
            `INSPECTOR_TELEMETRY_SPEC`. A wrong file is logged as a warning and ignored.
        meter_provider: For metrics, where `options` enable them; default: the global one.

    Returns:
        A function that stops, and ends the open spans. Idempotent. It does nothing where nothing
        was installed: without OpenTelemetry, which is logged, and where that provider traces the
        bus already, by this or by `inspector.attach`.
    """
    try:
        from subscribers import installation  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        _check_otel_is_missing(error)
        _logger.warning(
            "Hooks are not traced: OpenTelemetry is not installed. Run: pip install "
            "'mcp-agent-inspector[otel]'"
        )
        return lambda: None
    if installation.is_connected(bus, tracer_provider):
        _logger.info("The hooks of this bus are already traced; nothing changes.")
        return lambda: None
    bridge = installation.make_bridge(
        tracer_provider=tracer_provider,
        options=options,
        redactor=redactor,
        live=live,
        session_id=session_id,
        session_details=session_details,
        spec=spec,
        meter_provider=meter_provider,
    )
    return installation.connected(bus, tracer_provider, bridge.subscribe(bus or default_bus))


def inject(meta: MutableMapping[str, Any] | None) -> None:
    """Write the current span into the `_meta` of an MCP message, so its handling joins the trace.

    Call it inside the operation that sends (`rpc_request`, or the `tool_call` around it). An
    existing `traceparent`, and everything else in `meta`, stays. Nothing is written without
    OpenTelemetry, without a span, or if `meta` is not a mapping. Source: MCP's SEP-414.
    """
    try:
        from subscribers.bridge import propagation  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        _check_otel_is_missing(error)
        return
    propagation.inject(meta)


def extract(meta: Any) -> Context | None:
    """Return the current context with the parent span named by a received `_meta`.

    For servers that make their own spans: `tracer.start_as_current_span(name, context=…)`. The
    bridge does this itself on `before_rpc_handle`. None, which means the current context, if `meta`
    names no span in W3C's form.
    """
    try:
        from subscribers.bridge import propagation  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        _check_otel_is_missing(error)
        return None
    return propagation.extract(meta)


def _check_otel_is_missing(error: ModuleNotFoundError) -> None:
    """Raise `error` unless OpenTelemetry is the missing module."""
    if not (error.name or "").startswith("opentelemetry"):
        raise error
