"""Options of the bridge, from arguments, the environment or defaults."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

_logger = logging.getLogger("inspector")

DEFAULT_MAX_CONTENT_BYTES = 30_720
"""Per attribute, UTF-8, after serialisation."""


class Vocabulary(StrEnum):
    """The vocabulary of attribute keys; span name and kind are official unless `legacy`."""

    DUP = "dup"
    """Both of the others."""
    CURRENT = "current"
    """Names of the semantic conventions, and `inspector.*`."""
    LEGACY = "legacy"
    """The older `mcp.*`, with the older span names and kinds."""


class Capture(StrEnum):
    """The treatment of prompts, arguments, results and envelopes."""

    FULL = "full"
    """Sent unchanged."""
    REDACTED = "redacted"
    """Sent with secrets replaced."""
    OFF = "off"
    """Not sent."""


class SpanMode(StrEnum):
    """The spans that carry the attributes of hooks."""

    OWN = "own"
    """Spans of Inspector."""
    ENRICH = "enrich"
    """Spans of the emitter, where it creates its own."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options for turning hooks into spans."""

    vocabulary: Vocabulary = Vocabulary.DUP
    """Attribute names to write."""
    capture: Capture = Capture.OFF
    """What to send of content."""
    max_content_bytes: int = DEFAULT_MAX_CONTENT_BYTES
    """Longer content is truncated."""
    has_structured_content: bool = False
    """Write content as maps and lists, not JSON text: fewer backends show it, and SDKs before 1.45
    drop it."""
    mode: SpanMode = SpanMode.OWN
    """Spans that carry the attributes."""
    trusts_remote_context: bool = True
    """The span that an MCP peer names becomes the parent; otherwise it is a link only."""
    has_metrics: bool = False
    """Record metrics, too."""
    prices_file: str | None = None
    """Path of a file with model prices."""


def read_options(
    *,
    semconv: str | None = None,
    capture: str | None = None,
    default_capture: Capture = Capture.OFF,
    environ: Mapping[str, str] = os.environ,
) -> Options:
    """Return the options: from arguments, else the environment, else defaults.

    Args:
        semconv: `dup`, `current` or `legacy`; else `INSPECTOR_SEMCONV`.
        capture: `full`, `redacted` or `off`; else `INSPECTOR_CAPTURE_CONTENT`, else
            `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` (`NO_CONTENT`: off, any other:
            redacted).
        default_capture: Used when nothing is set.
        environ: Source of the variables.

    Raises:
        ValueError: An argument is not one of its values. A bad variable is only logged: the
            environment of a watched agent must not stop it.
    """
    vocabulary = (
        Vocabulary(semconv)
        if semconv
        else _from_environ("INSPECTOR_SEMCONV", environ, Vocabulary.DUP)
    )
    fallback = _otel_capture(environ) or default_capture
    return Options(
        vocabulary=vocabulary,
        capture=(
            Capture(capture)
            if capture
            else _from_environ("INSPECTOR_CAPTURE_CONTENT", environ, fallback)
        ),
        mode=_from_environ("INSPECTOR_SPAN_MODE", environ, SpanMode.OWN),
        trusts_remote_context=is_on("INSPECTOR_TRUST_REMOTE_CONTEXT", environ, default=True),
        has_metrics=is_on("INSPECTOR_METRICS", environ, default=False),
        prices_file=environ.get("INSPECTOR_PRICES", "").strip() or None,
    )


_E = TypeVar("_E", bound=StrEnum)


def _from_environ(variable: str, environ: Mapping[str, str], default: _E) -> _E:
    text = environ.get(variable, "").strip().lower()
    if not text:
        return default
    try:
        return type(default)(text)
    except ValueError:
        allowed = ", ".join(type(default))
        _logger.warning("%s=%r is not one of %s; using %s.", variable, text, allowed, default)
        return default


_SWITCH = {"1": True, "true": True, "on": True, "0": False, "false": False, "off": False}


def is_on(variable: str, environ: Mapping[str, str], *, default: bool) -> bool:
    """Return whether a switch is on; any other value is logged and ignored."""
    text = environ.get(variable, "").strip().lower()
    if text and text not in _SWITCH:
        used = "on" if default else "off"
        _logger.warning(
            "%s=%r is not one of %s; using %s.", variable, text, ", ".join(_SWITCH), used
        )
    return _SWITCH.get(text, default)


EXIT_TIMEOUT = "INSPECTOR_EXIT_TIMEOUT_S"
_EXIT_TIMEOUT_S = 1.0
_MOST_EXIT_TIMEOUT_S = 3_600.0


def exit_timeout_s(environ: Mapping[str, str] = os.environ) -> float:
    """Return for how long an exit waits until everything is sent; an invalid value is logged."""
    text = environ.get(EXIT_TIMEOUT, "").strip()
    try:
        timeout_s = float(text or _EXIT_TIMEOUT_S)
    except ValueError:
        timeout_s = math.nan
    if 0 <= timeout_s <= _MOST_EXIT_TIMEOUT_S:
        return timeout_s
    _logger.warning(
        "%s=%r is not a number of seconds up to %g; using %g.",
        EXIT_TIMEOUT,
        text,
        _MOST_EXIT_TIMEOUT_S,
        _EXIT_TIMEOUT_S,
    )
    return _EXIT_TIMEOUT_S


def sending_timeout_s() -> float:
    """Return the part of `exit_timeout_s` that telemetry may take: control closes after it."""
    return 0.9 * exit_timeout_s()


def _otel_capture(environ: Mapping[str, str]) -> Capture | None:
    text = environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "").strip().lower()
    if not text:
        return None
    # Packages before util-genai 1.0 wrote `true` and `false`.
    return Capture.OFF if text in {"no_content", "false"} else Capture.REDACTED
