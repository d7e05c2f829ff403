"""Connect a bus to a tracer provider."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import metadata

from opentelemetry import metrics, trace
from opentelemetry.metrics import MeterProvider
from opentelemetry.trace import TracerProvider

import instrument
from instrument import Bus
from instrument.default import bus as default_bus
from subscribers.bridge import Bridge
from subscribers.engine import Engine
from subscribers.errors import PriceError
from subscribers.metrics import Metrics
from subscribers.moments import LiveRecords
from subscribers.options import Options, read_options
from subscribers.prices import PriceList, load_prices
from subscribers.redaction import Redactor
from subscribers.spans import BRIDGE_SCOPE
from subscribers.spec import Spec
from subscribers.spec_loader import usable_spec

_logger = logging.getLogger("inspector")

SEMCONV_BASELINE = "genai-dev@6fd0d763"


def connect(
    bus: Bus | None,
    *,
    tracer_provider: TracerProvider | None,
    options: Options | None,
    redactor: Redactor | None,
    live: LiveRecords | None,
    session_id: Callable[[], str | None] | None,
    spec: Spec | None,
    meter_provider: MeterProvider | None = None,
) -> Callable[[], None]:
    """Make a bridge and subscribe it; see `subscribers.install`."""
    bridge = make_bridge(
        tracer_provider=tracer_provider,
        options=options,
        redactor=redactor,
        live=live,
        session_id=session_id,
        spec=spec,
        meter_provider=meter_provider,
    )
    return bridge.subscribe(bus or default_bus)


def make_bridge(
    *,
    tracer_provider: TracerProvider | None,
    options: Options | None,
    redactor: Redactor | None,
    live: LiveRecords | None,
    session_id: Callable[[], str | None] | None,
    spec: Spec | None,
    meter_provider: MeterProvider | None = None,
) -> Bridge:
    """Make a bridge that no bus feeds yet; see `subscribers.install`."""
    options = options or read_options()
    engine = Engine(spec or usable_spec(), options, redactor)
    tracer = trace.get_tracer(
        BRIDGE_SCOPE,
        _version(),
        tracer_provider,
        attributes={
            "inspector.contract.version": instrument.CONTRACT_VERSION,
            "inspector.semconv": SEMCONV_BASELINE,
        },
    )
    return Bridge(
        engine,
        tracer,
        live=live,
        session_id=session_id,
        metrics=_metrics(meter_provider) if options.has_metrics else None,
        prices=_prices(options.prices_file),
    )


def _metrics(meter_provider: MeterProvider | None) -> Metrics:
    return Metrics(metrics.get_meter(BRIDGE_SCOPE, _version(), meter_provider))


def _prices(file: str | None) -> PriceList | None:
    """Read the price file; a bad one is told and left out, it must not stop the agent."""
    try:
        return load_prices(file) if file is not None else None
    except PriceError as error:
        _logger.warning("No costs are worked out. %s", error)
        return None


def _version() -> str:
    try:
        return metadata.version("mcp-agent-inspector")
    except metadata.PackageNotFoundError:
        return ""
