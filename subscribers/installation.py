"""Installation of the bridge: connect a bus to a tracer provider."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import metadata
from weakref import WeakKeyDictionary

from opentelemetry import metrics, trace
from opentelemetry.metrics import MeterProvider
from opentelemetry.trace import ProxyTracerProvider, Tracer, TracerProvider

import instrument
from instrument import Bus
from instrument.default import bus as default_bus
from subscribers.bridge.bridge import Bridge
from subscribers.bridge.metrics import Metrics
from subscribers.bridge.moments import LiveRecords
from subscribers.bridge.prices import PriceList, load_prices
from subscribers.bridge.sessions import Details
from subscribers.bridge.spans import BRIDGE_SCOPE
from subscribers.content.redaction import Redactor
from subscribers.errors import PriceError
from subscribers.options import Options, read_options
from subscribers.spec.engine import Engine
from subscribers.spec.loader import usable_spec
from subscribers.spec.model import Spec

_logger = logging.getLogger("inspector")

SEMCONV_BASELINE = "genai-dev@6fd0d763"

_connected: WeakKeyDictionary[Bus, list[tuple[TracerProvider, Callable[[], None]]]] = (
    WeakKeyDictionary()
)
"""Connections of each bus: a second one to the same provider would double each span."""


def is_connected(bus: Bus | None, tracer_provider: TracerProvider | None) -> bool:
    """Return whether `bus` is connected to that provider already."""
    provider = tracer_provider or trace.get_tracer_provider()
    return any(one is provider for one, _ in _connected.get(bus or default_bus, ()))


def connected(
    bus: Bus | None, tracer_provider: TracerProvider | None, off: Callable[[], None]
) -> Callable[[], None]:
    """Register the connection; the returned function removes it and calls `off`."""
    entry = (tracer_provider or trace.get_tracer_provider(), off)
    entries = _connected.setdefault(bus or default_bus, [])
    entries.append(entry)

    def disconnect() -> None:
        if entry in entries:
            entries.remove(entry)
        off()

    return disconnect


def disconnect_others(bus: Bus | None, provider: TracerProvider) -> None:
    """Disconnect the bridges of `bus` from `provider`, or from the proxy of the global one."""
    entries = _connected.get(bus or default_bus, [])
    is_global = provider is trace.get_tracer_provider()
    for entry in [*entries]:
        if entry[0] is provider or (is_global and isinstance(entry[0], ProxyTracerProvider)):
            entries.remove(entry)
            entry[1]()


def make_bridge(
    *,
    tracer_provider: TracerProvider | None,
    options: Options | None,
    redactor: Redactor | None,
    live: LiveRecords | None,
    session_id: Callable[[], str | None] | None,
    session_details: Details | None = None,
    spec: Spec | None = None,
    meter_provider: MeterProvider | None = None,
) -> Bridge:
    """Make a bridge without a bus; see `subscribers.install`."""
    options = options or read_options()
    engine = Engine(spec or usable_spec(), options, redactor)
    meter = (
        metrics.get_meter(BRIDGE_SCOPE, _version(), meter_provider) if options.has_metrics else None
    )
    return Bridge(
        engine,
        bridge_tracer(tracer_provider),
        live=live,
        session_id=session_id,
        session_details=session_details,
        metrics=None if meter is None else Metrics(meter),
        prices=_prices(options.prices_file),
    )


def bridge_tracer(tracer_provider: TracerProvider | None) -> Tracer:
    """Return the tracer of a bridge to that provider; None: to the global one."""
    return trace.get_tracer(
        BRIDGE_SCOPE,
        _version(),
        tracer_provider,
        attributes={
            "inspector.contract.version": instrument.CONTRACT_VERSION,
            "inspector.semconv": SEMCONV_BASELINE,
        },
    )


def _prices(file: str | None) -> PriceList | None:
    """Read the price file; a bad one is logged and ignored, as it must not stop the agent."""
    try:
        return load_prices(file) if file is not None else None
    except PriceError as error:
        _logger.warning("Costs are not computed. %s", error)
        return None


def _version() -> str:
    try:
        return metadata.version("mcp-agent-inspector")
    except metadata.PackageNotFoundError:
        return ""
