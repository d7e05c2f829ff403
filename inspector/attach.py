"""`attach()`: connect this process to an inspector service.

It never breaks, blocks or slows the program: a failure is one log line. An existing SDK provider
keeps its sampler, resource and processors; without one, a new provider is made and set global.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from inspector import context, runfile
from inspector.agent_side.adapters import (
    AUTO_ATTACH,
    ENABLE_PATCH,
    Adapter,
    attach_all,
    load_adapter,
    select_adapters,
)
from inspector.agent_side.instrumentors import (
    AUTO_INSTRUMENT,
    Library,
    instrument_all,
    libraries_of_environment,
    select_libraries,
)
from inspector.agent_side.policies import install as install_policies
from inspector.agent_side.servers import pass_on
from inspector.runfile import environment_token
from instrument.default import bus as default_bus
from subscribers import Capture, Redactor, read_options
from subscribers.exits import at_exit, not_at_exit
from subscribers.options import Options, exit_timeout_s, is_on

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

    from inspector.agent_side.control.control import Control
    from instrument import Bus
    from subscribers.send.delivery import Delivery
    from subscribers.wiring import Wiring

_logger = logging.getLogger("inspector")

_lock = Lock()


@dataclass(frozen=True, slots=True)
class Destination:
    """The service that receives the telemetry."""

    url: str
    token: str | None
    is_named: bool
    """Whether the caller or the environment names it; else it was found, and may move."""


class Handle:
    """An attachment; `url` is None when there is no service to attach to."""

    def __init__(
        self, url: str | None, undo: Callable[[], None], delivery: Delivery | None
    ) -> None:
        self.url = url
        self._undo: Callable[[], None] | None = undo
        self._delivery = delivery

    def __repr__(self) -> str:
        if not self.is_attached:
            return "<inspector: not attached>"
        return f"<inspector: attached to {Redactor().text(str(self.url))}>"

    @property
    def is_attached(self) -> bool:
        """Whether telemetry is sent to a service."""
        return self.url is not None and self._undo is not None

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until everything so far is sent; return False if that takes longer."""
        return self._delivery is None or self._delivery.flush(timeout_s)

    def detach(self) -> None:
        """End open spans, send the rest and stop watching; idempotent.

        It takes `INSPECTOR_EXIT_TIMEOUT_S` at most, 1 s by default.
        """
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()


def attach(
    url: str | None = None,
    *,
    token: str | None = None,
    set_global: bool = True,
    capture: str | None = None,
    semconv: str | None = None,
    service_name: str | None = None,
    bus: Bus | None = None,
    tracer_provider: TracerProvider | None = None,
    redactor: Redactor | None = None,
    policies: bool = True,
    control: bool | None = None,
    integrations: str | Iterable[str] | None = None,
    instrumentors: str | Iterable[str] | None = None,
) -> Handle:
    """Send this process's telemetry to an Inspector service.

    Args:
        url: Base address of the service; default: `INSPECTOR_URL`, else the service that runs
            here, else nothing is sent; one INFO line says so, and one on a terminal. Policies, and
            hooks that are on the bus by then, decide about frameworks nevertheless.
        token: Default: `INSPECTOR_TOKEN`, else what is in the file that `INSPECTOR_TOKEN_FILE`
            names, else that of the service that runs here.
        set_global: Make a new provider OpenTelemetry's global one. An existing one is not replaced.
        capture: `full`, `redacted` or `off` for prompts, arguments and results; default: the
            environment's, else `redacted`. Spans of other instrumentations too: `redacted` and
            `off` scrub secrets from their strings, `off` drops what is known to be content.
        semconv: `dup`, `current` or `legacy`; default: `INSPECTOR_SEMCONV`, else `dup`.
        service_name: Default: `OTEL_SERVICE_NAME`, else the name of the script.
        bus: Whose hooks to watch; default: the one that everybody shares.
        tracer_provider: Use this SDK provider instead of the global one.
        redactor: Replaces the built-in removal of secrets; also called on the sender's thread.
        policies: Let the policies of `inspector.toml` act, also where no service runs; see
            `docs/guide/policies.md`.
        control: Let people who look at the inspector answer what is asked on the bus, and pause,
            step and cancel sessions; default: `INSPECTOR_CONTROL`, else on. With no service
            nothing is asked, and nothing costs anything.
        integrations: Which agent frameworks are watched, as soon as the program has imported
            them: names such as `["langchain", "mcp"]`, `"auto"` for all that are installed,
            `"off"`; default: `INSPECTOR_AUTO_ATTACH`, else `"auto"`. See `docs/frameworks.md`.
        instrumentors: Which model clients and frameworks without an adapter are watched, as soon
            as the program has imported them, by OpenTelemetry instrumentors that are installed:
            names such as `["groq", "dspy"]`, `"on"` for all, `"off"`; default:
            `INSPECTOR_AUTO_INSTRUMENT`, else `"off"`; `inspector run` has them on. Those that the
            program has switched on, now or later, are its own.

    Returns:
        A handle; `detach()` undoes it. Attached already: the same handle.

    Raises:
        ValueError: `capture` or `semconv` is not one of its values, or `integrations` or
            `instrumentors` names something that is not known.
    """
    adapters = _adapters_of_environment() if integrations is None else select_adapters(integrations)
    libraries = (
        _libraries_of_environment() if instrumentors is None else select_libraries(instrumentors)
    )
    options = read_options(semconv=semconv, capture=capture, default_capture=Capture.REDACTED)
    undo = ExitStack()
    undo.callback(install_policies(bus) if policies else lambda: None)
    undo.callback(_watch_mcp_agent(adapters, bus))
    service = _service_to_use(url, token)
    if service is None:
        return _unwatched(adapters, bus, undo)
    with _lock:
        key = id(bus)
        handle = _attached.get(key)
        if handle is not None and handle.is_attached:
            undo.close()  # that handle has them
            return handle
        try:
            from subscribers.wiring import wire  # noqa: PLC0415 - needs the extra
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(("opentelemetry", "requests")):
                raise
            _logger.warning(
                "Cannot attach to the Inspector service at %s: OpenTelemetry is not installed. "
                "Run: pip install 'mcp-agent-inspector[otel]'",
                service.url,
            )
            return _unwatched(adapters, bus, undo)
        active_control: Control | None = None

        def start_control() -> None:
            if active_control is not None:
                active_control.start()

        wiring = wire(
            service.url,
            service.token,
            options=options,
            set_global=set_global,
            service_name=service_name,
            bus=bus,
            tracer_provider=tracer_provider,
            redactor=redactor,
            session_id=context.get,
            session_details=context.details,
            on_start=start_control,
        )
        if is_on("INSPECTOR_CONTROL", os.environ, default=True) if control is None else control:
            find = (lambda: service) if service.is_named else partial(find_service, url, token)
            active_control = _control(bus or default_bus, wiring, find, options)
            start_control()
        undo.callback(pass_on(service.url, options.capture))
        undo.callback(attach_all(adapters, bus=bus))
        target = None if set_global and tracer_provider is None else wiring.provider
        undo.callback(instrument_all(libraries, tracer_provider=target))
        ending = _ending(undo.close, active_control, wiring)
        handle = _attached[key] = Handle(service.url, ending, wiring.delivery)
        return handle


def _adapters_of_environment() -> tuple[Adapter, ...]:
    try:
        return select_adapters(os.environ.get(AUTO_ATTACH))
    except ValueError as error:  # the environment of a program must not stop it
        _logger.warning("%s: %s All installed frameworks are watched.", AUTO_ATTACH, error)
        return select_adapters(None)


def _libraries_of_environment() -> tuple[Library, ...]:
    try:
        return libraries_of_environment("off")
    except ValueError as error:
        _logger.warning("%s: %s No instrumentors are enabled.", AUTO_INSTRUMENT, error)
        return ()


def _unwatched(adapters: Iterable[Adapter], bus: Bus | None, undo: ExitStack) -> Handle:
    """Let hooks on the bus decide about frameworks without a service too."""
    if (bus or default_bus)._hooks:
        undo.callback(attach_all(adapters, bus=bus))
    return Handle(None, undo.close, None)


def _watch_mcp_agent(adapters: Iterable[Adapter], bus: Bus | None) -> Callable[[], None]:
    """Attach the shim for mcp-agent if it is switched on, or if the framework has hooks already.

    It works without a service too: our bus is then that of mcp-agent, for policies and others.
    """
    is_enabled = is_on(ENABLE_PATCH, os.environ, default=False) and any(
        one.name == "mcp_agent" for one in adapters
    )
    if not is_enabled and "mcp_agent.core.instrument" not in sys.modules:
        return lambda: None
    try:
        detach: Callable[[], None] = load_adapter("mcp_agent").attach(bus)
        return detach
    except Exception as error:  # noqa: BLE001 - never into the program that is watched
        _logger.warning("Cannot watch mcp-agent (%s: %s).", type(error).__name__, error)
        return lambda: None


def _control(
    bus: Bus, wiring: Wiring, find: Callable[[], Destination | None], options: Options
) -> Control | None:
    # Imported here: without a service none of it is needed.
    from inspector.agent_side.control.control import control_of  # noqa: PLC0415
    from inspector.agent_side.control.http_connection import Address  # noqa: PLC0415

    def address() -> Address | None:
        now = find()
        return None if now is None else Address(now.url, now.token)

    return control_of(bus, wiring, address, keeps_args=options.capture is Capture.FULL)


def _ending(
    first: Callable[[], None], control: Control | None, wiring: Wiring
) -> Callable[[], None]:
    """Return a function that ends everything in `exit_timeout_s`; register it for the exit."""

    def undo() -> None:
        not_at_exit(undo)
        end_s = monotonic() + exit_timeout_s()
        first()
        if control is not None:
            control.begin_close()  # in the background, while telemetry is sent
        wiring.undo()
        if control is not None:
            control.finish_close(end_s - monotonic())

    # After `wire` has registered its own: handlers run in reverse order.
    at_exit(undo)
    return undo


_attached: dict[int, Handle] = {}
"""Handles by bus: attaching twice to one bus would show everything twice."""


def is_attaching() -> bool:
    """Return whether a call of `attach` is running."""
    return _lock.locked()


def has_sent_or_reported_loss() -> bool:
    """Return whether the service has accepted spans of this process, or their loss is logged."""
    deliveries = [one._delivery for one in _attached.values()]
    return any(one.sent_spans or one.lost for one in deliveries if one is not None)


def _service_to_use(url: str | None, token: str | None) -> Destination | None:
    """Return the service to attach to, or log why there is none."""
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        _logger.info("OTEL_SDK_DISABLED is set: this process is not watched.")
        return None
    service = find_service(url, token)
    if service is None:
        _report_unwatched()
    elif not runfile.is_address(service.url):
        _logger.warning(
            "Cannot attach to %r: not an http(s) address. Set INSPECTOR_URL to one, such as "
            "http://127.0.0.1:7800.",
            Redactor().text(service.url),
        )
        return None
    return service


def _report_unwatched() -> None:
    _logger.info(
        "No Inspector service is running and INSPECTOR_URL is not set: this process is not watched."
    )
    with suppress(AttributeError, OSError, ValueError):  # no stderr, or a closed one
        if not runfile.is_absence_reported and sys.stderr.isatty():
            runfile.is_absence_reported = True
            sys.stderr.write(
                "inspector: no service is running and INSPECTOR_URL is not set, so this process "
                "is not watched. Start one: inspector serve\n"
            )


def find_service(url: str | None = None, token: str | None = None) -> Destination | None:
    """Return the service of the argument, else of the environment, else of the run-file."""
    address = url or os.environ.get("INSPECTOR_URL", "").strip() or None
    token = token or environment_token()
    running = runfile.read()
    if address is None:
        if running is None:
            return None
        return Destination(running.url, token or running.token, is_named=False)
    address = address.rstrip("/")
    if token is None and running is not None and running.url == address:
        token = running.token
    return Destination(address, token, is_named=True)
