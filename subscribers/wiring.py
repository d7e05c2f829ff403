"""Wiring between a bus and an inspector: provider, processor, delivery, bridge."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from weakref import WeakSet

from opentelemetry import trace
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, DEFAULT_ON

from instrument import Bus
from instrument.default import bus as default_bus
from subscribers.bridge.location import OpenOperation, TraceLocation
from subscribers.bridge.sessions import Details
from subscribers.content.redaction import Redactor
from subscribers.exits import at_exit, not_at_exit
from subscribers.global_provider import join, when_replaced
from subscribers.global_provider import set_global as set_global_provider
from subscribers.installation import bridge_tracer, connected, disconnect_others, make_bridge
from subscribers.logs import scrub_logs_of_hooks
from subscribers.options import Capture, Options
from subscribers.send.delivery import Delivery, Limits
from subscribers.send.foreign import ForeignContent
from subscribers.send.live import LiveSpanProcessor
from subscribers.send.otlp import OtlpTarget, with_resource
from subscribers.send.process import INSTANCE_ID, ProcessIdentity
from subscribers.send.process_session import session_of_process
from subscribers.send.targets import BoundedProcessor, standard_target

_logger = logging.getLogger("inspector")


class ProcessName(NamedTuple):
    """The name of this process in telemetry."""

    id: str
    """`service.instance.id`"""
    service: str


@dataclass(frozen=True, slots=True)
class Wiring:
    """A running connection; `undo` ends it within a second."""

    delivery: Delivery
    undo: Callable[[], None]
    location_of: Callable[[str | None], TraceLocation]
    """Returns the location of an operation by its call id, or of the running code."""
    open_operations: Callable[[], list[OpenOperation]]
    process: Callable[[], ProcessName]
    """Returns the current name, which changes with `fork`."""
    provider: TracerProvider
    """The one that its spans began at first."""


def wire(
    url: str,
    token: str | None,
    *,
    options: Options,
    set_global: bool,
    service_name: str | None = None,
    bus: Bus | None = None,
    tracer_provider: TracerProvider | None = None,
    redactor: Redactor | None = None,
    session_id: Callable[[], str | None] | None = None,
    session_details: Details | None = None,
    limits: Limits | None = None,
    on_start: Callable[[], None] | None = None,
) -> Wiring:
    """Send the spans of a provider, and the hooks of `bus` as spans, to the inspector at `url`.

    See `inspector.attach` for the arguments. An SDK provider that is already global is used;
    otherwise one is made. `on_start` is called when sending starts: now, and in each forked child
    that sends something.
    """
    redactor = redactor or Redactor()
    identity = ProcessIdentity(None if options.capture is Capture.FULL else redactor)
    existing = tracer_provider or _global_sdk_provider()
    provider = existing or _make_provider(identity, service_name, set_global=set_global)
    if existing is not None:
        _log_sampling(existing)
    current = provider

    def resource() -> Resource:
        return identity.complete(current.resource)

    treat = ForeignContent(options.capture, redactor)
    of_process = session_of_process()
    delivery = Delivery(
        OtlpTarget(url, token, identity),
        resource,
        limits,
        treat=treat,
        on_start=on_start,
        ending=dict if of_process is None else of_process.ending,
    )
    processor = LiveSpanProcessor(delivery, resource, session_id, session_details, of_process)
    provider.add_span_processor(processor)
    other = _add_standard_target(provider, _sendable(treat, identity), url)
    bridge = make_bridge(
        tracer_provider=provider,
        options=options,
        redactor=redactor,
        live=processor,
        session_id=session_id,
        session_details=session_details,
    )

    def follow(theirs: trace.TracerProvider) -> None:
        nonlocal current
        joined = join(theirs, provider, processor)
        if joined is None:
            return
        current, bridge.tracer = joined, bridge_tracer(joined)
        _log_sampling(joined)
        if other is not None:
            other.begin_shutdown()  # a provider of the user has its own targets

    stop_following = when_replaced(provider, follow)
    disconnect_others(bus, provider)  # this one reports more
    off = connected(bus, provider, bridge.subscribe(bus or default_bus))
    delivery.start()
    loud = scrub_logs_of_hooks(redactor)

    def undo() -> None:
        not_at_exit(undo)
        stop_following()
        off()
        loud()
        if other is not None:
            other.begin_shutdown()  # so that both shut down in the same second
        processor.shutdown()
        if other is not None:
            other.shutdown()

    # Before the provider's own exit handler: open spans must end while processors still listen.
    at_exit(undo)

    def process() -> ProcessName:
        named = resource().attributes
        return ProcessName(str(named.get(INSTANCE_ID, "")), str(named.get(SERVICE_NAME, "")))

    locate = bridge.location_of
    location_of = locate if of_process is None else of_process.locating(locate)
    return Wiring(delivery, undo, location_of, bridge.open_operations, process, provider)


_made: WeakSet[TracerProvider] = WeakSet()
"""Providers made here."""


def _add_standard_target(
    provider: TracerProvider, treat: Callable[[ReadableSpan], ReadableSpan], url: str
) -> BoundedProcessor | None:
    if provider not in _made:  # a provider of the user has its own targets
        return None
    target = standard_target(treat, inspector_url=url)
    if target is not None:
        provider.add_span_processor(target)
    return target


def _sendable(
    treat: ForeignContent, identity: ProcessIdentity
) -> Callable[[ReadableSpan], ReadableSpan]:
    def sendable(span: ReadableSpan) -> ReadableSpan:
        treated = treat(span)
        assert isinstance(treated, ReadableSpan)  # it treats a span
        return with_resource(treated, identity.complete(treated.resource))

    return sendable


def _global_sdk_provider() -> TracerProvider | None:
    provider = trace.get_tracer_provider()
    return provider if isinstance(provider, TracerProvider) else None


def _make_provider(
    identity: ProcessIdentity, service_name: str | None, *, set_global: bool
) -> TracerProvider:
    attributes = identity.attributes()
    if name := service_name or os.environ.get("OTEL_SERVICE_NAME") or _script_name():
        attributes[SERVICE_NAME] = name
    provider = TracerProvider(resource=Resource.create(attributes))
    _made.add(provider)
    if set_global:
        set_global_provider(provider)
    return provider


def _script_name() -> str | None:
    """Name the program: `my_agent` for `python my_agent.py`, `pkg` for `python -m pkg`."""
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    if spec is not None and spec.name:
        return str(spec.name).removesuffix(".__main__")
    stem = Path(sys.argv[0]).stem if sys.argv and sys.argv[0] else ""
    return stem if stem and stem != "-c" else None


def _log_sampling(provider: TracerProvider) -> None:
    if provider.sampler not in (ALWAYS_ON, DEFAULT_ON):
        _logger.info(
            "The tracer provider samples (%s): unsampled spans are not shown.",
            provider.sampler.get_description(),
        )
