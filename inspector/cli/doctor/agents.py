"""Checks of agents that start here: their OTLP, frameworks and policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from urllib.parse import urlsplit

from inspector import runfile
from inspector.agent_side.policies.explanation import lines, needs_prices
from inspector.agent_side.policies.locations import SWITCH, find_sources, is_switched_off
from inspector.agent_side.policies.sources import load
from inspector.cli.doctor.finding import FAIL, OK, WARN, CheckResult
from inspector.cli.doctor.probe import health, listens
from inspector.cli.doctor.service import without_user
from inspector.errors import PolicyError
from inspector.runfile import environment_token
from inspector.service.settings import Settings

_EXTRAS = {"serve": "uvicorn", "mcp": "mcp", "otel": "opentelemetry-sdk"}


def examine_senders(settings: Settings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Check the target of a stock OpenTelemetry SDK that starts here."""
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        yield CheckResult(
            WARN, "OTLP", "OTEL_SDK_DISABLED: SDKs in this environment create no spans"
        )
        return
    named = environ.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if named and "otlp" not in named:
        message = f"OTEL_TRACES_EXPORTER={named}: SDKs of this environment send no OTLP"
        yield CheckResult(WARN, "OTLP", message, "Unset it, or set it to otlp.")
        return
    protocol = _first(environ, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    is_grpc = protocol == "grpc"
    endpoint = _first(environ, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    default = "http://localhost:4317" if is_grpc else "http://localhost:4318"
    yield _examine_endpoint(settings, environ, endpoint or default, is_grpc=is_grpc)


def _examine_endpoint(
    settings: Settings, environ: Mapping[str, str], endpoint: str, *, is_grpc: bool
) -> CheckResult:
    point = _point(environ)
    parts = urlsplit(endpoint if "://" in endpoint else f"http://{endpoint}")
    try:
        host, port = parts.hostname or "localhost", parts.port
    except ValueError:
        return CheckResult(FAIL, "OTLP", "OTEL_EXPORTER_OTLP_ENDPOINT is not an address", point)
    port = port or (443 if parts.scheme == "https" else 80)
    where = f"{host}:{port} ({'gRPC' if is_grpc else 'HTTP'})"
    if not listens(host, port):
        return CheckResult(WARN, "OTLP", f"SDKs send to {where}, where nothing listens", point)
    if is_grpc:
        ours = {settings.otlp_grpc_port, settings.otlp_http_port, settings.port}
        is_ours = port in ours and settings.otlp_grpc_port and _is_here(environ)
        if not is_ours:
            message = f"SDKs send to {where}, which may not be the service"
            return CheckResult(WARN, "OTLP", message, point)
    elif not health(f"{parts.scheme}://{_bracketed(host)}:{port}"):
        message = f"SDKs send to {where}, which is not Inspector"
        return CheckResult(WARN, "OTLP", message, f"{point} {_FORWARD}")
    return CheckResult(
        OK, "OTLP", f"SDKs of this environment reach an Inspector service at {where}"
    )


def _point(environ: Mapping[str, str]) -> str:
    running = runfile.read(environ)
    url = environ.get("INSPECTOR_URL", "").strip() or (running.url if running else "")
    if not url:
        return "Start the service, or set OTEL_EXPORTER_OTLP_ENDPOINT to its address."
    return f"Set OTEL_EXPORTER_OTLP_ENDPOINT={without_user(url)}."


_FORWARD = "INSPECTOR_FORWARD_OTLP forwards everything to the previous receiver."


def examine_frameworks(settings: Settings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Check the installed extras and frameworks, and whether they are compatible."""
    missing = [extra for extra, package in _EXTRAS.items() if _version(package) is None]
    if missing:
        advice = f"pip install 'mcp-agent-inspector[{','.join(missing)}]'"
        yield CheckResult(WARN, "extras", f"not installed: {', '.join(missing)}", advice)
    if environ.get("INSPECTOR_URL") and environment_token(environ) is None:
        advice = "Set INSPECTOR_TOKEN to what `inspector token` prints there."
        yield CheckResult(WARN, "attach", "INSPECTOR_URL is set and INSPECTOR_TOKEN is not", advice)
    protocol, framework = _version("mcp"), _version("mcp-agent")
    is_enabled = environ.get("INSPECTOR_ENABLE_PATCH", "").strip().lower() in ("1", "true", "on")
    if framework and protocol and not protocol.startswith(("0.", "1.")):
        advice = "pip install 'mcp-agent-inspector[mcp-agent]' in an environment of its own."
        message = f"mcp-agent {framework} does not work with mcp {protocol}"
        yield CheckResult(FAIL, "mcp-agent", message, advice)
    elif is_enabled and not framework:
        advice = "Unset it, or: pip install 'mcp-agent-inspector[mcp-agent]'"
        yield CheckResult(
            WARN,
            "mcp-agent",
            "INSPECTOR_ENABLE_PATCH is set, but mcp-agent is not installed",
            advice,
        )
    elif framework:
        state = "is on" if is_enabled else "is off (INSPECTOR_ENABLE_PATCH=1 turns it on)"
        yield CheckResult(OK, "mcp-agent", f"{framework} with mcp {protocol}; its patch {state}")
    elif protocol:
        yield CheckResult(OK, "mcp", f"{protocol} is installed")


_COUNTED = (
    ("policy", "policy", "policies"),
    ("budget", "budget", "budgets"),
    ("breakpoint", "breakpoint", "breakpoints"),
)
"""Kinds of rules that are counted, in singular and plural."""


def examine_policies(settings: Settings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Yield the content of each file of policies, or its mistake."""
    if is_switched_off(environ):
        yield CheckResult(WARN, "policies", f"{SWITCH} is off: no policy acts on agents from here")
        return
    for source in find_sources(environ):
        try:
            rules = load(source)
        except PolicyError as error:
            advice = (
                "Fix it (`inspector policies check`). Until then agents deny what it may restrict."
            )
            yield CheckResult(FAIL, "policies", error.mistakes[0].removesuffix("."), advice)
            continue
        if rules is None:
            continue
        kinds = [line.kind for line in lines(rules)]
        counts = ", ".join(
            f"{kinds.count(kind)} {one if kinds.count(kind) == 1 else several}"
            for kind, one, several in _COUNTED
            if kind in kinds
        )
        yield CheckResult(OK, "policies", f"{rules.file}: {counts or 'no policies'}")
        if needs_prices(rules) and not environ.get("INSPECTOR_PRICES"):
            advice = "Set INSPECTOR_PRICES to a price file."
            message = "an LLM call without a reported cost uses up a cost budget"
            yield CheckResult(WARN, "policies", message, advice)


def _is_here(environ: Mapping[str, str]) -> bool:
    running = runfile.read(environ)
    return running is not None and health(running.url, running.token) is not None


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _first(environ: Mapping[str, str], *names: str) -> str:
    return next((value for name in names if (value := environ.get(name, "").strip())), "")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
